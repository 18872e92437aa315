"""Curves keep their points, go on to the common end, and are told apart from what is no policy."""

from typing import Any

import numpy as np
import pytest

from schedcore import InvalidInstanceError, plotting

LONG, SHORT = ([0, 10, 40], [0, 5, 20]), ([0, 10], [0, 30])


def drawn(ax: Any, **options: Any) -> Any:
    curves = {"a": LONG, "b": SHORT}
    return plotting.plot_curves(curves, x_label="time", y_label="work", ax=ax, **options)


def test_every_line_goes_on_at_its_last_height_to_the_end_of_the_longest(ax: Any) -> None:
    first, second = drawn(ax).lines
    np.testing.assert_array_equal(first.get_xydata(), [[0, 0], [10, 5], [40, 20], [40, 20]])
    np.testing.assert_array_equal(second.get_xydata(), [[0, 0], [10, 30], [40, 30]])
    assert ax.get_xlim() == (0, 40)
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 30


def test_what_is_no_policy_is_drawn_in_ink_and_named(ax: Any) -> None:
    drawn(ax, also={"bound": ([0, 40], [0, 10])})
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "bound"]
    assert ax.lines[2].get_color() == plotting.style.INK
    assert len({(line.get_color(), str(line.get_linestyle())) for line in ax.lines}) == 3


def test_one_line_needs_no_legend(ax: Any) -> None:
    plotting.plot_curves({"a": LONG, "nothing": ([], [])}, x_label="", y_label="", ax=ax)
    assert len(ax.lines) == 1
    assert ax.get_legend() is None


def test_steps_stay_until_the_next_point_and_the_last_one_is_seen(ax: Any) -> None:
    plotting.plot_curves(
        {"a": ([1, 4], [0.5, 1])}, x_label="", y_label="", is_stepped=True, log_x=True, ax=ax
    )
    assert ax.lines[0].get_drawstyle() == "steps-post"
    assert ax.get_xscale() == "log"
    assert ax.get_xlim()[1] > 4


def test_an_axis_from_0_on_is_linear(ax: Any) -> None:
    assert drawn(ax, log_x=True).get_xscale() == "linear"


@pytest.mark.parametrize("points", [([0, 1], [1]), ([1, 0], [1, 2]), ([0, 0], [1, 2]), (3, 4)])
def test_points_that_make_no_line_are_refused(ax: Any, points: Any) -> None:
    with pytest.raises(InvalidInstanceError, match="'a' has places of shape"):
        plotting.plot_curves({"a": points}, x_label="", y_label="", ax=ax)
