"""``schedcore calibrate``: recorded against simulated waits, and which policy comes closest."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data_folder import data_folder
from schedcore import Instance, Jobs, Machines, solve
from schedcore.problems.calibration import CANDIDATES
from schedcore.workloads import read_swf, write_swf


def cluster(n_jobs: int = 300) -> Instance:
    draw = np.random.default_rng(7)
    run = draw.integers(60, 8000, n_jobs)
    jobs = Jobs(
        run, draw.integers(1, 17, (n_jobs, 1)), release_time=np.cumsum(draw.integers(0, 4000, n_jobs)),
        estimated_processing_time=run * draw.integers(1, 5, n_jobs), id=np.arange(1, n_jobs + 1),
    )  # fmt: skip
    return Instance(jobs, Machines([[16]], ["processors"]))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The log of a cluster that really ran EASY, with a header."""
    inst = cluster()
    path = tmp_path / "site.swf"
    write_swf(path, inst, solve("easy", inst).schedule)
    return path


def test_the_policy_that_a_log_was_made_with_is_the_closest(cli: Callable[..., Any], site: Path) -> None:
    outcome = cli("calibrate", site, "--json")
    assert outcome.exit_code == 0, outcome.stderr
    found = json.loads(outcome.stdout)
    assert found["closest"] in ("easy", "easy:queue_depth=50")
    truth, closest, *others = found["policies"]
    assert truth["policy"] == "recorded"
    assert (closest["distance"], closest["distance_per_job"]) == (0, 0)
    assert {row["policy"] for row in found["policies"]} == {"recorded", *CANDIDATES}
    distances = [row["distance"] for row in (closest, *others)]
    assert distances == sorted(distances)
    assert found["recorded_schedule"]["above_capacity"] == []
    for rows in (found["classes"], found["weeks"]):
        assert sum(row["n_jobs"] for row in rows) == 300
        assert all(row["mean_wait"] == row["simulated_mean_wait"] for row in rows)
        assert all(row["wait_p95"] == row["simulated_wait_p95"] for row in rows)


def test_distances_are_those_of_the_waits(cli: Callable[..., Any], site: Path) -> None:
    inst, _ = read_swf(site)
    recorded = inst.jobs.recorded_start_time - inst.jobs.release_time
    wait = solve("fcfs", inst).schedule.start_time - inst.jobs.release_time
    rows = {row["policy"]: row for row in cli("calibrate", site, "-p", "fcfs", "--csv").rows}
    assert float(rows["fcfs"]["distance"]) == pytest.approx(np.abs(np.sort(wait) - np.sort(recorded)).mean())
    assert float(rows["fcfs"]["distance_per_job"]) == pytest.approx(np.abs(wait - recorded).mean())
    assert float(rows["fcfs"]["distance_share"]) == pytest.approx(
        float(rows["fcfs"]["distance"]) / recorded.mean()
    )


