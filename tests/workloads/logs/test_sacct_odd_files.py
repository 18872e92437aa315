"""Accounting files that are not as they should be: what is refused, with its lines, and what is skipped and counted."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedcore import InvalidInstanceError
from schedcore.workloads import read_sacct
from workloads.logs.sacct_files import EXAMPLE, HEADER, read_jobs, row, table, write


@pytest.mark.parametrize(
    ("bad", "column"),
    [
        (row(2, submit="yesterday"), "submit time"),
        (row(2, submit="2024-13-01T00:00:00"), "submit time"),
        (row(2, elapsed="1h"), "run time"),
        (row(2, elapsed="-5"), "run time"),
        (row(2, limit="long"), "time limit"),
        (row(2, cpus="1.5"), "ReqCPUS"),
        (row(2, cpus="many"), "ReqCPUS"),
        (row(2, memory="1X"), "ReqMem"),
        (row(2, memory="1Gx"), "ReqMem"),
        (row(2, nodes="?"), "NNodes"),
        (row(2, elapsed="9" * 400), "run time"),
        (row(2, limit="9" * 400), "time limit"),
        (row(2, memory="9" * 400 + "G"), "ReqMem"),
    ],
)
def test_a_field_that_cannot_be_read_is_an_error_with_its_line_unless_skipped(
    tmp_path: Path, bad: str, column: str
) -> None:
    path = table(tmp_path, row(1), bad, row(3))
    with pytest.raises(InvalidInstanceError, match=rf"1 row \(line 3\): a field .* \({column}\)"):
        read_sacct(path)
    jobs, report = read_jobs(path, on_bad_row="skip")
    assert [job[0] for job in jobs] == [1, 3]
    assert report.dropped == {"garbled_row": 1}


def test_a_time_beyond_exact_seconds_is_an_error_with_its_line_unless_skipped(tmp_path: Path) -> None:
    path = table(tmp_path, row(1), row(2, limit="999999999999-00:00:00"), row(3))
    with pytest.raises(InvalidInstanceError, match=r"1 row \(line 3\): a time above 2\*\*53 s"):
        read_sacct(path)
    jobs, report = read_jobs(path, on_bad_row="skip")
    assert [job[0] for job in jobs] == [1, 3]
    assert report.dropped == {"huge_time": 1}


def test_rows_with_another_number_of_fields_are_an_error_with_their_lines_unless_skipped(
    tmp_path: Path,
) -> None:
    path = table(tmp_path, row(1), row(2) + "|more", row(3), "4|5", "four|" + row(4), row(5))
    with pytest.raises(InvalidInstanceError, match=r"3 rows \(line 3, 5, 6\): not as many fields"):
        read_sacct(path)
    jobs, report = read_jobs(path, on_bad_row="skip")
    assert [job[0] for job in jobs] == [1, 3, 5]
    assert report.dropped == {"ragged_row": 3}
    assert report.rows_read == 6
    bad = table(tmp_path, row(1), row(2) + "|more", row(3, elapsed="x"))
    assert read_jobs(bad, on_bad_row="skip")[1].lines["garbled_row"] == (4,)


def test_a_field_of_a_job_that_is_left_out_anyway_may_be_garbled(tmp_path: Path) -> None:
    jobs, _ = read_jobs(table(tmp_path, row(1), row(2, state="PENDING", memory="?"), row("1.0", cpus="")))
    assert [job[0] for job in jobs] == [1]


def test_columns_that_are_absent_are_named(tmp_path: Path) -> None:
    path = write(tmp_path, "JobID|Start|AveCPU\n1|2024-01-31T10:00:00|5\n")
    with pytest.raises(
        InvalidInstanceError,
        match=r"lacks Submit; State; ReqCPUS or AllocCPUS or .*; ElapsedRaw or Elapsed or both Start and End",
    ):
        read_sacct(path)


@pytest.mark.parametrize("text", ["", "1|2|3\n", "JobID,Submit\n1,2\n", "\n"])
def test_a_file_without_column_names_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInstanceError, match=r"the first line does not name the columns"):
        read_sacct(write(tmp_path, text))


def test_a_file_without_jobs_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match=r"no job is left \(it has no rows\)"):
        read_sacct(write(tmp_path, HEADER + "\n"))
    with pytest.raises(InvalidInstanceError, match=r"no job is left \(unfinished 1\)"):
        read_sacct(table(tmp_path, row(state="RUNNING")))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "request"}, r"did you mean 'requested'\?"),
        ({"missing_memory": "used"}, r"unknown missing_memory 'used'"),
        ({"missing_memory": -1}, r"missing_memory = -1 KB"),
        ({"missing_estimate": "errors"}, r"did you mean 'error'\?"),
        ({"on_bad_row": "pad"}, r"unknown on_bad_row 'pad'"),
        ({"machines": "1x4"}, r"1 amounts for 3 resources"),
    ],
)
def test_unknown_options_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        read_sacct(write(tmp_path, EXAMPLE), **options)


def test_a_truncated_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = write(tmp_path, EXAMPLE, "log.sacct.gz")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InvalidInstanceError, match=r"log\.sacct\.gz: truncated or damaged"):
        read_sacct(path)


_FIELDS = (
    "",
    "0",
    "1",
    "x",
    "-1",
    "9" * 30,
    "None",
    "Unknown",
    "RUNNING",
    "CA",
    "1.0",
    "1G",
    "4Gc",
    "ä",
    '"',
)
_LONG_FIELDS = ("2024-01-31T10:00:00", "UNLIMITED", "1-00:00:00", "10:00", "JobIDRaw")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    fields=st.lists(
        st.lists(st.sampled_from(_FIELDS + _LONG_FIELDS), min_size=9, max_size=11),
        max_size=6,
    )
)
def test_no_row_disappears_without_being_counted(tmp_path: Path, fields: list[list[str]]) -> None:
    path = table(tmp_path, row(999), *("|".join(row) for row in fields))
    _, report = read_sacct(path, on_bad_row="skip", missing_memory="skip")
    assert report.rows_read == 1 + len(fields) == report.n_jobs + sum(report.dropped.values())
