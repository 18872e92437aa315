"""What a log says of jobs beyond the problem: when they started, and who submitted them."""

from pathlib import Path

import numpy as np
import pytest

from data_folder import data_folder
from schedcore import workloads
from schedcore.workloads import read_sacct, read_swf, recorded_schedule

NAN = None


def starts(jobs: object) -> list[float | None]:
    recorded = jobs.recorded_start_time.tolist()  # type: ignore[attr-defined]
    return [None if start != start else start for start in recorded]


def swf(folder: Path, *rows: str) -> Path:
    path = folder / "log.swf"
    path.write_text("\n".join(["; MaxProcs: 8", *rows]) + "\n")
    return path


def test_swf_tells_starts_from_waits_and_numbers_who_submitted(tmp_path: Path) -> None:
    path = swf(
        tmp_path,
        "1 100 7 50 2 -1 -1 2 60 -1 1 4 2 -1 -1 3 -1 -1",
        "2 110 -1 50 2 -1 -1 2 60 -1 1 4 -1 -1 -1 3 -1 -1",
        "3 120 0 50 2 -1 -1 2 60 -1 1 -1 2 -1 -1 -1 -1 -1",
    )
    jobs = read_swf(path)[0].jobs
    assert starts(jobs) == [7.0, None, 20.0]
    assert jobs.user.tolist() == ["4", "4", None]
    assert jobs.account.tolist() == ["2", None, "2"]
    assert jobs.partition.tolist() == ["3", "3", None]
    bare = read_swf(path, columns=False)[0].jobs
    assert not bare.uses("user")
    assert starts(bare) == [7.0, None, 20.0]


def test_a_job_that_started_at_once_did_so_where_its_release_is_rounded(tmp_path: Path) -> None:
    path = swf(
        tmp_path,
        "1 100.5 0 50 2 -1 -1 2 60 -1 1 4 2 -1 -1 3 -1 -1",
        "2 110.75 2 50 2 -1 -1 2 60 -1 1 4 2 -1 -1 3 -1 -1",
    )
    jobs = read_swf(path)[0].jobs
    assert jobs.release_time.tolist() == [0.0, 10.0]
    assert starts(jobs) == [0.0, 12.25]


def test_sacct_names_tasks_of_arrays_and_parts_of_heterogeneous_jobs(tmp_path: Path) -> None:
    path = tmp_path / "jobs.sacct"
    times = "2026-05-01T00:00:00|2026-05-01T00:00:30|2026-05-01T00:10:30|00:10:00|4|COMPLETED"
    head = "JobIDRaw|JobID|Submit|Start|End|Elapsed|AllocCPUS|State"
    path.write_text(f"{head}\n7|7|{times}\n8|9_0|{times}\n9|9_1|{times}\n10|12+0|{times}\n")
    jobs = read_sacct(path)[0].jobs
    assert jobs.id.tolist() == [7, 8, 9, 10]
    assert jobs.name.tolist() == [None, "9_0", "9_1", "12+0"]
    path.write_text(f"{head.replace('JobIDRaw|', '')}\n7|{times}\n9_0|{times}\n9_1|{times}\n")
    jobs = read_sacct(path)[0].jobs
    assert [jobs.called(job) for job in range(3)] == ["7", "9_0", "9_1"]


def test_sacct_tells_starts_and_names_on_one_pool(tmp_path: Path) -> None:
    path = tmp_path / "jobs.sacct"
    path.write_text(
        "JobIDRaw|Submit|Start|End|Elapsed|Timelimit|AllocCPUS|State|User|Account|Partition|QOS|Priority\n"
        "1|2026-05-01T00:00:00|2026-05-01T00:00:30|2026-05-01T00:10:30|00:10:00|00:20:00|4|COMPLETED|ann|bio|day|normal|7\n"
        "2|2026-05-01T00:01:00|2026-05-01T00:11:00|2026-05-01T00:12:00|00:01:00|00:20:00|4|COMPLETED|bob||day|normal|8\n"
    )
    jobs = read_sacct(path, processors=8)[0].jobs
    assert starts(jobs) == [30.0, 660.0]
    assert jobs.user.tolist() == ["ann", "bob"]
    assert jobs.account.tolist() == ["bio", None]
    assert jobs.service_class.tolist() == ["normal", "normal"]
    assert not jobs.uses("priority")
    assert read_sacct(path, processors=8, columns=True)[0].jobs.priority.tolist() == [7.0, 8.0]


def test_transforms_that_move_jobs_forget_what_was_recorded(tmp_path: Path) -> None:
    path = swf(
        tmp_path, *(f"{job} {job * 10} 5 50 2 -1 -1 2 60 -1 1 4 2 -1 -1 3 -1 -1" for job in range(1, 5))
    )
    inst, _ = read_swf(path)
    assert starts(workloads.first_jobs(inst, 2).jobs) == [5.0, 15.0]
    assert not workloads.scale_release_times(inst, 0.5).jobs.uses("recorded_start_time")
    assert not workloads.at_time_zero(inst).jobs.uses("recorded_start_time")


@pytest.mark.parametrize(
    "name", ["KTH-SP2-1996-2.1-cln.swf.gz", "SDSC-SP2-1998-4.2-cln.swf.gz", "LPC-EGEE-2004-1.2-cln.swf.gz"]
)
def test_recorded_logs_tell_the_starts_that_their_schedule_has(name: str) -> None:
    path = data_folder("pwa-swf", name)
    inst, _ = read_swf(path, n_resources=1)
    told = recorded_schedule(path, inst, known_jobs_only=True)
    assert np.array_equal(inst.jobs.recorded_start_time, told.start_time)
