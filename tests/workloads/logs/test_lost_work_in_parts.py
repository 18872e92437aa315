"""A source that is read in parts loses as much work as one that is read at once, to the last unit, and says so."""

from pathlib import Path

import numpy as np
import pytest

from schedcore.workloads import read_azure_v1, read_sacct, read_swf
from schedcore.workloads.logs.checkpointed_parts import CheckpointedParts
from schedcore.workloads.reading import source_file
from schedcore.workloads.reading.row_ledger import RowLedger
from workloads.logs.sacct_files import row, table


def test_a_ledger_of_parts_loses_what_a_ledger_of_the_whole_does() -> None:
    draw = np.random.default_rng(5)
    n_rows, reasons = 600, ("first", "second", "third")
    work = draw.integers(0, 100, (n_rows, 3)).astype(np.float64)
    unknown = draw.random((n_rows, 3)) < 0.4
    dropped = {reason: draw.random(n_rows) < 0.3 for reason in reasons}
    lost = draw.random(n_rows) < 0.7
    late = draw.random(n_rows) < 0.2
    kept = ~np.logical_or.reduce([*dropped.values(), late])
    work[unknown & ~kept[:, np.newaxis]] = np.nan
    whole = RowLedger(n_rows, lambda rows: rows)
    account = RowLedger(0, lambda rows: rows)
    left = []
    for begin in range(0, n_rows, 50):
        rows = slice(begin, begin + 50)
        part = RowLedger(50, lambda rows, begin=begin: rows + begin)  # type: ignore[misc]
        for reason in reasons:
            part.drop(reason, reason, dropped[reason][rows], lost=lost[rows])
        left.append(begin + np.flatnonzero(part.kept))
        account.carry_over(part, work[rows])
    for reason in reasons:
        whole.drop(reason, reason, dropped[reason], lost=lost)
    remaining = np.concatenate(left)
    rest = RowLedger(len(remaining), lambda rows: remaining[rows])
    rest.carry_over(account)
    whole.drop("first", "first", late)  # a reason that a part knows, too
    rest.drop("first", "first", late[remaining])
    for ledger in (whole, rest):
        ledger.leave_out("unread", "unread", 7, (1, 2))
        ledger.leave_out("header", "header", 2, (3,), lost=False)
    assert (rest.n_read, rest.dropped, rest.meaning) == (n_rows + 9, whole.dropped, whole.meaning)
    assert rest.lines["third"] == whole.lines["third"]
    for n_resources in (1, 2, 3):  # what the parts were asked for may be more than what is used in the end
        of_whole, unknown_of_whole = whole.lost_shares(work[:, :n_resources])
        of_rest, unknown_of_rest = rest.lost_shares(work[remaining, :n_resources])
        assert {reason: share.tolist() for reason, share in of_rest.items()} == {
            reason: share.tolist() for reason, share in of_whole.items()
        }
        assert unknown_of_rest == unknown_of_whole
        assert unknown_of_rest["unread"] == 7
        assert unknown_of_rest["second"] == np.count_nonzero(
            dropped["second"] & ~dropped["first"] & lost & np.isnan(work[:, :n_resources]).all(axis=1)
        )


def test_without_their_work_the_dropped_rows_of_a_part_are_unknown() -> None:
    part, ledger = RowLedger(3, lambda rows: rows), RowLedger(1, lambda rows: rows)
    part.drop("bad", "bad", np.array([True, True, False]))
    ledger.carry_over(part)
    assert ledger.lost_shares(np.ones((1, 2))) == ({}, {"bad": 2})


