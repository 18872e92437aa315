"""The evaluation of the colocation study is whole: its 12,930 instances, its policies, and the reference means."""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from docs_script import docs_script
from experiments.described import WHOLE_EVALUATIONS
from schedcore.experiments import Experiment, Results, load, n_cells, resume, run
from schedcore.experiments.results.figure_data import figure_data
from schedcore.experiments.running.cells import cells_of_sweep, unique_cells
from schedcore.workloads import COLOCATION_CLASSES, GridCell, grid_cells

NAMES = ("colocation-grid", "colocation-requests")
REPETITIONS = range(30)
#: Instances of each panel of figure 1 as the study counts them; with two types alone for g2 where types are apart.
PANELS = {
    "figure-1a": ("compatible", 2520), "figure-1b": ("mixed", 1680), "figure-1c": ("incompatible", 1890),
    "figure-1d": ("clashing", 1890), "figure-1e": ("compatible", 1350), "figure-1f": ("mixed", 900),
    "figure-1g": ("incompatible", 1350), "figure-1h": ("clashing", 1350),
}  # fmt: skip
OF_CLASS = {
    "compatible": {"fill", "jux", "mix", "best"},
    "mixed": {"mix", "fill", "g2", "fill-r", "fill-r, by type", "d-jux", "d-mix", "d-best"},
    "incompatible": {"mix", "fill", "g2", "fill-r", "ded"},
    "clashing": {"mix", "fill", "g2", "fill-r", "ded"},
}


@cache
def described(name: str) -> Experiment:
    return load(name)


def kind_of(arguments: Mapping[str, Any]) -> GridCell:
    cls = COLOCATION_CLASSES[arguments["cls"]]
    return GridCell(cls, arguments["n_types"], arguments["n_tasks"], arguments["n_machines"])


def shown(figure: str, name: str = "colocation-grid") -> Iterator[tuple[str, GridCell, int]]:
    """Policy, kind and repetition of every cell behind a figure."""
    for policy, points in figure_data(described(name), figure, {}).series.items():
        for point in points:
            for cell in point.cells:
                yield policy, kind_of(cell.arguments), cell.arguments["seed"]


@pytest.mark.parametrize("name", NAMES)
def test_the_instances_are_those_of_the_study(name: str) -> None:
    cells = unique_cells(described(name)).values()
    drawn = {(kind_of(cell.arguments), cell.arguments["seed"]) for cell in cells}
    assert drawn == {(kind, repetition) for kind in grid_cells() for repetition in REPETITIONS}
    assert len(drawn) == 12_930
    assert n_cells(described(name)) == 82_710


@pytest.mark.parametrize("name", NAMES)
def test_every_policy_runs_on_the_classes_of_the_study(name: str) -> None:
    experiment = described(name)
    on = Counter(
        (member.policy, kind_of(member.cell.arguments))
        for sweep in experiment.sweeps.values()
        for member in cells_of_sweep(experiment, sweep)
    )
    for kind in grid_cells():
        expected = set(OF_CLASS[kind.cls]) | {"colocate"}
        expected |= {"g2 search"} if "g2" in expected else set()
        if kind.cls in ("incompatible", "clashing") and kind.n_types > 2:
            expected -= {"g2", "g2 search"}
        assert {policy for policy, other in on if other == kind} == expected
    assert set(on.values()) == {len(REPETITIONS)}


@pytest.mark.parametrize("figure", PANELS)
def test_a_panel_has_the_instances_and_policies_that_the_study_counts(figure: str) -> None:
    cls, n_instances = PANELS[figure]
    found = list(shown(figure))
    assert {policy for policy, _, _ in found} == OF_CLASS[cls]
    assert {kind.cls for _, kind, _ in found} == {cls}
    assert len({kind for _, kind, _ in found}) * len(REPETITIONS) == n_instances
    of_policies = Counter(policy for policy, _, _ in found)
    g2 = of_policies.pop("g2", 0)
    assert set(of_policies.values()) == {n_instances}
    assert g2 in (0, n_instances, 28 * 30, 15 * 30)


def test_a_second_population_leaves_out_as_many_types_as_machines() -> None:
    for letter in "abcd":
        everywhere = set(shown(f"figure-1{letter}"))
        expected = {entry for entry in everywhere if entry[1].n_machines > entry[1].n_types}
        assert set(shown(f"figure-1{letter}-more-machines")) == expected
        assert expected < everywhere


def test_reference_means_are_of_the_first_repetitions() -> None:
    for cls in COLOCATION_CLASSES:
        for size, repetitions in (("small", 10), ("large", 4)):
            found = list(shown(f"reference-{size}-{cls}"))
            assert {repetition for _, _, repetition in found} == set(range(repetitions))
            kinds = {kind for kind in grid_cells() if kind.cls == cls and kind.is_small == (size == "small")}
            assert {kind for _, kind, _ in found} == kinds


