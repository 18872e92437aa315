"""SWF logs become instances by the format's rules, and no row disappears without being counted."""

import gzip
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reference import swf as reference
from schedcore import InvalidInstanceError, Machines
from schedcore.workloads import DataReport, read_swf, read_swf_table
from schedcore.workloads.reading.number_columns import float_column

# The four example lines of the conversion rules.
EXAMPLE = """\
; MaxProcs: 4
1 10 5 100 2 90 300 2 200 400 1 7 1 1 1 1 -1 -1
2 12 0 50 4 50.5 100 -1 -1 -1 1 7 1 1 1 1 -1 -1
4 15 0 0 1 0 -1 1 60 50 1 7 1 1 1 1 -1 -1
8 30 3 30 1 0 0 1 60 -1 1 7 1 1 1 1 -1 -1
"""


def write(folder: Path, text: str, name: str = "log.swf") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def read_jobs(path: Path, **options: Any) -> tuple[list[tuple[int, ...]], DataReport]:
    instance, report = read_swf(path, **options)
    jobs = instance.jobs
    columns = [
        jobs.id,
        jobs.release_time,
        jobs.processing_time,
        jobs.estimated_processing_time,
        *jobs.demand.T,
    ]
    table = zip(*(column.tolist() for column in columns), strict=True)
    return [tuple(int(value) for value in row) for row in table], report


def test_requested_demands_follow_the_printed_example(tmp_path: Path) -> None:
    jobs, report = read_jobs(write(tmp_path, EXAMPLE), memory_capacity=2000, missing_memory="used")
    assert jobs == [
        (1, 0, 100, 200, 2, 800),
        (2, 2, 50, 50, 4, 400),
        (4, 5, 1, 60, 1, 50),
        (8, 20, 30, 60, 1, 0),
    ]
    assert report.rows_read == report.n_jobs == 4
    assert report.dropped == {}
    assert report.repaired == {"zero_runtime": 1, "memory_from_usage": 2, "missing_estimate": 1}
    assert report.lines["memory_from_usage"] == (3, 5)


def test_used_demands_follow_the_printed_example(tmp_path: Path) -> None:
    jobs, report = read_jobs(write(tmp_path, EXAMPLE), mode="used", memory_capacity=2000)
    # Job 2: min(1, 50.5 / 50) of 4 processors, 4 * 100 KB. Job 4 has no used memory, job 8 used nothing.
    assert jobs == [(1, 0, 100, 200, 1800, 600), (2, 2, 50, 50, 4000, 400)]
    assert report.dropped == {"no_memory": 1, "no_usage": 1}
    assert report.capacity == {"processors": 4000, "memory": 2000}


def test_missing_memory_must_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path, EXAMPLE)
    with pytest.raises(
        InvalidInstanceError, match=r"2 jobs without a memory request; choose missing_memory="
    ):
        read_swf(path)
    skipped, report = read_jobs(path, missing_memory="skip")
    assert [job[0] for job in skipped] == [1, 4]
    assert report.dropped == {"no_memory": 2}
    assumed, report = read_jobs(path, missing_memory=7)
    assert [job[5] for job in assumed] == [800, 28, 50, 7]
    assert report.repaired["memory_assumed"] == 2
    assert any("7 KB per processor" in sentence for sentence in report.assumptions)


@pytest.mark.parametrize(
    ("header", "origin"),
    [
        ("; UnixStartTime: 1027839845\n", "2002-07-28T07:04:15+00:00"),
        ("; UnixStartTime: 0\n", None),
        ("; UnixStartTime: unknown\n", None),
        ("; UnixStartTime: 999999999999999\n", None),
        ("", None),
    ],
)
def test_the_report_tells_the_date_of_time_0_where_the_header_has_one(
    tmp_path: Path, header: str, origin: str | None
) -> None:
    first, second = (
        "1 10 0 5 1 -1 -1 1 5 -1 1 -1 -1 -1 -1 -1 -1 -1",
        "2 20 0 5 1 -1 -1 1 5 -1 1 -1 -1 -1 -1 -1 -1 -1",
    )
    report = read_swf(write(tmp_path, f"{header}{first}\n{second}\n"), n_resources=1)[1]
    assert report.origin == report.to_dict().get("origin") == origin


