"""Slotted columns and results: whole times, at least one core, and what a result says of unfinished jobs."""

import pickle
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore.errors import InvalidInstanceError
from schedcore.model.preemptive_result import power_sum
from schedcore.model.slots import packing_order, slot_columns


def instance(**changes: Any) -> schedcore.Instance:
    given: dict[str, Any] = {"processing_time": [2, 3], "demand": [[4, 1], [1, 0]], "release_time": [0, 5]}
    return schedcore.Instance(
        schedcore.Jobs(**{**given, **changes}), schedcore.Machines([[2, 8], [4, 8], [4, 1]])
    )


def test_columns_are_integers_and_estimates_are_there_only_if_given() -> None:
    columns = slot_columns(instance())
    assert columns.release_time.tolist() == [0, 5]
    assert columns.processing_time.dtype == np.int64
    assert columns.estimated_demand is None
    estimated = slot_columns(instance(estimated_demand=[[5, 2], [1, 0]])).estimated_demand
    assert estimated is not None
    assert estimated.tolist() == [[5, 2], [1, 0]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"release_time": [0, 0.5]}, r"release_time\[1\] = 0.5 \(job 1\) must be a whole number"),
        ({"processing_time": [2.5, 3], "id": [7, 8]}, r"processing_time\[0\] = 2.5 \(job 0 \(id 7\)\)"),
        ({"processing_time": [2, 1e300]}, r"processing_time\[1\] = 1e\+300"),
        ({"demand": [[4, 1], [0, 1]]}, r"demand\[1\] = \[0, 1\]: job 1 needs 1 core"),
        ({"estimated_demand": [[0, 1], [1, 1]]}, r"estimated_demand\[0\] = \[0, 1\]: job 0 needs 1 core"),
        ({"processing_time": [2**52, 3]}, r"job 0 needs .* core-slots .* less than 2\*\*53"),
    ],
)
def test_what_is_not_slotted_is_refused_by_name(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        slot_columns(instance(**changes))


def test_machines_are_packed_by_cores_then_index() -> None:
    assert packing_order(instance().machines.capacity).tolist() == [1, 2, 0]


def test_a_result_is_worth_the_powers_of_flow_times() -> None:
    schedule = schedcore.PreemptiveSchedule([0, 1], [-1, -1], [1, 1], [0, 5], [2, 9], [4, 1])
    result = schedcore.PreemptiveResult(schedule, instance(), [2, 9], 3, lower_bound=35.0)
    assert result.value == 2**3 + 4**3
    assert result.norm() == pytest.approx(72 ** (1 / 3))
    assert result.objective == "flow_power_sum"
    assert pickle.loads(pickle.dumps(result)) == result


def test_an_unfinished_job_makes_the_value_infinite() -> None:
    schedule = schedcore.PreemptiveSchedule([0], [-1], [1], [0], [2], [4])
    result = schedcore.PreemptiveResult(schedule, instance(), [2, np.inf], 2)
    assert result.value == np.inf
    assert "1 unfinished" in repr(result)


def test_power_sums_are_exact_where_doubles_are() -> None:
    values = np.arange(1.0, 2000.0)
    assert power_sum(values, 4) == float(sum(i**4 for i in range(1, 2000)))
    assert power_sum([], 2) == 0
    assert power_sum([1e200], 2) == np.inf
    assert (
        power_sum([65_000.0, 65_000.0], 64) == np.inf
    )  # each power is below the largest double, their sum is not


def test_estimated_demands_survive_selection_tables_and_pickles() -> None:
    inst = instance(estimated_demand=[[5, 2], [1, 3]])
    assert inst.jobs[[1]].estimated_demand.tolist() == [[1, 3]]
    assert schedcore.Instance.from_arrow(inst.to_arrow()) == inst != instance()
    assert pickle.loads(pickle.dumps(inst)) == inst
    assert inst.jobs.replace(weight=2).estimated_demand.tolist() == [[5, 2], [1, 3]]


def test_without_estimates_the_estimated_demand_is_the_demand() -> None:
    jobs = instance().jobs
    assert not jobs.has_demand_estimates
    assert jobs.estimated_demand is jobs.demand
    assert jobs[:1].estimated_demand.tolist() == [[4, 1]]
    assert "estimated_demand_resource_0" not in jobs.to_arrow().column_names
    assert jobs.replace(demand=[[1, 1], [1, 1]]).estimated_demand.tolist() == [[1, 1], [1, 1]]


def test_estimated_demands_of_another_shape_are_refused() -> None:
    with pytest.raises(InvalidInstanceError, match=r"estimated_demand has shape \(2, 1\), demand \(2, 2\)"):
        instance(estimated_demand=[[1], [1]])
    table = instance(estimated_demand=[[5, 2], [1, 3]]).to_arrow()
    with pytest.raises(InvalidInstanceError, match="they belong together"):
        schedcore.Instance.from_arrow(table.drop_columns(["estimated_demand_resource_1"]))
