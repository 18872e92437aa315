"""The main job on recorded workloads: every policy's schedule is valid and above the bound."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data_folder import data_folder
from schedcore.problems.jobs import JobsProblem

DRAWINGS = [drawing.name for drawing in JobsProblem.drawings]


def compare(cli: Callable[..., Any], folder: Path, *words: object) -> tuple[list[dict[str, str]], str]:
    outcome = cli("compare", *words, "--format", "csv", "--plot", folder)
    assert outcome.exit_code == 0, outcome.stderr
    rows = outcome.rows
    for row in rows:
        is_recorded = row["policy"] == "recorded"
        assert row["verdict"] == ("recorded" if is_recorded else "valid")
        assert is_recorded or float(row["gap"]) >= 0
    if any(row["policy"] == "recorded" for row in rows):
        missing = {"awct.png", "shares.png"}
    else:  # a table without users and dates
        missing = {"response.png", "shares.png", "waits_by_user.png", "waits_by_hour.png"}
    assert {path.name for path in folder.iterdir()} == set(DRAWINGS) - missing
    return rows, outcome.stderr


@pytest.mark.slow
def test_the_azure_vm_table_on_twenty_hosts(cli: Callable[..., Any], tmp_path: Path) -> None:
    table = data_folder("azure-v1-vms", "azure_v1_dev_vms.csv.gz")
    rows, report = compare(cli, tmp_path, table, "--machines", "20x64,448GB")
    assert {int(row["n_jobs"]) for row in rows} == {259_159}
    assert "14,317 censored" in report
    assert "7,029 short_duration" in report
    dropped = cli(
        "compare", table, "--machines", 20, "--censored", "drop", "--allow-loss", "-p", "pq", "-f", "csv"
    )
    assert int(dropped.rows[0]["n_jobs"]) == 259_159 - 14_317


@pytest.mark.slow
def test_hpc2n_on_one_pool_of_processors_and_memory(cli: Callable[..., Any], tmp_path: Path) -> None:
    log = data_folder("pwa-swf", "HPC2N-2002-2.2-cln.swf.gz")
    rows, report = compare(cli, tmp_path, log, "--machines", "1x240,120GB", "--missing-memory", "used")
    assert {row["policy"]: int(row["n_jobs"]) for row in rows} == {
        "easy": 200_734, "conservative": 200_734, "fcfs": 200_734, "recorded": 200_733, "bbsched": 200_734,
    }  # fmt: skip
    assert "no start is told of 1 of its 200,734 jobs" in report
    assert "27,512 jobs without a memory request" in report
