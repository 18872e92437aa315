"""Maintenance, failures and cancellations from the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GENERATED = "azure_like:n_jobs=300,n_machines=4"
NODES = ("--machines", "4x4")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Jobs of up to eight processors, from 2026-12-01 08:00 UTC on."""
    path = tmp_path / "log.swf"
    rows = [
        f"{job} {10 * job} 0 {60 + job * 37 % 90} {1 + job * 5 % 8} -1 -1 -1 300 -1 1 {job % 3} 1 1 1 1 -1 -1"
        for job in range(1, 40)
    ]
    path.write_text("\n".join(["; UnixStartTime: 1796112000", "; TimeZone: 0", *rows]) + "\n")
    return path


def report(cli: Callable[..., Any], *arguments: Any) -> Any:
    outcome = cli(*arguments, "-f", "json")
    assert outcome.exit_code == 0, outcome.stderr
    return json.loads(outcome.stdout)


def test_policies_run_around_maintenance(cli: Callable[..., Any], log: Path) -> None:
    plain = report(cli, "compare", log, *NODES)
    found = report(
        cli, "compare", log, *NODES, "--outage", "n[1-2] 2026-12-01T08:01 10m", "--outage", "n4 5m 1h"
    )
    assert found["workload"]["n_outages"] == 3
    assert {row["policy"]: row["verdict"] for row in found["policies"]} == {
        "easy": "valid", "conservative": "valid", "fcfs": "valid", "recorded": "recorded", "easy:order=lxf": "valid",
    }  # fmt: skip
    before = {row["policy"]: row["makespan"] for row in plain["policies"]}
    for row in found["policies"]:
        assert (row["makespan"] > before.get(row["policy"], 0.0)) or row["policy"] == "recorded"


def test_failures_kill_runs_and_lose_work(cli: Callable[..., Any], log: Path) -> None:
    words = ("--failures", "mtbf=3m mttr=30s seed=4")
    found = report(cli, "compare", log, *NODES, *words)
    assert found["workload"]["killed"] == "requeue"
    assert found["workload"]["n_failures"] > 0
    assert found["lower_bounds"].pop("average_wait") >= 0
    assert all(bound > 0 for bound in found["lower_bounds"].values())
    (recorded,) = [row for row in found["policies"] if row["policy"] == "recorded"]
    assert recorded["awct_gap"] is None
    found["policies"].remove(recorded)
    for row in found["policies"]:
        assert (row["verdict"], row["n_left_out"]) == ("valid", 0)
        assert row["n_killed"] > 0
        assert row["awct_gap"] >= 0
        assert 0 < row["lost_share"] < 1
        assert row["goodput"]["processors"] == pytest.approx(1 - row["lost_share"])
        assert row["utilisation_of_up"]["processors"] > row["utilisation"]["processors"]
    dropped = report(cli, "compare", log, *NODES, *words, "--killed", "drop", "-p", "easy")
    (row,) = dropped["policies"]
    assert row["n_left_out"] == row["n_killed"] > 0
    assert row["awct_gap"] is None
    shown = cli("compare", log, *NODES, *words)
    assert "work" in shown.stdout
    assert "lost" in shown.stdout
    assert "lower bound" not in shown.stderr
    shown = cli("compare", log, *NODES, *words, "--killed", "drop", "-p", "easy")
    assert "not measured against the bounds, which are about all jobs" in " ".join(shown.stderr.split())


def test_failures_and_cancellations_come_from_files(cli: Callable[..., Any], log: Path) -> None:
    failures, cancelled = log.with_name("failures.csv"), log.with_name("cancelled.csv")
    failures.write_text("machine,start,end\nn[1-4],100,130\nn2,2026-12-01T08:05:00,2026-12-01T08:05:30\n")
    cancelled.write_text("id,time\n3,0\n7,75\n")
    runs = log.with_name("runs.csv")
    options = ("--failures", failures, "--cancellations", cancelled)
    row = report(cli, "run", "fcfs", log, *NODES, *options, "-o", runs)
    assert row["n_left_out"] == 2
    lines = runs.read_text().splitlines()
    assert lines[0].replace('"', "") == "id,attempt,start_time,end_time,outcome,machine,allocation"
    assert len(lines) == 1 + row["n_runs"]
    assert sum("killed" in line for line in lines) == row["n_killed"] > 0


