"""P15: every lower bound is at most the exact optimum."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from reference.optimum import optimum
from schedcore import Instance, Jobs, Machines
from schedcore.bounds import lower_bounds, makespan_lower_bound, mean_busy_times
from strategies import instances


def assert_bounds_are_below_the_optimum(instance: Instance) -> None:
    best = optimum(instance)
    for name, value in lower_bounds(instance).items():
        assert Fraction(value) <= best.sum_weighted_completion, name
    assert Fraction(makespan_lower_bound(instance)) <= best.makespan


@given(instances(max_jobs=5, max_machines=3, max_resources=3))
def test_bounds_of_integers_are_below_the_optimum(instance: Instance) -> None:
    assert_bounds_are_below_the_optimum(instance)


@given(instances(max_jobs=5, max_machines=3, max_resources=3, integer_times=False))
def test_bounds_of_real_times_are_below_the_optimum(instance: Instance) -> None:
    assert_bounds_are_below_the_optimum(instance)


@given(instances(max_jobs=4, max_machines=3, max_resources=3, identical_machines=False))
def test_bounds_of_unequal_machines_are_below_the_optimum(instance: Instance) -> None:
    assert_bounds_are_below_the_optimum(instance)


@st.composite
def crowded(draw: st.DrawFn) -> Instance:
    """Jobs of one length and little room: where the relaxations are tight."""
    n_jobs = draw(st.integers(2, 5))
    amounts = st.lists(st.integers(1, 4), min_size=2, max_size=2)
    jobs = Jobs(
        processing_time=[draw(st.integers(1, 2)) for _ in range(n_jobs)],
        demand=[draw(amounts) for _ in range(n_jobs)],
        release_time=[draw(st.integers(0, 2)) for _ in range(n_jobs)],
        weight=[draw(st.integers(1, 5)) for _ in range(n_jobs)],
    )
    return Instance(jobs, Machines.identical(draw(st.integers(1, 2)), [4, 4]))


@given(crowded())
def test_bounds_of_crowded_machines_are_below_the_optimum(instance: Instance) -> None:
    assert_bounds_are_below_the_optimum(instance)


@given(crowded(), st.integers(0, 8))
def test_any_mixture_of_resources_gives_a_bound(instance: Instance, eighths: int) -> None:
    share = instance.jobs.demand / instance.machines.capacity.sum(axis=0)
    mixture = share @ [eighths / 8, 1 - eighths / 8]
    bound, _ = mean_busy_times(instance, instance.jobs.processing_time * mixture)
    assert Fraction(bound) <= optimum(instance).sum_weighted_completion
