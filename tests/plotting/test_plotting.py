"""Drawings show the data they are given, in a readable unit, on the Axes they are given."""

import sys
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import schedcore
from schedcore import metrics, plotting
from schedcore.plotting.readable import DAYS, HOURS, MINUTES, SECONDS, percent, rounded_count, significant
from schedcore.plotting.style import SERIES


@pytest.fixture
def inst() -> schedcore.Instance:
    """Four jobs on a machine of two resources, hours long."""
    jobs = schedcore.Jobs([7200, 3600, 3600, 3600], [[5, 0], [5, 2], [10, 4], [1, 1]], [0, 0, 3600, 3600])
    return schedcore.Instance(jobs, schedcore.Machines([[10, 4]], ["cpu", "memory"]))


@pytest.fixture
def schedule() -> schedcore.Schedule:
    return schedcore.Schedule([0, 0, 7200, 3600], [0, 0, 0, 0])


def test_bars_have_the_given_lengths_in_the_given_order(ax: Any) -> None:
    days = 86_400.0
    returned = plotting.plot_awct_bars({"mris": 10 * days, "pq": 7.5 * days}, 5 * days, ax=ax)
    assert returned is ax
    assert [bar.get_width() for bar in ax.patches] == [10.0, 7.5]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["mris", "pq"]
    assert ax.yaxis_inverted()
    assert "days" in ax.get_xlabel()
    assert ax.lines[0].get_xdata()[0] == 5.0
    texts = [text.get_text() for text in ax.texts]
    assert "10.00  (+100.0 %)" in texts
    assert "lower bound 5.000" in texts


def test_a_bar_below_the_bound_or_a_rounding_error_above_it_tells_so(ax: Any) -> None:
    # As of a recorded schedule that no machine could hold.
    plotting.plot_awct_bars({"recorded": 3.0, "easy": 6.0 * (1 + 2**-52)}, 6.0, ax=ax)
    assert {"3.000  (-50.0 %)", "6.000  (+0.0 %)"} <= {text.get_text() for text in ax.texts}


def test_bars_without_a_bound_tell_the_value_alone(ax: Any) -> None:
    plotting.plot_awct_bars({"pq": 30.0}, ax=ax)
    assert [text.get_text() for text in ax.texts] == ["30.00"]
    assert not ax.lines
    assert "(s)" in ax.get_xlabel()


def test_whiskers_reach_from_end_to_end_of_the_interval(ax: Any) -> None:
    plotting.plot_awct_bars(
        {"mris": 10.0, "pq": 20.0, "tetris": 30.0}, half_width={"pq": 4.0, "tetris": float("nan")}, ax=ax
    )
    (whisker,) = [c for container in ax.containers for c in getattr(container, "lines", (0, 0, ()))[2]]
    np.testing.assert_array_equal(whisker.get_segments()[0][:, 0], [16.0, 24.0])
    assert [text.xy[0] for text in ax.texts] == [10.0, 24.0, 30.0]


@pytest.mark.parametrize(
    ("half_width", "message"), [({"mirs": 1.0}, "'mirs'"), ({"pq": -1.0}, "'pq' = -1.0")]
)
def test_a_whisker_without_a_bar_or_of_negative_width_is_refused(
    half_width: dict[str, float], message: str
) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match=message):
        plotting.plot_awct_bars({"pq": 20.0}, half_width=half_width)


def test_the_delay_line_is_the_share_of_jobs_that_waited_at_most_so_long(
    ax: Any, inst: schedcore.Instance, schedule: schedcore.Schedule
) -> None:
    unit = plotting.TimeUnit("h", 3600.0)
    returned = plotting.plot_queuing_delay_cdf(inst, {"plan": schedule}, unit=unit, ax=ax)
    assert returned is ax
    (line,) = ax.lines
    x, y = line.get_data()
    assert line.get_drawstyle() == "steps-post"
    for hours in (0.0, 0.5, 1.0):
        drawn = y[np.searchsorted(x, hours, side="right") - 1]
        assert drawn == metrics.queuing_delay_share(inst, schedule, hours * 3600)[0]
    assert y[-1] == 1.0
    assert x[-1] >= 1.0
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["plan"]


def test_the_utilisation_lines_are_the_binned_means_of_the_chosen_resources(
    ax: Any, inst: schedcore.Instance, schedule: schedcore.Schedule
) -> None:
    returned = plotting.plot_utilisation(inst, schedule, resources=[1], n_bins=3, ax=ax)
    assert returned is ax
    (stairs,) = ax.patches
    values, edges, _ = stairs.get_data()
    expected_edges, share = metrics.binned_utilisation(inst, schedule, 3)
    np.testing.assert_allclose(values, 100 * share[:, 1])
    np.testing.assert_allclose(edges, expected_edges / 3600)
    assert stairs.get_label() == "memory"
    assert "(h)" in ax.get_xlabel()


