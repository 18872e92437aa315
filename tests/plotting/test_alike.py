"""Panels that a reader cannot tell apart become one; those that differ visibly do not."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from schedcore.plotting.alike import (
    VISIBLE,
    Alike,
    group_alike,
    plot_differences,
    share_repainted,
    visible_distance,
)
from schedcore.plotting.stack import Difference, stack_panels

WAVE = 50.0 + 40.0 * np.sin(np.linspace(0.0, 9.0, 200))[None, :]
JAGGED = np.random.default_rng(1).uniform(0.0, 100.0, (2, 200))


def apart(first: Any, second: Any) -> float:
    return visible_distance(first, second, 100.0)


def test_the_same_curve_is_not_apart() -> None:
    assert apart(JAGGED, JAGGED) == 0


def test_a_step_later_by_a_column_is_no_visible_difference_and_by_two_it_is() -> None:
    step = np.where(np.arange(200) < 80, 100.0, 0.0)[None, :]
    assert apart(step, np.where(np.arange(200) < 81, 100.0, 0.0)[None, :]) == 0
    assert apart(step, np.where(np.arange(200) < 82, 100.0, 0.0)[None, :]) == 1.0


@pytest.mark.parametrize(("points", "is_visible"), [(0.5, False), (9.0, False), (11.0, True), (40.0, True)])
def test_a_flat_curve_is_visibly_elsewhere_beyond_the_threshold(points: float, is_visible: bool) -> None:
    flat = np.full((1, 200), 30.0)
    moved = flat.copy()
    moved[0, 100:110] += points
    assert (apart(flat, moved) > VISIBLE) == is_visible
    assert (apart(moved, flat) > VISIBLE) == is_visible


def test_any_of_several_curves_can_differ() -> None:
    other = JAGGED.copy()
    other[1, 50:60] = 300.0
    assert apart(JAGGED, other) > 1.0


@given(st.lists(st.floats(0, 100), min_size=5, max_size=40), st.floats(-3, 3))
def test_less_than_the_threshold_is_never_visible(heights: list[float], points: float) -> None:
    curve = np.array([heights])
    assert apart(curve, curve + points) <= abs(points) / 100 + 1e-12


def test_policies_join_the_first_panel_that_looks_alike() -> None:
    curves = {"a": WAVE, "b": WAVE + 1, "c": 100.0 - WAVE, "d": WAVE, "e": 101.0 - WAVE}
    assert group_alike(curves, apart) == [Alike("a", ("b", "d")), Alike("c", ("e",))]


def test_panels_that_all_differ_stay_alone() -> None:
    curves = {name: WAVE + 30 * index for index, name in enumerate("abc")}
    assert group_alike(curves, apart) == [Alike("a"), Alike("b"), Alike("c")]


def test_pixels_count_where_another_job_lies() -> None:
    first = np.zeros((10, 8), dtype=np.int64)
    second = first.copy()
    second[:3, 4:] = 7
    np.testing.assert_array_equal(share_repainted(first, first), np.zeros(8))
    np.testing.assert_allclose(share_repainted(first, second, shift=0), [0, 0, 0, 0, 0.3, 0.3, 0.3, 0.3])
    assert share_repainted(first, second)[7] == pytest.approx(0.3)
    shifted = np.roll(second, 1, axis=1)
    shifted[:, 0] = 0
    assert share_repainted(second, shifted).max() == 0


def stacked(curves: dict[str, NDArray[np.float64]]) -> Any:
    def draw(ax: Any, policy: str) -> None:
        ax.plot(curves[policy][0], label="use")
        ax.set(xlabel="time", ylim=(0, 100))
        ax.legend()

    return stack_panels(
        group_alike(curves, apart), draw, lambda shown, other: Difference("cpu", (curves[other] - curves[shown])[0]),
        edges=np.arange(201.0), difference_label="points", size=(6.0, 1.5),
    )  # fmt: skip


def test_coinciding_policies_share_one_panel_that_names_them() -> None:
    figure = stacked({"a": WAVE, "b": WAVE, "c": WAVE})
    (panel,) = figure.axes
    assert panel.get_title(loc="right") == "a = b = c"
    assert panel.get_xlabel() == "time"
    assert len(figure.legends) == 1


def test_a_small_difference_is_drawn_magnified_and_named() -> None:
    figure = stacked({"a": WAVE, "b": WAVE + np.where(np.arange(200) < 9, 2.0, 0.0), "c": WAVE})
    panel, strip = figure.axes
    assert panel.get_title(loc="right") == "a = c \N{ALMOST EQUAL TO} b"
    (stairs,) = strip.patches
    assert stairs.get_label() == "b \N{MINUS SIGN} a (cpu)"
    np.testing.assert_allclose(stairs.get_data().values, np.where(np.arange(200) < 9, 2.0, 0.0))
    bottom, top = strip.get_ylim()
    assert bottom == -top
    assert 2.0 / top > 0.8


def test_different_policies_have_a_panel_each_and_no_strip() -> None:
    figure = stacked({"a": WAVE, "b": 100.0 - WAVE, "c": 0.3 * WAVE})
    assert [ax.get_title(loc="right") for ax in figure.axes] == ["a", "b", "c"]
    assert [ax.get_xlabel() for ax in figure.axes] == ["", "", "time"]


def test_no_difference_at_all_is_an_axis_all_the_same(ax: Any) -> None:
    plot_differences({"b - a": np.zeros(4)}, np.arange(5.0), y_label="points", ax=ax)
    assert ax.get_ylim()[0] < 0 < ax.get_ylim()[1]
