"""When jobs of sacct are released, and what of them an instance cannot express."""

from pathlib import Path

import pytest

from schedcore import validate
from schedcore.errors import InvalidInstanceError
from schedcore.workloads import parse_instant, read_sacct, read_swf, recorded_schedule
from workloads.logs.sacct_files import write

COLUMNS = "JobIDRaw|JobID|Submit|Eligible|Start|ElapsedRaw|State|ReqCPUS|Reason|Reservation"


def accounting(folder: Path, *rows: str) -> Path:
    return write(folder, "\n".join([COLUMNS, *rows]) + "\n")


def row(
    number: int, submit: object, eligible: object, start: object, more: str = "None|", name: str = ""
) -> str:
    return f"{number}|{name or number}|{submit}|{eligible}|{start}|10|COMPLETED|1|{more}"


def test_jobs_are_released_when_they_become_eligible_unless_asked_otherwise(tmp_path: Path) -> None:
    path = accounting(tmp_path, row(1, 1000, 1000, 1000), row(2, 1000, 1500, 1600))
    instance, report = read_sacct(path, processors=4)
    assert instance.jobs.release_time.tolist() == [0, 500]
    assert "jobs are released when they became eligible, 1 of them later than submitted" in report.assumptions
    assert "time 0 is release time 1,000 of the log" in report.assumptions
    instance, report = read_sacct(path, processors=4, release="submit")
    assert instance.jobs.release_time.tolist() == [0, 0]
    assert "jobs are released when they were submitted" in report.assumptions
    with pytest.raises(InvalidInstanceError, match="unknown release 'start'"):
        read_sacct(path, release="start")  # type: ignore[arg-type]


def test_the_report_tells_the_date_of_time_0_on_the_clock_of_the_cluster(tmp_path: Path) -> None:
    path = accounting(tmp_path, row(1, "2026-12-01T08:00:00", "2026-12-01T08:00:30", "2026-12-01T09:00:00"))
    report = read_sacct(path, processors=4)[1]
    assert report.origin == report.to_dict()["origin"] == "2026-12-01T08:00:30"
    assert read_sacct(path, processors=4, release="submit")[1].origin == "2026-12-01T08:00:00"
    assert parse_instant("2026-12-01T08:01", report.origin) == 30


def test_an_eligible_time_is_unknown_too_early_or_too_late(tmp_path: Path) -> None:
    path = accounting(
        tmp_path,
        row(1, 1000, "Unknown", 1100),
        row(2, 1010, "", 1100),
        row(3, 1020, 900, 1100),  # before Submit
        row(4, 1030, 1200, 1100),  # after Start
        row(5, 1040, 1200, 1020),  # Start before Submit: the clock was changed
        row(6, 1050, 1060, 1070),
    )
    instance, report = read_sacct(path, processors=4)
    assert instance.jobs.release_time.tolist() == [0, 10, 20, 100, 40, 60]
    assert report.repaired == {
        "missing_estimate": 6, "eligible_unknown": 2, "eligible_early": 1, "eligible_late": 2,
    }  # fmt: skip
    assert report.lines["eligible_late"] == (5, 6)


def test_an_eligible_time_that_cannot_be_read_is_a_bad_row(tmp_path: Path) -> None:
    path = accounting(tmp_path, row(1, 1000, "soon", 1100), row(2, 1000, 1000, 1100))
    with pytest.raises(InvalidInstanceError, match=r"1 row \(line 2\): a field cannot be read \(Eligible\)"):
        read_sacct(path)
    assert read_sacct(path, release="submit")[0].n_jobs == 2


def test_without_the_column_submissions_are_releases_and_the_report_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, "JobIDRaw|Submit|Start|ElapsedRaw|State|ReqCPUS\n1|1000|1100|10|COMPLETED|1\n")
    assert any("there is no column Eligible" in sentence for sentence in read_sacct(path)[1].assumptions)


