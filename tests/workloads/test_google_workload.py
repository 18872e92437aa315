"""The folder of Google's trace as a workload: every run of a task is a job."""

from pathlib import Path

import pytest

from data_folder import data_folder
from schedcore import InvalidInstanceError
from schedcore.workloads import load, read_google_trace

pytest.importorskip("pyarrow")

SUBMIT, SCHEDULE, EVICT, FINISH, KILL = 0, 1, 2, 4, 5
SECOND = 1_000_000


def folder(
    tmp_path: Path, *events: tuple[int, int, int, str], machines: str = "0,1,0,p,0.5,0.25\n0,2,0,p,1,1\n"
) -> Path:
    """Events are (second, job, kind, requests); job j has the one task 0."""
    rows = [
        f"{second * SECOND},,{job},0,,{kind},user{job % 2},2,9,{requests},0\n" for second, job, kind, requests in events
    ]  # fmt: skip
    for table, text in (("task_events", "".join(rows)), ("machine_events", machines)):
        (tmp_path / table).mkdir()
        (tmp_path / table / "part-00000-of-00001.csv").write_text(text)
    return tmp_path


HALF = "0.5,0.25,0.001"


def test_every_run_is_a_job(tmp_path: Path) -> None:
    path = folder(
        tmp_path,
        (0, 1, SUBMIT, HALF),  # before the trace, which begins at second 600
        (0, 1, SCHEDULE, HALF),
        (610, 2, SUBMIT, HALF),
        (615, 2, SCHEDULE, "0.1,0.1,0"),  # what counts is asked for when it starts
        (700, 1, FINISH, HALF),
        (715, 2, EVICT, HALF),
        (720, 2, SUBMIT, HALF),
        (730, 2, SCHEDULE, ",,"),  # of which only the submission says what is asked for
        (740, 3, SUBMIT, HALF),  # never runs
        (750, 4, SUBMIT, HALF),
        (760, 4, KILL, HALF),  # nor does this
        (800, 5, SUBMIT, "0,0,0"),
        (801, 5, SCHEDULE, "0,0,0"),
        (900, 5, FINISH, "0,0,0"),
    )
    assert load(path)[0] == read_google_trace(path)[0]
    instance, report = read_google_trace(path)
    jobs = instance.jobs
    assert jobs.release_time.tolist() == [0, 10, 120]
    assert jobs.recorded_start_time.tolist() == [0, 15, 130]
    assert jobs.processing_time.tolist() == [100, 100, 170]  # the last one still runs when the events end
    assert jobs.demand.tolist() == [[500_000, 250_000, 1000], [100_000, 100_000, 0], [500_000, 250_000, 1000]]
    assert jobs.user.tolist() == ["user1", "user0", "user0"]
    assert jobs.service_class.tolist() == ["2"] * 3
    assert jobs.priority.tolist() == [9] * 3
    assert instance.machines.capacity.tolist() == [[500_000, 250_000, 1_000_000], [1_000_000] * 3]
    assert report.dropped == {"never_scheduled": 2, "no_demand": 1}
    assert report.repaired["censored"] == 2
    assert report.rows_read == 6
    dropped, report = read_google_trace(path, censored="drop")
    assert dropped.jobs.processing_time.tolist() == [100]
    assert report.dropped["censored"] == 2
    assert report.stops["loss"]


def test_a_run_of_which_no_event_tells_the_end_is_lost_loudly(tmp_path: Path) -> None:
    path = folder(
        tmp_path,
        (610, 1, SUBMIT, HALF),
        (620, 1, SCHEDULE, HALF),
        (630, 1, SCHEDULE, HALF),
        (640, 1, FINISH, HALF),
    )
    instance, report = read_google_trace(path)
    assert instance.jobs.processing_time.tolist() == [10]
    assert report.unknown_work == {"no_end": 1}


def test_machines_and_parts_are_chosen(tmp_path: Path) -> None:
    path = folder(
        tmp_path, (610, 1, SUBMIT, HALF), (620, 1, SCHEDULE, HALF), (630, 1, FINISH, HALF), machines=""
    )
    with pytest.raises(InvalidInstanceError, match="is empty"):
        load(path)
    assert read_google_trace(path, machines=3)[0].machines.capacity.tolist() == [[1_000_000] * 3] * 3
    assert read_google_trace(path, machines="2x500000,500000,10000", parts=1)[0].n_machines == 2
    with pytest.raises(InvalidInstanceError, match="parts = 0"):
        load(path, parts=0)


def test_another_folder_is_no_workload(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInstanceError, match="it is a folder, and has no task_events of Google's trace"
    ):
        load(tmp_path)


def test_all_events_of_the_recorded_parts_are_accounted_for() -> None:
    instance, report = read_google_trace(data_folder("google-2011"), parts=1)
    # Part 0 has 201,491 submissions and 189,994 starts.
    assert report.rows_read == 201_491
    assert instance.n_jobs + report.dropped["no_demand"] == 189_994
    assert instance.n_machines == 12_477


def test_what_ended_after_the_trace_is_cut_at_its_last_event(tmp_path: Path) -> None:
    path = folder(
        tmp_path,
        (0, 3, SUBMIT, HALF),
        (0, 3, SCHEDULE, HALF),
        (0, 3, FINISH, HALF),  # of which nothing was seen
        (610, 1, SUBMIT, HALF),
        (620, 1, SCHEDULE, HALF),
        (630, 2, SUBMIT, HALF),
        (640, 2, SCHEDULE, HALF),
        (700, 2, FINISH, HALF),
    )
    part = path / "task_events" / "part-00000-of-00001.csv"
    part.write_text(f"{part.read_text()}{2**63 - 1},,1,0,,{FINISH},user1,2,9,{HALF},0\n")
    instance, report = read_google_trace(path)
    assert instance.jobs.processing_time.tolist() == [80, 60]
    assert report.repaired["censored"] == 1
    assert report.dropped == {"outside_trace": 1}
    assert "end at second 700" in report.assumptions[0]
