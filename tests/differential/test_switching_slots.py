"""Slots with a switching cost equal brute force and a reference; placement by latency equals linear assignment."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from reference import slotted_packing, slotted_switching
from reference.switching_slot import joblevel_value, machine_level_value, placements, totals
from schedcore.algorithms.preemptive.switching_slots import SOLVERS, place_by_latency, switching_slot

ALPHAS = (0.0, 0.3, 1.0, 10.0, 1e4, 1e-30)


def random_slot(random: np.random.Generator, n_jobs: int, n_machines: int, most: int) -> dict[str, Any]:
    """Every other slot has costs with many ties; what ran before fits the machines."""
    capacity = random.integers(0, most, n_machines, endpoint=True)
    demand = random.integers(1, most, n_jobs, endpoint=True)
    first = random.random(n_jobs) < 0.25
    coarse = random.integers(-3, 3, n_jobs, endpoint=True).astype(float)
    previous = np.zeros((n_jobs, n_machines), dtype=np.int64)
    free = capacity.copy()
    for job in np.flatnonzero(~first):
        for machine in range(n_machines):
            cores = random.integers(0, min(free[machine], demand[job]), endpoint=True) * random.integers(0, 2)
            previous[job, machine] = cores
            free[machine] -= cores
    return {
        "cost": coarse if random.integers(2) else 10 * random.standard_normal(n_jobs),
        "demand": demand,
        "limit": random.integers(0, demand, endpoint=True),
        "capacity": capacity,
        "alpha": float(random.choice(ALPHAS)),
        "previous": previous,
        "first": first,
        "work_conserving": bool(random.integers(2)),
    }


def plain(slot: dict[str, Any]) -> dict[str, Any]:
    return {
        name: column.tolist() if isinstance(column, np.ndarray) else column for name, column in slot.items()
    }


def reference_arguments(slot: dict[str, Any]) -> dict[str, Any]:
    columns = plain(slot)
    return {name: dict(enumerate(columns[name])) for name in ("cost", "demand", "limit", "first")} | {
        "alpha": slot["alpha"],
        "work_conserving": slot["work_conserving"],
    }


def as_placement(matrix: np.ndarray) -> dict[tuple[int, int], int]:
    return {(int(j), int(i)): int(matrix[j, i]) for j, i in np.argwhere(matrix > 0)}


def test_joblevel_is_the_optimum_of_all_totals() -> None:
    random = np.random.default_rng(5)
    for _ in range(150):
        slot = random_slot(random, int(random.integers(1, 4)), int(random.integers(1, 3)), 4)
        columns = plain(slot)
        before = slot["previous"].sum(axis=1).tolist()

        def value(cores: Any, columns: Any = columns, before: Any = before) -> Fraction:
            return joblevel_value(
                cores, columns["cost"], columns["demand"], columns["alpha"], before, columns["first"]
            )

        pool = sum(columns["capacity"])
        least = min(map(value, totals(columns["limit"], pool, work_conserving=columns["work_conserving"])))
        found = switching_slot(**slot).sum(axis=1).tolist()
        # Marginals are doubles: where two of them are nearer than their rounding, the order may be the other one.
        assert float(value(found) - least) == pytest.approx(0, abs=1e-12 * (1 + columns["alpha"]))


def test_flow_is_the_optimum_of_all_placements_and_greedy_is_not_better() -> None:
    random = np.random.default_rng(6)
    for _ in range(150):
        slot = random_slot(random, int(random.integers(1, 4)), int(random.integers(1, 4)), 3)
        columns = plain(slot)

        def value(matrix: Any, columns: Any = columns) -> Fraction:
            return machine_level_value(
                matrix, *(columns[name] for name in ("cost", "demand", "alpha", "previous", "first"))
            )

        conserving = columns["work_conserving"]
        least = min(map(value, placements(columns["limit"], columns["capacity"], work_conserving=conserving)))
        flow, greedy = (
            value(switching_slot(**slot, solver=solver).tolist()) for solver in ("flow", "greedy")
        )
        assert flow == least or float(flow - least) <= 2.0**-90 * (1 + float(abs(least)) + columns["alpha"])
        assert float(greedy - flow) >= -1e-12 * (1 + columns["alpha"])


def test_kernels_equal_the_reference() -> None:
    random = np.random.default_rng(7)
    for _ in range(150):
        slot = random_slot(random, int(random.integers(0, 12)), int(random.integers(1, 5)), 6)
        arguments, capacity = reference_arguments(slot), slot["capacity"].tolist()
        before = as_placement(slot["previous"])
        assert as_placement(switching_slot(**slot, solver="greedy")) == slotted_switching.greedy(
            **arguments, previous=before, capacity=capacity
        )
        previous_total = dict(enumerate(slot["previous"].sum(axis=1).tolist()))
        cores = slotted_switching.joblevel(**arguments, previous=previous_total, total=sum(capacity))
        order = sorted(cores, key=lambda job: (slot["cost"][job] / slot["demand"][job], job))
        cut = slotted_switching.cut_job(order, cores, arguments["limit"])
        assert as_placement(switching_slot(**slot)) == slotted_packing.pack(cores, cut, capacity, before)


def test_flow_has_the_value_of_the_plain_reference_on_more_jobs_than_can_be_enumerated() -> None:
    random = np.random.default_rng(8)
    for _ in range(12):
        slot = random_slot(random, int(random.integers(4, 9)), int(random.integers(3, 6)), 5)
        arguments = reference_arguments(slot)
        before = as_placement(slot["previous"])
        best = slotted_switching.best_slot(**arguments, previous=before, capacity=slot["capacity"].tolist())
        found = as_placement(switching_slot(**slot, solver="flow"))
        values = [
            slotted_switching.slot_value(
                placement,
                arguments["cost"],
                arguments["demand"],
                before,
                arguments["first"],
                slot["capacity"].size,
                slot["alpha"],
            )
            for placement in (best, found)
        ]
        assert float(values[1] - values[0]) == pytest.approx(0, abs=1e-25 * (1 + slot["alpha"]))


@pytest.mark.parametrize("solver", SOLVERS)
def test_alpha_0_gives_the_rates_of_lemma_1(solver: str) -> None:
    random = np.random.default_rng(9)
    for _ in range(100):
        slot = random_slot(random, int(random.integers(1, 12)), int(random.integers(1, 5)), 6)
        slot |= {"alpha": 0.0, "work_conserving": True}
        key = slot["cost"] / slot["demand"]
        order = sorted(range(key.size), key=lambda job: (key[job], job))
        expected, _ = slotted_packing.slot_rates(
            order, dict(enumerate(slot["limit"].tolist())), int(slot["capacity"].sum())
        )
        found = switching_slot(**slot, solver=solver).sum(axis=1)
        if solver == "flow":  # equal keys may be served in another order
            total = sum(key[job] * cores for job, cores in expected.items())
            assert float(key @ found) == pytest.approx(total, abs=1e-9)
        else:
            assert found.tolist() == [expected.get(job, 0) for job in range(key.size)]


@pytest.mark.parametrize("whole", [True, False])
def test_place_by_latency_equals_linear_assignment(whole: bool) -> None:
    random = np.random.default_rng(10)
    for _ in range(60):
        n_tasks, n_machines = int(random.integers(1, 12)), int(random.integers(1, 7))
        capacity = random.integers(0, 8, n_machines)
        demand = random.integers(1, 6, n_tasks)
        cores = np.minimum(demand, random.integers(0, 6, n_tasks))
        while cores.sum() > capacity.sum():
            cores[random.integers(n_tasks)] = 0
        latency = (
            random.integers(0, 4, (n_tasks, n_machines)) if whole else random.random((n_tasks, n_machines))
        )
        placed, cost = place_by_latency(demand, cores, capacity, latency)
        assert placed.min(initial=0) >= 0
        assert np.array_equal(placed.sum(axis=1), cores)
        assert np.all(placed.sum(axis=0) <= capacity)
        assert cost == pytest.approx(float((placed * latency / demand[:, None]).sum()), abs=1e-12)
        # One row a core, one column a core of a machine.
        single = np.repeat(np.repeat(latency / demand[:, None], cores, axis=0), capacity, axis=1)
        assert cost == pytest.approx(float(single[linear_sum_assignment(single)].sum()), abs=1e-9)
