"""Every command on a log of a site whose machines differ: some have GPUs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedcore.problems.jobs import JobsProblem

MACHINES = ("--machines", "2x64,256GB,0+1x64,512GB,4")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    rows = ["JobIDRaw|Submit|ElapsedRaw|TimelimitRaw|State|ReqTRES"]
    for job in range(60):
        gpus = f",gres/gpu={1 + job % 4}" if job % 5 == 0 else ""
        memory = 300 if job % 10 == 0 else 1 + job % 200
        tres = f"cpu={1 + job % 64},mem={memory}G,node=1{gpus}"
        rows.append(f"{job}|{10 * job}|{100 + job * 37 % 900}|60|COMPLETED|{tres}")
    path = tmp_path / "site.sacct"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_every_default_policy_is_compared(cli: Callable[..., Any], site: Path) -> None:
    for words, policies in (
        ((), ("easy", "conservative", "fcfs", "bbsched")),
        (("--objective", "awct"), JobsProblem.default_policies),
    ):
        outcome = cli("compare", site, *MACHINES, "--format", "csv", *words)
        assert outcome.exit_code == 0
        assert [row["policy"] for row in outcome.rows] == list(policies)
        assert {row["verdict"] for row in outcome.rows} == {"valid"}


@pytest.mark.parametrize(
    "policy", ["pq", "tetris", "bf_exec", "ca_pq", "mris:replan=always", "easy", "conservative"]
)
def test_a_schedule_is_written_and_validated(cli: Callable[..., Any], site: Path, policy: str) -> None:
    plan = site.with_name("plan.csv")
    assert cli("run", policy, site, *MACHINES, "-o", plan).exit_code == 0
    assert cli("validate", site, plan, *MACHINES).exit_code == 0
    swapped = cli("validate", site, plan, "--machines", "1x64,512GB,4+2x64,256GB,0")
    assert swapped.exit_code == 1
    assert "on machine 2: memory (resource 1) rises to " in swapped.stdout


def test_bounds_count_what_each_machine_has(cli: Callable[..., Any], site: Path) -> None:
    values = {
        machines: {
            row["bound"]: row["value"]
            for row in json.loads(cli("bounds", site, *machines, "-f", "json").stdout)
        }
        for machines in (MACHINES, ("--machines", "3x64,512GB,4"))
    }
    differ, larger = values.values()
    assert differ.keys() == larger.keys()
    assert all(differ[name] >= larger[name] for name in differ)
    assert differ != larger


def test_a_converted_instance_keeps_its_machines(cli: Callable[..., Any], site: Path) -> None:
    pytest.importorskip("pyarrow")
    path = site.with_name("site.parquet")
    assert cli("convert", site, *MACHINES, "-o", path).exit_code == 0
    outcome = cli("compare", path, "-p", "pq", "--format", "csv")
    assert [row["awct"] for row in outcome.rows] == [
        row["awct"] for row in cli("compare", site, *MACHINES, "-p", "pq", "--format", "csv").rows
    ]
    refused = cli("compare", path, "-p", "pq", "--machines", "5")
    assert refused.exit_code == 2
    assert "no usual host" in refused.stderr


def test_a_job_that_no_kind_of_machine_holds_is_told_what_would_hold_it(
    cli: Callable[..., Any], site: Path
) -> None:
    outcome = cli("compare", site, "-p", "pq", "--machines", "2x64,256GB,0+1x64,128GB,4")
    assert outcome.exit_code == 2
    told = " ".join(outcome.stderr.split())
    assert "a job runs inside one machine: a machine such as 1x51,300GB,3 would hold each of these" in told
