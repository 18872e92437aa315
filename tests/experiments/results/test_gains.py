"""Figures of gains over a baseline: paired by instance, a panel for each value, drawn and tabled as they are."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.described import run_here
from schedcore import InvalidInstanceError
from schedcore.experiments import Claim, Experiment, Figure, Results, Sweep, Workload, open_results
from schedcore.experiments.description.document import from_document, to_document
from schedcore.experiments.report.tables import long_rows
from schedcore.experiments.results.averages import averaged, by_combination
from schedcore.plotting.outside import short_number

pytest.importorskip("pyarrow")
pytest.importorskip("matplotlib")

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
        "averaged": Figure(
            "load", x="average_queue", y="avg_response", baseline="easy", average_over=["n_resources"],
            claims=[
                Claim("a mean gain", "value", ("ff",), (6,)),
                Claim("more under load", "difference", ("ff", "ff"), (6, 2)),
                Claim("ahead everywhere", "ahead", ("bb!",), (2,)),
            ],
        ),
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
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["bb!", "ff", "easy (baseline)"]
    assert all(panel.get_legend() is None for panel in panels)
    data = results.figure_data("gain")
    for panel, n_resources in zip(panels, RESOURCES, strict=True):
        for line, policy in zip(panel.lines, data.series, strict=False):
            np.testing.assert_array_equal(line.get_xdata(), LOADS)
            means = [data.point(policy, load, n_resources).estimate.mean for load in LOADS]
            np.testing.assert_allclose(line.get_ydata(), means)


def test_gains_show_each_job_set_and_no_band(results: Results) -> None:
    data = results.figure_data("gain")
    for panel, n_resources in zip(results.plot("gain").child_axes, RESOURCES, strict=True):
        dots = np.concatenate([np.ma.getdata(c.get_offsets()) for c in panel.collections])
        gains = {
            (load, gain)
            for policy in data.series
            for load in LOADS
            for gain in data.point(policy, load, n_resources).values.values()
        }
        assert {tuple(dot) for dot in dots} == gains
        bottom, top = panel.get_ylim()
        assert all(bottom <= gain <= top for _, gain in gains)
    assert not any(
        type(c).__name__ == "PathCollection" for p in results.plot("plain").child_axes for c in p.collections
    )


def test_panels_can_be_called_something_else(results: Results) -> None:
    for label, headings, column in (
        ("K", ["K = 2", "K = 3", "K = 4"], "K"),
        ("", ["2", "3", "4"], "n_resources"),
    ):
        figures = {"gain": dataclasses.replace(FIGURE, panel_label=label)}
        relabelled = open_results(results.path, described(figures))
        panels = relabelled.plot("gain").child_axes
        assert [panel.get_title(loc="right") for panel in panels] == headings
        assert relabelled.table("gain").header[0] == column
        assert from_document(to_document(relabelled.experiment)).figures["gain"].panel_label == label


def test_a_gain_beyond_the_axis_is_told_at_its_edge(results: Results) -> None:
    figures = {"gain": dataclasses.replace(FIGURE, y_range=(-0.001, 0.001))}
    narrow = open_results(results.path, described(figures))
    data = narrow.figure_data("gain")
    for panel, n_resources in zip(narrow.plot("gain").child_axes, RESOURCES, strict=True):
        beyond = [
            short_number(mean)
            for policy in data.series
            for load in LOADS
            if abs(mean := data.point(policy, load, n_resources).estimate.mean) > 0.001
        ]
        assert sorted(text.get_text() for text in panel.texts) == sorted(beyond)


def test_workloads_can_be_panels_and_the_axis_be_cut(results: Results) -> None:
    ax = results.plot("models")
    assert [p.get_title(loc="right") for p in ax.child_axes] == ["workload = feitelson", "workload = lublin"]
    assert {panel.get_ylim() for panel in ax.child_axes} == {(-50, 50)}
    assert list(results.figure_data("models").series) == ["fcfs", "ff"]


def test_tables_have_a_row_for_each_panel_and_x_and_one_decimal(results: Results) -> None:
    table = results.table("gain")
    assert table.header == ["n_resources", "average_queue", "bb!", "ff"]
    places = [(str(k), str(load)) for k in RESOURCES for load in LOADS]
    assert [tuple(row[:2]) for row in table.rows] == places
    data = results.figure_data("gain")
    for row, (n_resources, load) in zip(
        table.rows, ((k, load) for k in RESOURCES for load in LOADS), strict=True
    ):
        for cell, policy in zip(row[2:], ("bb!", "ff"), strict=True):
            estimate = data.point(policy, load, n_resources).estimate
            assert cell == f"{estimate.mean:.1f} ± {estimate.half_width:.1f}"
    rows = long_rows(results.figure_data("gain"))
    assert [(row["panel"], row["x"]) for row in rows[:3]] == [(2, 2), (2, 6), (3, 2)]
    assert {(row["baseline"], row["unit"]) for row in rows} == {("easy", "%")}
    assert {row["unit"] for row in long_rows(results.figure_data("plain"))} == {"hours"}


def test_single_job_sets_have_rows_of_their_own_below_each_place(results: Results) -> None:
    table = results.table("gain", job_sets=(2, 9))
    data = results.figure_data("gain")
    assert len(table.rows) == 3 * len(RESOURCES) * len(LOADS)
    assert [row[1] for row in table.rows[:3]] == ["2", "2, job set 2", "2, job set 9"]
    assert table.rows[1][2] == f"{data.point('bb!', 2, 2).values[2]:,.3f}"
    assert table.rows[2][2:] == ["-", "-"]


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
    for heading in ("n_resources", "average_queue", "bb!", "ff"):
        assert f">{heading}</th>" in page
    assert '<tr class="reference">' not in page  # rows of all panels are measured values


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
        ({"panel_label": 2}, "panel_label = 2 must be a text"),
        ({"panels": None, "panel_label": "K"}, "panel_label belongs to a figure with panels"),
        ({"panels": "average_queue"}, "panels and x are both 'average_queue'"),
        ({"panels": None}, "n_resources has the values 2, 3, 4; say which one under where"),
        ({"published_x": [2], "published": {"ff": [1.0]}}, "published values belong to a figure without panels"),
        ({"y_range": (1,)}, "y_range = (1,) must be two numbers"),
        ({"y_range": (3, 2)}, "y_range = (3, 2) is empty"),
        ({"y_range": (3, 3)}, "y_range = (3, 3) is empty"),
        ({"y_range": 3}, "y_range = 3 must be two numbers"),
        (
            {"kind": "bars", "x": None, "panels": None, "where": {"n_resources": 2, "average_queue": 2}},
            "a figure of kind 'bars' has no baseline (kinds with one: lines)",
        ),
        ({"claims": [Claim("c", "value", ("ff",), (6,))]}, "panel = None is not among [2, 3, 4]"),
        ({"claims": [Claim("c", "value", ("ff",), (6,), panel=5)]}, "panel = 5 is not among [2, 3, 4]"),
        (
            {"claims": [Claim("c", "ratio", ("ff", "bb!"), (6, 6), panel=2)]},
            "a figure with a baseline has gains: value, difference, ahead, no ratio",
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


def test_gains_are_averaged_over_parameters_within_each_job_set(results: Results) -> None:
    single, data = results.figure_data("gain"), results.figure_data("averaged")
    assert data.panels == [None]
    for policy, points in data.series.items():
        for point in points:
            cells = [single.point(policy, point.x, n_resources).values for n_resources in RESOURCES]
            assert point.values == pytest.approx({s: np.mean([cell[s] for cell in cells]) for s in (1, 2, 3)})
            assert point.parts == dict(zip([(k,) for k in RESOURCES], cells, strict=True))
    of_ff = {point.x: point for point in data.series["ff"]}
    mean, difference, ahead = results.claims("averaged")
    assert mean.measured == of_ff[6].estimate
    assert difference.measured is not None
    assert difference.measured.n == 3
    assert difference.measured.mean == pytest.approx(of_ff[6].estimate.mean - of_ff[2].estimate.mean)
    # the share of the three numbers of resources at which the mean gain over the job sets is above 0
    gained = [np.mean(list(single.point("bb!", 2, n_resources).values.values())) for n_resources in RESOURCES]
    assert ahead.measured is not None
    assert ahead.measured.mean == np.mean([gain > 0 for gain in gained])


def test_a_job_set_without_one_of_the_combinations_has_no_average() -> None:
    values = {("a", 1): 2.0, ("b", 1): 4.0, ("a", 2): 7.0}
    assert averaged(values, [("a", 1), ("b", 1), ("a", 2), ("b", 2)]) == {1: 3.0}
    assert averaged(values, values) == {1: 3.0, 2: 7.0}  # nothing else is wanted of job set 2
    assert by_combination(values) == {"a": {1: 2.0, 2: 7.0}, "b": {1: 4.0}}


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        ({"average_over": ["n_machines"]}, "unknown parameter 'n_machines'"),
        ({"average_over": ["average_queue"]}, "'average_queue' is averaged over, and among x and panels"),
        ({"average_over": ["n_resources"], "kind": "boxes", "x": None}, "kind 'boxes' has no average_over"),
        ({"claims": [Claim("c", "ahead", ("ff",), (6,))]}, "ahead belongs to figures with a baseline that"),
        (
            {"claims": [Claim("c", "ratio", ("ff", "bb!"), (6, 6))]},
            "gains: value, difference, ahead, no ratio",
        ),
    ],
)
def test_what_cannot_be_averaged_is_refused(figure: dict[str, Any], words: str) -> None:
    shown = {"where": {"n_resources": 2}} if "average_over" not in figure else {}
    whole = {"x": "average_queue", "y": "avg_response", "baseline": "easy", **shown, **figure}
    if whole.get("kind") == "boxes":
        del whole["baseline"]
    with pytest.raises(InvalidInstanceError, match=re.escape(words)):
        described({"f": Figure("load", **whole)})