def test_quantiles_of_one_job_set_draw_the_same_line_as_its_schedule(
    ax: Any, inst: schedcore.Instance, schedule: schedcore.Schedule
) -> None:
    delays = np.sort(metrics.queuing_delay(inst, schedule))
    assert plotting.plot_delay_quantiles({"plan": delays}, ax=ax) is ax
    other = plotting.plot_queuing_delay_cdf(inst, {"plan": schedule}, ax=Figure().subplots())
    np.testing.assert_array_equal(ax.lines[0].get_data(), other.lines[0].get_data())
    assert ax.get_xlim() == other.get_xlim()


def test_a_quantile_line_rises_by_its_share_at_each_delay(ax: Any) -> None:
    # Four quantiles: a quarter of the jobs each at 0, 0, 60 and 240 seconds.
    unit = plotting.TimeUnit("min", 60.0)
    plotting.plot_delay_quantiles({"mean": [0.0, 0.0, 60.0, 240.0], "none": []}, unit=unit, ax=ax)
    x, y = ax.lines[0].get_data()
    np.testing.assert_array_equal(x[:-1], [0.0, 1.0, 4.0])
    np.testing.assert_array_equal(y, [0.5, 0.75, 1.0, 1.0])


@pytest.mark.parametrize(
    ("delays", "message"),
    [
        ([2.0, 1.0], "quantile 1 of 'pq' = 1.0"),
        ([0.0, float("nan")], "quantile 1 of 'pq' = nan"),
        ([[0.0]], "shape"),
    ],
)
def test_quantiles_that_are_no_ascending_column_are_refused(delays: Any, message: str) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match=message):
        plotting.plot_delay_quantiles({"pq": delays})


def test_no_jobs_and_no_policies_still_draw(ax: Any) -> None:
    empty = schedcore.Instance(schedcore.Jobs([], []), schedcore.Machines([[1]]))
    nothing = schedcore.Schedule([], [])
    plotting.plot_awct_bars({}, ax=ax)
    plotting.plot_queuing_delay_cdf(empty, {"pq": nothing}, ax=Figure().subplots())
    plotting.plot_queuing_delay_cdf(empty, {}, ax=Figure().subplots())
    plotting.plot_utilisation(empty, nothing, ax=Figure().subplots())
    plotting.plot_packing(empty, nothing, highlight=[], ax=Figure().subplots())
    plotting.plot_delay_quantiles({}, ax=Figure().subplots())
    plotting.plot_means({}, x_label="", y_label="", ax=Figure().subplots())
    ax.figure.draw_without_rendering()


def test_without_axes_each_drawing_gets_a_new_figure(
    inst: schedcore.Instance, schedule: schedcore.Schedule
) -> None:
    drawn = [
        plotting.plot_awct_bars({"pq": 1.0}),
        plotting.plot_queuing_delay_cdf(inst, {"pq": schedule}),
        plotting.plot_utilisation(inst, schedule),
        plotting.plot_packing(inst, schedule),
        plotting.plot_delay_quantiles({"pq": [0.0]}),
        plotting.plot_means({}, x_label="", y_label=""),
    ]
    assert len({id(axes.figure) for axes in drawn}) == len(drawn)


def test_series_differ_without_colour() -> None:
    assert len({look.hatch for look in SERIES}) == len(SERIES)
    assert len({(str(look.line), look.width) for look in SERIES}) == len(SERIES)
    assert len({look.marker for look in SERIES}) == len(SERIES) == 12


def test_an_unknown_resource_is_refused(inst: schedcore.Instance, schedule: schedcore.Schedule) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match="resource 2"):
        plotting.plot_utilisation(inst, schedule, resources=[2])


def test_a_missing_matplotlib_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"schedcore\[plot\]"):
        plotting.plot_awct_bars({"pq": 1.0})


@pytest.mark.parametrize(
    ("seconds", "unit"),
    [
        (0, SECONDS),
        (119, SECONDS),
        (120, MINUTES),
        (7199, MINUTES),
        (7200, HOURS),
        (172_799, HOURS),
        (172_800, DAYS),
    ],
)
def test_the_unit_is_the_largest_that_fits_twice(seconds: float, unit: plotting.TimeUnit) -> None:
    assert plotting.readable_unit(seconds) == unit


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (8.9914, "8.991"), (71.5, "71.50"), (123.45, "123.5"), (1234.5, "1234"), (0.03125, "0.031")],
)
def test_numbers_are_written_with_about_four_digits(value: float, text: str) -> None:
    assert significant(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0.0 %"),
        (0.136, "13.6 %"),
        (0.0096, "1.0 %"),
        (0.000082, "0.0082 %"),
        (17, "1700.0 %"),
        (1.42e-8, "0.0000014 %"),
        (-0.00123, "-0.12 %"),
        (-0.507, "-50.7 %"),
        (2.2e-16, "0.0 %"),
        (-2.2e-16, "0.0 %"),
    ],
)
def test_small_percentages_keep_two_digits(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (999, "999"), (999.6, "1.00k"), (169_759, "170k"), (1_511_012, "1.51M"), (2.5e9, "2.50G")],
)
def test_counts_have_three_digits_and_a_letter(value: float, text: str) -> None:
    assert rounded_count(value) == text


def test_readable_time_carries_its_unit() -> None:
    assert plotting.readable_time(8.991 * 86_400) == "8.991 days"
    assert plotting.readable_time(90.0, HOURS) == "0.025 h"
