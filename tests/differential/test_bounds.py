"""The compiled bounds equal their literal reference implementations in exact fractions, and are never above them."""

import threading
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reference import bounds as reference
from schedcore import Instance, InvalidInstanceError, Jobs, Machines
from schedcore.bounds import lower_bounds, makespan_lower_bound, mean_busy_times
from strategies import instances

EXACT_SUM = 2**53
LARGEST_CAPACITY_WITHOUT_NEAR_TIES = 10**6


def tolerance(exact: Fraction) -> Fraction:
    """What a proven bound may give up: 2^-46 of itself, the same again for roundings below it."""
    return exact * Fraction(1, 2**45)


def assert_proven(value: float, exact: Fraction) -> None:
    assert exact - tolerance(exact) <= Fraction(value) <= exact


small = instances(max_jobs=10, max_resources=3, identical_machines=False, allow_no_demand=True)


@given(small)
def test_trivial_bound_of_integers_is_exact(instance: Instance) -> None:
    exact = reference.lower_bounds(instance)["trivial"]
    value = lower_bounds(instance)["trivial"]
    assert_proven(value, exact)
    if exact <= EXACT_SUM:
        assert value == exact


@given(small)
def test_bounds_equal_the_reference(instance: Instance) -> None:
    exact = reference.lower_bounds(instance)
    values = lower_bounds(instance)
    # Which weights move is decided in doubles; a capacity of 2^53 makes near ties beyond their precision.
    can_tell_ties = instance.machines.capacity.max() <= LARGEST_CAPACITY_WITHOUT_NEAR_TIES
    for name in exact.keys() - {"best"}:
        if can_tell_ties or not name.startswith("split"):
            assert_proven(values[name], exact[name])


@given(instances(max_jobs=10, max_resources=3, integer_times=False, identical_machines=False))
def test_mean_busy_bounds_of_real_times_equal_the_reference(instance: Instance) -> None:
    exact = reference.lower_bounds(instance)
    values = lower_bounds(instance)
    for name in exact.keys() - {"best"}:
        if not name.startswith("split"):
            assert_proven(values[name], exact[name])


@given(small)
def test_makespan_bound_equals_the_reference(instance: Instance) -> None:
    assert_proven(makespan_lower_bound(instance), reference.makespan_lower_bound(instance))


@given(small, st.data())
def test_mean_busy_times_for_given_loads_equal_the_reference(instance: Instance, data: st.DataObject) -> None:
    one = st.integers(0, 8) | st.just(0) | st.integers(1, 2**30)
    load = data.draw(st.lists(one, min_size=instance.n_jobs, max_size=instance.n_jobs))
    jobs = reference.ExactJobs.from_instance(instance)
    loads = [Fraction(q) for q in load]
    bound, busy = mean_busy_times(instance, load)
    assert_proven(bound, reference.mean_busy(jobs, loads))
    exact = reference.mean_busy_times(jobs.release_time, jobs.weight, loads)
    np.testing.assert_allclose(busy, [float(b) for b in exact], rtol=1e-13)


@given(small)
def test_dominance_among_the_bounds(instance: Instance) -> None:
    bounds = lower_bounds(instance)
    names = [*range(instance.n_resources), "sum"]
    assert list(bounds) == [
        "trivial",
        *(f"mean_busy_{name}" for name in names),
        *(f"split_{name}" for name in names),
        "fractional_split",
        "best",
    ]
    assert all(bounds[f"split_{name}"] >= bounds[f"mean_busy_{name}"] for name in names)
    assert all(bounds["fractional_split"] >= bounds[f"mean_busy_{name}"] for name in names)
    assert bounds["best"] == max(bounds.values())


