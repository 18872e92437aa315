"""Boxes: quartiles, whiskers at the 5th and 95th percentile, every value beyond, and a place for each name."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from schedcore import InvalidInstanceError, plotting
from schedcore.plotting import Box

VALUES = [float(value) for value in range(101)]  # percentile p is p


def heights(ax: Any) -> list[float]:
    """The different heights at which something horizontal or a marker stands, in ascending order."""
    found = {float(y) for line in ax.lines for y in np.atleast_1d(line.get_ydata())}
    return sorted(found)


def test_a_box_has_the_percentiles_and_all_values_beyond_the_whiskers() -> None:
    given_values = VALUES[::-1]
    box = Box.of(given_values)
    assert (box.n, box.mean, box.median, box.largest) == (101, 50.0, 50.0, 100.0)
    assert box.quartiles == (25.0, 75.0)
    assert box.whiskers == (5.0, 95.0)
    np.testing.assert_array_equal(box.outside, [0, 1, 2, 3, 4, 96, 97, 98, 99, 100])
    assert given_values == VALUES[::-1]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60))
def test_the_parts_of_a_box_are_in_order(values: list[float]) -> None:
    box = Box.of(values)
    places = [min(values), box.whiskers[0], box.quartiles[0], box.median, box.quartiles[1], box.whiskers[1]]
    assert places == sorted(places)
    assert box.whiskers[1] <= box.largest == max(values)
    assert len(box.outside) <= 0.1 * len(values) + 2
    assert set(box.outside) <= set(values)


@pytest.mark.parametrize("wrong", [[], [[1.0]], 3.0, [1.0, float("nan")], [float("inf")]])
def test_what_is_no_column_of_numbers_has_no_box(wrong: Any) -> None:
    with pytest.raises(InvalidInstanceError, match="a column of finite numbers"):
        Box.of(wrong)


def test_the_diamond_is_the_mean_and_the_thick_line_the_median(ax: Any) -> None:
    plotting.plot_boxes({"pq": [1.0, 1.0, 1.0, 5.0]}, y_label="ratio", ax=ax)
    (mean,) = (line.get_ydata() for line in ax.lines if line.get_marker() == "D")
    assert list(mean) == [2.0]
    thickest = max(ax.lines, key=lambda line: line.get_linewidth())
    assert set(thickest.get_ydata()) == {1.0}


def test_a_drawing_shows_box_mean_and_values_beyond(ax: Any) -> None:
    assert plotting.plot_boxes({"pq": VALUES}, y_label="ratio", ax=ax) is ax
    assert heights(ax) == [0, 1, 2, 3, 4, 5, 25, 50, 75, 95, 96, 97, 98, 99, 100]
    (box,) = ax.patches
    corners = box.get_path().vertices
    assert (corners[:, 1].min(), corners[:, 1].max()) == (25.0, 75.0)
    assert ax.get_ylabel() == "ratio"


def test_every_name_has_its_place_also_without_values(ax: Any) -> None:
    plotting.plot_boxes({"a": [1.0], "b": [], "c": [2.0, 3.0]}, y_label="ratio", ax=ax)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a", "b", "c"]
    assert len(ax.patches) == 2
    centres = [patch.get_path().vertices[:4, 0].mean() for patch in ax.patches]
    np.testing.assert_allclose(centres, [0.0, 2.0])


def test_the_bound_is_a_dashed_line_that_no_value_is_below(ax: Any) -> None:
    plotting.plot_boxes({"a": [1.5, 2.0]}, y_label="ratio", lower_bound=1.0, ax=ax)
    bound = ax.lines[-1]
    np.testing.assert_array_equal(bound.get_ydata(), [1.0, 1.0])
    assert bound.get_linestyle() == "--"
    low, high = ax.get_ylim()
    assert low < 1.0 < 2.0 < high


def test_long_names_on_a_narrow_axis_are_turned() -> None:
    angles = []
    for width in (2.0, 12.0):
        ax = Figure(figsize=(width, 3.0)).subplots()
        plotting.plot_boxes({f"policy number {n}": [1.0, 2.0] for n in range(4)}, y_label="y", ax=ax)
        angles.append(ax.get_xticklabels()[0].get_rotation())
    assert angles == [40.0, 0.0]


def test_without_values_there_are_empty_axes(ax: Any) -> None:
    plotting.plot_boxes({}, y_label="ratio", ax=ax)
    assert not ax.patches
