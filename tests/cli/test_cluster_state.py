"""``snapshot``, ``when`` and ``what-if``: from saved output of Slurm to tables, and every wrong use one sentence."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from slurm.large_cluster import write_large_state
from slurm.small_cluster import a_job, running, saved


@pytest.fixture(autouse=True)
def time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dates of the tables are those of this zone."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One node is taken for an hour, and two jobs wait for it."""
    (tmp_path / "saved").mkdir()
    whole = {"NumCPUs": "8", "CPUs__Task": "8", "ReqNodeList": "n1"}
    jobs = [
        running(1, "Nodes=n1 CPU_IDs=0-7 Mem=8000 GRES="),
        a_job(5, Priority="20", **whole),
        a_job(6, Priority="10", TimeLimit="00:10:00", **whole),
        a_job(7, Priority="0", Reason="JobHeldUser"),
    ]
    return saved(tmp_path / "saved", "\n".join(jobs))


def test_a_snapshot_is_asked_when_jobs_start(cli: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "now.parquet"
    written = cli("snapshot", folder, "-o", file)
    assert written.exit_code == 0, written.stderr
    assert (
        written.stderr
        == f"wrote 3 jobs waiting and 1 running on 3 nodes, as of 1970-01-01 01:40:00 (UTC+00:00), to {file}\n"
    )
    assert written.stdout == ""
    for source in (file, folder):
        outcome = cli("when", "--from", source)
        assert outcome.exit_code == 0, outcome.stderr
        # A plan begins at full minutes, as bf_resolution says.
        assert [" ".join(line.split()) for line in outcome.stdout.splitlines()[1:]] == [
            "5 ann batch 1970-01-01 02:23:20 1970-01-01 02:23:20 00:43 resources 1",
            "6 ann batch 1970-01-01 03:23:00 1970-01-01 03:23:20 01:43 resources 1",
            "7 ann batch - never - held",
        ]
        assert outcome.stderr.splitlines() == [
            "3 jobs waiting and 1 running on 3 nodes, as of 1970-01-01 01:40:00 (UTC+00:00)",
            "played with easy:queue_depth=500,window=86400.0,resolution=60.0",
        ]
    assert cli("snapshot", folder, "-o", file).exit_code == 2
    assert cli("snapshot", folder, "-o", file, "--force").exit_code == 0


def test_dates_are_printed_on_the_clock_that_is_asked_for_and_say_which(
    cli: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "now.parquet"
    assert "01:40:00 (UTC+00:00)" in cli("snapshot", folder, "-o", file).stderr
    outcome = cli("when", "5", "--from", file, "--timezone", "Asia/Kolkata")
    assert "as of 1970-01-01 07:10:00 (UTC+05:30)" in outcome.stderr
    assert "07:53:20" in outcome.stdout
    changed = cli("what-if", "--from", file, "--timezone", "Asia/Kolkata", "--priority", "6=30")
    assert "(UTC+05:30)" in changed.stderr
    assert "07:53:20" in changed.stdout


def test_what_cannot_be_modelled_is_listed(cli: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    saved(folder, a_job(5, Licenses="matlab:2"))
    outcome = cli("snapshot", folder, "-o", tmp_path / "now.parquet")
    assert [line.split() for line in outcome.stdout.splitlines()[1:]] == [
        ["job:", "licenses", "matlab:2", "1", "licenses", "are", "not", "modelled"]
    ]


def test_what_is_not_modelled_and_what_slurm_tells_otherwise_is_not_hidden(
    cli: Callable[..., Any], folder: Path
) -> None:
    saved(folder, "\n".join([a_job(5, Licenses="matlab:2", Reason="Licenses"), a_job(6, Reason="Priority")]))
    outcome = cli("when", "--from", folder)
    assert [line[line.index("fits") :].split() for line in outcome.stdout.splitlines()[1:]] == [
        ["fits", "(Slurm:", "Licenses)"],
        ["fits"],
    ]
    line = "1 job is not modelled exactly; schedcore snapshot lists why"
    assert line in outcome.stderr.splitlines()
    assert line in cli("what-if", "--from", folder, "--close", "n1").stderr.splitlines()


def test_starts_as_json_and_csv(cli: Callable[..., Any], folder: Path) -> None:
    found = json.loads(cli("when", "6", "5", "--from", folder, "-f", "json").stdout)
    assert (found["now"], found["samples"]) == (6000.0, 0)
    assert [(row["job"], row["expected"], row["waits_for"]) for row in found["jobs"]] == [
        ("6", 12200.0, ["1"]),
        ("5", 8600.0, ["1"]),
    ]
    rows = cli("when", "--from", folder, "-f", "csv").rows
    assert [(row["job"], row["expected"], row["reason"], row["waits_for"]) for row in rows] == [
        ("5", "8600.0", "resources", "1"),
        ("6", "12200.0", "resources", "1"),
        ("7", "", "held", ""),
    ]


def test_a_history_gives_quantiles(cli: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.sacct"
    columns = "JobIDRaw|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|ReqCPUS|AllocCPUS|NNodes|ReqMem|User"
    rows = [f"{k}|{k}|{k}|{k + 300}|300|10|COMPLETED|1|1|1|100M|ann" for k in range(1, 40)]
    log.write_text("\n".join([columns, *rows]) + "\n")
    outcome = cli("when", "5", "--from", folder, "--history", log, "--samples", "10", "-f", "json")
    assert outcome.exit_code == 0, outcome.stderr
    found = json.loads(outcome.stdout)
    assert found["samples"] == 10
    # runs take half of their limits
    assert {found["jobs"][0][name] for name in ("q50", "q90", "q95")} == {6800.0}
    table = cli("when", "5", "--from", folder, "--history", log, "--samples", "10")
    assert "50 % by" in table.stdout
    assert f"in 10 futures drawn from {log}" in table.stderr


def test_what_is_wrong_with_a_history_is_told(cli: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.sacct"
    columns = "JobIDRaw|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|ReqCPUS|AllocCPUS|NNodes|ReqMem|User"
    rows = [f"{k}|{k}|{k}|{k + 300}|300|10|COMPLETED|1|1|1|100M|ann" for k in range(1, 40)]
    bad = "41|41|41|341|300|10|COMPLETED|many|many|1|100M|ann"
    log.write_text("\n".join([columns, *rows, bad]) + "\n")
    outcome = cli("when", "5", "--from", folder, "--history", log, "--samples", "5")
    assert outcome.exit_code == 0, outcome.stderr
    assert f"{log}: 1 row of 40 left out: " in outcome.stderr
    log.write_text("\n".join([columns, *rows]).replace("TimelimitRaw", "Comment"))
    outcome = cli("when", "5", "--from", folder, "--history", log)
    assert outcome.exit_code == 2
    assert "does not tell how runs kept to their limits; save it with Timelimit" in outcome.stderr


def test_what_a_change_does(cli: Callable[..., Any], folder: Path) -> None:
    outcome = cli("what-if", "--from", folder, "--priority", "6=30")
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stdout.splitlines()[:5] == [
        "1 job would start earlier, 1 later, 1 as now.",
        "mean wait from now on  01:13 -> 00:48",
        "95 % wait from now on  01:43 -> 00:53",
        "waits are of 2 jobs that start in both cases",
        "jobs that do not start 1 -> 1",
    ]
    assert [line.split() for line in outcome.stdout.splitlines()[7:]] == [
        ["6", "ann", "batch", "1970-01-01", "03:23:20", "1970-01-01", "02:23:20", "-01:00"],
        ["5", "ann", "batch", "1970-01-01", "02:23:20", "1970-01-01", "02:33:20", "00:10"],
    ]
    one = cli("what-if", "--from", folder, "--priority", "6=30", "--most", "1")
    assert "1 more job change less; --most shows more, and --format csv all" in one.stderr
    rows = cli("what-if", "--from", folder, "--close", "n1", "-f", "csv").rows
    assert [(row["job"], row["before"], row["after"], row["change"]) for row in rows] == [
        ("5", "8600.0", "", ""),
        ("6", "12200.0", "", ""),
        ("7", "", "", "0.0"),
    ]
    closed = cli("what-if", "--from", folder, "--close", "n1")
    assert "never" in closed.stdout
    found = json.loads(cli("what-if", "--from", folder, "--policy", "pq:heuristic=sjf", "-f", "json").stdout)
    assert (found["changed_policy"], found["earlier"], found["later"]) == ("pq:heuristic=sjf", 1, 1)
    added = json.loads(
        cli("what-if", "--from", folder, "--add", "2xn1", "--cancel", "7", "-f", "json").stdout
    )
    assert len(added["jobs"]) == 2


def test_a_table_of_many_jobs_is_plain_lines(cli: Callable[..., Any], tmp_path: Path) -> None:
    write_large_state(tmp_path, 40, 600)
    outcome = cli("when", "--from", tmp_path)
    heading, *rows = outcome.stdout.splitlines()
    assert heading.split()[:3] == ["job", "user", "partition"]
    assert len(rows) == 600
    column = heading.index("because")
    assert {row[column:].split()[0] for row in rows} >= {"fits", "held", "resources"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("when", "99", "--from", "FOLDER"), "job 99 does not wait: the state does not have it"),
        (("when", "--from", "nowhere.parquet"), "nowhere.parquet"),
        (("when", "--from", "FOLDER", "--policy", "nope"), "unknown algorithm 'nope'"),
        (("when", "--from", "FOLDER", "--history", "nowhere"), "nowhere"),
        (("when", "--from", "FOLDER", "--arrivals"), "--arrivals is about a history; see --history"),
        (("when", "--from", "FOLDER", "--samples", "5"), "--samples is about a history; see --history"),
        (("when",), "scontrol is not on this machine; read_state reads saved output"),
        (
            ("when", "--from", "FOLDER", "--timezone", "Mars/Olympus"),
            "timezone = 'Mars/Olympus' is not known",
        ),
        (("what-if", "--from", "FOLDER"), "nothing is changed; see --close, --add"),
        (("what-if", "--from", "FOLDER", "--priority", "6"), "--priority 6 is not JOB=NUMBER"),
        (("what-if", "--from", "FOLDER", "--priority", "=6"), "--priority =6 is not JOB=NUMBER"),
        (("what-if", "--from", "FOLDER", "--priority", "6=much"), "--priority 6=much is not JOB=NUMBER"),
        (
            ("what-if", "--from", "FOLDER", "--priority", "6=3", "--priority", "6=4"),
            "job 6 is given two priorities, 3 and 4",
        ),
        (("what-if", "--from", "FOLDER", "--close", ""), "'' names no node to close"),
        (("what-if", "--from", "FOLDER", "--close", "m1"), "there is no node m1; n[1-3] are there"),
        (("snapshot", "nowhere", "-o", "now.parquet"), "there is no such folder: nowhere"),
        (("snapshot", "FOLDER", "-o", "now.txt"), "now.txt must end in .parquet"),
        (("snapshot", "FOLDER", "-o", "nowhere/now.parquet"), "the folder nowhere does not exist"),
    ],
)
def test_wrong_use_is_one_sentence(
    cli: Callable[..., Any],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    outcome = cli(*(folder if word == "FOLDER" else word for word in words))
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert outcome.stdout == ""
    assert len(outcome.stderr.splitlines()) == 1
