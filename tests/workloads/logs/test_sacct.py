"""Slurm's accounting becomes an instance by the rules that archived logs follow, whatever Slurm's version wrote."""

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedcore import InvalidInstanceError, Machines
from schedcore.workloads import load, read_sacct
from schedcore.workloads.logs import sacct_fields
from workloads.logs.sacct_files import EXAMPLE, GB, HEADER, read_jobs, row, table, write


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
    assert report.repaired == {"job_number": 2}  # 12_4 and 13+1 are no numbers: JobIDRaw has some
    assert report.lines["job_number"] == (3, 4)
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
        InvalidInstanceError, match=r"2 jobs without a memory request; choose .*=\"allocated\".*memory=False"
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
    with pytest.raises(
        InvalidInstanceError, match="machines excludes processors, memory_capacity and gpu_capacity"
    ):
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
    assert report.repaired == {"job_number": 2}
    assert report.lines["job_number"] == (2, 3)


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


def test_jobs_without_processors_are_left_out(tmp_path: Path) -> None:
    jobs, report = read_jobs(table(tmp_path, row(1, cpus=0), row(2), row(3, cpus="")))
    assert [job[0] for job in jobs] == [2]
    assert report.dropped == {"no_processors": 2}


def test_a_missing_estimate_can_be_an_error(tmp_path: Path) -> None:
    path = table(tmp_path, row(1), row(2, limit="UNLIMITED"))
    with pytest.raises(InvalidInstanceError, match=r"1 row \(line 3\): no time limit"):
        read_sacct(path, missing_estimate="error")


def test_the_way_of_writing_does_not_matter(tmp_path: Path) -> None:
    plain = read_sacct(write(tmp_path, EXAMPLE))[0]
    assert read_sacct(write(tmp_path, EXAMPLE, "log.sacct.gz"))[0] == plain
    assert read_sacct(write(tmp_path, EXAMPLE.replace("\n", "\r\n")))[0] == plain
    assert read_sacct(write(tmp_path, EXAMPLE.replace("\n", "|\n")))[0] == plain  # sacct -p
    header, _, rows = EXAMPLE.partition("\n")
    assert read_sacct(write(tmp_path, f"{header.lower()}\n{rows}"))[0] == plain
    for name in ("log.psv", "log.sacct.gz", "accounting.txt", "accounting.txt.gz"):
        assert load(write(tmp_path, EXAMPLE, name))[0] == plain


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
