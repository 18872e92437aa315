"""Jobs of parallel tasks from Google's trace: which tasks count, what they become, and the numbers of the six parts."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from data_folder import data_folder
from schedcore import InvalidInstanceError
from schedcore.workloads import draw_placements, draw_weights, google_parallel_tasks, load, read_google_table

pytest.importorskip("pyarrow")

SECOND = 1_000_000
SUBMIT, SCHEDULE, EVICT, FAIL, FINISH, KILL, LOST, UPDATE = 0, 1, 2, 3, 4, 5, 6, 8


def event(
    time: float,
    job: int,
    index: int,
    kind: int,
    *,
    machine: object = 7,
    priority: int = 9,
    memory: object = 0.25,
) -> str:
    return f"{round(time * SECOND)},,{job},{index},{machine},{kind},hash=,1,{priority},0.5,{memory},0.001,0"


def clean(job: int, index: int, submit: float, start: float, finish: float, **others: object) -> list[str]:
    """The events of a task that runs once."""
    times = ((submit, SUBMIT), (start, SCHEDULE), (finish, FINISH))
    return [event(time, job, index, kind, **others) for time, kind in times]  # type: ignore[arg-type]


def write_trace(folder: Path, *tasks: Sequence[str]) -> Path:
    rows = sorted((row for task in tasks for row in task), key=lambda row: int(row.partition(",")[0]))
    (folder / "task_events").mkdir()
    part = folder / "task_events" / "part-00000-of-00500.csv.gz"
    part.write_bytes(gzip.compress("".join(row + "\n" for row in rows).encode()))
    return folder


def test_tasks_get_their_memory_duration_and_the_submission_of_their_job(tmp_path: Path) -> None:
    write_trace(
        tmp_path,
        clean(5, 1, 702.9, 703, 713.000001, memory=0.1),
        clean(5, 0, 703.5, 704, 704.5, memory=0.0000001),
        clean(9, 0, 700.5, 701, 711, memory=1),
        clean(9, 3, 701, 701.5, 703.5, memory=0.3),
    )
    inst, report = google_parallel_tasks(tmp_path, n_machines=4, weights="priority")
    assert inst.task_job.tolist() == [0, 0, 1, 1]  # job 9 comes first, at 700.5
    assert inst.release_time.tolist() == [0, 2]  # 702.9 - 700.5 = 2.4
    assert inst.demand[:, 0].tolist() == [1_000_000, 300_000, 1, 100_000]
    assert inst.placement_time.tolist() == [10, 2, 1, 11]
    assert inst.weight.tolist() == [10, 10]
    assert inst.machines.resource_names == ("memory",)
    assert inst.n_machines == 4
    assert report.rows_read == 4
    assert not report.dropped
    assert report.n_jobs == 2
    assert report.units == {"time": "s", "memory": "1/1,000,000 machine"}
    assert "rows are tasks, of 12 events in 1 files" in report.assumptions


def test_every_task_that_is_left_out_is_counted_under_the_first_reason(tmp_path: Path) -> None:
    write_trace(
        tmp_path,
        clean(1, 0, 700, 701, 702),
        clean(1, 1, 700, 701, 703),
        [*clean(1, 2, 700, 701, 702), event(701.5, 1, 2, UPDATE)],  # clean all the same
        *(
            [*clean(1, 3 + i, 700, 701, 702), event(701.5, 1, 3 + i, kind)]
            for i, kind in enumerate((EVICT, FAIL, KILL, LOST))
        ),
        clean(1, 8, 700, 701, 702)[:2],
        [*clean(1, 9, 700, 701, 702), event(700, 1, 9, SUBMIT)],
        clean(1, 10, 700, 701, 702)[1:],
        clean(1, 11, 0, 0, 702),
        clean(1, 12, 700, 701, 701),
        clean(1, 13, 700, 701, 702, memory=""),
        clean(1, 14, 700, 701, 702, memory=0),
        clean(2, 0, 700, 701, 702),
        *(clean(3, i, 700, 701, 702) for i in range(4)),
        *(clean(4, i, 700, 701, 702, priority=8) for i in range(2)),
    )
    inst, report = google_parallel_tasks(tmp_path, max_tasks=3, min_priority=9)
    assert dict(report.dropped) == {
        "interrupted": 4, "unfinished": 1, "repeated": 2, "before_trace": 1, "disordered": 1, "no_memory": 2,
        "low_priority": 2, "single_task": 1, "large_job": 4,
    }  # fmt: skip
    assert inst.n_jobs == 1
    assert inst.n_tasks == 3
    assert report.lines["large_job"] == (3, 3, 3, 3)
    assert report.line_word == "job"
    # A quarter each, for 1 s: interrupted 4, repeated 1 (of the other one no request), single_task 1, large_job 4; the
    # job that stays has 1 + 2 + 1 s. What the caller does not want (low_priority) is no loss.
    assert report.work_lost == {"memory": pytest.approx(10 / 14)}
    assert report.unknown_work == {"unfinished": 1, "repeated": 1, "before_trace": 1, "no_memory": 1}
    assert set(report.dropped_work) == {"interrupted", "repeated", "single_task", "large_job"}
    assert sum(report.dropped.values()) + inst.n_tasks == report.rows_read


def test_only_tasks_without_any_run_have_no_work(tmp_path: Path) -> None:
    at_0 = [event(0, 1, 2, SUBMIT), event(0, 1, 2, SCHEDULE)]
    write_trace(
        tmp_path,
        clean(1, 0, 700, 701, 702),
        clean(1, 1, 700, 701, 702),
        at_0,  # runs since before the trace, and until after the parts
        [event(0, 1, 3, SUBMIT), event(0, 1, 3, SCHEDULE), event(702, 1, 3, KILL)],
        [event(700, 1, 4, SUBMIT), event(702, 1, 4, KILL)],  # waited in vain
        [event(700, 1, 5, SUBMIT)],  # still waits
        [event(702, 1, 6, EVICT)],  # was scheduled before the parts
        [event(702, 1, 7, KILL)],  # may have been
        [event(700, 1, 8, SUBMIT), event(702, 1, 8, UPDATE)],
        [*clean(1, 9, 700, 701, 702), event(703, 1, 9, SCHEDULE)],  # nobody knows when the last run ended
        clean(1, 10, 0, 701, 702, memory=0),
    )
    _, report = google_parallel_tasks(tmp_path)
    assert report.unknown_work == {"unfinished": 2, "interrupted": 3, "repeated": 1}
    assert report.work_lost == {"memory": 0}
    assert "(6 rows) beside 2 tasks, mostly as interrupted" in "".join(report.warnings)


def test_strictly_a_job_is_clean_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    write_trace(
        tmp_path,
        *(clean(1, i, 700, 701, 702) for i in range(2)),
        *(clean(2, i, 700, 701, 702) for i in range(2)),
        clean(2, 2, 700, 701, 702)[:2],
    )
    assert google_parallel_tasks(tmp_path)[0].n_jobs == 2
    inst, report = google_parallel_tasks(tmp_path, strict=True)
    assert inst.n_jobs == 1
    assert report.dropped == {"unfinished": 1, "unclean_job": 2}


def test_a_machine_of_the_trace_is_one_machine_whatever_parts_are_read(tmp_path: Path) -> None:
    tasks = [clean(job, i, 700 + job, 710, 720, machine=10**9 * i) for job in range(9) for i in range(40)]
    inst, _ = google_parallel_tasks(write_trace(tmp_path, *tasks), n_machines=5)
    assert (inst.placement_machine.reshape(9, 40) == inst.placement_machine[:40]).all()
    assert set(inst.placement_machine.tolist()) == set(range(5))
    other, _ = google_parallel_tasks(tmp_path, n_machines=5, seed=2)
    assert other.placement_machine.tolist() != inst.placement_machine.tolist()


def test_placements_and_weights_are_those_drawn_later(tmp_path: Path) -> None:
    write_trace(tmp_path, *(clean(job, i, 700 + job, 710, 720) for job in range(9) for i in range(3)))
    inst, _ = google_parallel_tasks(tmp_path, n_machines=5, seed=3)
    placed, _ = google_parallel_tasks(
        tmp_path,
        n_machines=5,
        seed=3,
        placement="local_remote",
        n_local=2,
        remote_penalty=1.5,
        weights="random",
    )
    assert placed == draw_weights(draw_placements(inst, 2, 1.5, 3), "random", 3)
    inst.to_parquet(tmp_path / "tasks.parquet")
    options = {
        "placement": "local_remote",
        "n_local": 2,
        "remote_penalty": 1.5,
        "weights": "random",
        "seed": 3,
    }
    assert load(tmp_path / "tasks.parquet", **options)[0] == placed


def test_a_trace_without_any_job_and_arguments_out_of_range_are_refused(tmp_path: Path) -> None:
    write_trace(tmp_path, clean(1, 0, 700, 701, 702))
    with pytest.raises(InvalidInstanceError, match=r"no job is left \(single_task 1\)"):
        google_parallel_tasks(tmp_path)
    for option, value in (
        ("max_tasks", 1),
        ("min_priority", 12),
        ("n_machines", 0),
        ("weights", "heavy"),
        ("placement", "nowhere"),
        ("seed", -1),
    ):
        with pytest.raises(InvalidInstanceError, match=f"{option}|{value}"):
            google_parallel_tasks(tmp_path, **{option: value})  # type: ignore[arg-type]


def test_skipped_events_are_told(tmp_path: Path) -> None:
    write_trace(tmp_path, *(clean(1, i, 700, 701, 702) for i in range(2)), ["703,nonsense"])
    _, report = google_parallel_tasks(tmp_path, on_bad_row="skip")
    assert "events skipped because they could not be read: 1 ragged_row" in report.assumptions


@pytest.mark.slow
@pytest.mark.usefixtures("parts_read_once")
def test_the_first_six_parts_have_981_jobs_and_147_strictly() -> None:
    folder = data_folder("google-2011")
    inst, report = google_parallel_tasks(folder, range(6), weights="priority")
    assert (inst.n_jobs, inst.n_tasks) == (981, 33_554)
    assert sorted(set(inst.weight.tolist())) == [1, 2, 3, 10]
    assert np.bincount(inst.weight.astype(int)).tolist() == [0, 210, 5, 758, 0, 0, 0, 0, 0, 0, 8]
    assert np.diff(inst.task_start).min() == 2
    assert np.diff(inst.task_start).max() <= 200
    assert report.rows_read == 345_562
    assert sum(report.dropped.values()) + inst.n_tasks == report.rows_read
    # 123,560 tasks have neither a start nor an end behind 0; of those only 17,703 never ran.
    assert report.unknown_work.total() == 195_492
    assert google_parallel_tasks(folder, range(6), strict=True)[0].n_jobs == 147
    assert google_parallel_tasks(folder, range(6), strict=True, min_priority=9)[0].n_jobs == 2


@pytest.mark.slow
def test_the_preparation_equals_a_walk_over_the_events() -> None:
    """The definition, task by task, on the second part."""
    folder = data_folder("google-2011")
    rows, _ = read_google_table(folder, "task_events", [1])
    events: dict[tuple[int, int], list[tuple[int, int, float]]] = {}
    columns = (
        rows[name].to_pylist() for name in ("job_id", "task_index", "event_type", "time", "memory_request")
    )
    for job, index, kind, time, memory in zip(*columns, strict=True):
        events.setdefault((job, index), []).append((kind, time, memory))
    jobs: dict[int, list[tuple[int, int, int, int]]] = {}
    for (job, index), happened in sorted(events.items()):
        life = {kind: (time, memory) for kind, time, memory in happened}
        if (
            sorted(kind for kind, _, _ in happened if kind < 7) != [SUBMIT, SCHEDULE, FINISH]
            or not life[SUBMIT][0]
        ):
            continue
        length = -((life[SCHEDULE][0] - life[FINISH][0]) // SECOND)
        jobs.setdefault(job, []).append((life[SUBMIT][0], index, length, int(life[SUBMIT][1] * 1e6 + 1e-6)))
    kept = sorted((min(tasks)[0], job) for job, tasks in jobs.items() if 2 <= len(tasks) <= 200)
    inst, _ = google_parallel_tasks(folder, [1])
    expected = [task for _, job in kept for task in jobs[job]]
    assert inst.placement_time.tolist() == [length for _, _, length, _ in expected]
    assert inst.demand[:, 0].tolist() == [size for _, _, _, size in expected]
    assert inst.release_time.tolist() == [(time - kept[0][0]) // SECOND for time, _ in kept]