def test_one_resource_needs_no_memory(tmp_path: Path) -> None:
    jobs, report = read_jobs(write(tmp_path, EXAMPLE), n_resources=1)
    assert [job[4:] for job in jobs] == [(2,), (4,), (1,), (1,)]
    assert report.units == {"time": "s", "processors": "processors"}


def test_every_reason_is_counted_once_per_row_with_its_line(tmp_path: Path) -> None:
    tail = "7 1 1 1 1 -1 -1"
    text = f"""\
; Version: 2.2
;
1 0 0 10 1 -1 5 1 10 5 2 {tail}
2 0 0 -1 0 -1 -1 -1 10 5 1 {tail}

3 0 0 0 1 -1 5 1 10 5 5 {tail}
; a comment between the rows
4 0 0 10 -1 -1 5 -1 10 5 1 {tail}
5 0 0 10 1 -1 -1 1 10 -1 1 {tail}
6 0 0 10 9 -1 5 9 10 5 1 {tail}
  ; an indented comment
7 100 0 10 1 -1 5 1 5 5 1 {tail} 99 98
8 -1 0 10 1 -1 5 1 10 5 4 {tail}
"""
    jobs, report = read_jobs(write(tmp_path, text), processors=8, missing_memory="used")
    assert jobs == [(7, 0, 10, 10, 1, 5)]
    assert report.dropped == {"partial": 2, "no_runtime": 2, "no_processors": 1, "no_memory": 1, "too_big": 1}
    lines = {
        "partial": (3, 13),
        "no_runtime": (4, 6),
        "no_processors": (8,),
        "no_memory": (9,),
        "too_big": (10,),
    }
    assert {reason: report.lines[reason] for reason in report.dropped} == lines
    assert report.repaired == {"estimate_raised": 1}
    assert report.lines["estimate_raised"] == (12,)
    assert report.rows_read == 8


def test_the_status_rule_can_be_switched_off(tmp_path: Path) -> None:
    text = "1 0 0 10 1 -1 5 1 10 5 3 1 1 1 1 1 -1 -1\n2 0 0 0 1 -1 5 1 10 5 5 1 1 1 1 1 -1 -1\n"
    path = write(tmp_path, text)
    with pytest.raises(InvalidInstanceError, match=r"no job is left \(partial 1, no_runtime 1\)"):
        read_swf(path)
    jobs, _ = read_jobs(path, status_rule="ignore")
    assert [job[:3] for job in jobs] == [(1, 0, 10), (2, 0, 1)]


def test_fractional_times_become_whole_seconds(tmp_path: Path) -> None:
    text = "1 10.6 0 1.2 1 -1 -1 1 2.5 -1 1 1 1 1 1 1 -1 -1\n2 12.5 0 3 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n"
    jobs, report = read_jobs(write(tmp_path, text), n_resources=1)
    assert jobs == [(1, 0, 2, 3, 1), (2, 1, 3, 9, 1)]
    assert report.repaired == {"fractional_time": 2}


def test_short_rows_are_an_error_with_their_lines_unless_skipped_or_padded(tmp_path: Path) -> None:
    full = "1 0 0 10 1 -1 5 1 10 5 1 1 1 1 1 1 -1 -1"
    path = write(tmp_path, f"; c\n{full}\n2 5 0 10 1\n{full.replace('1', '3', 1)}\n4 5 0 20 2 -1 5\n")
    with pytest.raises(InvalidInstanceError, match=r"2 rows \(line 3, 5\): fewer than 11 fields"):
        read_swf(path, n_resources=1)
    jobs, report = read_jobs(path, n_resources=1, on_bad_row="skip")
    assert [job[0] for job in jobs] == [1, 3]
    assert report.dropped == {"short_row": 2}
    assert report.lines["short_row"] == (3, 5)
    jobs, report = read_jobs(path, n_resources=1, on_bad_row="pad")
    assert [job[0] for job in jobs] == [1, 2, 3, 4]
    assert report.repaired["padded_row"] == 2


def test_rows_that_lack_only_unused_fields_are_padded_and_counted(tmp_path: Path) -> None:
    jobs, report = read_jobs(write(tmp_path, "1 10 5 100 2 90 300 2 200 400 1\n"))
    assert jobs == [(1, 0, 100, 200, 2, 800)]
    assert report.repaired == {"padded_row": 1}
    assert report.lines["padded_row"] == (1,)