@given(
    instances(max_resources=3, integer_times=False, identical_machines=False),
    st.integers(-600, 600),
    st.integers(-300, 300),
)
def test_scaling_by_powers_of_two_scales_every_bound_exactly(
    instance: Instance, time_exponent: int, weight_exponent: int
) -> None:
    jobs = instance.jobs
    time_factor, weight_factor = 2.0**time_exponent, 2.0**weight_exponent
    scaled = Instance(
        Jobs(
            jobs.processing_time * time_factor,
            jobs.demand,
            jobs.release_time * time_factor,
            jobs.weight * weight_factor,
        ),
        instance.machines,
    )
    assume(np.array_equal(scaled.jobs.release_time / time_factor, jobs.release_time))  # no underflow
    factor = time_factor * weight_factor
    assert lower_bounds(scaled) == {name: value * factor for name, value in lower_bounds(instance).items()}
    assert makespan_lower_bound(scaled) == makespan_lower_bound(instance) * time_factor


@given(small, st.randoms(use_true_random=False))
def test_bounds_do_not_depend_on_the_order_of_resources(instance: Instance, random: Random) -> None:
    order = list(range(instance.n_resources))
    random.shuffle(order)
    permuted = Instance(
        Jobs(
            instance.jobs.processing_time,
            instance.jobs.demand[:, order],
            instance.jobs.release_time,
            instance.jobs.weight,
        ),
        Machines(instance.machines.capacity[:, order]),
    )
    before, after = lower_bounds(instance), lower_bounds(permuted)
    for position, resource in enumerate(order):
        assert after[f"mean_busy_{position}"] == before[f"mean_busy_{resource}"]
        assert after[f"split_{position}"] == before[f"split_{resource}"]


def test_zero_weights_count_nothing() -> None:
    jobs = Jobs(processing_time=[3, 1, 2], demand=[[1], [1], [1]], weight=[0, 0, 0])
    assert set(lower_bounds(Instance(jobs, Machines([[1]]))).values()) == {0.0}


def test_no_jobs_have_bounds_of_zero() -> None:
    instance = Instance(Jobs(processing_time=[], demand=np.zeros((0, 2), int)), Machines.identical(2, [1, 1]))
    assert set(lower_bounds(instance).values()) == {0.0}
    assert makespan_lower_bound(instance) == 0.0


def test_callers_may_change_what_they_get() -> None:
    instance = Instance(Jobs(processing_time=[1.0], demand=[[1]]), Machines([[1]]))
    lower_bounds(instance)["best"] = 1e9
    assert lower_bounds(instance)["best"] == 1.0


def test_threads_get_the_same_bounds_of_one_instance() -> None:
    random = np.random.default_rng(5)
    jobs = Jobs(
        random.integers(1, 99, 2000), random.integers(1, 10, (2000, 2)), random.integers(0, 999, 2000)
    )
    instance = Instance(jobs, Machines.identical(3, [10, 10]))
    found: list[dict[str, float]] = []
    threads = [threading.Thread(target=lambda: found.append(lower_bounds(instance))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(bounds == found[0] for bounds in found)


@pytest.mark.parametrize(
    ("load", "message"),
    [
        ([1.0], "the instance has 2 jobs"),
        ([1.0, -1.0], r"load\[1\] = -1.0"),
        ([float("nan"), 1.0], r"load\[0\] = nan"),
    ],
)
def test_wrong_loads_are_named(load: list[float], message: str) -> None:
    instance = Instance(Jobs(processing_time=[1, 2], demand=[[1], [1]]), Machines([[1]]))
    with pytest.raises(InvalidInstanceError, match=message):
        mean_busy_times(instance, load)


def test_numbers_near_the_ends_of_the_range_of_doubles_give_finite_bounds() -> None:
    extremes = [1e308, 1e-308]
    jobs = Jobs(processing_time=extremes, demand=[[1], [1]], release_time=[1e308, 0], weight=extremes)
    bounds = lower_bounds(Instance(jobs, Machines([[1]])))
    assert all(np.isfinite(value) and value >= 0 for value in bounds.values())
