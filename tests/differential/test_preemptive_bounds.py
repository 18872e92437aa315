"""Bounds on preemptive schedules equal the program as it is written down, and stay below exact optima."""

import math
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import schedcore
from example_shares import examples
from reference.slotted_instance import SlottedJobs
from reference.slotted_optimum import least_flow_power_sum
from schedcore.bounds import flow_power_lower_bound, fractional_lower_bound
from schedcore.bounds.linear_solver import solve_linear
from schedcore.bounds.preemptive import slot_program
from schedcore.bounds.preemptive.fractional_rates import FractionalRates
from schedcore.bounds.preemptive.slot_prices import prove
from schedcore.bounds.preemptive.slot_program import bound_by_program
from schedcore.workloads import slotted_standin
from slotted_cases import WIDE_AND_THIN, map_reduce, slotted, slotted_instances, tiny_instances

SOLVER = 1e-6  # relative accuracy of linprog and of ours

Instance = schedcore.Instance
powers = st.sampled_from([1, 2, 2, 3])


def weight(jobs: SlottedJobs, job: int, slot: int, k: int) -> float:
    p = jobs.processing_time[job]
    return (slot - jobs.release_time[job]) ** k / p + p ** (k - 1)


def program_value(jobs: SlottedJobs, k: int) -> float:
    """P2 as written down, one variable for every job and slot of a horizon in which all work fits one after another."""
    horizon = max(jobs.release_time) + sum(
        p
        * max(
            1,
            *(
                math.ceil(d / sum(c)) if sum(c) else 1
                for d, c in zip(demand, zip(*jobs.capacity, strict=True), strict=True)
            ),
        )
        for p, demand in zip(jobs.processing_time, jobs.demand, strict=True)
    )
    pairs = [(j, t) for j in range(jobs.n_jobs) for t in range(jobs.release_time[j] + 1, horizon + 1)]
    n_resources = len(jobs.capacity[0])
    done = np.array([[float(j == job) for j, _ in pairs] for job in range(jobs.n_jobs)])
    used = np.array(
        [
            [float(jobs.demand[j][r] * (t == slot)) for j, t in pairs]
            for r in range(n_resources)
            for slot in range(1, horizon + 1)
        ]
    )
    room = np.repeat([sum(c[r] for c in jobs.capacity) for r in range(n_resources)], horizon)
    costs = [weight(jobs, j, t, k) for j, t in pairs]
    found = linprog(costs, used, room, done, jobs.processing_time, bounds=(0, 1), method="highs")
    assert found.status == 0
    return float(found.fun)


@examples(60)
@given(
    instance=slotted_instances(min_jobs=1, max_jobs=4, resources=(1, 2, 3), gaps=False, longest=4),
    k=powers,
)
def test_the_bound_is_the_optimum_of_the_program(instance: Instance, k: int) -> None:
    jobs = SlottedJobs.from_instance(instance)
    best = program_value(jobs, k)
    bound = fractional_lower_bound(instance, k)
    assert bound <= best * (1 + SOLVER)
    assert bound == pytest.approx(best, rel=SOLVER)


@examples(100)
@given(instance=tiny_instances(min_jobs=1), k=powers)
def test_half_the_bound_is_below_the_least_flow_times_and_all_of_it_below_the_least_fractional_ones(
    instance: Instance, k: int
) -> None:
    jobs = SlottedJobs.from_instance(instance)
    bound = fractional_lower_bound(instance, k)
    least, alone = least_flow_power_sum(jobs, k), sum(p**k for p in jobs.processing_time)
    assert bound <= least_fractional(jobs, k) * (1 + 1e-12)
    assert bound <= 2 * least
    assert bound <= least + alone
    proven = flow_power_lower_bound(instance, k)
    assert max(alone, bound / 2) <= proven * (1 + 1e-12)
    assert proven <= least


@examples(50)
@given(
    instance=slotted_instances(
        min_jobs=1, max_jobs=3, max_machines=2, resources=(2,), longest=2, latest=2, gaps=False, most_cores=2
    ),
    k=powers,
)
def test_with_memory_the_bound_is_below_the_least_fractional_flow_times(instance: Instance, k: int) -> None:
    jobs = SlottedJobs.from_instance(instance)
    assert fractional_lower_bound(instance, k) <= least_fractional(jobs, k) * (1 + 1e-12)


def least_fractional(jobs: SlottedJobs, k: int) -> float:
    """OPT(P2) in whole cores, with memory held on every machine; exponential, for a few jobs of a few slots."""
    possible = [cores for cores in rates(jobs) if any(cores)]

    @cache
    def best(slot: int, remaining: tuple[int, ...]) -> float:
        if not any(remaining):
            return 0.0
        active = [left > 0 and jobs.release_time[j] < slot for j, left in enumerate(remaining)]
        if not any(active):
            return best(slot + 1, remaining)
        least = math.inf
        for cores in possible:
            if all(u == 0 or (active[j] and u <= remaining[j]) for j, u in enumerate(cores)):
                cost = sum(weight(jobs, j, slot, k) * u / jobs.demand[j][0] for j, u in enumerate(cores) if u)
                after = tuple(left - u for left, u in zip(remaining, cores, strict=True))
                least = min(least, cost + best(slot + 1, after))
        return least

    return best(1, tuple(jobs.volume(j) for j in range(jobs.n_jobs)))


