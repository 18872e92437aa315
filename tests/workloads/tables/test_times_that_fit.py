"""Columns of times that cannot be read as they are together: a choice is needed, or a warning says so."""

import math
from pathlib import Path

import pytest

from schedcore import InvalidInstanceError
from schedcore.workloads import read_table
from schedcore.workloads.reading.needed_choice import ChoiceNeededError

pytest.importorskip("pyarrow")


def write(folder: Path, *lines: str) -> Path:
    path = folder / "jobs.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def choices_of(path: Path) -> list[object]:
    with pytest.raises(ChoiceNeededError) as refused:
        read_table(path)
    for name, value in refused.value.choices:
        assert name == "columns"
        assert str(value) in str(refused.value)
        read_table(path, columns=str(value))  # each of them can be read
    return [value for _, value in refused.value.choices]


@pytest.mark.parametrize("date", ["9999-12-31 23:59:59", "0001-01-01", "31.12.9999", "1600-01-01T00:00:00Z"])
def test_a_date_that_no_clock_reaches_is_a_bad_cell(tmp_path: Path, date: str) -> None:
    first = "01.05.2026" if "." in date else "2026-05-01"
    path = write(tmp_path, "submit,start,end,cpus", f"{first},{first},{first},1", f"{first},{first},{date},1")
    with pytest.raises(InvalidInstanceError, match=r"line 3\): end cannot be read"):
        read_table(path)
    assert read_table(path, on_bad_row="skip")[0].n_jobs == 1


def test_the_raw_time_limit_of_slurm_counts_minutes(tmp_path: Path) -> None:
    path = write(tmp_path, "submit,runtime,TimelimitRaw,cpus", "0,600,60,1")
    for words in (None, "estimate=TimelimitRaw"):
        instance, report = read_table(path, columns=words)
        assert instance.jobs.estimated_processing_time.tolist() == [3600]
        assert "estimate is column TimelimitRaw: minutes, by its name" in report.assumptions


def test_estimates_below_the_run_times_need_a_unit(tmp_path: Path) -> None:
    path = write(tmp_path, "submit,runtime,timelimit,cpus", "0,600,60,1", "0,300,10,1", "0,5,10,1")
    assert choices_of(path) == ["estimate=timelimit:min", "estimate=timelimit:s"]
    fits = write(tmp_path, "submit,runtime,timelimit,cpus", "0,600,600,1", "0,601,600,1", "0,5,10,1")
    assert read_table(fits)[1].repaired["estimate_raised"] == 1


@pytest.mark.parametrize(
    ("runtimes", "unit"),
    [("1,10", "min"), ("0.5,1", "h"), ("60000,600000", "ms"), ("60000000,600000000", "us")],
)
def test_a_run_time_in_another_unit_than_start_and_end_say(tmp_path: Path, runtimes: str, unit: str) -> None:
    first, second = runtimes.split(",")
    ends = ("00:30:00", "01:00:00") if unit == "h" else ("00:01:00", "00:10:00")
    rows = [f"2026-05-01,2026-05-01 {end},{took},1" for end, took in zip(ends, (first, second), strict=True)]
    path = write(tmp_path, "start,end,runtime,cpus", *rows)
    assert choices_of(path) == [f"runtime=runtime:{unit}", "runtime=runtime:s"]


def test_a_wait_in_another_unit_than_start_and_submit_say(tmp_path: Path) -> None:
    path = write(tmp_path, "submit,start,runtime,wait,cpus", "0,120,60,2,1", "0,0,60,0,1", "0,3600,60,60,1")
    assert choices_of(path) == ["wait=wait:min", "wait=wait:s"]


def test_points_in_time_that_count_milliseconds_beside_a_run_time(tmp_path: Path) -> None:
    path = write(tmp_path, "submit,start,end,runtime,cpus", "0,0,60000,60,1", "0,5000,35000,30,1")
    assert choices_of(path) == [
        "submit=submit:ms,start=start:ms,end=end:ms",
        "submit=submit:s,start=start:s,end=end:s",
    ]


def test_a_run_time_that_contradicts_start_and_end_is_a_warning(tmp_path: Path) -> None:
    rows = [f"{place},{place},{place + 1000},400,1" for place in range(4)]
    _, report = read_table(write(tmp_path, "submit,start,end,runtime,cpus", *rows))
    (warning,) = (text for text in report.warnings if "contradicts" in text)
    assert warning == (
        "runtime (column runtime) contradicts the time from start (column start) to end (column end) in 4 rows "
        "(line 2, 3, 4, 5); runtime counts"
    )
    _, report = read_table(write(tmp_path, "submit,start,end,runtime,cpus", *rows[:3]))
    assert not any("contradicts" in text for text in report.warnings)


def test_a_start_before_the_submission_is_counted(tmp_path: Path) -> None:
    path = write(tmp_path, "submit,start,runtime,cpus", "100,50,60,1", "100,120,60,1")
    instance, report = read_table(path)
    assert report.repaired["start_before_submit"] == 1
    assert report.lines["start_before_submit"] == (2,)
    assert math.isnan(instance.jobs.recorded_start_time[0])
    assert instance.jobs.recorded_start_time[1] == 20


def test_zero_beside_times_since_1970_says_nothing(tmp_path: Path) -> None:
    rows = ["1777593600,1777593660,1777593720,1", "1777593600,0,1777593720,1", "1777593600,0,0,1"]
    instance, report = read_table(write(tmp_path, "submit,start,end,cpus", *rows))
    assert instance.jobs.processing_time.tolist() == [60]
    assert report.dropped == {"never_started": 2}
    assert (
        "start is column start: seconds since 1970 (Unix time), by their size; 0 says nothing"
        in report.assumptions
    )


@pytest.mark.parametrize(
    "submits", [(0, 1_300_000_000, 2_600_000_000), (0, 500, 1_300_000_000), (70, 2 * 10**8)]
)
def test_numbers_from_zero_on_that_no_unit_fits_need_one(tmp_path: Path, submits: tuple[int, ...]) -> None:
    path = write(tmp_path, "submit,runtime,cpus", *(f"{submit},60,1" for submit in submits))
    assert choices_of(path) == [f"submit=submit:{unit}" for unit in ("s", "ms", "us", "ns")]
    if submits[0] == 0:
        instance, _ = read_table(path, columns="submit=submit:ms")
        assert instance.jobs.release_time.tolist() == [submit // 1000 for submit in submits]


def test_a_minimum_is_not_taken_for_minutes(tmp_path: Path) -> None:
    path = write(tmp_path, "submit,runtime_min,runtime_avg,cpus", "0,5,600,1")
    assert choices_of(path) == ["runtime=runtime_min:min", "runtime=runtime_avg"]
    with pytest.raises(ChoiceNeededError, match="may be a minimum"):
        read_table(path, columns="runtime=runtime_min")
    assert read_table(write(tmp_path, "runtime_min,cpus", "5,1"))[0].jobs.processing_time.tolist() == [300]
    with pytest.raises(InvalidInstanceError, match="no column says how long"):
        read_table(write(tmp_path, "submit,min,cpus", "0,5,1"))
