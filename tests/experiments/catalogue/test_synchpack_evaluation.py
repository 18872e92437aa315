"""The evaluation of SynchPack is whole: its table and figures, both Tetris, epochs named, a bound in every row."""

import dataclasses
from functools import cache
from pathlib import Path

import pytest

from experiments.described import run_here
from schedcore.experiments import Experiment, Results, load
from schedcore.experiments.running.cells import cells_of_sweep
from schedcore.workloads import parallel_task_standin

WEIGHTS = ["equal", "random", "priority"]
FIGURES = {"table-1", *(f"figure-{n}" for n in ("2a", "2b", "2c", "3a", "3b", "3c"))}


@cache
def described(name: str = "synchpack-evaluation") -> Experiment:
    return load(name)


def of_figure(name: str) -> list[dict[str, object]]:
    """The arguments of the instances behind a figure."""
    experiment = described()
    figure = experiment.figures[name]
    part = figure.shown_part(experiment.sweeps[figure.sweep])
    return [dict(member.cell.arguments) for member in cells_of_sweep(experiment, part)]


def test_the_table_and_all_figures_of_the_study_are_there() -> None:
    assert set(described().figures) >= FIGURES
    for name in ("table-1", "figure-2a", "figure-2b", "figure-3a", "figure-3b"):
        assert {arguments["weights"] for arguments in of_figure(name)} == set(WEIGHTS)
    assert {arguments["remote_penalty"] for arguments in of_figure("figure-2c")} == {1.25, 1.5, 2.0, 3.0, 4.0}
    for name in ("figure-3c", "figure-3c-preemptive"):
        assert {arguments["traffic_intensity"] for arguments in of_figure(name)} == {0.5, 1.0, 1.5, 2.0}


def test_the_large_runs_have_the_size_of_the_paper_and_the_others_ten_job_sets() -> None:
    for name in ("table-1", "figure-2a", "figure-2b", "figure-2c"):
        sizes = {(a["n_jobs"], a["n_machines"], a["load"], a["seed"]) for a in of_figure(name)}
        assert sizes == {(1000, 200, "none", 1)}
    for name, size in (
        ("figure-2a-small", (100, 20)),
        ("figure-2b-small", (40, 10)),
        ("figure-3b", (100, 10)),
    ):
        assert {(a["n_jobs"], a["n_machines"]) for a in of_figure(name)} == {size}
        assert {a["seed"] for a in of_figure(name)} == set(range(1, 11))


@pytest.mark.parametrize("name", ["synchpack-evaluation", "synchpack-google"])
def test_tetris_is_shown_in_both_scales_and_epochs_are_named(name: str) -> None:
    experiment = described(name)
    for label, figure in experiment.figures.items():
        shown = figure.shown_policies(experiment.sweeps[figure.sweep])
        for tetris in ("Tetris-p", "Tetris-np"):
            assert (tetris in shown) == (f"{tetris}, e = 1" in shown), label
        online = [policy for policy in shown if experiment.choices[policy].options.get("online")]
        if online:
            assert "epochs" in figure.title, label
            told = {str(experiment.choices[policy].options.get("tau0", figure.x)) for policy in online}
            assert told <= {"1gap", "5gaps", "policy.tau0"}, label


def test_every_figure_of_completion_times_shows_the_bound() -> None:
    for label, figure in described().figures.items():
        assert figure.y == "ratio" or figure.lower_bound, label


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """All of it, on a handful of jobs."""
    workloads = {
        name: dataclasses.replace(workload, arguments={"n_jobs": 6 + index, "n_machines": 4})
        for index, (name, workload) in enumerate(described().workloads.items())
    }
    experiment = dataclasses.replace(described(), workloads=workloads, job_sets=(1, 2))
    return run_here(experiment, tmp_path_factory.mktemp("synchpack") / "results")


def test_every_cell_is_valid_and_has_a_ratio_to_its_bound(results: Results) -> None:
    assert results.failures == []
    assert results.n_missing == 0
    assert all(row["ratio"] >= 1 for row in results.rows)
    guaranteed = [row for row in results.rows if row["guarantee"] is not None]
    assert {row["policy"] for row in guaranteed} == {"synchpack2", "synchpack3"}
    assert all(row["ratio"] <= row["guarantee"] for row in guaranteed)


def test_every_claim_is_measured_and_every_figure_drawn(results: Results, tmp_path: Path) -> None:
    for name in results.experiment.figures:
        assert all(outcome.measured is not None for outcome in results.claims(name)), name
    assert len(results.save_figures(tmp_path, ["table-1", "figure-2c", "figure-3a"])) == 6


def test_the_trace_is_run_under_three_weightings(tmp_path: Path) -> None:
    parallel_task_standin(200, 40, 1, weights="priority").to_parquet(tmp_path / "tasks.parquet")
    experiment = described("synchpack-google")
    shown = {"figure-3a"}
    experiment = dataclasses.replace(
        experiment,
        sweeps={"online": dataclasses.replace(experiment.sweeps["online"], policies=["PSRS", "Tetris-p"])},
        figures={
            name: dataclasses.replace(figure, policies=["PSRS", "Tetris-p"], claims=(), lower_bound=False)
            for name, figure in experiment.figures.items()
            if name in shown
        },
    )
    results = run_here(experiment, tmp_path / "results", inputs={"tasks": tmp_path / "tasks.parquet"})
    assert {row["status"] for row in results.rows} == {"ok"}
    (psrs, _) = results.figure_data("figure-3a").series.values()
    assert [point.x for point in psrs] == WEIGHTS
    assert len({next(iter(point.values.values())) for point in psrs}) == 3
