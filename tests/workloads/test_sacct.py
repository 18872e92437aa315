"""Slurm's accounting becomes an instance by the rules that archived logs follow, whatever Slurm's version wrote."""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedcore import InvalidInstanceError, Machines
from schedcore.workloads import DataReport, load, read_sacct, sacct_fields

GB = 1024 * 1024  # KB

# Slurm 21.08 and later: memory of the whole job.
EXAMPLE = """\
JobIDRaw|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|ReqCPUS|AllocCPUS|NNodes|ReqMem|ReqTRES|AllocTRES
11|1706695200|1706695205|1706695305|100|10|COMPLETED|8|8|1|32G|billing=8,cpu=8,mem=32G|billing=8,cpu=8,mem=32G
12|1706695210|1706695220|1706695240|20|UNLIMITED|FAILED|4|6|1|4000M|cpu=4,gres/gpu:a100=2|cpu=6,mem=6000M,gres/gpu=2
13|1706695215|1706695215|1706695276|61|1|TIMEOUT|2|2|1|1G|cpu=2,gres/gpu=1,mem=1G|cpu=2,gres/gpu=1,mem=1G
14|1706695230|1706695300|1706695330|30|Partition_Limit|CANCELLED by 1001|1|1|1|2.50G|cpu=1,mem=2.50G|cpu=1,mem=2.50G
15|1706695231|None|1706695300|0|10|CANCELLED by 1001|1|0|1|1G|cpu=1,mem=1G,node=1|
16|1706695232|1706695300|Unknown|500|10|RUNNING|1|1|1|1G|cpu=1,mem=1G,node=1|cpu=1,mem=1G,node=1
17|1706695233|Unknown|Unknown|0|10|PENDING|1|0|1|1G|cpu=1,mem=1G,node=1|
"""

HEADER = "JobIDRaw|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|ReqCPUS|NNodes|ReqMem"


def write(folder: Path, text: str, name: str = "log.sacct") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def read_jobs(path: Path, **options: Any) -> tuple[list[tuple[int, ...]], DataReport]:
    """Rows (id, release time, processing time, estimate, demands...)."""
    instance, report = read_sacct(path, **options)
    jobs = instance.jobs
    times = (jobs.release_time, jobs.processing_time, jobs.estimated_processing_time)
    table = zip(*(column.tolist() for column in (jobs.id, *times, *jobs.demand.T)), strict=True)
    return [tuple(int(value) for value in row) for row in table], report


def row(
    number: object = 1,
    submit: object = 1000,
    start: object = 1000,
    end: object = 1010,
    elapsed: object = 10,
    limit: object = 1,
    state: str = "COMPLETED",
    cpus: object = 2,
    nodes: object = 1,
    memory: str = "1M",
) -> str:
    return "|".join(map(str, (number, submit, start, end, elapsed, limit, state, cpus, nodes, memory)))


def table(folder: Path, *rows: str) -> Path:
    return write(folder, "\n".join([HEADER, *rows]) + "\n")


