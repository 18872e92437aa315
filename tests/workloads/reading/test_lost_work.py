"""Work that a reader leaves out is counted, by resource, and loud where it is much."""

import json
import logging
from pathlib import Path

import numpy as np
import pytest

from data_folder import data_folder
from schedcore import Instance, Jobs, Machines
from schedcore.errors import InvalidInstanceError
from schedcore.workloads import read_azure_v1, read_sacct, read_swf
from schedcore.workloads.logs.pool_of_log import peak_use
from schedcore.workloads.reading.option_spelling import spelled, spelling_options
from schedcore.workloads.reading.report import make_report
from schedcore.workloads.reading.row_ledger import RowLedger
from workloads.logs.sacct_files import HEADER, row, table, write


def swf(folder: Path, *rows: tuple[object, ...], header: str = "; MaxProcs: 8\n") -> Path:
    """Rows (number, submit, run time, processors, memory, status, requested time)."""
    path = folder / "log.swf"
    lines = [
        f"{number} {submit} 0 {run} {size} -1 -1 {size} {limit} {memory} {status} 1 1 1 1 1 -1 -1"
        for number, submit, run, size, memory, status, limit in rows
    ]
    path.write_text(header + "\n".join(lines) + "\n")
    return path


def test_jobs_too_large_for_a_machine_take_their_work_with_them(tmp_path: Path) -> None:
    # Work 1 * 100 + 2 * 50 + 8 * 100 = 1000, of which 800 is one job's; memory 10 + 10 + 80 KB, 100 KB s each s.
    path = swf(tmp_path, (1, 0, 100, 1, 10, 1, 200), (2, 1, 50, 2, 5, 1, 200), (3, 2, 100, 8, 10, 1, 200))
    _, report = read_swf(path, machines="4x2,1MB", tasks="whole")
    assert report.dropped == {"too_big": 1}
    # memory: 10 * 100 + 10 * 50 + 80 * 100 = 9500, of which 8000.
    assert report.work_lost == pytest.approx({"processors": 0.8, "memory": 8000 / 9500})
    assert report.dropped_work == {"too_big": report.work_lost}
    (warning,) = (text for text in report.warnings if "work" in text)
    assert warning == report.stops["loss"]
    assert warning.startswith(
        "84.2 % of the work left out (processors 80.0 %, memory 84.2 %), mostly as too_big"
    )
    assert warning.endswith('describe the whole as one, machines="1x8,4MB"')
    instance, kept = read_swf(path, machines="1x8,4MB")
    assert (instance.n_jobs, kept.work_lost) == (3, {"processors": 0, "memory": 0})
    assert "loss" not in kept.stops
    assert "left out" not in str(kept)
    assert "left out: 1 row; 84.2 % of the work left out" in str(report)
    assert f"WARNING: {warning}" in str(report).splitlines()
    assert json.loads(json.dumps(report.to_dict()))["work_lost"] == report.work_lost


@pytest.mark.parametrize(
    ("run_time", "is_loud", "is_excessive"),
    [(10, False, False), (11, True, False), (111, True, False), (112, True, True)],
)
def test_a_loss_is_loud_above_one_percent_and_excessive_above_ten(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, run_time: int, is_loud: bool, is_excessive: bool
) -> None:
    # 9000 of work stays, 9 * run_time is lost: run_time / (1000 + run_time), that is 0.99, 1.09, 9.99 and 10.07 %.
    path = swf(tmp_path, (1, 0, 9000, 1, -1, 1, 9000), (2, 9000, run_time, 9, -1, 1, 9000))
    with caplog.at_level(logging.WARNING, logger="schedcore"):
        _, report = read_swf(path, machines="1x8")
    assert report.work_lost["processors"] == pytest.approx(run_time / (1000 + run_time))
    assert ("of the work left out" in "".join(report.warnings)) == is_loud
    assert ("of the work left out" in caplog.text) == is_loud
    assert ("loss" in report.stops) == is_excessive


def test_work_lost_for_a_demand_that_is_unknown_is_told_as_unknown(tmp_path: Path) -> None:
    path = swf(tmp_path, (1, 0, 100, 1, -1, 1, 100), (2, 1, 300, -1, -1, 1, 100), (3, 1, -1, -1, -1, 5, 100))
    _, report = read_swf(path)
    assert report.dropped == {"no_runtime": 1, "no_processors": 1}
    assert report.unknown_work == {"no_processors": 1}  # the other one never ran
    assert report.work_lost == {"processors": 0}
    assert report.warnings[0].startswith(
        "an unknown share of the work left out (1 row) beside 1 jobs, mostly as no_processors"
    )
    assert "loss" not in report.stops