@pytest.mark.parametrize("garbage", ["abc", "nan", "NaN", "inf", "-", "1e999", "0x10"])
def test_garbled_fields_are_an_error_with_their_lines_unless_skipped(tmp_path: Path, garbage: str) -> None:
    full = "1 0 0 10 1 -1 5 1 10 5 1 1 1 1 1 1 -1 -1"
    path = write(tmp_path, f"{full}\n2 0 0 {garbage} 1 -1 5 1 10 5 1 1 1 1 1 1 -1 -1\n")
    for on_bad_row in ("error", "pad"):
        with pytest.raises(InvalidInstanceError, match=r"1 row \(line 2\): a field is not a finite number"):
            read_swf(path, on_bad_row=on_bad_row)
    with pytest.raises(InvalidInstanceError, match=r"not a finite number \(line 2\)"):
        read_swf_table(path)
    jobs, report = read_jobs(path, on_bad_row="skip")
    assert len(jobs) == 1
    assert report.dropped == {"garbled_row": 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "request"}, r"unknown mode 'request'; did you mean 'requested'\?"),
        ({"missing_memory": "use"}, r"unknown missing_memory 'use'; did you mean 'used'\?"),
        ({"missing_memory": -1}, r"missing_memory = -1 KB"),
        ({"missing_memory": float("nan")}, r"missing_memory = nan KB"),
        ({"missing_estimate": "errors"}, r"did you mean 'error'\?"),
        ({"status_rule": "swv"}, r"did you mean 'swf'\?"),
        ({"on_bad_row": "ignore"}, r"unknown on_bad_row 'ignore'"),
        ({"n_resources": 3}, r"n_resources = 3"),
        ({"machines": "1x4,1GB", "processors": 4}, r"machines excludes processors and memory_capacity"),
        ({"missing_memory": "skip", "machines": "1x4"}, r"1 amounts for 2 resources"),
    ],
)
def test_unknown_options_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        read_swf(write(tmp_path, EXAMPLE), **options)


def test_a_word_is_no_number_whatever_else_stands_near_it(tmp_path: Path) -> None:
    path, rows = tmp_path / "log.swf", 20_000  # pandas would type chunks of some 2**15 rows apart
    line = "{} 0 0 100 {} 10 -1 2 200 -1 1\n"
    path.write_text("".join(line.format(job, 1 if job < rows else "True") for job in range(2 * rows)))
    instance, report = read_swf(path, processors=8, on_bad_row="skip")
    assert (instance.n_jobs, report.dropped) == (rows, {"garbled_row": rows})


@pytest.mark.parametrize(
    ("values", "dtype"), [([True, False], bool), ([True, False, None], object), (["1", "True"], str)]
)
def test_truth_values_are_no_numbers(values: list[object], dtype: type) -> None:
    column = float_column(pd.Series(values, dtype=dtype))
    assert np.isnan(column).tolist() == [value != "1" for value in values]


def test_a_missing_estimate_can_be_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match=r"1 row \(line 3\): no requested time"):
        read_swf(write(tmp_path, EXAMPLE), n_resources=1, missing_estimate="error")


@pytest.mark.parametrize("text", ["", "; MaxProcs: 4\n", "\n\n"])
def test_a_log_without_rows_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInstanceError, match=r"no job is left \(it has no rows\)"):
        read_swf(write(tmp_path, text))


def test_a_missing_file_is_reported_as_such(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_swf(tmp_path / "absent.swf")


@pytest.mark.parametrize("keep", [3, 40, -9, -1])
def test_a_truncated_gzip_file_is_an_error_that_names_it(tmp_path: Path, keep: int) -> None:
    path = write(tmp_path, EXAMPLE, "log.swf.gz")
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InvalidInstanceError, match=r"log\.swf\.gz: truncated or damaged"):
        read_swf(path, n_resources=1)


def test_a_gzipped_log_reads_like_the_plain_one(tmp_path: Path) -> None:
    options: dict[str, Any] = {"memory_capacity": 2000, "missing_memory": "used"}
    plain = read_swf(write(tmp_path, EXAMPLE), **options)[0]
    assert read_swf(write(tmp_path, EXAMPLE, "log.swf.gz"), **options)[0] == plain
    assert read_swf(write(tmp_path, EXAMPLE.replace("\n", "\r\n")), **options)[0] == plain