def test_jobs_have_what_they_asked_for_and_ran_as_long_as_they_did(tmp_path: Path) -> None:
    jobs, report = read_jobs(write(tmp_path, EXAMPLE))
    assert jobs == [
        (11, 0, 100, 600, 8, 32 * GB, 0),
        (12, 10, 20, 20, 4, 4000 * 1024, 2),  # no total of GPUs, only a typed entry
        (13, 15, 61, 61, 2, GB, 1),  # ran longer than its limit of one minute
        (14, 30, 30, 30, 1, 5 * GB // 2, 0),
    ]
    assert report.rows_read == 7
    assert report.dropped == {"no_runtime": 1, "unfinished": 2}
    assert report.lines["unfinished"] == (7, 8)
    assert report.repaired == {"missing_estimate": 2, "estimate_raised": 1}
    assert report.units == {"time": "s", "processors": "processors", "memory": "KB", "gpus": "GPUs"}
    assert report.capacity == {"processors": 8, "memory": 32 * GB, "gpus": 2}
    assert any("CANCELLED 1" in sentence and "FAILED 1" in sentence for sentence in report.assumptions)
    assert "time 0 is submit time 1,706,695,200 of the log" in report.assumptions


def test_jobs_have_what_they_were_given_in_mode_allocated(tmp_path: Path) -> None:
    jobs, _ = read_jobs(write(tmp_path, EXAMPLE), mode="allocated")
    assert jobs[1] == (12, 10, 20, 20, 6, 6000 * 1024, 2)


def test_clock_times_and_durations_give_the_same_as_numbers(tmp_path: Path) -> None:
    text = """\
State|JobID|Submit|Start|End|Elapsed|Timelimit|NCPUS|JobName|ReqMem
COMPLETED|11|2024-01-31T10:00:00|2024-01-31T10:00:05|2024-02-01T12:00:06|1-02:00:01|2-00:00:00|8|name|1G
COMPLETED|12_4|2024-01-31T10:00:10|2024-01-31T10:00:20|2024-01-31T10:00:40|00:00:20|00:05:00|4|a name "quoted|1G
COMPLETED|13+1|2024-01-31T10:00:15|2024-01-31T10:00:15|2024-01-31T10:01:16|01:01|05:30|2||1G
"""
    jobs, report = read_jobs(write(tmp_path, text))
    assert jobs == [
        (0, 0, 93601, 172800, 8, GB),
        (1, 10, 20, 300, 4, GB),
        (2, 15, 61, 330, 2, GB),
    ]
    assert report.repaired == {"job_number": 3}  # 12_4 and 13+1 are no numbers: JobIDRaw has some
    assert report.dropped == {}


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        ("4Gc", 8 * 4 * GB),  # per processor
        ("16Gn", 2 * 16 * GB),  # per node
        ("4000Mn", 2 * 4000 * 1024),
        ("100Kc", 800),
        ("1.50Gn", 3 * GB),
        ("4000M", 4000 * 1024),  # of the job
        ("2T", 2 * 1024 * GB),
        ("500", 500 * 1024),  # Slurm's own unit
        ("0.33K", 1),  # rounded up
    ],
)
def test_requested_memory_is_per_processor_per_node_or_of_the_job(
    tmp_path: Path, memory: str, expected: int
) -> None:
    jobs, _ = read_jobs(table(tmp_path, row(cpus=8, nodes=2, memory=memory)))
    assert jobs[0][5] == expected


def test_jobs_without_a_memory_request_need_a_choice(tmp_path: Path) -> None:
    text = (
        HEADER + "|AllocTRES\n"
        f"{row(1)}|cpu=2,mem=7M\n{row(2, memory='0n')}|cpu=2,mem=9M\n{row(3, memory='')}|cpu=2\n"
    )
    path = write(tmp_path, text)
    with pytest.raises(
        InvalidInstanceError, match=r"2 jobs without a memory request; choose .*'allocated'.*memory=False"
    ):
        read_sacct(path)
    jobs, report = read_jobs(path, missing_memory="allocated")
    assert [(job[0], job[5]) for job in jobs] == [(1, 1024), (2, 9 * 1024)]
    assert report.dropped == {"no_memory": 1}
    assert report.repaired["memory_from_allocation"] == 1
    jobs, report = read_jobs(path, missing_memory="skip")
    assert [job[0] for job in jobs] == [1]
    jobs, report = read_jobs(path, missing_memory=100)
    assert [job[5] for job in jobs] == [1024, 200, 200]
    assert report.repaired["memory_assumed"] == 2
    jobs, report = read_jobs(path, memory=False)
    assert [job[4:] for job in jobs] == [(2,)] * 3
    jobs, _ = read_jobs(path, mode="allocated", missing_memory="skip")
    assert [(job[0], job[5]) for job in jobs] == [(1, 7 * 1024), (2, 9 * 1024)]


def test_a_resource_that_is_left_out_is_not_read(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + f"|ReqTRES\n{row(memory='?')}|cpu=2,gres/gpu=?\n")
    assert read_sacct(path, memory=False, gpus=False)[0].jobs.demand.tolist() == [[2]]


def test_gpus_and_memory_can_be_left_out_or_forced_in(tmp_path: Path) -> None:
    path = write(tmp_path, EXAMPLE)
    assert read_sacct(path, gpus=False)[0].machines.resource_names == ("processors", "memory")
    assert read_sacct(path, gpus=False, memory=False)[0].machines.resource_names == ("processors",)
    plain = table(tmp_path, row())
    assert read_sacct(plain)[0].machines.resource_names == ("processors", "memory")
    assert read_sacct(plain, gpus=True)[0].jobs.demand.tolist() == [[2, 1024, 0]]


