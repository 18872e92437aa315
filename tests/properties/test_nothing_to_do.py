"""Without jobs, every algorithm in each of its forms returns a schedule of nothing, which costs nothing."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import schedcore
from example_shares import n_cases
from problems.small_problems import small
from properties.registry_cases import options_of, solve
from schedcore import registry
from schedcore.problems import PROBLEMS
from schedcore.registry import Algorithm


def without_jobs(inst: Any) -> Any:
    if isinstance(inst, schedcore.ColocationInstance):
        return schedcore.ColocationInstance([], [], [[10, 15], [5, 10]], 10, n_machines=2)
    return inst.take_jobs([])


CASES = [
    pytest.param(algorithm, without_jobs(problem.inst), id=f"{algorithm.name}-{type(problem).__name__}")
    for problem in map(small, PROBLEMS)
    for algorithm in registry.algorithms()
    if problem.takes(algorithm)
]


@pytest.mark.parametrize(("algorithm", "empty"), CASES)
def test_no_jobs_make_an_empty_schedule(algorithm: Algorithm, empty: Any) -> None:
    assert_nothing(algorithm, empty, schedcore.solve(algorithm.name, empty))


@pytest.mark.parametrize(("algorithm", "empty"), CASES)
@settings(max_examples=n_cases(20), suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data())
def test_whatever_the_options_no_jobs_make_an_empty_schedule(
    algorithm: Algorithm, empty: Any, data: st.DataObject
) -> None:
    assert_nothing(algorithm, empty, solve(algorithm, empty, data.draw(options_of(algorithm))))


def assert_nothing(algorithm: Algorithm, empty: Any, result: Any) -> None:
    assert len(result.schedule) == 0
    assert (result.value, result.lower_bound, result.ratio(), result.gap()) == (0.0, 0.0, 1.0, 0.0)
    assert result.objective == algorithm.objective
    assert schedcore.validate(empty, result.schedule)
    if isinstance(result, schedcore.ColocationResult):
        assert (result.cost_numerator, result.sum_numerator) == (0, 0)
    if isinstance(result, schedcore.PreemptiveResult):
        assert (result.stats["status"], result.stats["makespan"]) == ("finished", 0)
    if hasattr(result, "completion_time"):
        assert result.completion_time.shape == (0,)
