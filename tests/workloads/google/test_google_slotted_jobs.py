"""Slotted jobs from Google's trace: which jobs count, what they become, and the numbers of the six parts."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data_folder import data_folder
from schedcore import InvalidInstanceError
from schedcore.workloads import google_mapreduce_jobs, google_slotted_jobs, read_google_table
from schedcore.workloads.google.jobs import google_jobs

pytest.importorskip("pyarrow")

SECOND = 1_000_000
SUBMIT, SCHEDULE, EVICT, FAIL, FINISH, KILL = 0, 1, 2, 3, 4, 5

Rows = list[tuple[float, str]]


def job(number: int, *events: tuple[float, int]) -> Rows:
    return [(time, f"{round(time * SECOND)},,{number},{kind},u,0,n,l") for time, kind in events]


def task(
    number: int, index: int, *events: tuple[float, int], cpu: object = 0.125, memory: object = 0.0625
) -> Rows:
    return [
        (time, f"{round(time * SECOND)},,{number},{index},7,{kind},u,0,4,{cpu},{memory},0,0")
        for time, kind in events
    ]


def finished(number: int, index: int, submit: float, start: float, end: float, **requests: object) -> Rows:
    return task(number, index, (submit, SUBMIT), (start, SCHEDULE), (end, FINISH), **requests)


def write_trace(folder: Path, jobs: Sequence[Rows], tasks: Sequence[Rows]) -> Path:
    for table, parts in (("job_events", jobs), ("task_events", tasks)):
        rows = sorted((row for part in parts for row in part), key=lambda row: row[0])
        (folder / table).mkdir()
        text = "".join(f"{line}\n" for _, line in rows)
        (folder / table / "part-00000-of-00500.csv.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def test_a_job_has_the_times_and_requests_of_its_task_in_slots_cores_and_gigabytes(tmp_path: Path) -> None:
    write_trace(
        tmp_path,
        [job(8, (629.9, SUBMIT), (700, FINISH)), job(5, (600, SUBMIT), (641, FINISH))],
        [
            finished(8, 0, 629.9, 650, 690.000001, cpu=0.25, memory=0.0157),
            finished(5, 3, 600, 640, 640.5, cpu=0, memory=0),
        ],
    )
    inst, report = google_slotted_jobs(tmp_path, resources="cores_memory", load=0.5, memory_per_core=1.25)
    assert inst.jobs.release_time.tolist() == [0, 2]  # 29.9 s are two whole slots
    assert inst.jobs.processing_time.tolist() == [1, 5]
    assert inst.jobs.demand.tolist() == [[1, 1], [16, 2]]  # 64 * 0.0157 = 1.0048
    assert inst.machines.resource_names == ("cores", "memory")
    # 81 core-slots in the 11 slots of [600 s, 700 s], at load 0.5: 14.7 cores.
    assert inst.machines.capacity.tolist() == [[16, 20]]
    assert report.units == {"time": "10 s", "cores": "1/64 machine", "memory": "1/64 machine"}
    assert "rows are jobs, of 10 events in 2 files" in report.assumptions
    assert "the window is [600 s, 700.000 s): 11 slots of 10 s" in report.assumptions
    plain, _ = google_slotted_jobs(tmp_path, load=0.5, slot=5)
    assert plain.jobs.demand.tolist() == [[1], [16]]
    assert plain.jobs.release_time.tolist() == [0, 5]
    assert plain.jobs.processing_time.tolist() == [1, 9]


def test_every_job_that_is_left_out_is_counted_under_the_first_reason(tmp_path: Path) -> None:
    inside = {n: job(n, (700, SUBMIT), (800, FINISH)) for n in range(10, 20)}
    write_trace(
        tmp_path,
        [
            job(1, (0, SUBMIT), (700, FINISH)),
            job(2, (599, SUBMIT), (700, FINISH)),
            job(3, (1600, SUBMIT), (1700, FINISH)),
            job(4, (700, SUBMIT), (710, SCHEDULE), (720, KILL)),
            job(5, (700, SUBMIT), (720, FAIL)),
            job(6, (700, SUBMIT)),
            job(7, (700, SUBMIT), (1600, FINISH)),
            job(8, (700, FINISH)),
            *inside.values(),
        ],
        [
            *(finished(n, 0, 700, 710, 720) for n in range(1, 9)),
            task(10, 0, (700, SUBMIT), (710, SCHEDULE), (720, KILL)),
            finished(11, 0, 700, 710, 720, cpu=""),
            task(12, 0, (700, SUBMIT), (720, FINISH)),
            *(finished(n, 0, 700, 710, 720) for n in range(13, 20)),
        ],
    )
    inst, report = google_slotted_jobs(tmp_path, window=1000, n_jobs=4)
    assert dict(report.dropped) == {
        "not_submitted": 1, "before_window": 2, "after_window": 1, "ended_otherwise": 2, "unfinished": 2,
        "no_finished_task": 3, "beyond_n_jobs": 3,
    }  # fmt: skip
    assert report.lines["unfinished"] == (6, 7)
    assert report.lines["beyond_n_jobs"] == (17, 18, 19)
    assert inst.n_jobs == 4
    assert report.rows_read == 18


def test_jobs_that_are_left_out_lose_the_work_that_they_did_in_the_window(tmp_path: Path) -> None:
    write_trace(
        tmp_path,
        [
            job(1, (700, SUBMIT), (800, FINISH)),
            job(2, (0, SUBMIT)),
            job(3, (700, SUBMIT), (800, KILL)),
            job(4, (700, SUBMIT)),
            job(5, (700, SUBMIT), (800, KILL)),
            job(6, (700, SUBMIT), (800, FAIL)),
            job(7, (1500, SUBMIT), (1900, FINISH)),
            job(8, (1700, SUBMIT), (1900, FINISH)),
            job(9, (710, SUBMIT), (800, FINISH)),
            job(10, (700, SUBMIT), (800, KILL)),
        ],
        [
            finished(1, 0, 700, 710, 730, cpu=0.25, memory=0.125),  # kept: 2 slots, of 16 cores and 8 GB
            task(2, 0, (0, SUBMIT), (0, SCHEDULE), cpu=1 / 64, memory=1 / 64),  # all 100 slots of the window
            finished(2, 1, 0, 0, 500),  # ended before it
            # Job 3: 1 slot of 8 cores, its last run up to its eviction, and 3 slots; one task waited in vain.
            task(
                3, 0, (700, SUBMIT), (701, SCHEDULE), (760, FAIL), (770, SCHEDULE), (780, EVICT), (799, KILL)
            ),
            task(3, 1, (700, SUBMIT), (710, SCHEDULE), (739, KILL)),
            task(3, 2, (700, SUBMIT), (739, KILL)),
            task(4, 0, (700, SUBMIT), (1590.5, SCHEDULE)),  # 1 slot of 8 cores before the window ends
            task(5, 0, (700, SUBMIT), (800, KILL)),  # never ran
            task(6, 0, (700, SUBMIT), (710, SCHEDULE), (800, FAIL), cpu=""),
            finished(7, 0, 1500, 1580, 1900),  # 2 slots, the rest is behind the window
            finished(8, 0, 1700, 1710, 1900),
            finished(9, 0, 710, 720, 790),  # beyond n_jobs: not wanted
        ],
    )
    _, report = google_slotted_jobs(tmp_path, window=1000, n_jobs=1, resources="cores_memory")
    # Of each job the mean of its tasks: job 2 has 100 * 1 and 0, job 3 has 1 and 3 slots of 8 cores and 4 GB.
    cores = {"kept": 32, "before_window": 50, "ended_otherwise": 16, "unfinished": 8 + 16}
    memory = {"kept": 16, "before_window": 50, "ended_otherwise": 8, "unfinished": 4 + 8}
    assert report.dropped_work == {
        reason: {
            "cores": pytest.approx(cores[reason] / sum(cores.values())),
            "memory": pytest.approx(memory[reason] / sum(memory.values())),
        }
        for reason in cores
        if reason != "kept"
    }
    assert report.unknown_work == {"ended_otherwise": 2}  # jobs 6 and 10, of which no task is there
    _, report = google_mapreduce_jobs(tmp_path, window=1000, n_jobs=1)
    total = 32 + 100 + 32 + 24
    assert report.work_lost == {"cores": pytest.approx(1 - 32 / total)}
    assert report.dropped_work["ended_otherwise"] == {"cores": pytest.approx(32 / total)}
    assert "no work" not in str(report)


def test_the_last_run_of_a_task_counts(tmp_path: Path) -> None:
    events = [(700, SUBMIT), (710, SCHEDULE), (750, EVICT), (751, SUBMIT), (760, SCHEDULE), (775, FINISH)]
    again = [(780, SUBMIT), (790, SCHEDULE), (795, KILL)]
    write_trace(tmp_path, [job(1, (700, SUBMIT), (800, FINISH))], [task(1, 0, *events, *again)])
    assert google_slotted_jobs(tmp_path)[0].jobs.processing_time.tolist() == [2]


def test_the_window_ends_with_the_parts_or_as_asked(tmp_path: Path) -> None:
    write_trace(
        tmp_path,
        [
            job(1, (700, SUBMIT), (800, FINISH)),
            [*job(2, (900, SUBMIT)), (1e13, f"{2**63 - 1},,2,{FINISH},u,0,n,l")],  # after the trace
        ],
        [finished(1, 0, 700, 710, 720)],
    )
    found = google_jobs(tmp_path)
    assert (found.window_start, found.window_end) == (600 * SECOND, 900 * SECOND + 1)
    assert google_jobs(tmp_path, t0=650, window=200).window_end == 850 * SECOND
    assert found.ledger.dropped == {"unfinished": 1}
    with pytest.raises(InvalidInstanceError, match=r"no job is left \(before_window 2\)"):
        google_jobs(tmp_path, t0=1000)


def test_the_task_of_a_job_is_drawn_whatever_other_jobs_there_are(tmp_path: Path) -> None:
    jobs = [job(n, (700 + n, SUBMIT), (2000, FINISH)) for n in range(40)]
    tasks = [finished(n, i, 700 + n, 800, 805 + 10 * i) for n in range(40) for i in range(8)]
    write_trace(tmp_path, jobs, tasks)
    time = google_slotted_jobs(tmp_path)[0].jobs.processing_time
    assert set(time.tolist()) == set(range(1, 9))
    assert (google_slotted_jobs(tmp_path, n_jobs=10)[0].jobs.processing_time == time[:10]).all()
    assert (google_slotted_jobs(tmp_path, t0=720)[0].jobs.processing_time == time[20:]).all()
    assert (google_slotted_jobs(tmp_path, seed=2)[0].jobs.processing_time != time).any()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("t0", -1),
        ("window", 0),
        ("slot", 0),
        ("n_jobs", 0),
        ("load", 0.0),
        ("memory_per_core", 0.0),
        ("seed", -1),
        ("resources", "memory"),
    ],
)
def test_arguments_out_of_range_are_named(tmp_path: Path, option: str, value: Any) -> None:
    write_trace(tmp_path, [job(1, (700, SUBMIT), (800, FINISH))], [finished(1, 0, 700, 710, 720)])
    with pytest.raises(InvalidInstanceError, match=option):
        google_slotted_jobs(tmp_path, **{option: value})


def test_skipped_events_are_told(tmp_path: Path) -> None:
    rows = [*finished(1, 0, 700, 710, 720), (730.0, "730,nonsense")]
    write_trace(tmp_path, [job(1, (700, SUBMIT), (800, FINISH))], [rows])
    _, report = google_slotted_jobs(tmp_path, on_bad_row="skip")
    assert "events skipped because they could not be read: 1 ragged_row" in report.assumptions


@pytest.mark.slow
def test_the_first_six_parts_have_4309_jobs() -> None:
    """Everything but the draw, against a walk over the events job by job."""
    folder = data_folder("google-2011")
    inst, report = google_slotted_jobs(folder, range(6), resources="cores_memory")
    assert inst.n_jobs == 4309
    assert dict(report.dropped) == {"before_window": 3986, "ended_otherwise": 2313, "unfinished": 226}
    # Most of the cores run jobs that were submitted before the window.
    assert report.work_lost == pytest.approx({"cores": 0.988, "memory": 0.990}, abs=0.001)
    assert inst.machines.capacity[:, 0].tolist() == [64, 32, 16, 16, 16, 16]
    life: dict[int, dict[int, int]] = {}
    rows, _ = read_google_table(folder, "job_events", range(6), columns=("time", "job_id", "event_type"))
    for time, number, kind in zip(*(rows[name].to_pylist() for name in rows.column_names), strict=True):
        life.setdefault(number, {})[kind] = time
    kept = [n for n, events in life.items() if events.get(SUBMIT, 0) >= 600 * SECOND and FINISH in events]
    kept.sort(key=lambda n: (life[n][SUBMIT], n))
    release = [(life[n][SUBMIT] - 600 * SECOND) // (10 * SECOND) for n in kept]
    assert inst.jobs.release_time.tolist() == release
    tasks: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    start: dict[tuple[int, int], int] = {}
    columns = ("time", "job_id", "task_index", "event_type", "cpu_request", "memory_request")
    rows, _ = read_google_table(folder, "task_events", range(6), columns=columns)
    wanted = set(kept)
    for time, number, index, kind, cpu, memory in zip(
        *(rows[name].to_pylist() for name in columns), strict=True
    ):
        if number in wanted and kind == SCHEDULE:
            start[number, index] = time
        elif number in wanted and kind == FINISH:
            length = -((start[number, index] - time) // (10 * SECOND))
            amounts = (max(-int(-64 * cpu // 1), 1), max(-int(-64 * memory // 1), 1))
            tasks[number, index] = (number, max(length, 1), *amounts)
    assert len(tasks) == 7542
    possible = set(tasks.values())
    chosen = zip(
        kept, inst.jobs.processing_time.astype(int).tolist(), *inst.jobs.demand.T.tolist(), strict=True
    )
    assert all(task in possible for task in chosen)
    n_tasks = np.bincount(np.unique([number for number, _ in tasks], return_inverse=True)[1])
    assert google_jobs(folder, range(6)).tasks.start[-1] == n_tasks.sum()
