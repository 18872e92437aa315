"""Figures of gains over a baseline: paired by instance, a panel for each value, drawn and tabled as they are."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.described import run_here
from schedcore import InvalidInstanceError
from schedcore.experiments import Claim, Experiment, Figure, Results, Sweep, Workload, open_results
from schedcore.experiments.document import from_document, to_document
from schedcore.experiments.tables import long_rows

pytest.importorskip("pyarrow")
pytest.importorskip("matplotlib").use("Agg")

LOADS, RESOURCES = [2, 6], [2, 3, 4]
FIGURE = Figure("load", x="average_queue", y="avg_response", baseline="easy", panels="n_resources")


def described(figures: dict[str, Figure]) -> Experiment:
    return Experiment(
        name="gains",
        workloads={
            "feitelson": Workload("feitelson_k", {"n_jobs": 200}),
            "lublin": Workload("lublin_k", {"n_jobs": 200}),
        },
        policies={"easy": "easy", "bb!": "easy:selection=bb!", "ff": "first_fit", "fcfs": "fcfs"},
        sweeps={
            "load": Sweep(
                ["feitelson"], ["bb!", "easy", "ff"], {"average_queue": LOADS, "n_resources": RESOURCES}
            ),
            "models": Sweep(["feitelson", "lublin"], ["easy", "fcfs", "ff"], {"average_queue": LOADS}),
        },
        figures=figures,
        job_sets=(1, 2, 3),
    )  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    figures = {
        "gain": dataclasses.replace(
            FIGURE, claims=[Claim("a gain", "value", ("ff",), (6,), (-100, 100), panel=3)]
        ),
        "models": Figure(
            "models", x="average_queue", y="avg_response", baseline="easy", panels="workload", y_range=(-50, 50)
        ),
        "plain": Figure("load", x="average_queue", y="avg_response", panels="n_resources", unit="hours"),
    }  # fmt: skip
    return run_here(described(figures), tmp_path_factory.mktemp("gains") / "results")


def value(results: Results, policy: str, load: int, n_resources: int, job_set: int) -> float:
    pytest.importorskip("pandas")
    frame = results.sweep("load")
    place = (frame["average_queue"] == load) & (frame["n_resources"] == n_resources)
    row = frame[place & (frame["policy"] == policy) & (frame["job_set"] == job_set)]
    return float(row["avg_response"].item())


def test_a_gain_compares_two_policies_on_one_instance(results: Results) -> None:
    data = results.figure_data("gain")
    assert list(data.series) == ["bb!", "ff"]
    assert data.panels == RESOURCES
    for policy in data.series:
        for load in LOADS:
            for n_resources in RESOURCES:
                point = data.point(policy, load, n_resources)
                assert sorted(point.values) == [1, 2, 3]
                for job_set, gain in point.values.items():
                    at = (load, n_resources, job_set)
                    base, own = value(results, "easy", *at), value(results, policy, *at)
                    assert gain == pytest.approx(100 * (base - own) / base)


def test_panels_are_drawn_side_by_side_on_one_axis_with_one_legend(results: Results) -> None:
    ax = results.plot("gain")
    panels = ax.child_axes
    assert len(panels) == len(RESOURCES)
    assert [panel.get_title(loc="right") for panel in panels] == [f"n_resources = {k}" for k in RESOURCES]
    assert len({panel.get_ylim() for panel in panels}) == 1
    assert [panel.get_ylabel() for panel in panels] == ["gain over easy in avg response (%)", "", ""]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["bb!", "ff"]
    assert all(panel.get_legend() is None for panel in panels)
    data = results.figure_data("gain")
    for panel, n_resources in zip(panels, RESOURCES, strict=True):
        for line, policy in zip(panel.lines, data.series, strict=False):
            np.testing.assert_array_equal(line.get_xdata(), LOADS)
            means = [data.point(policy, load, n_resources).estimate.mean for load in LOADS]
            np.testing.assert_allclose(line.get_ydata(), means)


def test_workloads_can_be_panels_and_the_axis_be_cut(results: Results) -> None:
    ax = results.plot("models")
    assert [p.get_title(loc="right") for p in ax.child_axes] == ["workload = feitelson", "workload = lublin"]
    assert {panel.get_ylim() for panel in ax.child_axes} == {(-50, 50)}
    assert list(results.figure_data("models").series) == ["fcfs", "ff"]


def test_tables_name_the_panel_and_hold_one_decimal(results: Results) -> None:
    table = results.table("gain")
    assert table.header[1:3] == ["n_resources = 2, average_queue = 2", "n_resources = 2, average_queue = 6"]
    assert len(table.header) == 1 + len(RESOURCES) * len(LOADS)
    assert all(len(cell.split(" ")[0].split(".")[1]) == 1 for row in table.rows for cell in row[1:])
    rows = long_rows(results.figure_data("gain"))
    assert [(row["panel"], row["x"]) for row in rows[:3]] == [(2, 2), (2, 6), (3, 2)]
    assert {(row["baseline"], row["unit"]) for row in rows} == {("easy", "%")}
    assert {row["unit"] for row in long_rows(results.figure_data("plain"))} == {"hours"}


def test_a_claim_is_measured_in_its_panel(results: Results) -> None:
    (outcome,) = results.claims("gain")
    assert outcome.measured == results.figure_data("gain").point("ff", 6, 3).estimate


def test_a_gain_without_its_baseline_is_missing(tmp_path: Path) -> None:
    whole = described({"gain": FIGURE})
    without = dataclasses.replace(
        whole,
        sweeps={"load": dataclasses.replace(whole.sweeps["load"], policies=["bb!", "ff"])},
        figures={},
    )
    run_here(without, tmp_path / "results")
    grown = dataclasses.replace(whole, sweeps={"load": whole.sweeps["load"]})
    results = open_results(tmp_path / "results", grown)
    assert results.figures() == []
    with pytest.raises(InvalidInstanceError, match="no cell has finished"):
        results.figure_data("gain")


def test_the_report_shows_the_panels(results: Results, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    page = results.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "n_resources = 3, average_queue = 6" in page


def test_gains_and_panels_are_the_same_as_a_document(results: Results) -> None:
    document = to_document(results.experiment)
    assert document["figures"]["gain"]["baseline"] == "easy"
    assert document["figures"]["gain"]["claims"][0]["panel"] == 3
    assert from_document(document) == from_document(to_document(from_document(document)))
    assert from_document(document).figures["models"].y_range == (-50, 50)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"baseline": "esay"}, "unknown policy 'esay'; did you mean 'easy'"),
        ({"baseline": 3}, "baseline = 3 must be a text"),
        ({"policies": ["easy", "ff"]}, "'easy' is the baseline and among the policies"),
        ({"unit": "hours"}, "neither unit nor lower_bound"),
        ({"lower_bound": True}, "neither unit nor lower_bound"),
        ({"panels": "n_resorces"}, "did you mean 'n_resources'"),
        ({"panels": "average_queue"}, "panels and x are both 'average_queue'"),
        ({"panels": None}, "n_resources has the values 2, 3, 4; say which one under where"),
        ({"published_x": [2], "published": {"ff": [1.0]}}, "published values belong to a figure without panels"),
        ({"y_range": (1,)}, "y_range = [1] must be two numbers"),
        ({"y_range": (3, 2)}, "y_range = [3, 2] is empty"),
        ({"y_range": 3}, "y_range = 3 must be a list"),
        (
            {"kind": "bars", "x": None, "panels": None, "where": {"n_resources": 2, "average_queue": 2}},
            "baseline belongs to figures of kind 'lines'",
        ),
        ({"claims": [Claim("c", "value", ("ff",), (6,))]}, "panel = None is not among [2, 3, 4]"),
        ({"claims": [Claim("c", "value", ("ff",), (6,), panel=5)]}, "panel = 5 is not among [2, 3, 4]"),
        (
            {"claims": [Claim("c", "ratio", ("ff", "bb!"), (6, 6), panel=2)]},
            "a figure with a baseline has values, no ratio",
        ),
        (
            {"panels": None, "where": {"n_resources": 2}, "claims": [Claim("c", "value", ("ff",), (6,), panel=2)]},
            "panel = 2 belongs to a figure with panels",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_a_figure_of_gains_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInstanceError) as refusal:
        described({"gain": dataclasses.replace(FIGURE, **changes)})
    assert words in str(refusal.value)