def test_all_18_fields_and_the_header_are_read(tmp_path: Path) -> None:
    text = (
        "; Version: 2.2\n; Information: http://a.b/\n;              http://c.d/\n; Queue: 0  interactive\n"
        "; Queue: 1  batch\n;\n; Own Key: kept\n;MaxProcs: 1664 (72, 1368, 224)\n"
        "1 10 5 100 2 90.5 300 2 200 400 1 7 8 9 1 2 -1 -1\n2 11 5 100 2\n"
    )
    header, table = read_swf_table(write(tmp_path, text))
    assert header == {
        "Version": "2.2",
        "Information": "http://a.b/\nhttp://c.d/",
        "Queue": "0  interactive\n1  batch",
        "Own Key": "kept",
        "MaxProcs": "1664 (72, 1368, 224)",
    }
    assert table.shape == (2, 18)
    assert table.iloc[0].tolist() == [1, 10, 5, 100, 2, 90.5, 300, 2, 200, 400, 1, 7, 8, 9, 1, 2, -1, -1]
    assert table.iloc[1].tolist() == [2, 11, 5, 100, 2] + [-1] * 13
    assert table["run_time"].dtype == np.int64


def test_capacity_comes_from_the_caller_then_the_header_then_the_jobs(tmp_path: Path) -> None:
    rows = "\n".join(EXAMPLE.splitlines()[1:]) + "\n"

    def capacity(header: str, **options: Any) -> list[int]:
        path = write(tmp_path, header + rows)
        instance, _ = read_swf(path, missing_memory="used", **options)
        return instance.machines.capacity[0].tolist()

    assert capacity("; MaxProcs: 6\n; MaxNodes: 5\n", processors=7) == [7, 800]
    assert capacity("; MaxProcs: 6\n; MaxNodes: 5\n") == [6, 800]
    assert capacity("; MaxNodes: 5 (dual)\n") == [5, 800]
    assert capacity("; MaxProcs: N/A\n") == [4, 800]
    assert capacity("; MaxProcs: 3\n", memory_capacity=900) == [3, 900]
    # Without a header the used demand, 4000 thousandths at most, is rounded up to whole processors.
    assert capacity("", mode="used") == [4000, 600]


def test_whole_jobs_can_run_on_several_machines(tmp_path: Path) -> None:
    path = write(tmp_path, EXAMPLE)
    instance, report = read_swf(path, missing_memory="used", machines="2x2,1MB+1x1,64KB", tasks="whole")
    assert instance.machines.capacity.tolist() == [[2, 1024], [2, 1024], [1, 64]]
    assert report.dropped == {"too_big": 1}  # 4 processors
    assert "4 processors" not in str(report)
    machines = Machines.identical(3, [4, 1000])
    assert read_swf(path, missing_memory="used", machines=machines)[0].machines == machines


@pytest.mark.parametrize(
    ("numbers", "lines"),
    [
        (["7", "7"], (1, 2)),
        (["4", "7", "5", "7", "6"], (2, 4)),
        (["4", "-1", "5"], (2,)),
        (["4", "5", "5.5"], (3,)),
        (["4", "5", "1e300", "9007199254740993"], (3, 4)),
        (["-1", "4", "4", "4.5"], (1, 2, 3, 4)),
    ],
)
def test_job_numbers_give_way_to_row_numbers_where_some_are_no_names_and_those_are_told(
    tmp_path: Path, numbers: list[str], lines: tuple[int, ...]
) -> None:
    rows = "".join(f"{number} 0 0 10 1 -1 5 1 10 5 1 1 1 1 1 1 -1 -1\n" for number in numbers)
    instance, report = read_swf(write(tmp_path, rows))
    assert instance.jobs.id.tolist() == list(range(len(numbers)))
    assert report.repaired == {"job_number": len(lines)}
    assert report.lines["job_number"] == lines
    assert "the ids of all jobs count the kept rows from 0" in str(report)


