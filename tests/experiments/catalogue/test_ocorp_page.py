"""The page on the evaluation of OCORP shows tables and drawings that its script makes of results."""

import dataclasses
import re
from pathlib import Path
from types import ModuleType

import pytest

from docs_script import docs_script
from experiments.described import run_here
from schedcore import experiments
from schedcore.experiments import Results

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "ocorp-evaluation.md").read_text(encoding="utf-8")
LARGEST_DRAWING = 60_000


@pytest.fixture(scope="module")
def script() -> ModuleType:
    for package in ("matplotlib", "PIL", "pandas"):
        pytest.importorskip(package)
    return docs_script("ocorp_tables")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The cores of the stand-in, with few jobs and two job sets."""
    whole = experiments.load("ocorp-evaluation")
    workloads = {
        name: dataclasses.replace(workload, arguments={**workload.arguments, "n_jobs": 30, "window": 60})
        for name, workload in whole.workloads.items()
    }
    sweeps = {name: dataclasses.replace(sweep, job_sets=(1, 2)) for name, sweep in whole.sweeps.items()}
    experiment = dataclasses.replace(whole, workloads=workloads, sweeps=sweeps)
    return run_here(
        experiment, tmp_path_factory.mktemp("small") / "results", figures=["figure-2-overall", "figure-2"]
    )


def test_every_mark_names_what_there_is_and_holds_a_table(script: ModuleType) -> None:
    marked = docs_script("marked_tables")
    marks = list(marked.MARKED.finditer(PAGE))
    assert len(marks) == PAGE.count(": begin -->") > 20
    for mark in marks:
        figures = experiments.load(mark["experiments"]).figures
        assert mark["what"] in {*script.TABLES, *marked.OF_EXPERIMENTS}
        if mark["what"] in ("paper", "verdicts"):
            assert set(script.GROUPS[mark["part"]]) <= figures.keys()
        elif mark["part"]:
            assert mark["part"] in figures
        assert mark[0].count("\n|") > 2, mark["begin"]


def test_the_drawings_of_the_page_are_figures_of_its_experiments_and_small() -> None:
    drawings = docs_script("embedded_drawings")
    names = ("ocorp-evaluation", "ocorp-google")
    embedded = {name: list(drawings.embedded(PAGE, name)) for name in names}
    assert all(
        embedded[name] and set(embedded[name]) <= experiments.load(name).figures.keys() for name in names
    )
    shown = set(re.findall(r"\]\(images/([\w.-]+)\)", PAGE))
    assert shown == {f"{name}-{figure}.png" for name, figures in embedded.items() for figure in figures}
    assert all((DOCS / "images" / file).stat().st_size < LARGEST_DRAWING for file in shown)


def test_claims_of_a_group_stand_beside_each_other_by_place(
    script: ModuleType, small: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "GROUPS", {"cores": ("figure-2-overall", "figure-2")})
    header, _, *rows = (
        line.strip("| ").split(" | ") for line in script.paper_table(small, "cores").split("\n")
    )
    places = [f"{service}, load {load}" for load in (0.9, 0.95) for service in script.SERVICES]
    assert header == ["the paper", "expected", *places]
    assert [row[0] for row in rows][:3] == [f"OCORP is 34 % below {b}" for b in ("SVF", "SRVF", "SRPT")]
    outcomes = {o.claim.text: o for name in ("figure-2-overall", "figure-2") for o in small.claims(name)}
    measured = outcomes["paper: OCORP is 34 % below SVF; repacked, load 0.95"]
    assert measured.measured is not None
    assert rows[0][1] == "34"
    assert rows[0][-1] == f"{script.written(measured.measured)}, {measured.verdict}"
    # What is said whatever the baselines do stands in each of their columns.
    (throughout,) = (row for row in rows if "fractional curve" in row[0])
    assert throughout[2] == throughout[3] == throughout[4]
    counts = [line.strip("| ").split(" | ") for line in script.verdict_table(small, "cores").split("\n")][2:]
    assert [row[0] for row in counts] == places
    assert all(sum(map(int, row[1:])) == 3 + 2 for row in counts)