def test_capacities_come_from_the_caller_or_the_largest_demand(tmp_path: Path) -> None:
    path = write(tmp_path, EXAMPLE)
    instance, report = read_sacct(path, processors=4, memory_capacity=GB * 4, gpu_capacity=1)
    assert instance.machines.capacity.tolist() == [[4, 4 * GB, 1]]
    assert report.dropped["too_big"] == 2  # jobs 11 and 12
    assert "one pool of 4 processors (the caller)" in report.assumptions
    # The largest job does not fit 6 processors, so its memory does not count.
    assert read_sacct(path, processors=6)[0].machines.capacity.tolist() == [[6, 4000 * 1024, 2]]
    nodes, report = read_sacct(path, machines="2x8,64GB,2")
    assert nodes.machines.capacity.tolist() == [[8, 64 * GB, 2]] * 2
    machines = Machines.identical(3, [8, 64 * GB, 4])
    assert read_sacct(path, machines=machines)[0].machines == machines
    with pytest.raises(InvalidInstanceError, match="machines= excludes"):
        read_sacct(path, machines="2x8,64GB,2", processors=4)


def test_steps_repeated_headers_and_repeated_rows_are_left_out_and_counted(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        row(1),
        row("1.batch"),
        row("1.extern"),
        row("1.0"),
        HEADER,
        row(2),
        row(1),
        "",
        row(3, state="RUNNING"),
        row(3),
    )
    jobs, report = read_jobs(path)
    assert [job[0] for job in jobs] == [1, 2, 3]
    assert report.dropped == {
        "repeated_header": 1,
        "blank_row": 1,
        "job_step": 3,
        "repeated_row": 1,
        "unfinished": 1,
    }
    assert report.lines["job_step"] == (3, 4, 5)
    assert report.lines["repeated_row"] == (8,)
    assert report.lines["blank_row"] == (9,)
    assert report.rows_read == 10 == report.n_jobs + sum(report.dropped.values())


def test_every_run_of_a_requeued_job_is_a_job(tmp_path: Path) -> None:
    path = table(tmp_path, row(7, state="NODE_FAIL"), row(7, submit=1010, start=1020, end=1030), row(8))
    jobs, report = read_jobs(path)
    assert [job[0] for job in jobs] == [0, 1, 2]
    assert report.repaired == {"job_number": 3}


@pytest.mark.parametrize(
    ("state", "elapsed", "start", "is_a_job"),
    [
        ("COMPLETED", 0, 1000, True),  # less than half a second
        ("FAILED", 0, 1000, True),
        ("FAILED", 0, "Unknown", False),
        ("CANCELLED by 0", 0, 1000, False),
        ("CANCELLED+", 10, 1000, True),
        ("CA", 0, 1000, False),
        ("OUT_OF_MEMORY", 10, 1000, True),
        ("PREEMPTED", 10, 1000, True),
        ("NODE_FAIL", 10, 1000, True),
        ("DEADLINE", 0, "None", False),
        ("PD", 0, "Unknown", False),
        ("SUSPENDED", 10, 1000, False),
        ("A_STATE_OF_TOMORROW", 10, 1000, True),
    ],
)
def test_what_ran_and_ended_is_a_job(
    tmp_path: Path, state: str, elapsed: int, start: object, is_a_job: bool
) -> None:
    jobs, report = read_jobs(table(tmp_path, row(1), row(2, state=state, elapsed=elapsed, start=start)))
    assert [job[0] for job in jobs] == ([1, 2] if is_a_job else [1])
    assert report.repaired.get("zero_runtime", 0) == (is_a_job and elapsed == 0)


def test_a_changed_clock_does_not_change_run_times(tmp_path: Path) -> None:
    text = (
        "JobID|Submit|Start|End|Elapsed|State|AllocCPUS\n"
        # Two hours that began at 01:30, before the clock was put back from 03:00 to 02:00.
        "1|2023-10-29T01:00:00|2023-10-29T01:30:00|2023-10-29T02:30:00|02:00:00|COMPLETED|1\n"
    )
    jobs, report = read_jobs(write(tmp_path, text))
    assert jobs == [(1, 0, 7200, 7200, 1)]
    assert report.repaired["clock_change"] == 1
    # Without the elapsed time the clock is all there is: an end before the start is no run time.
    text = (
        "JobID|Submit|Start|End|State|AllocCPUS\n"
        "1|2023-10-29T02:00:00|2023-10-29T02:50:00|2023-10-29T02:49:59|COMPLETED|1\n"
        "2|2023-10-29T02:00:00|2023-10-29T02:50:00|2023-10-29T02:55:00|COMPLETED|1\n"
    )
    path = write(tmp_path, text)
    with pytest.raises(InvalidInstanceError, match=r"1 row \(line 2\): a field cannot be read \(run time\)"):
        read_sacct(path)
    assert read_jobs(path, on_bad_row="skip")[0] == [(2, 0, 300, 300, 1)]


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


def test_jobs_without_processors_are_left_out(tmp_path: Path) -> None:
    jobs, report = read_jobs(table(tmp_path, row(1, cpus=0), row(2), row(3, cpus="")))
    assert [job[0] for job in jobs] == [2]
    assert report.dropped == {"no_processors": 2}


