"""What knowledge of processing times is worth: the experiment, and the page that shows its tables and drawings."""

import dataclasses
import json
import re
from pathlib import Path

import pytest

from docs_script import docs_script
from experiments.described import run_here
from schedcore import experiments

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "fair-sharing.md").read_text(encoding="utf-8")
LARGEST_DRAWING = 60_000
WHOLE = experiments.load("fair-sharing")
MARKS = docs_script("marked_tables")


def test_every_mark_names_a_figure_and_holds_a_table() -> None:
    known = {*docs_script("fair_tables").TABLES, *MARKS.OF_EXPERIMENTS}
    marks = list(MARKS.MARKED.finditer(PAGE))
    assert len(marks) == PAGE.count(": begin -->") > 12
    for mark in marks:
        assert mark["experiments"] == WHOLE.name
        assert mark["part"] in WHOLE.figures
        assert mark["what"] in known
        assert mark[0].count("\n|") > 2, mark["begin"]


def test_the_drawings_of_the_page_are_figures_of_the_experiment_and_small() -> None:
    figures = list(docs_script("embedded_drawings").embedded(PAGE, WHOLE.name))
    assert figures
    assert set(figures) <= WHOLE.figures.keys()
    shown = set(re.findall(r"\]\(images/([\w.-]+)\)", PAGE))
    assert shown == {f"{WHOLE.name}-{figure}.png" for figure in figures}
    assert all((DOCS / "images" / file).stat().st_size < LARGEST_DRAWING for file in shown)


def test_tables_compare_by_family_and_weights_differ_from_job_set_to_job_set(tmp_path: Path) -> None:
    for package in ("pandas", "pyarrow"):
        pytest.importorskip(package)
    workloads = {
        name: dataclasses.replace(workload, arguments={**workload.arguments, "n_jobs": 30, "window": 60})
        for name, workload in WHOLE.workloads.items()
    }
    sweeps = {name: dataclasses.replace(sweep, job_sets=(1, 2)) for name, sweep in WHOLE.sweeps.items()}
    small = dataclasses.replace(WHOLE, workloads=workloads, sweeps=sweeps)
    results = run_here(small, tmp_path / "results", figures=["mean", "weighted"])
    assert not results.failures
    header, _, *rows = (
        line.strip("| ").split(" | ")
        for line in docs_script("fair_tables").compared_table(results, "mean").split("\n")
    )
    assert header == [f"{family}, load 0.95" for family in ("thin", "mixed", "heavy")]
    assert [row[0] for row in rows] == [
        f"{policy} over SRVF (ratio)" for policy in ("PF", "LAS", "Gittins", "OCORP")
    ]
    measured = {outcome.claim.text: outcome.measured for outcome in results.claims("mean")}
    found = measured["LAS over SRVF (ratio); heavy, load 0.95"]
    assert found is not None
    assert rows[1][3] == docs_script("fair_tables").written(found)
    weighted = [row for row in results.rows if "weight_seed" in row["workload_arguments"]]
    assert {json.loads(row["workload_arguments"])["weight_seed"] for row in weighted} == {1, 2}
    assert any(row["weighted_average_flow_time"] != row["avg_flow_time"] for row in weighted)