def test_a_file_is_a_schedule_of_itself_however_its_jobs_are_released(tmp_path: Path) -> None:
    path = accounting(tmp_path, row(1, 1000, 1005, 1010), row(2, 1000, 1500, 1600), row(3, 1100, 1800, 1700))
    for release, starts in (("eligible", [5, 595, 695]), ("submit", [10, 600, 700])):
        instance, _ = read_sacct(path, processors=4, release=release)  # type: ignore[arg-type]
        schedule = recorded_schedule(path, instance)
        assert schedule.start_time.tolist() == starts
        assert validate(instance, schedule).ok


def test_the_clock_of_a_schedule_is_the_one_that_was_asked_for_or_the_only_one_that_fits(
    tmp_path: Path,
) -> None:
    path = accounting(tmp_path, row(1, 1000, 1100, 1150), row(2, 1005, 1105, 1155))
    for release, starts in (("eligible", [50, 55]), ("submit", [150, 155])):
        instance, _ = read_sacct(path, processors=4, release=release)  # type: ignore[arg-type]
        with pytest.raises(
            InvalidInstanceError, match=r'say which it is, release="eligible" or release="submit"'
        ):
            recorded_schedule(path, instance)
        schedule = recorded_schedule(path, instance, release=release)  # type: ignore[arg-type]
        assert schedule.start_time.tolist() == starts
    with pytest.raises(InvalidInstanceError, match="unknown release 'start'"):
        recorded_schedule(path, instance, release="start")  # type: ignore[arg-type]
    path = accounting(tmp_path, row(1, 1000, 1100, 1150), row(2, 1005, 1205, 1255))
    instance, _ = read_sacct(path, processors=4)
    with pytest.raises(InvalidInstanceError, match="1 and 2 are submitted 5 s apart, in the instance 105 s"):
        recorded_schedule(path, instance, release="submit")
    instance, _ = read_sacct(path, processors=4, release="submit")
    with pytest.raises(InvalidInstanceError, match="become eligible 105 s apart, in the instance 5 s"):
        recorded_schedule(path, instance, release="eligible")


def test_an_eligible_time_that_cannot_be_read_is_no_clock(tmp_path: Path) -> None:
    path = accounting(tmp_path, row(1, 1000, 1000, 1150), row(2, 1005, "soon", 1155))
    instance, _ = read_sacct(path, processors=4, release="submit")
    assert recorded_schedule(path, instance).start_time.tolist() == [150, 155]
    with pytest.raises(InvalidInstanceError, match="Eligible of the job with id 2 cannot be read"):
        recorded_schedule(path, instance, release="eligible")


def test_what_is_not_modelled_is_counted(tmp_path: Path) -> None:
    path = accounting(
        tmp_path,
        row(1, 1000, 1000, 1000),
        row(2, 1000, 1500, 1600, "Dependency|"),
        row(3, 1000, 1000, 1000, "None|maintenance", name="3+0"),
        row(4, 1000, 1000, 1000, "Resources|maintenance", name="3+1"),
        row(5, 1000, 1000, 1000, name="5_7"),
    )
    _, report = read_sacct(path, processors=4)
    assert report.not_modelled == {"dependency": 1, "het_component": 2, "reservation": 2}
    assert report.lines["het_component"] == (4, 5)
    assert "  not modelled: 2 het_component: a part of a heterogeneous job" in str(report)
    assert report.to_dict()["not_modelled"] == {"dependency": 1, "het_component": 2, "reservation": 2}


def test_preceding_jobs_and_think_times_of_swf_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    rows = [
        f"{job} {job} 0 100 1 -1 -1 1 100 -1 1 1 1 1 1 1 {after} {think}"
        for job, after, think in ((1, -1, -1), (2, 1, 30), (3, 1, 0), (4, 0, -1))
    ]
    path.write_text("; MaxProcs: 8\n" + "\n".join(rows) + "\n")
    _, report = read_swf(path)
    assert report.not_modelled == {"preceding_job": 2, "think_time": 1}
    assert report.lines["think_time"] == (3,)
