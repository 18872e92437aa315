"""Changes of an instance that may not change any algorithm's schedule, or only its unit of time."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from properties.registry_cases import ALGORITHMS, Options, problems, solve, with_jobs
from properties.slotted_registry_cases import (
    SLOTTED,
    Case,
    every_slotted_algorithm,
    on_one_machine,
    slotted_problems,
    solve_slotted,
    with_cores,
    with_memories,
)
from reference.queue_formulas import FORMULAS, demanded
from schedcore.registry import Algorithm
from slotted_cases import FAIR

EXACT = 2**53  # integers up to here are exact as doubles


def assert_same_schedule(left: schedcore.Result, right: schedcore.Result, time_factor: float = 1) -> None:
    """Bit for bit the same starts (the left ones times `time_factor`) on the same machines."""
    np.testing.assert_array_equal(left.schedule.start_time * time_factor, right.schedule.start_time)
    np.testing.assert_array_equal(left.schedule.machine, right.schedule.machine)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@examples(11)
@given(data=st.data())
def test_the_same_input_gives_the_same_result(algorithm: Algorithm, data: st.DataObject) -> None:
    options, instance = data.draw(problems(algorithm))
    first = solve(algorithm, instance, options)
    again = solve(algorithm, pickle.loads(pickle.dumps(instance)), options)
    assert_same_schedule(first, again)
    assert first.value == again.value


def demanded_alike(instance: schedcore.Instance, order: list[int]) -> bool:
    """Whether formulas count the same demand of each job: of resources with equal shares they count the first one."""
    totals = instance.machines.capacity.sum(axis=0)
    return all(
        demanded(row.tolist(), 1, totals.tolist()) == demanded(row[order].tolist(), 1, totals[order].tolist())
        for row in instance.jobs.demand
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@examples(11)
@given(data=st.data())
def test_relabelling_resources_keeps_the_schedule(algorithm: Algorithm, data: st.DataObject) -> None:
    options, instance = data.draw(problems(algorithm))
    assume(not options.get("selection", "").startswith("bl"))  # equally used resources go by their numbers
    order = data.draw(st.permutations(range(instance.n_resources)))
    assume(options.get("order") not in FORMULAS or demanded_alike(instance, order))
    counts_one_first = any(option.name == "primary" for option in algorithm.options)
    renamed = {"primary": order.index(options.get("primary", 0))} if counts_one_first else {}
    relabelled = schedcore.Instance(
        instance.jobs.replace(demand=instance.jobs.demand[:, order]),
        schedcore.Machines(instance.machines.capacity[:, order]),
    )
    assert_same_schedule(solve(algorithm, instance, options), solve(algorithm, relabelled, options | renamed))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@examples(11)
@given(data=st.data())
def test_scaling_amounts_and_capacities_together_keeps_the_schedule(
    algorithm: Algorithm, data: st.DataObject
) -> None:
    options, instance = data.draw(problems(algorithm))
    # Beyond it amounts are refused, or scores are no longer exact: shares of one machine, and of all together.
    capacity = instance.machines.capacity.tolist()
    shared = [[c for row in capacity for c in row], [sum(column) for column in zip(*capacity, strict=True)]]
    most = min(EXACT // math.lcm(*(amount for amount in amounts if amount)) for amounts in shared)
    assume(most >= 2)
    factor = data.draw(st.integers(2, min(most, 1000)))
    scaled = schedcore.Instance(
        instance.jobs.replace(demand=instance.jobs.demand * factor),
        schedcore.Machines(instance.machines.capacity * factor),
    )
    assert_same_schedule(solve(algorithm, instance, options), solve(algorithm, scaled, options))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@examples(11)
@given(data=st.data())
def test_scaling_times_by_a_power_of_two_scales_the_schedule(
    algorithm: Algorithm, data: st.DataObject
) -> None:
    options, instance = data.draw(problems(algorithm))
    check_time_scaling(algorithm, options, instance, 2.0 ** data.draw(st.integers(-20, 20)))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@examples(11)
@given(data=st.data())
def test_scaling_integer_times_by_an_integer_scales_the_schedule(
    algorithm: Algorithm, data: st.DataObject
) -> None:
    options, instance = data.draw(problems(algorithm))
    factor = data.draw(st.integers(2, 1000))
    # room for gamma_k and for plans behind it
    assume(
        16 * factor * (instance.jobs.processing_time.sum() + instance.jobs.release_time.max(initial=0))
        <= EXACT
    )
    check_time_scaling(algorithm, options, instance, factor)


def check_time_scaling(
    algorithm: Algorithm, options: Options, instance: schedcore.Instance, factor: float
) -> None:
    jobs = instance.jobs
    scaled = with_jobs(
        instance, processing_time=jobs.processing_time * factor, release_time=jobs.release_time * factor
    )
    assert_same_schedule(
        solve(algorithm, instance, options), solve(algorithm, scaled, options), time_factor=factor
    )


# Algorithms that work in slots. The unit of time is the slot, so times do not scale. Doubling the cores of jobs and
# machines doubles everything exactly, but for OCORP+, which weighs cores one by one, under fair sharing, which makes
# cores whole, and beside wrong estimates, where the cores that remaining work can use are rounded up. Other factors
# than powers of two would round OCORP's keys.

ON_JOBS = [case for case in SLOTTED if case.values[0].kind is schedcore.Instance]
CORES_SCALE = [case for case in SLOTTED if case.values[0].algorithm.name not in ("ocorp_plus", *FAIR)]


def slotted_rows(result: schedcore.Result) -> list[tuple[float, ...]]:
    """Job, task, machine, start, end and amount of every piece."""
    s = result.schedule
    columns = (s.job, s.task, s.machine, s.start_time, s.end_time, s.amount)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@every_slotted_algorithm
@examples(15)
@given(data=st.data())
def test_the_same_slotted_input_gives_the_same_result(case: Case, data: st.DataObject) -> None:
    problem = data.draw(slotted_problems(case))
    first = solve_slotted(case, problem)
    again = solve_slotted(case, problem._replace(instance=pickle.loads(pickle.dumps(problem.instance))))
    assert slotted_rows(first) == slotted_rows(again)
    assert repr(dict(first.stats)) == repr(dict(again.stats))
    assert first.value == again.value


@pytest.mark.parametrize("case", CORES_SCALE)
@examples(15)
@given(data=st.data(), exponent=st.integers(1, 20))
def test_doubling_the_cores_of_jobs_and_machines_doubles_the_schedule(
    case: Case, data: st.DataObject, exponent: int
) -> None:
    exact = {"estimates": False} if case.kind is schedcore.Instance else {}
    problem = data.draw(slotted_problems(case, **exact))
    scaled = problem._replace(instance=with_cores(problem.instance, 2**exponent))
    expected = [
        (*where, amount * 2**exponent) for *where, amount in slotted_rows(solve_slotted(case, problem))
    ]
    assert slotted_rows(solve_slotted(case, scaled)) == expected


@pytest.mark.parametrize("case", ON_JOBS)
@examples(15)
@given(data=st.data(), factor=st.sampled_from([1, 2, 7, 1000]))
def test_units_and_names_of_memories_do_not_matter(case: Case, data: st.DataObject, factor: int) -> None:
    problem = data.draw(slotted_problems(case, resources=(2, 3)))
    order = [0, *data.draw(st.permutations(range(1, problem.instance.n_resources)))]
    other = problem._replace(instance=with_memories(problem.instance, order, factor))
    assert slotted_rows(solve_slotted(case, other)) == slotted_rows(solve_slotted(case, problem))


@every_slotted_algorithm
@examples(15)
@given(data=st.data())
def test_only_all_cores_together_matter_without_memories(case: Case, data: st.DataObject) -> None:
    limits = {} if case.kind is schedcore.MapReduceInstance else {"resources": (1,)}
    problem = data.draw(slotted_problems(case, **limits))
    assume(problem.options.get("solver", "joblevel") == "joblevel")
    assume(problem.options.get("service", "shared") == "shared")
    together = on_one_machine(problem)
    np.testing.assert_array_equal(
        solve_slotted(case, problem).completion_time, solve_slotted(case, together).completion_time
    )
