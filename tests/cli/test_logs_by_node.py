"""Logs on the nodes of a cluster, from the command line: which policies run, and what files they leave."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data_folder import data_folder


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    path = tmp_path / "wide.swf"
    rows = [
        f"{job} {10 * job} 0 {60 + job * 37 % 90} {1 + job * 5 % 12} -1 -1 -1 300 -1 1 {job % 3} 1 1 1 1 -1 -1"
        for job in range(1, 40)
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


NODES = ("--machines", "4x4")


def test_policies_that_cannot_take_the_workload_are_left_out_in_one_line(
    cli: Callable[..., Any], wide: Path
) -> None:
    outcome = cli("compare", wide, *NODES, "-f", "csv", "--objective", "awct")
    assert outcome.exit_code == 0
    assert {row["policy"] for row in outcome.rows} == {"pq", "fcfs", "first_fit", "easy", "conservative"}
    assert {row["verdict"] for row in outcome.rows} == {"valid"}
    (line,) = [line for line in outcome.stderr.splitlines() if line.startswith("left out: ")]
    assert line.startswith(
        "left out: mris, mris:opportunistic=true,replan=always, tetris, bf_exec, ca_pq: they do"
    )
    outcome = cli("compare", wide, *NODES, "-p", "tetris", "-p", "easy", "-f", "csv")
    assert (outcome.exit_code, [row["policy"] for row in outcome.rows]) == (0, ["easy"])
    outcome = cli("compare", wide, *NODES, "-p", "tetris", "-p", "mris")
    assert outcome.exit_code == 2
    assert "'tetris' does not take jobs of several tasks" in outcome.stderr


def test_utilisation_counts_all_tasks(cli: Callable[..., Any], wide: Path) -> None:
    pooled = json.loads(cli("run", "fcfs", wide, "--machines", "1x16", "-f", "json").stdout)
    by_core = json.loads(cli("run", "fcfs", wide, *NODES, "-f", "json").stdout)
    # Tasks of one core fit wherever as many processors are free as in the pool.
    assert by_core["utilisation"] == pooled["utilisation"]
    assert by_core["avg_response"] == pooled["avg_response"]


@pytest.mark.parametrize("tasks", ["cores", "nodes"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_schedules_say_where_tasks_are_and_are_validated(
    cli: Callable[..., Any], wide: Path, tasks: str, suffix: str
) -> None:
    plan, jobs = wide.with_name(f"plan.{suffix}"), wide.with_name("jobs.csv")
    options = (*NODES, "--tasks", tasks)
    assert cli("run", "easy", wide, *options, "-o", plan).exit_code == 0
    assert cli("validate", wide, plan, *options).exit_code == 0
    assert cli("validate", wide, plan, "--machines", "3x4", "--tasks", tasks).exit_code == 1
    assert cli("convert", wide, *options, "--schedule", plan, "-o", jobs).exit_code == 0
    assert cli("validate", wide, jobs, *options).exit_code == 0
    lines = jobs.read_text().splitlines()
    row = next(index for index, line in enumerate(lines) if " " in line.split(",")[-3])
    fields = lines[row].split(",")
    fields[-3] = fields[-3].rpartition(" ")[0]  # a job of two machines, on one of them
    jobs.write_text("\n".join([*lines[:row], ",".join(fields), *lines[row + 1 :]]) + "\n")
    outcome = cli("validate", wide, jobs, *options)
    assert outcome.exit_code == 1
    assert "task" in outcome.stdout


@pytest.mark.parametrize("text", ["0:x", "0", "0:1,1:2", "-1:1"])
def test_an_allocation_that_is_none_is_refused(cli: Callable[..., Any], wide: Path, text: str) -> None:
    plan = wide.with_name("plan.csv")
    rows = [f"{job},{1000 * job},0,{text if job == 5 else '0:1'}" for job in range(1, 40)]
    plan.write_text("id,start_time,machine,allocation\n" + "\n".join(rows) + "\n")
    outcome = cli("validate", wide, plan, *NODES)
    assert outcome.exit_code == 2
    assert "plan.csv" in outcome.stderr


def test_an_instance_of_tasks_is_kept_as_parquet(cli: Callable[..., Any], wide: Path) -> None:
    path = wide.with_suffix(".parquet")
    assert cli("convert", wide, *NODES, "-o", path).exit_code == 0
    kept = cli("compare", path, "-p", "easy", "-f", "csv").rows[0]
    direct = cli("compare", wide, *NODES, "-p", "easy", "-f", "csv").rows[0]
    assert kept["avg_response"] == direct["avg_response"]


@pytest.mark.slow
def test_a_recorded_log_is_compared_on_its_nodes(cli: Callable[..., Any], tmp_path: Path) -> None:
    log = data_folder("pwa-swf", "KTH-SP2-1996-2.1-cln.swf.gz")
    outcome = cli(
        "compare",
        log,
        "--machines",
        "100x1",
        "-p",
        "easy",
        "-p",
        "mris",
        "--plot",
        tmp_path / "d",
        "-f",
        "csv",
    )
    assert outcome.exit_code == 0
    assert [(row["policy"], row["verdict"]) for row in outcome.rows] == [("easy", "valid")]
    assert int(outcome.rows[0]["n_jobs"]) == 28_475


def test_two_option_sets_are_compared_by_where_tasks_are(cli: Callable[..., Any], wide: Path) -> None:
    outcome = cli("compare", wide, *NODES, "-p", "backfill:protected=1", "--against", "protected=3")
    assert outcome.exit_code == 0, outcome.stderr
    assert "jobs" in outcome.stdout
