"""Jobs of map tasks from Google's trace: what tasks of a job become, and the numbers of the six parts."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from data_folder import data_folder
from schedcore import InvalidInstanceError
from schedcore.workloads import google_mapreduce_jobs, google_slotted_jobs
from schedcore.workloads.google.jobs import google_jobs

pytest.importorskip("pyarrow")

SECOND = 1_000_000
SUBMIT, SCHEDULE, FINISH, KILL = 0, 1, 4, 5


def write_trace(folder: Path, jobs: list[str], tasks: list[str]) -> Path:
    for table, rows in (("job_events", jobs), ("task_events", tasks)):
        (folder / table).mkdir()
        text = "".join(f"{row}\n" for row in sorted(rows, key=lambda row: int(row.partition(",")[0])))
        (folder / table / "part-00000-of-00500.csv.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def job(number: int, submit: float, end: float, kind: int = FINISH) -> list[str]:
    events = ((submit, SUBMIT), (end, kind))
    return [f"{round(time * SECOND)},,{number},{event},u,0,n,l" for time, event in events]


def task(
    number: int, index: int, start: float, end: float, kind: int = FINISH, cpu: object = 0.125
) -> list[str]:
    events = ((start - 1, SUBMIT), (start, SCHEDULE), (end, kind))
    return [
        f"{round(time * SECOND)},,{number},{index},7,{event},u,0,4,{cpu},0.1,0,0" for time, event in events
    ]


def test_a_job_is_a_map_phase_of_its_finished_tasks_with_their_mean_time(tmp_path: Path) -> None:
    write_trace(
        tmp_path,
        [*job(8, 629.9, 700), *job(5, 600, 680), *job(9, 600, 690, KILL)],
        [
            *task(8, 0, 650, 690.000001),  # 5 slots
            *task(8, 1, 650, 659),  # 1 slot
            *task(8, 7, 651, 661, cpu=0.25),  # 1 slot; the mean 7 / 3 is rounded up
            *task(8, 8, 651, 661, KILL),
            *task(5, 3, 640, 640.5, cpu=0),
            *task(9, 0, 640, 650),
        ],
    )
    inst, report = google_mapreduce_jobs(tmp_path, load=0.5)
    assert inst.release_time.tolist() == [0, 2]  # 29.9 s are two whole slots
    assert inst.map_tasks.tolist() == [1, 3]
    assert inst.map_time.tolist() == [1, 3]
    assert inst.map_cores.tolist() == [1, 16]
    assert not inst.reduce_tasks.any()
    # 145 core-slots in the 11 slots of [600 s, 700 s], at load 0.5: 26.4 cores.
    assert inst.machines.capacity.tolist() == [[16], [16]]
    assert report.rows_read == 3
    assert report.n_jobs == 2
    assert dict(report.dropped) == {"ended_otherwise": 1}
    assert report.lines == {"ended_otherwise": (9,)}
    assert report.units == {"time": "10 s", "cores": "1/64 machine"}
    assert (
        "the 4 finished tasks are the map tasks of their jobs; there are no reduce tasks"
        in report.assumptions
    )
    # As they were: 8 * (5 + 1) + 16 * 1, and 1.
    assert any("145 core-slots instead of 65" in sentence for sentence in report.assumptions)


def test_arguments_out_of_range_and_a_trace_without_jobs_are_refused(tmp_path: Path) -> None:
    write_trace(tmp_path, job(9, 600, 690, KILL), task(9, 0, 640, 650))
    with pytest.raises(InvalidInstanceError, match=r"no job is left \(ended_otherwise 1\)"):
        google_mapreduce_jobs(tmp_path)
    for option, value in (("slot", 0), ("load", 0), ("window", 0), ("t0", -1), ("n_jobs", 0)):
        with pytest.raises(InvalidInstanceError, match=option):
            google_mapreduce_jobs(tmp_path, **{option: value})  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.usefixtures("parts_read_once")
def test_the_six_parts_have_4309_jobs_of_7542_tasks() -> None:
    folder = data_folder("google-2011")
    inst, report = google_mapreduce_jobs(folder)
    assert (inst.n_jobs, inst.n_tasks) == (4309, 7542)
    assert np.count_nonzero(inst.map_tasks > 1) == 158
    assert inst.map_tasks.max() == 303
    assert sum(report.dropped.values()) + inst.n_jobs == report.rows_read
    single, _ = google_slotted_jobs(folder)
    alone = inst.map_tasks == 1
    assert (inst.release_time == single.jobs.release_time).all()
    assert (inst.map_time[alone] == single.jobs.processing_time[alone]).all()
    assert (inst.map_cores == single.jobs.demand[:, 0]).all()
    tasks = google_jobs(folder).tasks
    requests = [tasks.cpu[a:b] for a, b in zip(tasks.start[:-1], tasks.start[1:], strict=True)]
    assert all((of_job == of_job[0]).all() for of_job in requests)