def test_what_cannot_have_been_so_is_told_in_figures_and_is_no_finding(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    rows = [f"{job} {job} 2 100 8 -1 -1 8 200 -1 1 1 1 1 1 1 -1 -1" for job in range(1, 5)]
    rows.append("5 5 -1 100 8 -1 -1 8 200 -1 1 1 1 1 1 1 -1 -1")
    path = tmp_path / "impossible.swf"
    path.write_text("\n".join(["; MaxProcs: 16", *rows]) + "\n")
    outcome = cli("calibrate", path, "-p", "easy")
    assert outcome.exit_code == 0
    assert "up to 32 processors in use at one time, and there are 16" in outcome.stdout
    assert "no start is told of 1 of its 5 jobs" in outcome.stdout
    found = json.loads(cli("calibrate", path, "-p", "easy", "--json").stdout)["recorded_schedule"]
    (above,) = found.pop("above_capacity")
    assert found == {"n_jobs": 4, "n_without_start": 1, "n_early": 0}
    assert (above["resource"], above["capacity"], above["most"]) == ("processors", 16, 32)


def test_waits_are_drawn(cli: Callable[..., Any], site: Path, tmp_path: Path) -> None:
    assert cli("calibrate", site, "--plot", tmp_path / "drawn").exit_code == 0
    assert [path.name for path in (tmp_path / "drawn").iterdir()] == ["queuing_delay.png"]


def test_a_workload_without_starts_is_refused_in_one_sentence(cli: Callable[..., Any]) -> None:
    outcome = cli("calibrate", "azure_like:n_jobs=20,n_machines=2")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert "the workload does not say when its jobs started" in outcome.stderr.splitlines()[-1]
    tasks = cli("calibrate", "colocation_grid:cls=3,n_types=3,n_tasks=20,n_machines=4")
    assert tasks.exit_code == 2


@pytest.mark.parametrize("name", ["KTH-SP2-1996-2.1-cln.swf.gz", "SDSC-SP2-1998-4.2-cln.swf.gz"])
def test_a_recorded_log_with_a_header_needs_no_options(cli: Callable[..., Any], name: str) -> None:
    outcome = cli("calibrate", data_folder("pwa-swf", name), "-p", "easy", "-p", "fcfs", "--json")
    assert outcome.exit_code == 0, outcome.stderr
    found = json.loads(outcome.stdout)
    assert found["closest"] == "easy"
    assert 0 < found["policies"][1]["distance_share"] < 1
    assert found["weeks"][0]["week"].startswith("199")


def test_validate_tells_what_a_schedule_is_worth_and_how_far_it_is_above_the_capacity(
    cli: Callable[..., Any], site: Path
) -> None:
    inst, _ = read_swf(site)
    found = json.loads(cli("validate", site, site, "--json").stdout)
    assert found["ok"]
    assert found["avg_wait"] == (inst.jobs.recorded_start_time - inst.jobs.release_time).mean()
    assert found["above_capacity"] == []
    outcome = cli("validate", site, site, "--machines", "1x15", "--allow-loss", "--known-jobs-only")
    assert outcome.exit_code == 1
    assert "INFEASIBLE" in outcome.stdout
    assert "up to 16 processors in use at one time, and there are 15" in outcome.stdout


def test_figures_are_about_the_jobs_of_which_a_start_is_recorded(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    rows = [
        f"{job} {10 * job} {-1 if job == 3 else 90 * job} 100 8 -1 -1 8 200 -1 1 1 1 1 1 1 -1 -1"
        for job in range(1, 6)
    ]
    path = tmp_path / "some.swf"
    path.write_text("\n".join(["; MaxProcs: 16", *rows]) + "\n")
    inst, _ = read_swf(path)
    recorded = inst.jobs.recorded_start_time - inst.jobs.release_time
    wait = (solve("fcfs", inst).schedule.start_time - inst.jobs.release_time)[~np.isnan(recorded)]
    truth, fcfs = cli("calibrate", path, "-p", "fcfs", "--csv").rows
    assert (truth["n_jobs"], fcfs["n_jobs"]) == ("4", "4")
    assert float(fcfs["avg_wait"]) == wait.mean()
    assert float(fcfs["max_wait"]) == wait.max()


def test_what_calibrate_cannot_compare_is_refused(
    cli: Callable[..., Any], site: Path, tmp_path: Path
) -> None:
    (tmp_path / "cancelled.csv").write_text("id,time\n3,0\n")
    for words, message in (
        (("-p", "recorded"), "name another one"),
        (("--cancellations", tmp_path / "cancelled.csv"), "with runs of the same jobs to their end"),
    ):
        outcome = cli("calibrate", site, *words)
        assert (outcome.exit_code, outcome.stdout) == (2, "")
        assert message in outcome.stderr


def test_a_policy_that_fails_is_a_finding_and_not_the_closest(cli: Callable[..., Any], site: Path) -> None:
    outcome = cli("calibrate", site, "-p", "refusing", "-p", "all_at_once", "-p", "fcfs", "--json")
    assert outcome.exit_code == 1
    found = json.loads(outcome.stdout)
    assert found["closest"] == "fcfs"
    assert [row["verdict"] for row in found["policies"]] == ["recorded", "valid", "FAILED", "INVALID"]
