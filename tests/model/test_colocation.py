"""What `ColocationInstance`, `Assignment` and `ColocationResult` accept, refuse, and keep."""

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from schedcore import Assignment, ColocationInstance, ColocationResult, InvalidInstanceError

PLAIN = {"size": [3, 1, 2], "type": [0, 1, 0], "alpha": [[1000, 500], [250, 1000]], "n_machines": 2}


def instance(**changes: Any) -> ColocationInstance:
    return ColocationInstance(**{**PLAIN, **changes})


def test_columns_are_kept_read_only() -> None:
    inst = instance()
    assert (inst.n_tasks, inst.n_types, inst.n_machines, inst.alpha_denominator, len(inst)) == (
        3,
        2,
        2,
        1000,
        3,
    )
    for column in (inst.size, inst.type, inst.alpha):
        assert column.dtype == np.int64
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 7
    assert inst.load_of_types() == (5, 1)


def test_float_coefficients_are_multiplied_and_rounded_half_up() -> None:
    inst = instance(alpha=[[1.0, 0.0005], [0.25049, 1.4999]])
    assert inst.alpha.tolist() == [[1000, 1], [250, 1500]]
    assert instance(alpha=[[1.0, 2.5], [0.4, 1.5]], alpha_denominator=1).alpha.tolist() == [[1, 3], [0, 2]]


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"size": [3, 0, 2]}, r"size\[1\] = 0 \(task 1\) must be at least 1"),
        ({"size": [3, -1, 2]}, r"size\[1\] = -1"),
        ({"size": [3, 1]}, r"type has 3 entries for 2 tasks"),
        ({"size": [[3, 1, 2]]}, r"size must have shape \(n_tasks,\)"),
        ({"size": [2**63, 1, 2]}, r"size\[0\] = 9223372036854775808 \(task 0\) does not fit"),
        ({"type": [0, 2, 0]}, r"type\[1\] = 2 \(task 1\) must be between 0 and 1"),
        ({"type": [0, -1, 0]}, r"type\[1\] = -1"),
        ({"alpha": [[1000, -1], [250, 1000]]}, r"alpha\[0, 1\] = -1 must be at least 0"),
        ({"alpha": [[1.0, math.nan], [0.25, 1.0]]}, r"alpha\[0, 1\] = nan"),
        ({"alpha": [[1.0, math.inf], [0.25, 1.0]]}, r"alpha\[0, 1\] = inf"),
        ({"alpha": [[1.0, 0.5], [0.25, 0.0]]}, r"alpha\[1, 1\] = 0.0 is 0; the cost of a type to itself"),
        ({"alpha": [[1.0, 0.5], [0.25, 0.0001]]}, r"alpha\[1, 1\] = 0.0001 is 0 when rounded"),
        ({"alpha": [[1000, 500]]}, r"alpha must have shape \(n_types, n_types\)"),
        ({"alpha": []}, r"alpha must have shape"),
        ({"alpha": [[1000, 500], [2**63, 1000]]}, r"alpha\[1, 0\] = 9223372036854775808"),
        ({"alpha_denominator": 0}, "alpha_denominator = 0 must be at least 1"),
        ({"n_machines": 0}, "n_machines = 0 must be at least 1"),
        (
            {"n_machines": 2**24, "alpha": np.eye(5, dtype=int)},
            "n_machines = 16777216 must be at least 1 and at most 13421772",
        ),
        ({"n_machines": 2**62}, f"n_machines = {2**62} must be at least 1 and at most 16777216"),
        (
            {"size": [2**62, 2**61, 2**62], "alpha_denominator": 1, "alpha": [[1, 0], [0, 1]]},
            "task of type 0 costs",
        ),
        ({"size": [2**53, 1, 2], "alpha": [[1, 0], [2**12, 1]]}, None),
        ({"size": [1, 2**53, 1], "alpha": [[1, 0], [2**12, 1]]}, "task of type 0 costs 36893488147419103234"),
    ],
)
def test_what_is_out_of_bounds_is_named(changes: dict[str, Any], match: str | None) -> None:
    if match is None:
        instance(**changes)
        return
    with pytest.raises(InvalidInstanceError, match=match):
        instance(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"size": [3.0, 1.0, 2.0]},
        {"type": [0.0, 1.0, 0.0]},
        {"n_machines": 2.0},
        {"n_machines": True},
        {"size": "abc"},
    ],
)
def test_what_is_no_integer_is_a_type_error(changes: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        instance(**changes)


def test_the_largest_cost_that_fits_is_accepted() -> None:
    largest = 2**63 - 1
    inst = ColocationInstance([largest], [0], [[1]], 1, n_machines=1)
    result = schedcore.solve("best_schedule", inst)
    assert (result.cost_numerator, result.sum_numerator) == (largest, largest)
    two = ColocationInstance([largest - 1, 1], [0, 0], [[1]], 1, n_machines=1)
    assert schedcore.solve("best_schedule", two).sum_numerator == 2 * largest


@given(data=st.data())
def test_round_trips_keep_the_content(data: st.DataObject) -> None:
    n_types = data.draw(st.integers(1, 3))
    numbers = st.integers(0, 5)
    row = st.lists(numbers, min_size=n_types, max_size=n_types)
    alpha = data.draw(st.lists(row, min_size=n_types, max_size=n_types))
    for kind in range(n_types):
        alpha[kind][kind] += 1
    tasks = data.draw(st.lists(st.tuples(st.integers(1, 9), st.integers(0, n_types - 1)), max_size=5))
    inst = ColocationInstance([p for p, _ in tasks], [t for _, t in tasks], alpha, 3, n_machines=2)
    for copy in (pickle.loads(pickle.dumps(inst)), ColocationInstance.from_arrow(inst.to_arrow())):
        assert copy == inst
        assert copy.content_hash() == inst.content_hash()
    assert inst != ColocationInstance(inst.size, inst.type, alpha, 3, n_machines=3)


def test_parquet_keeps_everything(tmp_path: Any) -> None:
    instance().to_parquet(tmp_path / "tasks.parquet")
    assert ColocationInstance.from_parquet(tmp_path / "tasks.parquet") == instance()
    Assignment([0, 1, 1]).to_parquet(tmp_path / "machines.parquet")
    assert Assignment.from_parquet(tmp_path / "machines.parquet") == Assignment([0, 1, 1])
    with pytest.raises(InvalidInstanceError, match="columns size and type"):
        ColocationInstance.from_parquet(tmp_path / "machines.parquet")
    with pytest.raises(InvalidInstanceError, match="column machine"):
        Assignment.from_parquet(tmp_path / "tasks.parquet")


def test_the_validator_names_the_first_task_on_no_machine() -> None:
    assert schedcore.validate(instance(), Assignment([0, 1, 1])).ok
    report = schedcore.validate(instance(), Assignment([0, 2, -1]))
    assert (report.ok, report.kind, report.job, report.machine) == (False, "unknown_machine", 1, 2)
    assert report.message == "task 1 is on machine 2: machines are numbered from 0 to 1"
    with pytest.raises(InvalidInstanceError, match="task 1 is on machine 2"):
        schedcore.validate(instance(), Assignment([0, 2, -1]), raise_on_error=True)
    with pytest.raises(InvalidInstanceError, match="the assignment has 1 tasks, the instance 3"):
        schedcore.validate(instance(), Assignment([0]))


def test_a_schedule_does_not_belong_to_tasks_nor_an_assignment_to_jobs() -> None:
    with pytest.raises(TypeError, match="Schedule and ColocationInstance do not belong together"):
        schedcore.validate(instance(), schedcore.Schedule([0.0], [0]))
    jobs = schedcore.Instance(schedcore.Jobs([1.0], [[1]]), schedcore.Machines([[1]]))
    with pytest.raises(TypeError, match="Assignment and Instance do not belong together"):
        schedcore.validate(jobs, Assignment([0]))


def test_a_result_holds_exact_costs_and_pickles() -> None:
    inst = instance()
    result = schedcore.solve("sched_mixed", inst)
    assert isinstance(result, ColocationResult)
    assert isinstance(result, schedcore.Result)
    assert result.objective == "max_cost"
    assert result.assignment.machine.tolist() == [0, 1, 1]
    # machine 1: a task of type 1 costs 1 + 2 * 0.5 and one of type 0 costs 2 + 0.25; machine 0 costs 3
    assert (result.cost_numerator, result.sum_numerator) == (3000, 3000 + 2000 + 2250)
    assert result.value == float(Fraction(result.cost_numerator, 1000)) == 3.0
    assert result.schedule == result.assignment
    assert result.options["bound"] == "simple"
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result
    assert copy.assignment == result.assignment
    assert "3 tasks" in repr(result)
    assert result.ratio() == 1.0
