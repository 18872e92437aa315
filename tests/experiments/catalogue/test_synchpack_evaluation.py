"""The evaluation of SynchPack is whole: its table and figures, every Tetris, epochs named, a bound in every row."""

import dataclasses
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from docs_script import docs_script
from experiments.described import run_here
from schedcore.experiments import Experiment, Results, load
from schedcore.experiments.running.cells import cells_of_sweep
from schedcore.workloads import parallel_task_standin

WEIGHTS = ["equal", "random", "priority"]
FIGURES = {"table-1-sp3", "table-1-sp2", *(f"figure-{n}" for n in ("2a", "2b", "2c", "3a", "3b", "3c"))}
SCALES = (0.01, 0.1, 0.3, 1)
NAMES = ["synchpack-evaluation", "synchpack-google"]
DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "synchpack-evaluation.md").read_text(encoding="utf-8")


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
    for name in ("table-1-sp3", "table-1-sp2", "figure-2a", "figure-2b", "figure-3a", "figure-3b"):
        assert {arguments["weights"] for arguments in of_figure(name)} == set(WEIGHTS)
    assert {arguments["remote_penalty"] for arguments in of_figure("figure-2c")} == {1.25, 1.5, 2.0, 3.0, 4.0}
    for name in ("figure-3c", "figure-3c-preemptive"):
        assert {arguments["traffic_intensity"] for arguments in of_figure(name)} == {0.5, 1.0, 1.5, 2.0}


def test_claims_are_of_ten_job_sets_and_the_size_of_the_paper_is_there() -> None:
    for name, figure in described().figures.items():
        of_size = {(a["n_jobs"], a["n_machines"]) for a in of_figure(name)}
        seeds = {a["seed"] for a in of_figure(name)}
        assert seeds == ({1} if name.startswith("large-") else set(range(1, 11))), name
        if name.startswith("large-"):
            assert figure.judged == (), name
        if name.startswith(("large-", "table-1-sp3", "figure-2a")) and "sizes" not in name:
            assert of_size == {(1000, 200)}, name


def test_tetris_runs_at_every_scale_and_tasks_have_three_sizes() -> None:
    experiment = described()
    for kind in ("p", "np"):
        own = {f"Tetris-{kind}", *(f"Tetris-{kind}, e = {scale}" for scale in SCALES)}
        told = {experiment.choices[policy].options.get("scale", "balanced") for policy in own}
        assert told == {"balanced", *SCALES}
        for name in ("2a", "2a-sizes", "3a") if kind == "p" else ("2b", "2b-sizes", "2c", "3b"):
            figure = experiment.figures[f"figure-{name}"]
            assert own < set(figure.shown_policies(experiment.sweeps[figure.sweep])), name
            assert own < {policy for claim in figure.claims for policy in claim.policies}, name
        others, ours = ({"PSRS"}, "SP-3") if kind == "p" else ({"JSQ-MW"}, "SP-2")
        growing = [
            figure
            for figure in experiment.figures.values()
            if figure.baseline and f"{ours}, 1 gap" in (figure.policies or ())
        ]
        assert {figure.baseline for figure in growing} == own | others
        for figure in growing:
            judged = [set(claim.policies) for claim in figure.judged]
            assert judged == [{f"{ours}, 1 gap"}, {f"{ours}, 5 gaps"}]
    for name in ("figure-2a-sizes", "figure-2b-sizes"):
        assert {arguments["median_size"] for arguments in of_figure(name)} == {0.1, 0.2, 0.3}


@pytest.mark.parametrize("name", NAMES)
def test_expectations_are_the_papers_own(name: str) -> None:
    """A printed number, a range of printed gains, or a direction; each of those that it is printed for."""
    rivals = {(1.0, 1.7): "PSRS", (1.8, 2.3): "Tetris-p", (1.8, 2.75): ("Tetris-np", "JSQ-MW")}
    for figure in described(name).figures.values():
        for claim in figure.judged:
            assert claim.expects
            first = claim.policies[0]
            if claim.published is not None:
                assert claim.quantity == "value"
                assert claim.published == (1.3 if first == "SP-3" else 2.9)
                assert first.startswith(("SP-3", "SP-2"))
            elif claim.between is not None:
                assert claim.quantity == "ratio"
                assert first.startswith(rivals[claim.between])
                assert claim.policies[1] == ("SP-2" if claim.between == (1.8, 2.75) else "SP-3")
            else:
                assert claim.more_than == (0 if claim.quantity == "difference" else 1)
                assert claim.quantity in ("difference", "ratio")


