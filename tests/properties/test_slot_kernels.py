"""What is proven of the steps of one slot: Lemma 1, the counts of the packing, and Theorem 2, against solvers."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import LinearConstraint, linprog, milp
from scipy.sparse import block_array, csr_array, eye_array, kron

from schedcore.preemptive import memory_step, pack_slot, slot_rates

Column = NDArray[np.int64]
TOLERANCE = 1e-9


class Slotful(NamedTuple):
    """Jobs and machines of one slot; memory of every job at most that of every machine."""

    cost: NDArray[np.float64]
    demand: Column
    memory: Column
    capacity: Column
    memory_capacity: Column

    def value(self, cores: Column) -> float:
        """Profit of the cores given, of jobs (n,) or of jobs on machines (n, m)."""
        given = cores if cores.ndim == 1 else cores.sum(axis=1)
        return float(np.sum(-self.cost * given / self.demand))


def slotfuls(n_rounds: int, most_jobs: int, seed: int) -> Iterator[Slotful]:
    random = np.random.default_rng(seed)
    for _ in range(n_rounds):
        n, m = random.integers(1, most_jobs + 1), random.integers(1, 4)
        yield Slotful(
            np.round(random.uniform(-8, 2, n), random.integers(0, 3)),
            random.integers(1, 6, n),
            random.integers(1, 5, n),
            random.integers(1, 10, m),
            random.integers(5, 16, m),
        )


def strict_rates(slot: Slotful) -> tuple[Column, int | None]:
    limit = np.where(slot.cost < 0, slot.demand, 0)
    return slot_rates(slot.cost, slot.demand, limit, int(slot.capacity.sum()))


def memory_optimum(slot: Slotful) -> float:
    """P3 with memory as a mixed-integer program: cores u, then admissions z, of jobs on machines, row by row."""
    n, m = slot.cost.size, slot.capacity.size
    of_job, of_machine = kron(eye_array(n), np.ones((1, m))), kron(np.ones((1, n)), eye_array(m))
    held = kron(csr_array(slot.memory[np.newaxis, :]), eye_array(m))
    most = kron(csr_array(np.diag(slot.demand)), eye_array(m))
    rows = block_array(
        [[of_job, None], [of_machine, None], [None, held], [eye_array(n * m), -most]], format="csc"
    )
    upper = np.concatenate([slot.demand, slot.capacity, slot.memory_capacity, np.zeros(n * m)])
    profit = np.concatenate([np.repeat(slot.cost / slot.demand, m), np.zeros(n * m)])
    bound = np.concatenate([np.repeat(slot.demand, m), np.ones(n * m)])
    found = milp(
        profit,
        constraints=LinearConstraint(rows, -np.inf, upper),
        integrality=np.ones(2 * n * m),
        bounds=(np.zeros(2 * n * m), bound),
    )
    return -float(found.fun)


def transport_optimum(slot: Slotful, pairs: Column) -> float:
    """The best cores over the pairs of job and machine that are admitted."""
    n, m = pairs.shape
    rows = np.vstack([np.kron(np.eye(n), np.ones((1, m))), np.kron(np.ones((1, n)), np.eye(m))])
    upper = np.where(pairs.ravel() > 0, np.repeat(slot.demand, m), 0)
    found = linprog(
        np.repeat(slot.cost / slot.demand, m),
        A_ub=rows,
        b_ub=np.concatenate([slot.demand, slot.capacity]),
        bounds=np.column_stack([np.zeros(n * m), upper]),
    )
    return -float(found.fun)


def theorem_2_ratio(slot: Slotful) -> float:
    least, most = slot.demand.min(), slot.memory.max()
    by_machine = (slot.memory_capacity - most) / (slot.capacity + 2 * least) * least / most
    return float(min(1.0, by_machine.min()))


def test_rates_are_the_optimum_of_the_linear_program_of_the_slot() -> None:
    for slot in slotfuls(60, 12, seed=1):
        cores, _ = strict_rates(slot)
        total = int(slot.capacity.sum())
        found = linprog(
            slot.cost / slot.demand,
            A_ub=np.ones((1, cores.size)),
            b_ub=[total],
            bounds=np.column_stack([np.zeros(cores.size), slot.demand]),
        )
        assert slot.value(cores) == pytest.approx(-found.fun, abs=TOLERANCE)


def test_everything_is_placed_in_at_most_two_partial_pieces_a_machine() -> None:
    random = np.random.default_rng(2)
    for _ in range(300):
        capacity = random.choice([16, 32, 64], random.integers(1, 12))
        demand = random.integers(1, random.choice([3, 17, 130]), random.integers(1, 80))
        cores, cut = slot_rates(random.random(demand.size), demand, demand, int(capacity.sum()))
        placed = pack_slot(cores, cut, capacity)
        assert (placed.sum(axis=1) == cores).all()
        assert (placed.sum(axis=0) <= capacity).all()
        partial = (placed > 0) & (placed < cores[:, np.newaxis])
        assert partial.sum(axis=0).max() <= 2
        # The count that Theorem 2 uses: whole jobs, and two pieces of one core at least.
        assert ((placed > 0).sum(axis=0) <= (capacity - 2) / demand.min() + 2).all()


def test_sticky_packing_of_an_unchanged_slot_moves_nothing() -> None:
    random = np.random.default_rng(3)
    for _ in range(100):
        capacity = random.integers(1, 20, 6)
        demand = random.integers(1, 9, 12)
        cores, cut = slot_rates(random.random(12), demand, demand, int(capacity.sum()))
        placed = pack_slot(cores, cut, capacity)
        assert (pack_slot(cores, cut, capacity, placed) == placed).all()
        # Nor does a job that stays move when another one ends.
        cores[random.integers(12)] = 0
        assert (pack_slot(cores, cut, capacity, placed)[cores > 0] == placed[cores > 0]).all()


def test_theorem_2_holds_in_every_slot_and_mode() -> None:
    n_vacuous = 0
    for slot in slotfuls(80, 7, seed=4):
        cores, cut = strict_rates(slot)
        omega, optimum = slot.value(cores), memory_optimum(slot)
        assert omega >= optimum - TOLERANCE
        ratio = theorem_2_ratio(slot)
        n_vacuous += ratio <= 0
        placed = pack_slot(cores, cut, slot.capacity)
        values = [
            slot.value(
                memory_step(
                    placed,
                    slot.cost,
                    slot.demand,
                    slot.demand,
                    slot.memory,
                    slot.capacity,
                    slot.memory_capacity,
                    mem_mode=mode,
                    work_conserving=False,
                )[0]
            )
            for mode in ("once", "twice", "backfill")
        ]
        assert values[0] >= ratio * omega - TOLERANCE
        assert min(values) == values[0]
        assert max(values) <= optimum + TOLERANCE
    assert n_vacuous < 20


def test_twice_gives_the_best_cores_over_the_admitted_pairs() -> None:
    for slot in slotfuls(60, 9, seed=5):
        cores, cut = strict_rates(slot)
        placed = pack_slot(cores, cut, slot.capacity)
        once, twice = (
            memory_step(
                placed,
                slot.cost,
                slot.demand,
                slot.demand,
                slot.memory,
                slot.capacity,
                slot.memory_capacity // 2,
                mem_mode=mode,
                work_conserving=False,
            )[0]
            for mode in ("once", "twice")
        )
        assert slot.value(twice) == pytest.approx(transport_optimum(slot, once), abs=TOLERANCE)


def test_amounts_near_the_largest_are_placed_exactly() -> None:
    large = 2**53
    cores = np.array([large, large - 1, 1, 3])
    placed = pack_slot(cores, None, [large, large, 4])
    assert (placed.sum(axis=1) == cores).all()
    assert placed.tolist() == [[large, 0, 0], [0, large - 1, 0], [0, 1, 0], [0, 0, 3]]