def test_rows_dropped_for_their_memory_lose_the_work_of_their_processors(tmp_path: Path) -> None:
    path = swf(tmp_path, (1, 0, 100, 1, 10, 1, 100), (2, 1, 100, 3, -1, 1, 100))
    _, report = read_swf(path, missing_memory="skip", memory_capacity=1000)
    assert report.work_lost == {"processors": 0.75, "memory": 0.0}
    assert (
        "missing_memory=1048576 (KB per processor), or leave memory out with n_resources=1"
        in report.stops["loss"]
    )


def test_parts_of_a_checkpointed_job_are_lost_only_without_the_line_of_the_whole(tmp_path: Path) -> None:
    whole, part = (1, 0, 100, 1, -1, 1, 100), (1, 0, 60, 1, -1, 2, 100)
    _, report = read_swf(swf(tmp_path, whole, part))
    assert report.dropped == {"partial": 1}
    assert report.work_lost == {"processors": 0}
    # An exit code in the status field, as some logs have it: this row is a job.
    _, report = read_swf(swf(tmp_path, whole, (2, 0, 60, 5, -1, 2, 100)))
    assert report.work_lost == {"processors": 0.75}
    assert 'status_rule="ignore" is for logs' in report.stops["loss"]


@pytest.mark.parametrize(
    "whole",
    [
        "1 0 0 100 2 10 100 2 200 100 1 xx 1 1 1 1 -1 -1",
        "1 0 0 100 2",
        "1 0 0 100 2 10 100 2 1e17 100 1 1 1 1 1 1 -1 -1",
    ],
)
@pytest.mark.parametrize("whole_is_last", [True, False])
def test_a_checkpointed_job_of_which_the_whole_row_is_bad_is_lost_once(
    tmp_path: Path, whole: str, whole_is_last: bool
) -> None:
    path, rest = tmp_path / "log.swf", " 2 10 100 2 200 100 {} 1 1 1 1 1 -1 -1"
    parts = ["1 0 0 60" + rest.format(2), "1 60 0 40" + rest.format(3)]
    lines = [*parts, whole] if whole_is_last else [whole, *parts]
    path.write_text("\n".join(["; MaxProcs: 8", *lines, "2 5 0 100" + rest.format(1)]) + "\n")
    _, report = read_swf(path, n_resources=1, on_bad_row="skip")
    assert report.work_lost == {"processors": 0.5}
    assert report.dropped["partial"] == 2