def test_two_option_sets_are_compared_under_failures(cli: Callable[..., Any], log: Path) -> None:
    words = ("--failures", "mtbf=3m mttr=30s seed=4", "--killed", "drop")
    found = report(cli, "compare", log, *NODES, *words, "-p", "backfill", "--against", "protected=3")
    jobs = found["jobs"]
    in_both = jobs["n_earlier"] + jobs["n_later"] + jobs["n_same"]
    assert 0 < in_both <= 39


def test_drawings_show_what_was_down(cli: Callable[..., Any], tmp_path: Path) -> None:
    words = ("--failures", "mtbf=4d mttr=6h", "--outage", "all 2d 6h")
    outcome = cli("compare", GENERATED, *words, "--killed", "drop", "--plot", tmp_path / "drawings")
    assert outcome.exit_code == 0, outcome.stderr
    drawn = {path.name for path in (tmp_path / "drawings").iterdir()}
    assert drawn == {"awct.png", "response.png", "queuing_delay.png", "utilisation.png", "queue.png"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--outage", "n5 0 1h"), "outage 'n5 0 1h': no machine is called 'n5'"),
        (("--outage", "n1 0 0"), "outage 'n1 0 0'"),
        (("--outage", "n1 5"), "is not HOSTS START LENGTH"),
        (("--outage", "n[1 0 1h"), "outage 'n[1 0 1h'"),
        (("--outage", "n1 2026-12-01 1h"), "nothing says the date of time 0"),
        (("--outage", ""), "is not HOSTS START LENGTH"),
        (("--failures", "mtbf=3d"), "need mttr"),
        (("--failures", "mtbf=3d mttr=x"), "'x' is not a duration"),
        (("--failures", "nowhere.csv"), "neither words such as"),
        (("--failures", "mtbf=1s mttr=1s horizon=100000d"), "more than 10,000,000"),
        (("--cancellations", "nowhere.csv"), "nowhere.csv"),
        (("--killed", "drop"), "--killed drop: nothing kills a job without --failures"),
        (("--failures", "mtbf=3d mttr=1h", "--killed", "drob"), "did you mean 'drop'"),
        (("--failures", "mtbf=3d mttr=1h", "--classes", "size"), "--classes size: not all jobs complete"),
        (("--failures", "mtbf=3d mttr=1h", "-p", "srpt"), "'srpt' does not take failures of machines"),
    ],
)
def test_what_cannot_be_is_refused(cli: Callable[..., Any], options: tuple[str, ...], message: str) -> None:
    outcome = cli("compare", GENERATED, *options)
    assert outcome.exit_code == 2
    assert message in " ".join(outcome.stderr.split())
    assert outcome.stdout == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,time\n1,5\n1,6\n", "line 3: id '1' is cancelled twice"),
        ("id,time\n77777,5\n", "line 2: id '77777' is the id of no job"),
        ("id,time\n1,-5\n", "line 2: time"),
        ("id,time\nx,5\n", "line 2: id"),
        ("id,when\n1,5\n", "time"),
    ],
)
def test_tables_of_cancellations_are_checked(
    cli: Callable[..., Any], tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "cancelled.csv"
    path.write_text(text)
    outcome = cli("compare", GENERATED, "--cancellations", path)
    assert outcome.exit_code == 2
    assert message in " ".join(outcome.stderr.split())


def test_other_kinds_of_workloads_and_commands_refuse_them(cli: Callable[..., Any], log: Path) -> None:
    outcome = cli("compare", "colocation_grid:cls=3,n_types=4,n_tasks=20,n_machines=3", "--outage", "n1 0 1h")
    assert outcome.exit_code == 2
    assert "--outage: that is about jobs that run in one piece" in " ".join(outcome.stderr.split())
    outcome = cli("bounds", log, *NODES, "--failures", "mtbf=3d mttr=1h")
    assert outcome.exit_code == 2
    assert "--failures: that is for commands that run policies, and bounds runs none" in " ".join(
        outcome.stderr.split()
    )


def test_schedules_are_validated_against_outages(cli: Callable[..., Any], log: Path) -> None:
    plan = log.with_name("plan.csv")
    outage = ("--outage", "n1 1m 10m")
    assert cli("run", "easy", log, *NODES, "-o", plan).exit_code == 0
    assert cli("validate", log, plan, *NODES).exit_code == 0
    assert cli("validate", log, plan, *NODES, *outage).exit_code == 1
    assert cli("run", "easy", log, *NODES, *outage, "-o", plan, "--force").exit_code == 0
    assert cli("validate", log, plan, *NODES, *outage).exit_code == 0
