"""Cells on clusters that are disturbed: maintenance, failures and cancellations are part of the workload."""

from collections import Counter
from pathlib import Path
from typing import Any

import schedcore as sc
from experiments.described import run_here
from schedcore import metrics, workloads
from schedcore.experiments import Experiment, Figure, Sweep, Workload
from schedcore.workloads.transforms.incidents import incidents_of

JOBS = {"n_jobs": 60, "n_machines": 3}
FAILURES = "mtbf=2d mttr=3h"


def rows_of(folder: Path, arguments: dict[str, Any], policies: list[str], n_job_sets: int = 3) -> list[Any]:
    experiment = described(arguments, policies, n_job_sets)
    results = run_here(experiment, folder / "results")
    return sorted(results.rows, key=lambda row: (row["policy"], row["job_set"]))


def described(arguments: dict[str, Any], policies: list[str], n_job_sets: int) -> Experiment:
    return Experiment(
        name="disturbed",
        workloads={"jobs": Workload("azure_like", {**JOBS, **arguments})},
        policies={name: name for name in policies},
        sweeps={"s": Sweep(["jobs"], policies)},
        job_sets=tuple(range(1, n_job_sets + 1)),
    )


def test_each_job_set_has_failures_of_its_own(tmp_path: Path) -> None:
    rows = rows_of(
        tmp_path, {"seed": 1, "failures": FAILURES, "outage": "n1 1d 12h; n[2-3] 2d 1h"}, ["easy", "pq"]
    )
    assert [(row["policy"], row["job_set"]) for row in rows] == [
        (p, s) for p in ("easy", "pq") for s in (1, 2, 3)
    ]
    assert {(row["status"], row["verdict"]) for row in rows} == {("ok", "valid")}
    assert len({row["workload_hash"] for row in rows}) == 1
    plain = workloads.azure_like(1, **JOBS)
    machines = workloads.numbered_machines(plain.machines)
    outages = workloads.parse_outages(["n1 1d 12h", "n[2-3] 2d 1h"], machines)
    inst = plain.replace(machines=machines, outages=outages)
    for row in rows:
        incidents = incidents_of(inst, {"failures": FAILURES, "failure_seed": row["job_set"]})
        result = sc.solve(row["policy"], inst, incidents=incidents)
        assert result.runs is not None
        figures = metrics.cluster_summary(inst, result.runs, result.outcome, incidents)
        assert row["avg_wait"] == figures["avg_wait"]
        assert row["goodput"] == list(figures["goodput"])  # type: ignore[arg-type]
        assert row["n_killed"] == (result.runs.outcome == "killed").sum()
        assert row["lower_bound"] <= row["value"]
    assert len({row["n_killed"] for row in rows if row["policy"] == "easy"}) > 1


def test_a_seed_in_the_words_makes_one_job_set(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, {"seed": 1, "failures": f"{FAILURES} seed=5", "killed": "drop"}, ["fcfs"])
    (row,) = rows
    assert row["status"] == "ok"
    assert row["n_left_out"] == row["n_killed"] > 0


def test_a_policy_that_does_not_take_it_is_left_out_with_a_sentence(tmp_path: Path) -> None:
    experiment = Experiment(
        name="gangs",
        workloads={"gangs": Workload("thunder_like", {"n_jobs": 30})},
        policies={name: name for name in ("tetris", "easy", "fcfs")},
        sweeps={"s": Sweep(["gangs"], ["tetris", "easy", "fcfs"])},
        figures={"waits": Figure(sweep="s", x="workload", y="avg_wait", kind="groups")},
        job_sets=(1, 2),
    )
    results = run_here(experiment, tmp_path / "results")
    told = "it does not take jobs of several tasks (n_tasks["
    assert all(row["error"].startswith(told) for row in results.rows if row["policy"] == "tetris")
    assert Counter(row["status"] for row in results.rows) == {"ok": 4, "left out": 2}
    (sentence,) = results.left_out
    assert sentence.startswith(f"left out: tetris on thunder_like (2 cells): {told}")
    assert results.failures == []
    assert results.n_missing == 0
    data = results.figure_data("waits")
    assert list(data.series) == ["easy", "fcfs"]
    assert data.missing == 0
    assert f"L{sentence[1:]}." in results.report(tmp_path / "r.html").read_text()


def test_a_figure_of_nothing_but_what_is_left_out_has_no_values(tmp_path: Path) -> None:
    experiment = Experiment(
        name="gangs",
        workloads={"gangs": Workload("thunder_like", {"seed": 1, "n_jobs": 30})},
        policies={"tetris": "tetris"},
        sweeps={"s": Sweep(["gangs"], ["tetris"])},
        figures={"waits": Figure(sweep="s", x="workload", y="avg_wait", kind="groups")},
    )
    results = run_here(experiment, tmp_path / "results")
    assert results.figures() == []
    assert "Left out: tetris" in results.report(tmp_path / "r.html").read_text()
