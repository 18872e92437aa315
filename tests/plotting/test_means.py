"""Lines of means: what is drawn is what was given, with one tick for each value that occurs."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.markers import MarkerStyle

from schedcore import InvalidInstanceError, plotting
from schedcore.plotting.means import plain_number
from schedcore.plotting.outside import short_number

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
        (4049.4, "4049"),
        (64_789.75, "64,790"),
        (512.25, "512.25"),
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


def numbers_at_the_edges(ax: Any) -> dict[str, tuple[float, float]]:
    return {text.get_text(): text.xy for text in ax.texts}


def test_a_mean_beyond_the_range_is_told_at_the_edge_where_it_leaves(ax: Any) -> None:
    series = {
        "bb": without_bands([5, 10], [-212.4, 10.0]),
        "ff": without_bands([5, 10, 20], [60.0, 1234.4, NAN]),
        "cons": without_bands([5, 10], [-60.4, -60.0]),
    }
    plotting.plot_means(series, **LABELS, y_range=(-60, 60), ax=ax)
    assert numbers_at_the_edges(ax) == {
        "\N{MINUS SIGN}212": (5, -60),
        "\N{MINUS SIGN}60": (5, -60),
        "1,234": (10, 60),
    }
    lines = {line.get_label(): line.get_color() for line in ax.lines}
    assert [text.get_color() for text in ax.texts] == [lines["bb"], lines["cons"], lines["ff"]]


def test_the_lower_bound_beyond_the_range_is_told_too(ax: Any) -> None:
    bound = without_bands([5], [80.0])
    plotting.plot_means(
        {"bb": without_bands([5], [5.0])}, **LABELS, lower_bound=bound, y_range=(0, 10), ax=ax
    )
    assert numbers_at_the_edges(ax) == {"80": (5, 10)}


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_at_one_place_are_apart_from_each_other_and_inside(ax: Any, sign: int) -> None:
    series = {f"policy {i}": without_bands([5, 10], [sign * 100.0 * i, 0.0]) for i in range(1, 6)}
    plotting.plot_means(series, **LABELS, y_range=(-60, 60), ax=ax)
    ax.figure.draw_without_rendering()
    boxes = sorted((text.get_window_extent() for text in ax.texts), key=lambda box: box.y0)
    assert len(boxes) == 5
    assert all(lower.y1 <= upper.y0 for lower, upper in itertools.pairwise(boxes))
    inside = ax.get_window_extent()
    assert inside.y0 <= boxes[0].y0 <= boxes[-1].y1 <= inside.y1
    farthest = min(ax.texts, key=lambda text: -sign * text.get_window_extent().y0)
    assert farthest.get_text().lstrip("\N{MINUS SIGN}") == "500"


@pytest.mark.parametrize("y_range", [None, (-60, 60)])
def test_nothing_is_told_at_the_edge_of_a_drawing_that_shows_all(ax: Any, y_range: Any) -> None:
    plotting.plot_means({"bb": without_bands([5, 10], [-50.0, 60.0])}, **LABELS, y_range=y_range, ax=ax)
    assert not ax.texts


def dots(ax: Any, marker: str) -> set[tuple[float, float]]:
    """Places of the small dots or triangles, which are told by their paths."""
    shape = MarkerStyle(marker)
    path = shape.get_path().transformed(shape.get_transform())
    return {
        tuple(map(float, place))
        for group in ax.collections
        if group.get_alpha() is not None and np.array_equal(group.get_paths()[0].vertices, path.vertices)
        for place in group.get_offsets()
    }


def with_single(x: list[float], single: list[list[float]]) -> plotting.MeanSeries:
    mean = np.nanmean(single, axis=1)
    return plotting.MeanSeries(x, mean, mean - 1000.0, mean + 1000.0, single)


def test_single_values_are_dots_in_place_of_a_band(ax: Any) -> None:
    means = with_single([10, 5], [[1.0, 2.0, 6.0], [4.0, -8.0, NAN]])
    plotting.plot_means({"bb": means}, **LABELS, ax=ax)
    assert dots(ax, "o") == {(10, 1), (10, 2), (10, 6), (5, 4), (5, -8)}
    bottom, top = ax.get_ylim()
    assert -20 < bottom <= -8
    assert 6 <= top < 20
    assert ax.lines[0].get_xdata().tolist() == [5, 10]


def test_a_single_value_beyond_the_range_is_a_triangle_unless_its_mean_is_there(ax: Any) -> None:
    means = with_single([5, 10, 20], [[5.0, 65.0], [-90.0, 0.0], [-100.0, -110.0]])
    plotting.plot_means({"bb": means}, **LABELS, y_range=(-60, 60), ax=ax)
    assert dots(ax, "o") == {(5, 5), (10, 0)}
    assert dots(ax, "^") == {(5, 60)}
    assert dots(ax, "v") == {(10, -60)}
    assert numbers_at_the_edges(ax) == {"\N{MINUS SIGN}105": (20, -60)}


def test_the_legend_tells_what_the_line_at_zero_stands_for(ax: Any) -> None:
    plotting.plot_means({"bb": without_bands([5, 10], [20.0, 10.0])}, **LABELS, zero="easy", ax=ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["bb", "easy"]
    assert list(ax.lines[-1].get_ydata()) == [0.0, 0.0]


@pytest.mark.parametrize("single", [[[1.0, 2.0]], [1.0, 2.0], [[[1.0]], [[2.0]]]])
def test_single_values_need_a_row_for_each_x(single: Any) -> None:
    with pytest.raises(InvalidInstanceError, match="single has shape"):
        plotting.MeanSeries([1, 2], [1, 2], [1, 2], [1, 2], single)


@pytest.mark.parametrize(
    ("value", "text"),
    [(62.04, "62"), (-1234.5, "\N{MINUS SIGN}1,234"), (2.51, "2.5"), (-0.25, "\N{MINUS SIGN}0.25")],
)
def test_numbers_at_the_edge_are_short(value: float, text: str) -> None:
    assert short_number(value) == text
