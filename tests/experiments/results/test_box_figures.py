"""Figures of boxes pool all that is shown, and compare policies on the same instances; p-values are SciPy's."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.described import run_here
from schedcore.experiments import Claim, Experiment, Figure, FigureData, Sweep, Workload
from schedcore.experiments.report.tables import claims_table, figure_table, long_rows
from schedcore.experiments.results.claims import measure_claim
from schedcore.experiments.results.figure_data import figure_data
from schedcore.experiments.results.statistics import paired_p_value
from schedcore.experiments.running.cells import SweepCell, cells_of_sweep

stats = pytest.importorskip("scipy.stats")

N_JOBS, N_MACHINES = [10, 20], [2, 3, 4]


def described(**figure: Any) -> Experiment:
    return Experiment(
        "boxes",
        {"azure": Workload("azure_like")},
        {"A": "pq", "B": "mris:knapsack=greedy", "C": "tetris"},
        {
            "grid": Sweep(
                ["azure"],
                ["A", "B", "C"],
                {"n_jobs": N_JOBS, "n_machines": N_MACHINES},
                without=[{"n_jobs": 10, "n_machines": 4}],
                only_at={"C": {"n_jobs": 20}},
            )
        },
        {"f": Figure("grid", **{"kind": "boxes", "y": "ratio", **figure})},
        job_sets=(1, 2, 3, 4),
    )


def gathered(value: Callable[[SweepCell], float | None], **figure: Any) -> FigureData:
    """The data of the figure where a cell has this ratio; None has not run."""
    experiment = described(**figure)
    rows = {}
    for member in cells_of_sweep(experiment, experiment.sweeps["grid"]):
        ratio = value(member)
        if ratio is not None:
            rows[member.cell.key] = {"ratio": ratio, "objective": "awct", "lower_bound": None}
    return figure_data(experiment, "f", rows)


def drawn(member: SweepCell) -> float:
    """A number that differs from cell to cell, larger for B by a little and for C by much."""
    chance = member.cell.derived_seed % 1000 / 1000
    return 1 + chance + {"A": 0.0, "B": 0.4, "C": 3.0}[member.policy]


def measured(data: FigureData, quantity: str, *policies: str, panel: Any = None) -> Any:
    return measure_claim(Claim("c", quantity, policies, panel=panel, between=(0, 1)), data, {})


def test_a_box_pools_all_combinations_and_job_sets() -> None:
    data = gathered(drawn)
    values = {policy: point.values for policy, (point,) in data.series.items()}
    assert {policy: len(entries) for policy, entries in values.items()} == {"A": 20, "B": 20, "C": 12}
    assert set(values["A"]) == {
        (n_jobs, n_machines, job_set)
        for n_jobs in N_JOBS for n_machines in N_MACHINES for job_set in (1, 2, 3, 4)
        if (n_jobs, n_machines) != (10, 4)
    }  # fmt: skip
    assert set(values["C"]) == {replicate for replicate in values["A"] if replicate[0] == 20}  # type: ignore[index]
    assert data.missing == 0


def test_claims_compare_policies_on_the_instances_that_both_have() -> None:
    data = gathered(
        lambda member: None if member.cell.job_set == 4 and member.policy == "B" else drawn(member)
    )
    a, b, c = (data.series[policy][0].values for policy in "ABC")
    assert len(b) == 15
    assert data.missing == 5
    ratio = measured(data, "ratio", "A", "B")
    assert ratio.measured.mean == pytest.approx(np.mean([a[key] / b[key] for key in b]))
    difference = measured(data, "difference", "A", "B")
    assert difference.measured.mean == pytest.approx(np.mean([a[key] - b[key] for key in b]))
    assert difference.measured.n == 15
    test = measured(data, "p_value", "A", "B")
    assert test.measured.mean == pytest.approx(stats.ttest_rel([a[k] for k in b], [b[k] for k in b]).pvalue)
    assert test.measured.n == 15
    assert measured(data, "p_value", "C", "A").measured.mean == pytest.approx(
        stats.ttest_rel([c[key] for key in c], [a[key] for key in c]).pvalue
    )
    assert measured(data, "value", "C").measured.n == 12
    assert measured(data, "value", "C").measured.mean == pytest.approx(np.mean(list(c.values())))


def test_of_lines_the_job_sets_at_one_x_are_paired() -> None:
    data = gathered(drawn, kind="lines", x="n_machines", where={"n_jobs": 20})
    outcome = measure_claim(Claim("c", "p_value", ("A", "B"), at=(3, 3)), data, {})
    pairs = [(data.point("A", 3).values[s], data.point("B", 3).values[s]) for s in (1, 2, 3, 4)]
    assert outcome.measured is not None
    assert outcome.measured.mean == pytest.approx(stats.ttest_rel(*zip(*pairs, strict=True)).pvalue)
    assert outcome.verdict is None


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=30))
def test_p_values_are_those_of_scipy(pairs: list[tuple[int, int]]) -> None:
    differences = [float(one - other) for one, other in pairs]
    found = paired_p_value(differences)
    assert found.n == len(pairs)
    if len(set(differences)) == 1:
        assert found.mean == (1.0 if differences[0] == 0 else 0.0)
    else:
        assert found.mean == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("values", [[], [1.0]])
def test_fewer_than_two_pairs_have_no_p_value(values: Sequence[float]) -> None:
    found = paired_p_value(values)
    assert math.isnan(found.mean)
    assert found.n == 0


def test_tiny_p_values_are_written_with_an_exponent() -> None:
    data = gathered(lambda m: 1 + 1e-3 * (m.cell.derived_seed % 7) + {"A": 0.0, "B": 0.5, "C": 0.0}[m.policy])
    shown = {
        policies: claims_table([measured(data, "p_value", *policies)]).rows[0][2]
        for policies in (("A", "B"), ("A", "A"))
    }
    assert shown["A", "A"] == "1.000"
    mantissa, exponent = shown["A", "B"].split("e-")
    assert 1 <= float(mantissa) < 10
    assert int(exponent) > 10


def test_the_table_has_a_row_a_box() -> None:
    data = gathered(drawn, panels="n_jobs", panel_label="jobs", y_label="cost / bound")
    table = figure_table(data, {})
    assert table.header == [
        "policy", "instances", "mean cost / bound", "5 %", "25 %", "median", "75 %", "95 %", "largest",
    ]  # fmt: skip
    assert [row[:2] for row in table.rows] == [
        ["jobs = 10: A", "8"], ["jobs = 10: B", "8"], ["jobs = 10: C", "0"],
        ["jobs = 20: A", "12"], ["jobs = 20: B", "12"], ["jobs = 20: C", "12"],
    ]  # fmt: skip
    assert table.rows[2][2:] == ["-"] * 7
    values = list(data.of_panel(20).series["B"][0].values.values())
    expected = [*np.percentile(values, (5, 25, 50, 75, 95)), max(values)]
    assert [float(cell) for cell in table.rows[4][3:]] == pytest.approx(expected, abs=5e-4)
    assert measured(data, "value", "B", panel=20).measured.mean == pytest.approx(np.mean(values))
    rows = long_rows(data)
    assert rows[3]["p50"] == pytest.approx(np.median(values))
    assert "p50" not in rows[4]
    assert rows[4]["mean"] is None


def test_boxes_are_drawn_in_panels_on_one_axis(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    experiment = described(panels="n_machines", panel_label="m")
    ax = run_here(experiment, tmp_path / "results").plot("f")
    assert [panel.get_title(loc="right") for panel in ax.child_axes] == ["m = 2", "m = 3", "m = 4"]
    assert [len(panel.patches) for panel in ax.child_axes] == [3, 3, 3]
    assert len({panel.get_ylim() for panel in ax.child_axes}) == 1
    assert ax.get_legend() is None


def test_a_drawing_of_ratios_shows_the_bound(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    opened = run_here(described(), tmp_path / "results")
    ax = opened.plot("f")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["A", "B", "C"]
    np.testing.assert_array_equal(ax.lines[-1].get_ydata(), [1.0, 1.0])
    rows = opened.to_pandas()
    assert (rows["ratio"] >= 1).all()
    np.testing.assert_allclose(rows["ratio"], rows["gap"] + 1)
    np.testing.assert_allclose(rows["ratio"], rows["value"] / rows["lower_bound"])
    page = opened.report(tmp_path / "report.html").read_text()
    assert "Boxes that show how ratio is distributed over the instances, for A, B, C." in page
    assert "and percentiles, over the instances</caption>" in page