def test_every_printed_mean_is_a_claim_to_its_last_digit() -> None:
    figures = described("colocation-grid").figures
    claims = [
        claim for name, figure in figures.items() if name.startswith("reference") for claim in figure.claims
    ]
    printed = [claim for claim in claims if "about" not in claim.text]
    assert len(printed) == 3 * 21 + 4
    for claim in printed:
        mean = float(claim.text.rpartition(": ")[2])
        assert claim.between == pytest.approx((mean - 0.0005, mean + 0.0005), abs=1e-9)
    assert len(claims) - len(printed) == 6


def test_both_experiments_differ_in_their_tasks_alone() -> None:
    grid, requests = (described(name) for name in NAMES)
    assert {
        name: figure for name, figure in grid.figures.items() if not name.startswith("reference")
    } == dict(requests.figures)
    assert grid.sweeps == requests.sweeps
    assert grid.policies == requests.policies
    assert tuple(requests.inputs) == ("tasks",)
    assert not grid.inputs


REFERENCES = tuple(name for name in described("colocation-grid").figures if name.startswith("reference"))
#: Behind those of the small instances are four times as many cells.
RUN_HERE = REFERENCES if WHOLE_EVALUATIONS else tuple(name for name in REFERENCES if "large" in name)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the cells behind the reference means are kept: those of two types are among all."""
    return tmp_path_factory.mktemp("kept") / "results"


def results_behind(figures: tuple[str, ...], kept: Path) -> Results:
    """What is behind some of the reference means, once whatever of it is not kept yet has run."""
    if kept.exists():
        return resume(kept, figures=figures)
    whole = described("colocation-grid")
    references = dataclasses.replace(whole, figures={name: whole.figures[name] for name in REFERENCES})
    return run(references, kept, figures=figures)


def test_two_types_have_the_reference_means(kept: Path) -> None:
    figures = ("reference-large-two-types", "reference-small-two-types")
    results = results_behind(figures, kept)
    assert not results.failures
    for figure in figures:
        for outcome in results.claims(figure):
            assert outcome.verdict == "agrees", (figure, outcome)


@pytest.mark.slow
def test_reference_means_come_out_to_the_printed_digits(kept: Path) -> None:
    results = results_behind(RUN_HERE, kept)
    assert not results.failures
    for figure in RUN_HERE:
        for outcome in results.claims(figure):
            assert outcome.verdict == "agrees" or "about" in outcome.claim.text, (figure, outcome)


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    return docs_script("colocation_tables")


def test_the_tables_of_the_page_are_made_of_results(writer: ModuleType, tmp_path: Path) -> None:
    """On instances with ten or two hundred tasks, where everything takes seconds."""
    whole = described("colocation-grid")
    sweeps = {
        name: dataclasses.replace(
            sweep,
            policies=[policy for policy in sweep.policies if policy != "colocate"],
            parameters={**sweep.parameters, "n_tasks": sweep.parameters["n_tasks"][:1]},
        )
        for name, sweep in whole.sweeps.items()
    }
    figures = {
        name: dataclasses.replace(
            figure,
            policies=[policy for policy in figure.policies or () if policy != "colocate"],
            job_sets=None,
            claims=[claim for claim in figure.claims if "colocate" not in claim.policies],
        )
        for name, figure in whole.figures.items()
    }
    few = dataclasses.replace(whole, sweeps=sweeps, figures=figures, job_sets=(0, 1))
    results = run(few, tmp_path / "results")
    assert not results.failures
    kinds = ("verdicts", "means-small", "means-large", "reference", "tests", "beyond")
    page = "".join(f"<!-- colocation-grid {kind}: begin -->\n<!-- end -->\n\n" for kind in kinds)
    page += "<!-- colocation-requests means-small: begin -->\nas it was\n<!-- end -->\n"
    marked = docs_script("marked_tables")
    written = marked.page_with_tables(page, {"colocation-grid": results}, writer.TABLES)
    assert "\nas it was\n" in written
    marks = {
        mark["what"]: mark[0].splitlines()[1:-1]
        for mark in marked.MARKED.finditer(written)
        if mark["experiments"] == "colocation-grid"
    }
    rows = {what: len(lines) - 2 for what, lines in marks.items()}
    # The reference has g2 search in three classes, and does not have fill-r by type.
    assert rows["means-large"] == rows["reference"] - 2 == 22
    assert rows["beyond"] == 8
    assert [line.split(" | ")[0].strip("| ") for line in marks["verdicts"][2:-1]] == writer.panels(results)
    assert len(writer.panels(results)) == 12
    assert rows["tests"] == sum(
        claim.quantity == "p_value" for name in PANELS for claim in whole.figures[name].claims
    )
    assert marked.page_with_tables(written, {"colocation-grid": results}, writer.TABLES) == written
    outcome = results.figure_data("figure-1b").series["d-best"][0].estimate
    assert any(
        line.startswith("| mixed | d-best | 1.14 |") and f"{outcome.mean:.3f} ±" in line
        for line in marks["means-small"]
    )
    published = [line for line in marks["means-small"][2:] if " | - | " not in line]
    assert len(published) == 9