@pytest.mark.parametrize("bad", ["1 0 0 x 2 10 100 2 200 100 1 1", "1 0 0 40 2 10 100 2 200 100 3 xx"])
def test_a_bad_row_that_is_not_known_to_be_the_whole_job_stands_for_no_part(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "log.swf"
    path.write_text(
        f"; MaxProcs: 8\n1 0 0 60 2 10 100 2 200 100 2 1\n{bad}\n2 5 0 60 2 10 100 2 200 100 1 1\n"
    )
    _, report = read_swf(path, n_resources=1, on_bad_row="skip")
    assert report.dropped_work["partial"] == {"processors": 60 / (160 if "xx" in bad else 120)}


def test_rows_of_sacct_that_repeat_others_are_no_loss_and_running_jobs_are(tmp_path: Path) -> None:
    steps = (row(1), row(1), row("1.batch"))
    _, report = read_sacct(table(tmp_path, *steps), machines="1x8,1GB")
    assert report.dropped == {"repeated_row": 1, "job_step": 1}
    assert report.work_lost == {"processors": 0, "memory": 0}
    running = row(2, elapsed=30, end="Unknown", state="RUNNING")
    pending = row(3, start="Unknown", end="Unknown", elapsed=0, state="PENDING")
    _, report = read_sacct(table(tmp_path, row(1), running, pending), machines="1x8,1GB")
    assert report.work_lost["processors"] == 0.75
    assert "when these jobs have ended" in report.stops["loss"]


def test_a_job_that_ran_in_one_export_and_ended_in_a_later_one_is_no_loss(tmp_path: Path) -> None:
    running = row(1, elapsed=1000, end="Unknown", state="RUNNING")
    later = (row(1, elapsed=1001, end=2001), row(2, elapsed=1000, end=2000))
    for rows in ((running, HEADER, *later), (*later, HEADER, running)):
        _, report = read_sacct(table(tmp_path, *rows), machines="1x8,1GB")
        assert report.dropped == {"repeated_header": 1, "unfinished": 1}
        assert report.work_lost == {"processors": 0, "memory": 0}
    # Another run of the same job, which was requeued: both did their work.
    _, report = read_sacct(table(tmp_path, running.replace("1000", "500"), *later), machines="1x8,1GB")
    assert report.work_lost["processors"] == 500 / 2501
    # In all exports it runs: what it had done in the last one is lost.
    longer = row(1, elapsed=3000, end="Unknown", state="RUNNING")
    for rows in ((running, longer), (longer, running)):
        _, report = read_sacct(table(tmp_path, *rows, later[1]), machines="1x8,1GB")
        assert report.work_lost["processors"] == 0.75


def test_jobs_without_a_raw_number_are_known_by_the_other(tmp_path: Path) -> None:
    lines = [
        "JobIDRaw|JobID|Submit|Start|ElapsedRaw|State|ReqCPUS",
        "|7_1|0|1000|90|RUNNING|1",
        "|7_1|0|1000|100|COMPLETED|1",
        "|7_2|0|1000|100|RUNNING|1",
        "8|7_3|0|1000|50|RUNNING|1",
        "8|7_3 |0|1000|100|COMPLETED|1",
    ]
    _, report = read_sacct(write(tmp_path, "\n".join(lines) + "\n"), processors=8)
    assert report.work_lost == {"processors": 1 / 3}


def test_censored_machines_of_azure_are_lost_work(tmp_path: Path) -> None:
    path = tmp_path / "vms.csv"
    path.write_text(
        "vm,arrival_s,batch,vcpus,mem_gb,dur_bin,dur_lo_s,dur_hi_s,censored\n"
        "1,1800000,0,1,1,a,0,600,0\n2,1800001,0,1,1,a,0,1800,1\n"
    )
    assert read_azure_v1(path)[1].work_lost == {"vcpus": 0, "memory": 0}
    _, report = read_azure_v1(path, censored="drop")
    assert report.work_lost == {"vcpus": 0.75, "memory": 0.75}
    assert 'censored="keep"' in report.stops["loss"]


def test_a_ledger_tells_losses_from_choices_and_counts_what_was_clipped() -> None:
    ledger = RowLedger(4, lambda rows: rows)
    ledger.drop("chosen", "not wanted", np.array([True, False, False, False]), lost=False)
    ledger.drop("broken", "broken", np.array([True, True, False, False]))
    work = np.array([[100.0], [10.0], [20.0], [np.nan]])
    ledger.drop("vague", "vague", np.array([False, False, False, True]))
    shares, unknown = ledger.lost_shares(work, {"clipped": np.array([[7.0], [7.0], [10.0], [7.0]])})
    assert {reason: share.tolist() for reason, share in shares.items()} == {
        "broken": [0.25],
        "clipped": [0.25],
    }
    assert unknown == {"vague": 1}


def test_where_nobody_knows_the_work_of_dropped_rows_it_is_not_told_as_none() -> None:
    ledger = RowLedger(3, lambda rows: rows)
    ledger.drop("chosen", "not wanted", np.array([True, False, False]), lost=False)
    ledger.drop("broken", "broken", np.array([False, True, False]))
    report = make_report("table", Instance(Jobs([1], [[1]]), Machines([[1]])), ledger=ledger)
    assert report.unknown_work == {"broken": 1}
    assert "left out: 2 rows; an unknown share of the work left out (1 row)" in str(report)


def test_most_of_kth_as_whole_jobs_on_nodes_of_one_processor_is_gone_and_said_so() -> None:
    log = data_folder("pwa-swf", "KTH-SP2-1996-2.1-cln.swf.gz")
    instance, report = read_swf(log, machines="100x1", tasks="whole")
    assert instance.n_jobs == 9_370
    assert report.work_lost["processors"] == pytest.approx(0.95, abs=0.01)
    assert 'machines="1x100"' in report.stops["loss"]


def test_many_jobs_without_an_estimate_are_warned_of(tmp_path: Path) -> None:
    jobs = [(number, number, 100, 1, -1, 1, 100) for number in range(1, 20)]
    without = (20, 20, 100, 1, -1, 1, -1)
    _, report = read_swf(swf(tmp_path, *jobs, without))
    assert report.estimates_missing == 0.05
    assert "estimate" not in "".join(report.warnings)
    _, report = read_swf(swf(tmp_path, *jobs, without, without))
    assert report.warnings[0].startswith("9.5 % of the jobs have no estimate of their run time")
    assert json.loads(json.dumps(report.to_dict()))["estimates_missing"] == report.estimates_missing


def test_a_capacity_that_nobody_gave_is_a_warning_with_the_peak(tmp_path: Path) -> None:
    # Two jobs of 3 processors beside each other, then one of 4 at the instant at which they end.
    rows = ((1, 0, 100, 3, 10, 1, 100), (2, 0, 100, 3, 10, 1, 100), (3, 100, 50, 4, 10, 1, 100))
    instance, report = read_swf(swf(tmp_path, *rows, header=""))
    assert instance.machines.capacity.tolist() == [[4, 40]]  # the rule stays
    assert report.stops["capacity"] in report.warnings
    # Of 150 s, 6 processors were in use for 100 s.
    assert (
        "up to 6 processors and 60 KB of memory were in use at the same time (nine tenths of the time no more than 6 "
        "processors and 60 KB of memory)"
    ) in report.stops["capacity"]
    assert report.stops["capacity"].endswith('machines="1x6,60KB"')
    for options in ({"machines": "1x6,60KB"}, {"processors": 4, "memory_capacity": 40}):
        assert "capacity" not in read_swf(tmp_path / "log.swf", **options)[1].stops
    _, report = read_sacct(table(tmp_path, row(1), row(2)))
    assert report.stops["capacity"].endswith('machines="1x4,2MB"')


@pytest.mark.parametrize("submit", [0, 2**53])
@pytest.mark.parametrize("wait", ["1e300", "9007199254740994", "-1"])
def test_a_start_beyond_exact_seconds_is_unknown(tmp_path: Path, wait: str, submit: int) -> None:
    path = tmp_path / "log.swf"
    path.write_text(f"1 {submit} {wait} 100 2 10 100 2 200 100 1 1 1 1 1 1 -1 -1\n")
    _, report = read_swf(path)
    assert (
        "up to 2 processors and 200 KB of memory were in use at the same time, jobs without a recorded start (1) from "
        "their submission on (nine tenths of the time no more than 2 processors and 200 KB of memory)"
    ) in report.stops["capacity"]


def test_what_was_in_use_is_told_with_its_peak_and_nine_tenths_of_the_time() -> None:
    # 1 for 90 s, and beside it 5 for the last 9 s of them; then 2 for 10 s: more than 2 for 9 of 100 s.
    peak, usual = peak_use(
        np.array([0.0, 81.0, 90.0]), np.array([90.0, 9.0, 10.0]), np.array([[1.0], [5.0], [2.0]])
    )
    assert (peak.tolist(), usual.tolist()) == ([6], [2])


def test_a_log_in_which_no_job_asks_for_memory_is_read_without(tmp_path: Path) -> None:
    path = swf(tmp_path, (1, 0, 100, 1, -1, 1, 100), (2, 1, 100, 3, 0, 1, 100))
    for choice in (None, "skip", "used"):
        instance, report = read_swf(path, missing_memory=choice)
        assert instance.machines.resource_names == ("processors",)
        assert report.assumptions[0] == "memory is ignored: no job asks for any (n_resources=2 insists on it)"
    assert read_swf(path, missing_memory=7)[0].jobs.demand.tolist() == [[1, 7], [3, 21]]
    with pytest.raises(InvalidInstanceError, match="2 jobs without a memory request"):
        read_swf(path, n_resources=2)
    accounting = table(tmp_path, row(1, memory=""), row(2, memory="0"))
    instance, report = read_sacct(accounting)
    assert instance.machines.resource_names == ("processors",)
    assert any("memory=True insists on it" in sentence for sentence in report.assumptions)


def test_more_memory_than_any_machine_has_is_doubted(tmp_path: Path) -> None:
    path = swf(tmp_path, (1, 0, 100, 2, 64 * 2**30, 1, 100), (2, 1, 100, 1, 64 * 2**30 + 1, 1, 100))
    _, report = read_swf(path)
    (warning,) = (text for text in report.warnings if "64 TB" in text)
    assert "1 row (line 3): field 10 was read as KB per processor" in warning
    assert not [text for text in read_swf(path, n_resources=1)[1].warnings if "64 TB" in text]
    _, report = read_sacct(table(tmp_path, row(1, memory="200T"), row(2, memory="100T")))
    assert "1 row (line 2): a number without a unit counts MB" in next(
        t for t in report.warnings if "64 TB" in t
    )


def test_a_load_above_four_names_the_units_that_were_assumed(tmp_path: Path) -> None:
    path = swf(tmp_path, (1, 0, 100, 8, -1, 1, 100), (2, 10, 100, 8, -1, 1, 100))
    _, report = read_swf(path)
    assert report.load["processors"] == 20
    (warning,) = report.warnings
    assert warning.endswith("check the machines and the units: time in s was assumed")


def test_options_are_spelled_as_the_caller_writes_them(tmp_path: Path) -> None:
    path = swf(tmp_path, (1, 0, 100, 1, 5, 1, 100), (2, 1, 100, 3, -1, 1, 100))
    with pytest.raises(InvalidInstanceError, match=r'choose missing_memory="used" .* with n_resources=1'):
        read_swf(path)
    with (
        spelling_options(lambda name, value: f"<{name} {value}>"),
        pytest.raises(InvalidInstanceError, match=r"choose <missing_memory used> .* with <n_resources 1>"),
    ):
        read_swf(path)
    assert spelled("memory", False) == "memory=False"
