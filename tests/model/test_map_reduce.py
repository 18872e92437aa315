"""Map and reduce instances: what they hold, what they refuse, and that they survive every round trip."""

import pickle
from pathlib import Path
from typing import Any

import pytest

import schedcore
from schedcore.errors import InvalidInstanceError


def made(**changes: Any) -> schedcore.MapReduceInstance:
    """Two jobs, the second without reduce tasks."""
    given: dict[str, Any] = {
        "release_time": [0, 3],
        "map_tasks": [2, 3],
        "map_cores": [1, 4],
        "map_time": [2, 5],
        "reduce_tasks": [1, 0],
        "reduce_cores": [2, 0],
        "reduce_time": [7, 9],
        "machines": schedcore.Machines([[8], [4]], ["cores"]),
    }
    return schedcore.MapReduceInstance(**{**given, **changes})


def test_tasks_are_numbered_job_by_job_and_an_absent_phase_counts_for_nothing() -> None:
    inst = made()
    assert (inst.n_jobs, inst.n_tasks, inst.n_machines, inst.n_resources, len(inst)) == (2, 6, 2, 1, 2)
    assert inst.task_start.tolist() == [0, 3, 6]
    assert inst.processing_time.tolist() == [9, 5]
    assert inst.volume.tolist() == [2 * 1 * 2 + 1 * 2 * 7, 3 * 4 * 5]
    assert repr(inst).startswith("MapReduceInstance(2 jobs of 6 tasks, Machines(2")
    with pytest.raises(ValueError, match="read-only"):
        inst.map_time[0] = 1


def test_round_trips_are_exact(tmp_path: Path) -> None:
    inst = made()
    assert pickle.loads(pickle.dumps(inst)) == inst
    assert schedcore.MapReduceInstance.from_arrow(inst.to_arrow()) == inst
    inst.to_parquet(tmp_path / "jobs.parquet")
    assert schedcore.MapReduceInstance.from_parquet(tmp_path / "jobs.parquet") == inst
    assert inst.replace(map_time=[3, 5]) == made(map_time=[3, 5]) != inst


def test_an_instance_may_have_no_jobs() -> None:
    none = {name: [] for name in schedcore.MapReduceInstance._fields if name != "machines"}
    inst = made(**none)
    assert (inst.n_jobs, inst.n_tasks, inst.task_start.tolist()) == (0, 0, [0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"release_time": [0, -1]}, r"release_time\[1\] = -1 \(job 1\) must be at least 0"),
        ({"map_tasks": [0, 1]}, r"map_tasks\[0\] = 0 \(job 0\) must be at least 1"),
        ({"map_time": [1, 0]}, r"map_time\[1\] = 0 \(job 1\) must be at least 1"),
        ({"reduce_tasks": [-1, 0]}, r"reduce_tasks\[0\] = -1 \(job 0\) must be at least 0"),
        ({"reduce_cores": [0, 0]}, r"reduce_cores\[0\] = 0 \(job 0\) must be at least 1"),
        ({"reduce_time": [0, 0]}, r"reduce_time\[0\] = 0 \(job 0\) must be at least 1"),
        (
            {"map_cores": [2**30, 1], "map_time": [2**30, 1]},
            r"job 0 needs .* core-slots; .* less than 2\*\*53",
        ),
        ({"map_tasks": [2**31, 1]}, r"2\*\*31 tasks or more"),
        ({"map_time": [1]}, "map_time has 1 entries for 2 jobs"),
        ({"machines": schedcore.Machines([[1, 1]])}, "machines have 2 resources"),
    ],
)
def test_a_value_out_of_bounds_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        made(**changes)


def test_columns_that_are_no_integers_are_refused() -> None:
    with pytest.raises(TypeError, match="map_cores must hold integers"):
        made(map_cores=[1.5, 2])
    with pytest.raises(TypeError, match="machines must be Machines"):
        made(machines=[[3]])


def test_a_table_of_other_columns_is_refused() -> None:
    table = made().to_arrow()
    with pytest.raises(InvalidInstanceError, match="a table of map and reduce jobs has the columns"):
        schedcore.MapReduceInstance.from_arrow(table.drop_columns(["map_time"]))
    with pytest.raises(InvalidInstanceError, match="carries no machines"):
        schedcore.MapReduceInstance.from_arrow(table.replace_schema_metadata(None))
