"""Lines of means: what is drawn is what was given, with one tick for each value that occurs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from schedcore import InvalidInstanceError, plotting
from schedcore.plotting.means import plain_number

NAN = float("nan")
LABELS = {"x_label": "number of jobs", "y_label": "days"}


def without_bands(x: list[float], mean: list[float]) -> plotting.MeanSeries:
    return plotting.MeanSeries(x, mean, [NAN] * len(x), [NAN] * len(x))


def test_lines_and_bands_have_the_given_numbers_in_order_of_x(ax: Any) -> None:
    means = plotting.MeanSeries([16_000, 8000, 32_000], [8.0, 7.0, 12.0], [7.5, 6.0, NAN], [8.5, 8.0, NAN])
    assert plotting.plot_means({"pq": means}, **LABELS, ax=ax) is ax
    (line,) = ax.lines
    np.testing.assert_array_equal(line.get_data(), [[8000, 16_000, 32_000], [7.0, 8.0, 12.0]])
    (band,) = ax.collections
    corners = np.concatenate([path.vertices for path in band.get_paths()])
    assert {tuple(corner) for corner in corners} == {(8000, 6.0), (8000, 8.0), (16_000, 7.5), (16_000, 8.5)}
    assert ax.get_xlabel() == "number of jobs"
    assert ax.get_ylabel() == "days"


def test_a_single_replicate_has_no_band(ax: Any) -> None:
    plotting.plot_means({"pq": without_bands([5, 10], [2.0, 1.0])}, **LABELS, ax=ax)
    assert not any(path.vertices.size for band in ax.collections for path in band.get_paths())


def test_the_vertical_axis_holds_zero_and_every_band(ax: Any) -> None:
    means = plotting.MeanSeries([5, 10], [2.0, 1.0], [1.0, NAN], [30.0, NAN])
    plotting.plot_means({"pq": means}, **LABELS, ax=ax)
    bottom, top = ax.get_ylim()
    assert bottom == 0
    assert top >= 30.0


def test_there_is_one_labelled_tick_for_each_x_of_any_series(ax: Any) -> None:
    series = {"pq": without_bands([8000, 16_000], [1, 2]), "mris": without_bands([32_000, 8000], [1, 2])}
    plotting.plot_means(series, **LABELS, ax=ax)
    assert ax.get_xscale() == "log"
    ax.figure.draw_without_rendering()
    assert ax.get_xticks().tolist() == [8000, 16_000, 32_000]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["8000", "16,000", "32,000"]
    assert len(ax.get_xticks(minor=True)) == 0


@pytest.mark.parametrize(("x", "log_x"), [([0, 4], True), ([-1, 4], True), ([4, 8], False)])
def test_the_axis_is_linear_where_asked_or_where_a_logarithm_is_missing(
    ax: Any, x: list[float], log_x: bool
) -> None:
    plotting.plot_means({"pq": without_bands(x, [1, 2])}, **LABELS, log_x=log_x, ax=ax)
    assert ax.get_xscale() == "linear"
    assert ax.get_xticks().tolist() == x


def test_the_lower_bound_is_a_dashed_line_without_markers(ax: Any) -> None:
    bound = without_bands([4, 8], [1.0, 1.5])
    plotting.plot_means({"pq": without_bands([4, 8], [2.0, 3.0])}, **LABELS, lower_bound=bound, ax=ax)
    line = ax.lines[-1]
    assert line.get_label() == "lower bound"
    assert line.get_linestyle() == "--"
    assert line.get_marker() == ""
    np.testing.assert_array_equal(line.get_ydata(), [1.0, 1.5])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["pq", "lower bound"]


def test_twelve_series_have_twelve_hollow_markers(ax: Any) -> None:
    plotting.plot_means(
        {f"policy {i}": without_bands([1, 2], [i, i + 1]) for i in range(12)}, **LABELS, ax=ax
    )
    assert len({line.get_marker() for line in ax.lines}) == 12
    assert {line.get_markerfacecolor() for line in ax.lines} == {"white"}


@pytest.mark.parametrize(
    ("names", "width"), [(["a policy with a name of some length"] * 5, 4.0), (["pq", "mris"] * 6, 9.0)]
)
def test_the_legend_is_not_much_wider_than_the_axes(names: list[str], width: float) -> None:
    ax = Figure(figsize=(width, 4.0), layout="constrained").subplots()
    series = {f"{name} {i}": without_bands([1, 2], [1, 2]) for i, name in enumerate(names)}
    plotting.plot_means(series, **LABELS, ax=ax)
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().width <= 1.15 * ax.get_window_extent().width


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([1, 2], [1], [1, 2], [1, 2]), "mean has shape"),
        (([1, 2], [1, 2], [1, 2], 3.0), "high has shape"),
        (([[1]], [[1]], [[1]], [[1]]), "x has shape"),
        (([NAN], [1], [1], [1]), "finite"),
    ],
)
def test_columns_that_do_not_match_are_refused(columns: Any, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        plotting.MeanSeries(*columns)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5"),
        (0.5, "0.5"),
        (8000, "8000"),
        (16_000, "16,000"),
        (4_096_000, "4,096,000"),
        (-20_000, "-20,000"),
    ],
)
def test_numbers_are_written_plainly(value: float, text: str) -> None:
    assert plain_number(value) == text


@given(st.lists(st.integers(1, 10**7), min_size=1, max_size=8, unique=True))
def test_every_tick_reads_as_the_value_it_stands_for(x: list[int]) -> None:
    ax = Figure().subplots()
    plotting.plot_means({"pq": without_bands([float(v) for v in x], [1.0] * len(x))}, **LABELS, ax=ax)
    labels = [ax.xaxis.get_major_formatter()(tick, None) for tick in ax.get_xticks()]
    assert [int(label.replace(",", "")) for label in labels] == sorted(x)


def test_means_below_zero_are_shown_with_a_line_at_zero(ax: Any) -> None:
    means = plotting.MeanSeries([5, 10], [-20.0, 10.0], [-30.0, 5.0], [-10.0, 15.0])
    plotting.plot_means({"bb": means}, **LABELS, ax=ax)
    bottom, top = ax.get_ylim()
    assert bottom <= -30.0
    assert top >= 15.0
    assert [0.0, 0.0] in [list(line.get_ydata()) for line in ax.lines]


def test_a_range_given_is_the_vertical_axis(ax: Any) -> None:
    plotting.plot_means({"bb": without_bands([5, 10], [-200.0, 10.0])}, **LABELS, y_range=(-60, 60), ax=ax)
    assert ax.get_ylim() == (-60, 60)