def rates(jobs: SlottedJobs) -> set[tuple[int, ...]]:
    """All cores that the jobs can have in one slot, wherever they are placed."""
    found: set[tuple[int, ...]] = {(0,) * jobs.n_jobs}
    for cores, *memories in jobs.capacity:
        here = [
            given
            for given in product(*(range(min(cores, demand[0]) + 1) for demand in jobs.demand))
            if sum(given) <= cores
            and all(
                sum(jobs.demand[j][r + 1] for j, u in enumerate(given) if u) <= memory
                for r, memory in enumerate(memories)
            )
        ]
        found = {tuple(a + b for a, b in zip(one, two, strict=True)) for one in found for two in here}
    return {given for given in found if all(u <= jobs.demand[j][0] for j, u in enumerate(given))}


@examples(50)
@given(data=st.data(), k=powers)
def test_any_prices_prove_a_bound(data: st.DataObject, k: int) -> None:
    instance = data.draw(slotted_instances(min_jobs=1, max_jobs=4, resources=(1, 2), gaps=False, longest=4))
    best = program_value(SlottedJobs.from_instance(instance), k)
    shape = (data.draw(st.integers(0, 12)), instance.n_resources)
    price = st.floats(0, 10) | st.sampled_from([-1.0, math.nan, math.inf, 1e6])
    prices = np.array(data.draw(st.lists(price, min_size=math.prod(shape), max_size=math.prod(shape))))
    assert prove(FractionalRates(instance, k), prices.reshape(shape)).bound <= best * (1 + SOLVER)


@pytest.mark.parametrize("resources", ["cores", "cores_memory"])
def test_longer_stretches_prove_somewhat_less(resources: Any) -> None:
    inst = slotted_standin(150, 2, window=300, resources=resources)
    exact = fractional_lower_bound(inst)
    for columns, loss in ((2000, 0.01), (500, 0.1), (1, 0.3)):
        coarse = fractional_lower_bound(inst, max_columns=columns)
        assert exact * (1 - loss) <= coarse <= exact * (1 + 1e-9)
    alone = float((inst.jobs.processing_time**2).sum())
    assert alone < coarse


def test_a_limit_of_time_leaves_what_is_proven_by_then() -> None:
    inst = slotted_standin(300, 2, window=600)
    exact = fractional_lower_bound(inst)
    early = fractional_lower_bound(inst, time_limit=1e-9)
    assert bound_at_no_prices(inst) <= early <= exact * (1 + 1e-9)
    assert fractional_lower_bound(inst, time_limit=600.0) == pytest.approx(exact, rel=SOLVER)


def bound_at_no_prices(inst: Instance) -> float:
    return prove(FractionalRates(inst, 2), np.zeros((0, 1))).bound


def test_one_job_alone_costs_its_own_weights() -> None:
    # p = 3, a = 4: slots 5, 6, 7 with (1 + 4 + 9) / 3 + 3 * 3.
    assert fractional_lower_bound(slotted([(4, 2, 3)], [2])) == pytest.approx(14 / 3 + 9)
    assert flow_power_lower_bound(slotted([(4, 2, 3)], [2])) == 9.0
    # On one core of two it needs six slots at half rate: 91 / 2 / 3 + 9; and 36 > 91 / 6 is its flow time squared.
    assert fractional_lower_bound(slotted([(4, 2, 3)], [1])) == pytest.approx(91 / 6 + 9)
    assert fractional_lower_bound(slotted([], [1])) == 0.0


def test_high_powers_and_late_jobs_are_bounded_too() -> None:
    inst = slotted([(0, 1, 3), (100_000, 1, 2), (100_000, 1, 2)], [1])
    alone = fractional_lower_bound(slotted([(0, 1, 3)], [1]), 8)
    pair = fractional_lower_bound(slotted([(0, 1, 2), (0, 1, 2)], [1]), 8)
    assert fractional_lower_bound(inst, 8) == pytest.approx(alone + pair, rel=1e-6)
    far = slotted([(0, 1, 4_000), (0, 1, 4_000)], [1])
    assert 0 < fractional_lower_bound(far, 64, max_columns=100) < math.inf
    assert not math.isnan(flow_power_lower_bound(far, 64))