@pytest.mark.parametrize("name", NAMES)
def test_tetris_is_shown_with_both_of_its_scores_and_epochs_are_named(name: str) -> None:
    experiment = described(name)
    everywhere = {
        policy
        for figure in experiment.figures.values()
        for policy in figure.shown_policies(experiment.sweeps[figure.sweep])
    }
    assert {"Tetris-p", "Tetris-p, e = 1", "Tetris-np", "Tetris-np, e = 1"} < everywhere
    for label, figure in experiment.figures.items():
        shown = figure.shown_policies(experiment.sweeps[figure.sweep])
        for tetris in ("Tetris-p", "Tetris-np"):
            assert figure.baseline or (tetris in shown) == (f"{tetris}, e = 1" in shown), label
        online = [policy for policy in shown if experiment.choices[policy].options.get("online")]
        if online:
            assert "epochs" in figure.title, label
            told = {str(experiment.choices[policy].options.get("tau0", figure.x)) for policy in online}
            assert told <= {"1gap", "5gaps", "policy.tau0"}, label


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_of_completion_times_shows_the_bound(name: str) -> None:
    for label, figure in described(name).figures.items():
        assert figure.y == "ratio" or figure.lower_bound or figure.baseline, label


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


def test_every_claim_is_measured_and_figures_of_each_kind_are_drawn(results: Results, tmp_path: Path) -> None:
    for name in results.experiment.figures:
        assert all(outcome.measured is not None for outcome in results.claims(name)), name
    assert len(results.save_figures(tmp_path, ["table-1-sp3", "figure-2c", "figure-3c-psrs"])) == 6


def test_jobs_of_a_file_are_run_under_three_weightings_and_every_claim_is_measured(tmp_path: Path) -> None:
    parallel_task_standin(30, 6, 1, weights="priority").to_parquet(tmp_path / "tasks.parquet")
    whole = described("synchpack-google")
    few = dataclasses.replace(
        whole.sweeps["nonpreemptive"],
        parameters={**whole.sweeps["nonpreemptive"].parameters, "first_jobs": (12,)},
    )
    experiment = dataclasses.replace(whole, sweeps={**whole.sweeps, "nonpreemptive": few})
    results = run_here(experiment, tmp_path / "results", inputs={"tasks": tmp_path / "tasks.parquet"})
    assert results.failures == []
    assert results.n_missing == 0
    for name in experiment.figures:
        assert all(outcome.measured is not None for outcome in results.claims(name)), name
    psrs = results.figure_data("figure-3a").series["PSRS"]
    assert [point.x for point in psrs] == WEIGHTS
    assert len({next(iter(point.values.values())) for point in psrs}) == 3


@pytest.fixture(scope="module")
def script() -> ModuleType:
    for package in ("matplotlib", "PIL", "pandas"):
        pytest.importorskip(package)
    return docs_script("synchpack_tables")


def test_every_mark_of_the_page_names_a_figure_and_holds_a_table(script: ModuleType) -> None:
    marked = docs_script("marked_tables")
    marks = list(marked.MARKED.finditer(PAGE))
    assert len(marks) == PAGE.count(": begin -->") > 20
    for mark in marks:
        assert mark["experiments"] in NAMES
        assert mark["what"] in {*script.TABLES, *marked.OF_EXPERIMENTS}
        assert not mark["part"] or mark["part"] in described(mark["experiments"]).figures
        assert mark[0].count("\n|") > 2, mark["begin"]


def test_the_drawings_of_the_page_are_figures_and_small() -> None:
    drawings = docs_script("embedded_drawings")
    names = [name for experiment in NAMES for name in drawings.embedded(PAGE, experiment)]
    assert len(names) == PAGE.count("](images/") == 4
    for figure in names:
        assert figure in described().figures
        assert 0 < (DOCS / "images" / f"synchpack-evaluation-{figure}.png").stat().st_size < 60_000


def test_growth_has_a_row_for_each_rival_and_length_of_epochs(script: ModuleType, results: Results) -> None:
    rows = script.growth(results).splitlines()[2:]
    assert len(rows) == 2 * sum(bool(figure.baseline) for figure in described().figures.values()) == 24
    assert all("grows with traffic" in row for row in rows)