def test_dropped_rows_may_share_a_job_number(tmp_path: Path) -> None:
    rows = "7 0 0 -1 1 -1 5 1 10 5 1 1 1 1 1 1 -1 -1\n7 0 0 10 1 -1 5 1 10 5 1 1 1 1 1 1 -1 -1\n"
    instance, report = read_swf(write(tmp_path, rows))
    assert instance.jobs.id.tolist() == [7]
    assert report.repaired == {}


def test_fractional_processors_are_rounded_up_and_counted(tmp_path: Path) -> None:
    rows = "1 0 0 10 1 -1 5 2.5 10 5 1 1 1 1 1 1 -1 -1\n2 0 0 10 0.5 -1 5 -1 10 5 1 1 1 1 1 1 -1 -1\n"
    jobs, report = read_jobs(write(tmp_path, rows), n_resources=1)
    assert [job[4] for job in jobs] == [3, 1]
    assert report.repaired == {"fractional_processors": 2}
    assert report.lines["fractional_processors"] == (1, 2)


@pytest.mark.parametrize("field", [1, 3, 8])
def test_a_time_beyond_exact_seconds_is_an_error_with_its_line_unless_skipped(
    tmp_path: Path, field: int
) -> None:
    def row(time: str) -> str:
        fields = [1, 0, 0, 10, 1, -1, 5, 1, 10, 5, 1, 1, 1, 1, 1, 1, -1, -1]
        return " ".join(map(str, [*fields[:field], time, *fields[field + 1 :]])) + "\n"

    path = write(tmp_path, row("10") + row("1e300"))
    with pytest.raises(InvalidInstanceError, match=r"1 row \(line 2\): a time above 2\*\*53 s"):
        read_swf(path)
    jobs, report = read_jobs(path, on_bad_row="skip")
    assert len(jobs) == 1
    assert report.dropped == {"huge_time": 1}
    assert read_swf(write(tmp_path, row(str(2**53))))[1].dropped == {}


MAYBE = st.sampled_from([-1, -1, 0, 1, 2, 3, 7])
ROWS = st.lists(
    st.tuples(
        st.integers(-1, 40),  # submit
        st.sampled_from(["-1", "0", "1", "2.5", "9", "10.01", "33"]),  # run
        MAYBE,  # allocated processors
        st.sampled_from(["-1", "0", "0.5", "1.25", "7", "2.49", "0.07", "0.003"]),  # CPU time
        MAYBE,  # used memory
        MAYBE,  # requested processors
        st.sampled_from(["-1", "0", "5", "20.5"]),  # requested time
        MAYBE,  # requested memory
        st.sampled_from([-1, 0, 1, 1, 1, 2, 3, 4, 5]),  # status
    ),
    min_size=1,
    max_size=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=ROWS,
    mode=st.sampled_from(["requested", "used"]),
    n_resources=st.integers(1, 2),
    processors=st.sampled_from([None, 1, 3]),
    memory=st.sampled_from([None, 0, 6, 30]),
    missing=st.sampled_from(["used", "skip", 4]),
)
def test_reading_equals_the_rules_applied_row_by_row(
    tmp_path: Path,
    rows: list[tuple[Any, ...]],
    mode: str,
    n_resources: int,
    processors: int | None,
    memory: int | None,
    missing: Any,
) -> None:
    if mode == "used":
        n_resources = 2
    lines = []
    for number, (submit, run, allocated, cpu, used, wanted, time, requested, status) in enumerate(rows):
        fields = (number, submit, 0, run, allocated, cpu, used, wanted, time, requested, status)
        lines.append(" ".join(map(str, (*fields, 1, 1, 1, 1, 1, -1, -1))))
    exact = [[Fraction(field) for field in line.split()] for line in lines]
    if mode == "requested":
        expected, reasons = reference.requested(exact, processors, memory, missing, n_resources)
    else:
        expected, reasons = reference.used(exact, processors, memory)
    options: dict[str, Any] = {"mode": mode, "processors": processors, "missing_memory": missing}
    path = write(tmp_path, "\n".join(lines))
    try:
        jobs, report = read_jobs(path, n_resources=n_resources, memory_capacity=memory, **options)
    except InvalidInstanceError:
        assert expected == []
        return
    assert jobs == expected
    assert Counter(report.dropped) == reasons
    assert report.rows_read == len(rows) == report.n_jobs + sum(report.dropped.values())