def test_memory_that_is_believed_to_be_less_than_it_is_leaves_the_bound_below_the_schedule() -> None:
    # Both jobs hold 10 GB of 10 and believe in 5: side by side, 4 slots each.
    inst = slotted([(0, (1, 10), 4), (0, (1, 10), 4)], [(2, 10)], [(1, 5), (1, 5)])
    result = schedcore.solve("srpt", inst)
    assert schedcore.validate(inst, result.schedule)
    assert result.value == 32
    assert flow_power_lower_bound(inst) == 32
    assert fractional_lower_bound(inst) == pytest.approx(result.stats["fractional"])


@examples(60)
@given(instance=slotted_instances(min_jobs=1, resources=(1, 2, 3), estimates=True), k=powers)
def test_no_schedule_made_with_wrong_estimates_is_below_the_bounds(instance: Instance, k: int) -> None:
    result = schedcore.solve("svf", instance, k=k)
    assert fractional_lower_bound(instance, k) <= result.stats["fractional"] * (1 + 1e-12)
    assert flow_power_lower_bound(instance, k) <= result.value


def test_high_powers_do_not_keep_the_solver_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    # Costs lie 1e50 apart: simplex alone takes 270,000 iterations for 1243 columns, and for some such programs no end.
    times, cores = [50, 38, 50, 4, 46, 23, 41, 2], [4, 2, 4, 1, 2, 2, 3, 2]
    memory = [(1, 3), (4, 2), (6, 1), (2, 2), (0, 3), (6, 0), (5, 1), (2, 3)]
    inst = slotted([(0, (d, *m), p) for p, d, m in zip(times, cores, memory, strict=True)], [(4, 6, 3)])
    iterations = []

    def counted(*args: Any, **options: Any) -> Any:
        found = solve_linear(*args, **options)
        iterations.append(found.n_iterations)
        return found

    monkeypatch.setattr(slot_program, "solve_linear", counted)
    bound = bound_by_program(FractionalRates(inst, 20), 100_000, None).value
    assert bound == pytest.approx(4.7376642e44, rel=1e-3)  # what simplex finds without a limit
    assert max(iterations) < 50_000


def test_a_gap_of_many_slots_between_releases_makes_no_rows() -> None:
    gap = 2_000_000
    inst = slotted([(0, 3, 3), (gap, 3, 3)], [4])
    assert fractional_lower_bound(inst) == pytest.approx(
        2 * fractional_lower_bound(slotted([(0, 3, 3)], [4]))
    )


def test_sums_of_powers_beyond_the_doubles_are_bounded_by_the_largest() -> None:
    far = slotted([(0, 1, 65_000), (0, 1, 65_000)], [2])
    assert 1.7e308 < flow_power_lower_bound(far, 64) < math.inf
    alone = map_reduce([(0, (1, 1, 10**6), (0, 0, 0))], [1])
    assert 1.7e308 < flow_power_lower_bound(alone, 64) < math.inf


def test_the_bound_is_remembered_by_content() -> None:
    bound = fractional_lower_bound(WIDE_AND_THIN, 1)
    again = slotted([(0, 2, 4), (0, 1, 10)], [2])
    assert fractional_lower_bound(again, 1) == bound
    assert bound_by_program(FractionalRates(again, 1), 1000, None).value == pytest.approx(bound)


def test_jobs_of_map_and_reduce_tasks_have_the_bound_of_their_processing_times_alone() -> None:
    inst = map_reduce([(0, (2, 1, 2), (1, 2, 1)), (0, (1, 1, 1), (0, 0, 0))], [2])
    assert flow_power_lower_bound(inst, 2) == 9.0 + 1.0
    with pytest.raises(schedcore.UnsupportedError, match="phases"):
        fractional_lower_bound(inst)  # type: ignore[arg-type]


def test_instances_that_are_not_slotted_are_refused() -> None:
    jobs = schedcore.Jobs(processing_time=[1.5], demand=[[1]])
    inst = schedcore.Instance(jobs, schedcore.Machines([[2]]))
    with pytest.raises(schedcore.InvalidInstanceError, match=r"processing_time\[0\] = 1.5"):
        fractional_lower_bound(inst)
    with pytest.raises(schedcore.InfeasibleError, match="no machine has any resource_1"):
        fractional_lower_bound(slotted([(0, (1, 1), 1)], [(1, 0)]))
    with pytest.raises(schedcore.UnsupportedError, match="longer slots"):
        fractional_lower_bound(slotted([(0, 1, 2**40)], [1]))
    for options in ({"k": 0}, {"k": 65}, {"max_columns": 0}, {"time_limit": 0.0}):
        with pytest.raises(schedcore.InvalidInstanceError, match=next(iter(options))):
            fractional_lower_bound(WIDE_AND_THIN, **options)  # type: ignore[arg-type]
    for bound in (fractional_lower_bound, flow_power_lower_bound):
        with pytest.raises(TypeError, match="Jobs"):
            bound(jobs)  # type: ignore[arg-type]
