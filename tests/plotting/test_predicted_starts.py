"""Predictions lie where they were told and what happened, with their error in words."""

from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import plotting
from schedcore.plotting import predicted_starts

NAN, INF = float("nan"), float("inf")


def legend(ax: Any) -> list[str]:
    return [text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()]


def test_points_are_waits_and_the_legend_tells_the_error(ax: Any) -> None:
    # Waits told: 5, 10, 30, 8; happened: 6, 8, 40, 8. The errors 1, 2, 10, 0 have the median 1.5.
    returned = plotting.plot_predicted_starts(
        [105, 110, 230, 308, NAN, INF],
        [106, 108, 240, 308, 1e9, 1e9],
        since=[100, 100, 200, 300, 0, 0],
        ax=ax,
    )
    assert returned is ax
    points, diagonal = ax.lines
    np.testing.assert_array_equal(points.get_data(), [[5, 10, 30, 8], [6, 8, 40, 8]])
    np.testing.assert_array_equal(*diagonal.get_data())
    assert legend(ax) == [
        "4 predictions (2 left out): median error 1.500 s, 50.0 % too early, 25.0 % too late", "as predicted"
    ]  # fmt: skip
    assert ax.get_xlim() == ax.get_ylim()


@pytest.mark.parametrize("spread", [1.0, 1e4])
def test_many_are_a_map_that_loses_none(ax: Any, spread: float) -> None:
    rng = np.random.default_rng(1)
    n = predicted_starts._MOST_POINTS + 1
    told = rng.random(n) * spread ** rng.random(n)
    plotting.plot_predicted_starts(told, told[::-1], ax=ax)
    (cells,) = ax.collections
    assert cells.get_array().sum() == n
    assert cells.get_array().shape == (60, 60)
    assert legend(ax)[0].startswith(f"{n:,} predictions: ")


def test_without_a_prediction_it_says_so(ax: Any) -> None:
    plotting.plot_predicted_starts([NAN], [3.0], ax=ax)
    assert [text.get_text() for text in ax.texts] == ["no prediction that can be compared"]


def test_predictions_that_all_were_0_are_drawn(ax: Any) -> None:
    plotting.plot_predicted_starts([4.0, 4.0], [4.0, 4.0], since=4.0, ax=ax)
    assert "median error 0 s" in legend(ax)[0]
    ax.figure.draw_without_rendering()


@pytest.mark.parametrize(
    ("predicted", "actual", "since", "message"),
    [
        ([1.0], [1.0, 2.0], 0.0, r"predicted has shape \(1,\), actual \(2,\)"),
        ([1.0], [1.0], [0.0, 0.0], r"since \(2,\)"),
        ([[1.0]], [[1.0]], 0.0, "columns"),
        ([9.0, 1.0], [9.0, 9.0], 2.0, r"predicted\[1\] = 1.0"),
        ([9.0], [1.0], [2.0], r"actual\[0\] = 1.0"),
        ([9.0], [9.0], NAN, "finite"),
    ],
)
def test_what_is_no_column_of_waits_is_refused(predicted: Any, actual: Any, since: Any, message: str) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match=message):
        plotting.plot_predicted_starts(predicted, actual, since=since)


def test_the_forecasts_of_an_embedded_scheduler_can_be_drawn(ax: Any) -> None:
    scheduler = schedcore.OnlineScheduler("fcfs", schedcore.Machines([[1]]))
    jobs = schedcore.Jobs([5, 5, 5], [[1], [1], [1]], estimated_processing_time=[5, 6, 7])
    scheduler.submit(jobs, 0.0)
    scheduler.advance(0.0)
    told = scheduler.estimate_start()
    plotting.plot_predicted_starts(told, [5.0, 10.0], since=0.0, ax=ax)
    np.testing.assert_array_equal(ax.lines[0].get_data(), [[5, 11], [5, 10]])
