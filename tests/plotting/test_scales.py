"""The scale of an axis follows from the data: the middle of the values takes up most of it."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import schedcore
from schedcore import plotting
from schedcore.plotting.scales import LEAST_SHARE, Scale, choose_scale, round_up

HOUR, DAY = 3600.0, 86_400.0


def middle(columns: Any) -> tuple[float, float]:
    """From the lowest 5th to the highest 95th percentile of the values above 0."""
    ends = [
        np.quantile(c[c > 0], (0.05, 0.95)) for c in map(np.asarray, columns) if (np.asarray(c) > 0).any()
    ]
    return min(low for low, _ in ends), max(high for _, high in ends)


def share_of(scale: Scale, columns: Any) -> float:
    low, high = middle(columns)
    return scale.place(high) - scale.place(low)


# What waits look like: seconds to days, some 0, a tail far beyond, all about the same far from 0.
COLUMNS = {
    "seconds to days": np.geomspace(1.0, 5 * DAY, 200),
    "uniform": np.linspace(0.0, 100.0, 200),
    "long tail": np.append(np.linspace(1.0, 100.0, 98), [1e7, 1e8]),
    "narrow": np.append(np.zeros(50), np.linspace(1000.0, 1010.0, 100)),
    "narrow with a tail": np.append(np.linspace(1000.0, 1010.0, 99), 1e9),
    "mostly zero": np.append(np.zeros(1000), [3.0, 50.0, 700.0, 1e4]),
    "huge": np.geomspace(1.0, 1e15, 60),
    "tiny": np.linspace(1e-9, 1e-8, 40),
    "logarithmic with a tail": np.append(np.geomspace(1.0, 60.0, 99), 1e12),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_the_middle_takes_up_half_of_the_axis(name: str) -> None:
    column = COLUMNS[name]
    scale = choose_scale([column])
    assert share_of(scale, [column]) >= LEAST_SHARE - 1e-9
    low, high = middle([column])
    assert scale.low <= low <= high <= scale.high


@given(st.lists(st.lists(st.integers(0, 10**9), min_size=3, max_size=30), min_size=1, max_size=4))
def test_the_middle_of_all_policies_takes_up_half_of_the_axis(values: list[list[int]]) -> None:
    columns = [np.array(column, dtype=np.float64) for column in values]
    scale = choose_scale(columns)
    assert 0 <= scale.low < scale.high
    if any(column.any() for column in columns):
        low, high = middle(columns)
        if low < high:
            assert share_of(scale, columns) >= LEAST_SHARE - 1e-9
        assert scale.low <= low
        assert high <= scale.high


@given(st.lists(st.integers(0, 10**9), min_size=3, max_size=30))
def test_the_axes_have_the_places_that_the_scale_tells(values: list[int]) -> None:
    column = np.array(values, dtype=np.float64)
    scale = choose_scale([column])
    ax = Figure().subplots()
    scale.set(ax.xaxis, 60.0)
    to_share = ax.transScale + ax.transLimits
    for value in np.linspace(scale.low, scale.high, 7):
        drawn = to_share.transform((value / 60.0, 0.0))[0]
        assert drawn == pytest.approx(scale.place(value), abs=1e-6)


def test_a_policy_with_huge_waits_does_not_press_the_others_to_the_edge() -> None:
    short, huge = np.geomspace(10.0, 10 * HOUR, 500), np.linspace(1.0, 1000 * DAY, 500)
    scale = choose_scale([short, huge])
    assert not scale.is_linear
    assert share_of(scale, [short]) >= 0.3
    assert scale.high > huge.max()


def test_evenly_spread_values_have_a_linear_axis_from_0_to_the_largest() -> None:
    scale = choose_scale([np.linspace(0.0, 200.0, 50)])
    assert scale.is_linear
    assert scale.low == 0
    assert 200 < scale.high < 220


def test_without_a_value_above_0_there_is_an_axis_all_the_same() -> None:
    for columns in ([], [np.zeros(0)], [np.zeros(9)]):
        assert choose_scale(columns) == Scale(0.0, 1.0)


@pytest.mark.parametrize("delays", [np.geomspace(1.0, 5 * DAY, 900), COLUMNS["huge"], COLUMNS["mostly zero"]])
def test_ticks_are_apart_and_read_as_times(delays: Any) -> None:
    ax = Figure(figsize=(6.6, 3.9)).subplots()
    plotting.plot_delay_quantiles({"pq": delays}, ax=ax)
    ax.figure.draw_without_rendering()
    extents = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert len(extents) >= 4
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(extents))
    assert ax.get_xticklabels()[0].get_text() == "0"
    assert all(
        label.get_text().split()[1] in ("s", "min", "h", "day", "days") for label in ax.get_xticklabels()[1:]
    )


def test_a_unit_that_is_given_is_kept_on_a_logarithmic_axis() -> None:
    ax = Figure().subplots()
    unit = plotting.TimeUnit("ticks", 1.0)
    plotting.plot_delay_quantiles({"pq": np.geomspace(1.0, 1e6, 99)}, unit=unit, ax=ax)
    assert ax.get_xlabel() == "queuing delay (ticks)"
    assert "1000" in [label.get_text() for label in ax.get_xticklabels()]


def test_delays_beyond_the_right_end_are_told() -> None:
    ax = Figure().subplots()
    plotting.plot_delay_quantiles({"pq": COLUMNS["narrow with a tail"]}, ax=ax)
    assert "is beyond the right end" in ax.get_xlabel()
    assert "days" in ax.get_xlabel()


def test_shares_in_the_upper_half_fill_the_vertical_axis() -> None:
    ax = Figure().subplots()
    plotting.plot_delay_quantiles({"pq": np.append(np.zeros(95), [5.0, 6.0, 7.0, 8.0, 9.0])}, ax=ax)
    bottom, top = ax.get_ylim()
    assert bottom <= 0.95 <= 1.0 <= top
    assert LEAST_SHARE * (top - bottom) <= 0.05


def test_no_wait_is_said() -> None:
    ax = Figure().subplots()
    plotting.plot_delay_quantiles({"pq": np.zeros(3)}, ax=ax)
    assert [text.get_text() for text in ax.texts] == ["no job waits"]


def test_curves_far_below_what_is_drawn_beside_them_are_spread() -> None:
    ax = Figure().subplots()
    work, offered = np.geomspace(10.0, 1000.0, 50), np.linspace(0.0, 1e5, 50)
    x = np.arange(50)
    plotting.plot_curves({"pq": (x, work)}, also={"offered": (x, offered)}, x_label="", y_label="", ax=ax)
    to_share = ax.transScale + ax.transLimits
    low, high = (to_share.transform((0.0, np.quantile(work, share)))[1] for share in (0.05, 0.95))
    assert high - low >= 0.3
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] >= 1000


@given(st.floats(1e-9, 1e12))
def test_a_rounded_end_is_at_most_twice_the_value(value: float) -> None:
    assert value <= round_up(value) <= 2 * value


def test_use_of_little_capacity_fills_the_axis(inst_in_use: Any) -> None:
    inst, schedule = inst_in_use
    ax = Figure().subplots()
    plotting.plot_utilisation(inst, schedule, ax=ax)
    highest = max(stairs.get_data().values.max() for stairs in ax.patches)
    assert 0.5 <= highest / ax.get_ylim()[1] <= 1.0


@pytest.fixture
def inst_in_use() -> Any:
    inst = schedcore.Instance(schedcore.Jobs([10.0, 5.0], [[1], [2]]), schedcore.Machines([[100]]))
    return inst, schedcore.Schedule([0.0, 3.0], [0, 0])