def test_parts_of_jobs_add_up_by_job_number(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(7)
    number, work = draw.integers(-1, 40, 5000).astype(np.float64), draw.integers(0, 9, (5000, 2)) * 1.0
    work[draw.random((5000, 2)) < 0.3] = np.nan
    whole = np.arange(0.0, 40.0, 3.0)
    monkeypatch.setattr("schedcore.workloads.logs.checkpointed_parts._FEW", 10)
    parts = CheckpointedParts(2)
    for begin in range(0, 5000, 100):
        parts.add(number[begin : begin + 100], work[begin : begin + 100])
    rows = work[~np.isin(number, whole)]
    unknown = np.isnan(rows)
    assert parts.without(whole).tolist() == [
        np.nansum(rows, axis=0).tolist(),
        [np.count_nonzero(unknown[:, 0]), np.count_nonzero(unknown.all(axis=1))],
    ]


def line(number: int, run: object, size: int, *, memory: int = 10, status: int = 1, cpu: int = 100) -> str:
    return f"{number} 0 0 {run} {size} {cpu} {memory} {size} 1000 {memory} {status} 1 1 1 1 1 -1 -1"


@pytest.mark.parametrize("most_lines", [1, 1000])
def test_what_is_dropped_block_by_block_is_lost_to_the_last_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_lines: int
) -> None:
    path = tmp_path / "log.swf"
    lines = [
        "; MaxProcs: 16",
        line(1, 40, 2, status=3),  # the whole comes later
        line(9, 30, 3, status=2),  # the whole never comes
        line(9, 20, -1, status=2),  # nor does it say how large it is
        line(1, 100, 2),
        line(2, 50, 4, memory=-1),
        line(3, 7, 2).replace(" 1 1 1 1 1 -1", " 1 x 1 1 1 -1"),  # all that matters can be read
        line(4, "x", 2),
        "5 0 0",
        "6 0 0 60 5",
        line(7, -1, 2, status=5),  # never ran
        line(8, 1e300, 2),
    ]
    path.write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(source_file, "_MOST_LINES", most_lines)
    options = {"on_bad_row": "skip", "missing_memory": "used"}
    _, report = read_swf(path, **options)  # type: ignore[arg-type]
    assert report.dropped == {
        "short_row": 2, "garbled_row": 2, "huge_time": 1, "partial": 3, "no_runtime": 1, "no_memory": 1,
    }  # fmt: skip
    assert report.unknown_work == {"partial": 1, "garbled_row": 1, "short_row": 1, "huge_time": 1}
    processors, memory = 200 + 200 + 90 + 14 + 300, 2000 + 900 + 140
    assert report.dropped_work == {
        "no_memory": {"processors": 200 / processors, "memory": 0},
        "partial": {"processors": 90 / processors, "memory": 900 / memory},
        "garbled_row": {"processors": 14 / processors, "memory": 140 / memory},
        "short_row": {"processors": 300 / processors, "memory": 0},
    }
    _, report = read_swf(path, n_resources=1, on_bad_row="skip")
    assert report.work_lost == {"processors": (90 + 14 + 300) / processors}
    assert report.unknown_work == {"partial": 1, "garbled_row": 1, "short_row": 1, "huge_time": 1}
    _, report = read_swf(path, "used", on_bad_row="skip")
    assert report.unknown_work["short_row"] == 2  # no CPU time
    used = {"partial": 90, "garbled_row": 14, "no_memory": 200, "kept": 200}
    assert report.work_lost["processors"] == pytest.approx(1 - 200 / sum(used.values()))


def test_a_log_of_which_half_cannot_be_read_lost_an_unknown_share(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    path.write_text("; MaxProcs: 8\n" + "".join(f"{line(job, 10, 1)}\n{job} 0 0 x 1\n" for job in range(50)))
    _, report = read_swf(path, on_bad_row="skip", n_resources=1)
    assert report.work_lost == {"processors": 0}
    assert report.loss == "an unknown share of the work left out (50 rows)"
    assert "left out: 50 rows; an unknown share of the work left out (50 rows)" in str(report)
    assert report.warnings[0] == (
        "an unknown share of the work left out (50 rows) beside 50 jobs, mostly as short_row: fewer than 11 fields; "
        "mend these rows"
    )


def test_rows_of_sacct_with_other_fields_are_unknown_work_and_steps_are_none(tmp_path: Path) -> None:
    rows = (row(1), row("1.batch"), "2|3", row(2, elapsed="soon"))
    _, report = read_sacct(table(tmp_path, *rows), machines="1x8,1GB", on_bad_row="skip")
    assert report.dropped == {"job_step": 1, "ragged_row": 1, "garbled_row": 1}
    assert report.unknown_work == {"ragged_row": 1, "garbled_row": 1}
    assert report.rows_read == 4


def test_bad_rows_of_virtual_machines_lose_what_can_be_read_of_them(tmp_path: Path) -> None:
    path = tmp_path / "vms.csv"
    path.write_text(
        "vm,arrival_s,batch,vcpus,mem_gb,dur_bin,dur_lo_s,dur_hi_s,censored\n"
        "1,1800000,0,1,1,a,0,600,0\n"
        "2,x,0,3,1,a,0,600,0\n"  # the size is there
        "3,1800000,0,-1,2,a,0,600,0\n"
        "4,1800000,0,8,2,a,0,,0\n"
        "5,1800000,0,8,2,a,0,-5,0\n"
    )
    _, report = read_azure_v1(path, on_bad_row="skip")
    assert report.dropped_work == {
        "garbled_row": {"vcpus": 3 / 4, "memory": 1 / 4},
        "negative_value": {"vcpus": 0, "memory": 2 / 4},
    }
    assert report.unknown_work == {"garbled_row": 1, "negative_value": 1}
