"""Changes of an instance that may not change any algorithm's schedule, or only its unit of time."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import schedcore
from properties.registry_cases import ALGORITHMS, Options, problems, solve, with_jobs
from schedcore.registry import Algorithm

EXACT = 2**53  # integers up to here are exact as doubles


def assert_same_schedule(left: schedcore.Result, right: schedcore.Result, time_factor: float = 1) -> None:
    """Bit for bit the same starts (the left ones times `time_factor`) on the same machines."""
    np.testing.assert_array_equal(left.schedule.start_time * time_factor, right.schedule.start_time)
    np.testing.assert_array_equal(left.schedule.machine, right.schedule.machine)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(data=st.data())
def test_the_same_input_gives_the_same_result(algorithm: Algorithm, data: st.DataObject) -> None:
    options, instance = data.draw(problems(algorithm))
    first = solve(algorithm, instance, options)
    again = solve(algorithm, pickle.loads(pickle.dumps(instance)), options)
    assert_same_schedule(first, again)
    assert first.value == again.value


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(data=st.data())
def test_relabelling_resources_keeps_the_schedule(algorithm: Algorithm, data: st.DataObject) -> None:
    options, instance = data.draw(problems(algorithm))
    assume(not options.get("selection", "").startswith("bl"))  # equally used resources go by their numbers
    order = data.draw(st.permutations(range(instance.n_resources)))
    relabelled = schedcore.Instance(
        instance.jobs.replace(demand=instance.jobs.demand[:, order]),
        schedcore.Machines(instance.machines.capacity[:, order]),
    )
    assert_same_schedule(solve(algorithm, instance, options), solve(algorithm, relabelled, options))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(data=st.data())
def test_scaling_amounts_and_capacities_together_keeps_the_schedule(
    algorithm: Algorithm, data: st.DataObject
) -> None:
    options, instance = data.draw(problems(algorithm))
    factor = data.draw(st.integers(2, 1000))
    # beyond it amounts are refused, or scores are no longer exact
    assume(factor * math.lcm(*(c for c in instance.machines.capacity.ravel().tolist() if c)) <= EXACT)
    scaled = schedcore.Instance(
        instance.jobs.replace(demand=instance.jobs.demand * factor),
        schedcore.Machines(instance.machines.capacity * factor),
    )
    assert_same_schedule(solve(algorithm, instance, options), solve(algorithm, scaled, options))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(data=st.data())
def test_scaling_times_by_a_power_of_two_scales_the_schedule(
    algorithm: Algorithm, data: st.DataObject
) -> None:
    options, instance = data.draw(problems(algorithm))
    check_time_scaling(algorithm, options, instance, 2.0 ** data.draw(st.integers(-20, 20)))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
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