def test_a_missing_estimate_can_be_an_error(tmp_path: Path) -> None:
    path = table(tmp_path, row(1), row(2, limit="UNLIMITED"))
    with pytest.raises(InvalidInstanceError, match=r"1 row \(line 3\): no time limit"):
        read_sacct(path, missing_estimate="error")


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


def test_the_way_of_writing_does_not_matter(tmp_path: Path) -> None:
    plain = read_sacct(write(tmp_path, EXAMPLE))[0]
    assert read_sacct(write(tmp_path, EXAMPLE, "log.sacct.gz"))[0] == plain
    assert read_sacct(write(tmp_path, EXAMPLE.replace("\n", "\r\n")))[0] == plain
    assert read_sacct(write(tmp_path, EXAMPLE.replace("\n", "|\n")))[0] == plain  # sacct -p
    header, _, rows = EXAMPLE.partition("\n")
    assert read_sacct(write(tmp_path, f"{header.lower()}\n{rows}"))[0] == plain
    for name in ("log.psv", "log.sacct.gz", "accounting.txt", "accounting.txt.gz"):
        assert load(write(tmp_path, EXAMPLE, name))[0] == plain


def test_a_truncated_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = write(tmp_path, EXAMPLE, "log.sacct.gz")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InvalidInstanceError, match=r"log\.sacct\.gz: truncated or damaged"):
        read_sacct(path)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1-02:03:04", 93784),
        ("10:00:00", 36000),
        ("05:30", 330),
        ("05:30.999", 330),
        ("3-12", 302400),
        ("3-12:30", 304200),
        ("90", 5400),
        ("UNLIMITED", -1),
        ("Partition_Limit", -1),
        ("", -1),
        ("1:2:3:4", math.nan),
        ("an hour", math.nan),
    ],
)
def test_time_limits_are_read_as_slurm_writes_them(text: str, seconds: float) -> None:
    assert sacct_fields.time_limit(text) == pytest.approx(seconds, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "gpus"),
    [
        ("billing=8,cpu=8,gres/gpu:a100=2,gres/gpu=2,mem=32G,node=1", 2),
        ("cpu=8,gres/gpu:a100=2,gres/gpu:v100=1", 3),
        ("cpu=8,gres/gpumem=40G,gres/gpuutil=80", -1),
        ("cpu=8", -1),
        ("", -1),
        ("gres/gpu=two", math.nan),
    ],
)
def test_gpus_are_the_total_or_the_sum_of_the_types(text: str, gpus: float) -> None:
    assert sacct_fields.tres_gpus(text) == pytest.approx(gpus, nan_ok=True)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    jobs=st.lists(
        st.tuples(
            st.integers(0, 10**6),  # submit
            st.integers(0, 10**6),  # elapsed
            st.integers(1, 10**5),  # limit, minutes
            st.integers(1, 512),  # processors
            st.integers(1, 10**6),  # KB per processor
        ),
        min_size=1,
        max_size=20,
    )
)
def test_reading_equals_the_rules_applied_row_by_row(
    tmp_path: Path, jobs: list[tuple[int, int, int, int, int]]
) -> None:
    rows = [
        row(number, submit, submit + 5, submit + 5 + elapsed, elapsed, limit, cpus=cpus, memory=f"{kb}Kc")
        for number, (submit, elapsed, limit, cpus, kb) in enumerate(jobs)
    ]
    origin = min(job[0] for job in jobs)
    expected = [
        (number, submit - origin, max(1, elapsed), max(1, elapsed, 60 * limit), cpus, cpus * kb)
        for number, (submit, elapsed, limit, cpus, kb) in enumerate(jobs)
    ]
    memory = max(job[5] for job in expected)
    read, report = read_jobs(table(tmp_path, *rows), memory_capacity=memory)
    assert read == expected
    assert report.rows_read == len(jobs)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    fields=st.lists(
        st.lists(
            st.sampled_from(
                [
                    *(
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
                    ),
                    *("2024-01-31T10:00:00", "UNLIMITED", "1-00:00:00", "10:00", "JobIDRaw", "ä", '"'),
                ]
            ),
            min_size=9,
            max_size=11,
        ),
        max_size=6,
    )
)
def test_no_row_disappears_without_being_counted(tmp_path: Path, fields: list[list[str]]) -> None:
    path = table(tmp_path, row(999), *("|".join(row) for row in fields))
    _, report = read_sacct(path, on_bad_row="skip", missing_memory="skip")
    assert report.rows_read == 1 + len(fields) == report.n_jobs + sum(report.dropped.values())
