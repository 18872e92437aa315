"""Groups of bars: a bar a policy and group, its number and whisker, the bound, and gaps where there is no value."""

import itertools
from typing import Any

import numpy as np
import pytest

from schedcore import InvalidInstanceError, plotting

GROUPS = ["equal", "random"]


def heights(ax: Any) -> list[float]:
    return [float(bar.get_height()) for bar in ax.patches]


def test_every_policy_has_a_bar_in_every_group_of_that_height(ax: Any) -> None:
    assert plotting.plot_groups(GROUPS, {"A": [1.0, 2.0], "B": [3.0, 4.0]}, y_label="y", ax=ax) is ax
    assert heights(ax) == [1.0, 2.0, 3.0, 4.0]
    assert [text.get_text() for text in ax.get_xticklabels()] == GROUPS
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["A", "B"]  # type: ignore[union-attr]
    assert {text.get_text() for text in ax.texts} == {"1.000", "2.000", "3.000", "4.000"}
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 4.0


def test_bars_of_a_group_stand_side_by_side_around_its_tick(ax: Any) -> None:
    plotting.plot_groups(GROUPS, {"A": [1, 2], "B": [3, 4], "C": [5, 6]}, y_label="y", ax=ax)
    edges = sorted((bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches)
    assert all(right <= left for (_, right), (left, _) in itertools.pairwise(edges))
    centres = np.array([bar.get_x() + bar.get_width() / 2 for bar in ax.patches]).reshape(3, 2)
    np.testing.assert_allclose(centres.mean(axis=0), [0.0, 1.0], atol=1e-12)


def test_a_policy_without_a_value_leaves_a_gap(ax: Any) -> None:
    plotting.plot_groups(GROUPS, {"A": [1.0, np.nan], "B": [3.0, 4.0]}, y_label="y", ax=ax)
    assert heights(ax) == [1.0, 3.0, 4.0]
    assert len(ax.texts) == 3


def test_whiskers_are_drawn_where_there_is_a_half_width_and_fit_into_the_axes(ax: Any) -> None:
    plotting.plot_groups(
        GROUPS, {"A": [1.0, 2.0]}, half_width={"A": [np.nan, 10.0]}, y_label="y", ax=ax
    )  # fmt: skip
    (whiskers,) = ax.collections
    (segment,) = whiskers.get_segments()
    np.testing.assert_allclose(sorted(segment[:, 1]), [-8.0, 12.0])
    assert ax.get_ylim()[1] > 12.0


def test_the_bound_is_a_dashed_line_across_each_group_that_has_one(ax: Any) -> None:
    plotting.plot_groups(GROUPS, {"A": [1.0, 2.0]}, lower_bound=[0.5, np.nan], y_label="y", ax=ax)
    (line,) = ax.lines
    np.testing.assert_array_equal(line.get_ydata(), [0.5, 0.5])
    assert line.get_linestyle() == "--"
    assert line.get_label() == "lower bound"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [({"means": {"A": [1.0]}}, "A"), ({"means": {}, "lower_bound": [1.0]}, "lower_bound")],
)
def test_a_number_for_each_group_is_needed(ax: Any, arguments: dict[str, Any], name: str) -> None:
    with pytest.raises(InvalidInstanceError, match=f"{name} has shape \\(1,\\); need a number for each of 2"):
        plotting.plot_groups(GROUPS, **arguments, y_label="y", ax=ax)


def test_without_policies_there_are_empty_axes(ax: Any) -> None:
    plotting.plot_groups([], {}, y_label="y", ax=ax)
    assert not ax.patches
    ax.figure.draw_without_rendering()


def test_a_policy_keeps_its_look_in_a_panel_that_leaves_others_out(ax: Any) -> None:
    plotting.plot_groups(GROUPS, {"A": [1.0, 2.0], "B": [3.0, 4.0]}, y_label="y", ax=ax)
    second = ax.patches[2].get_facecolor()
    ax.clear()
    plotting.plot_groups(GROUPS, {"B": [3.0, 4.0]}, looks=[1], y_label="y", ax=ax)
    assert ax.patches[0].get_facecolor() == second
