"""Parallel-task instances: what they hold, what they refuse, and that they survive every round trip."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore.errors import InfeasibleError, InvalidInstanceError
from schedcore.model import usable

MACHINES = schedcore.Machines([[10, 4], [6, 8]], ["cpu", "memory"])


def arguments(**changes: Any) -> dict[str, Any]:
    """Two jobs: tasks (0, 0), (0, 1) and (1, 0); the second may run on both machines."""
    given: dict[str, Any] = {
        "weight": [1.0, 2.5],
        "release_time": [0, 3],
        "task_job": [0, 0, 1],
        "demand": [[5, 1], [6, 4], [0, 8]],
        "placement_start": [0, 1, 3, 4],
        "placement_machine": [0, 0, 1, 1],
        "placement_time": [4, 7, 2, 5],
        "machines": MACHINES,
        "remote_penalty": 2,
    }
    return {**given, **changes}


def made(**changes: Any) -> schedcore.ParallelTaskInstance:
    return schedcore.ParallelTaskInstance(**arguments(**changes))


def test_columns_and_numbers_are_those_given() -> None:
    inst = made()
    assert (inst.n_jobs, inst.n_tasks, inst.n_machines, inst.n_resources, inst.n_placements) == (
        2,
        3,
        2,
        2,
        4,
    )
    assert inst.task_start.tolist() == [0, 2, 3]
    assert inst.task_number.tolist() == [0, 1, 0]
    assert inst.placement_task.tolist() == [0, 1, 1, 2]
    assert not inst.single_machine
    assert inst.task_name(2) == "task 0 of job 1"
    assert repr(inst) == "ParallelTaskInstance(2 jobs of 3 tasks, 2 machines, 4 placements)"
    for name in ("weight", "task_job", "demand", "placement_time", "placement_local"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(inst, name)[0] = 1


def test_local_machines_are_by_default_the_fastest_on_which_the_task_fits() -> None:
    assert made().placement_local.tolist() == [True, False, True, True]
    assert made(placement_time=[4, 2, 2, 5]).placement_local.tolist() == [True, True, True, True]
    assert made(demand=[[5, 1], [7, 4], [0, 8]]).placement_local.tolist() == [True, True, False, True]
    assert made(placement_local=[False, True, False, True]).placement_local.tolist() == [
        False,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weight": [1, 0]}, r"weight\[1\] = 0.0 \(job 1\) must be finite and above 0"),
        ({"release_time": [0, -1]}, r"release_time\[1\] = -1.0 \(job 1\)"),
        ({"task_job": [0, 1, 0]}, r"task_job\[2\] = 0 comes after 1"),
        ({"task_job": [0, 0, 0]}, "job 1 has no task"),
        ({"task_job": [0, 0, 2]}, r"task_job\[2\] = 2 must be a job"),
        ({"demand": [[5, 1], [0, 0], [0, 8]]}, r"demand\[1\] = \[0, 0\] must be above 0"),
        ({"demand": [[5], [6], [1]]}, r"demand has shape \(3, 1\)"),
        ({"demand": [[0.5, 1], [1, 1], [1, 1]]}, "resolution"),
        ({"placement_start": [0, 1, 1, 4]}, r"task row 1 has 0 machines"),
        ({"placement_start": [0, 1, 3]}, "placement_start has 3 entries; 3 tasks need 4"),
        ({"placement_start": [0, 1, 3, 5]}, "end with the number of placements, 4, not 0 and 5"),
        ({"placement_start": [0, 3, 1, 4]}, "task row 1 has 0 machines"),
        ({"placement_machine": [0, 1, 0, 1]}, r"placement_machine\[2\] = 0 \(task row 1\) comes after 1"),
        ({"placement_machine": [0, 1, 1, 1]}, r"placement_machine\[2\] = 1 \(task row 1\) comes after 1"),
        ({"placement_machine": [0, 0, 2, 1]}, r"placement_machine\[2\] = 2 must be a machine"),
        ({"placement_time": [4, 0, 2, 5]}, r"placement_time\[1\] = 0 \(task row 1\) must be a whole number"),
        ({"placement_time": [4, 7, 2.5, 5]}, r"placement_time\[2\] = 2.5 \(task row 1\) must be a whole"),
        ({"placement_time": [4, 7, float("nan"), 5]}, r"placement_time\[2\] = nan"),
        ({"placement_time": [4, 7, 2]}, "placement_time has shape"),
        ({"placement_time": [2**53, 7, 2, 5]}, r"add up to 9007199254741007, above 2\*\*53"),
        (
            {"weight": [1e300, 1e290]},
            r"weights that add up to 1.0000000001e\+300 times a schedule of length 19 exceed",
        ),
        ({"release_time": [0, 2**53 - 15]}, r"add up to 9007199254740993, above"),
        ({"placement_local": [True]}, "placement_local has 1 entries for 4 placements"),
        ({"remote_penalty": 0.5}, "remote_penalty = 0.5 must be finite and at least 1"),
        ({"remote_penalty": float("inf")}, "remote_penalty = inf"),
    ],
)
def test_values_outside_their_bounds_are_refused_by_name(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        made(**changes)


@pytest.mark.parametrize(
    "changes",
    [{"task_job": [0.0, 0.0, 1.0]}, {"placement_local": [1, 0, 1, 1]}, {"machines": [[10, 4]]}],
)
def test_other_types_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        made(**changes)


def test_whole_floats_are_processing_times() -> None:
    assert made(placement_time=[4.0, 7.0, 2.0, 5.0]) == made()


def test_an_instance_without_jobs_is_one() -> None:
    empty = schedcore.ParallelTaskInstance(
        weight=[], release_time=[], task_job=[], demand=[], placement_start=[0], placement_machine=[],
        placement_time=[], machines=MACHINES,
    )  # fmt: skip
    assert (empty.n_jobs, empty.n_tasks) == (0, 0)
    assert usable(empty) is empty
    assert schedcore.ParallelTaskInstance.from_arrow(empty.to_arrow()) == empty


def test_usable_drops_machines_that_are_too_small_and_names_a_task_that_fits_nowhere() -> None:
    inst = made()
    assert usable(inst) is inst
    part = usable(made(demand=[[5, 1], [7, 4], [0, 8]]))  # (0, 1) no longer fits machine 1 with 6 of cpu
    assert part.placement_start.tolist() == [0, 1, 2, 3]
    assert part.placement_machine.tolist() == [0, 0, 1]
    assert part.placement_time.tolist() == [4, 7, 5]
    with pytest.raises(
        InfeasibleError, match=r"task 1 of job 0 fits none of its 2 machines: demand \[7, 5\]"
    ):
        usable(made(demand=[[5, 1], [7, 5], [0, 8]]))


def test_taking_tasks_keeps_their_jobs_and_placements() -> None:
    part, jobs = made().take_tasks([1, 2])
    assert jobs.tolist() == [0, 1]
    assert part == made(
        release_time=[0, 0],
        task_job=[0, 1],
        demand=[[6, 4], [0, 8]],
        placement_start=[0, 2, 3],
        placement_machine=[0, 1, 1],
        placement_time=[7, 2, 5],
        placement_local=[False, True, True],
    )
    shorter, jobs = made().take_tasks([2], placement_time=[1])
    assert jobs.tolist() == [1]
    assert shorter.weight.tolist() == [2.5]
    assert shorter.placement_time.tolist() == [1]
    with pytest.raises(InvalidInstanceError, match="tasks must ascend"):
        made().take_tasks([2, 1])


def test_taking_jobs_takes_all_of_their_tasks_and_placements() -> None:
    inst = made()
    assert inst.take_jobs(slice(2)) == inst
    assert inst.take_jobs([]).n_jobs == inst.take_jobs(slice(0)).n_tasks == 0
    turned = inst.take_jobs([1, 0])  # task (1, 0) first, then (0, 0) and (0, 1)
    assert turned == made(
        weight=[2.5, 1.0],
        release_time=[3, 0],
        task_job=[0, 1, 1],
        demand=[[0, 8], [5, 1], [6, 4]],
        placement_start=[0, 1, 2, 4],
        placement_machine=[1, 0, 0, 1],
        placement_time=[5, 4, 7, 2],
        placement_local=[True, True, False, True],
    )
    assert inst.take_jobs([False, True]) == turned.take_jobs(slice(1))
    with pytest.raises(TypeError, match="select jobs with"):
        inst.take_jobs([0.5])


def test_replacing_checks_the_new_values_and_keeps_the_others() -> None:
    assert made().replace(weight=[3, 4]) == made(weight=[3, 4])
    assert made(placement_local=[False] * 4).replace(remote_penalty=3) == made(
        placement_local=[False] * 4, remote_penalty=3
    )
    with pytest.raises(InvalidInstanceError, match=r"weight\[1\] = 0.0"):
        made().replace(weight=[3, 0])


def test_round_trips_are_exact(tmp_path: Path) -> None:
    inst = made(weight=[0.1, 1 / 3], release_time=[0.5, 1e-9])
    assert pickle.loads(pickle.dumps(inst)) == inst
    inst.to_parquet(tmp_path / "tasks.parquet")
    again = schedcore.ParallelTaskInstance.from_parquet(tmp_path / "tasks.parquet")
    assert again == inst
    assert again.content_hash() == inst.content_hash()


def test_rows_of_a_table_may_come_in_any_order_but_must_agree() -> None:
    inst = made()
    table = inst.to_arrow()
    assert schedcore.ParallelTaskInstance.from_arrow(table.take([3, 1, 0, 2])) == inst
    column = table.schema.get_field_index("weight")
    other = table.set_column(column, "weight", [np.array([1.0, 2.0, 1.0, 2.5])])
    with pytest.raises(
        InvalidInstanceError, match=r"weight\[1\] = 2.0 in the row of job 0, task 1, machine 0 differs"
    ):
        schedcore.ParallelTaskInstance.from_arrow(other)
    with pytest.raises(InvalidInstanceError, match="task 0 is missing"):
        schedcore.ParallelTaskInstance.from_arrow(table.slice(1))
    with pytest.raises(InvalidInstanceError, match="has the columns"):
        schedcore.ParallelTaskInstance.from_arrow(table.drop_columns(["machine"]))
