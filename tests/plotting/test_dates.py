"""With the date of time 0 a time axis shows dates, at the right places and on the right days."""

import datetime
from typing import Any

import pytest

import schedcore
from schedcore import plotting
from schedcore.plotting.dates import label_time
from schedcore.plotting.readable import DAYS, HOURS, MINUTES, SECONDS

ORIGIN = "2026-11-30T22:30:00+00:00"


def marked(
    ax: Any, first: float, last: float, unit: plotting.TimeUnit, origin: str | None
) -> dict[float, str]:
    """Seconds since time 0 -> what the axis says there."""
    ax.set_xlim(first / unit.length, last / unit.length)
    label_time(ax, unit, origin)
    ax.figure.draw_without_rendering()
    ticks = zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)
    return {round(place * unit.length, 3): label.get_text() for place, label in ticks}


@pytest.mark.parametrize("unit", [SECONDS, HOURS, DAYS])
def test_marks_stand_at_round_dates_whatever_the_unit(ax: Any, unit: plotting.TimeUnit) -> None:
    hour = 3600.0
    # From 22:30 on: midnight is 1.5 hours later, and names the day.
    assert marked(ax, 0, 4 * hour, unit, ORIGIN) == {
        0.5 * hour: "23:00", 1.5 * hour: "Dec 01", 2.5 * hour: "01:00", 3.5 * hour: "02:00"
    }  # fmt: skip
    assert ax.get_xlabel() == "date, 2026, UTC"


@pytest.mark.parametrize(
    ("first", "days", "label"),
    [
        (0.01, 0.04, "date, Nov 30 2026"),
        (2, 20, "date, 2026"),
        (0, 380, "date, 2026 to 2027"),
        (40, 80, "date, 2027"),
    ],
)
def test_the_axis_says_what_its_marks_leave_out(ax: Any, first: float, days: float, label: str) -> None:
    found = marked(ax, first * 86_400, (first + days) * 86_400, DAYS, ORIGIN.removesuffix("+00:00"))
    assert ax.get_xlabel() == label
    assert 3 <= len(found) <= 12


def test_every_mark_is_its_date(ax: Any) -> None:
    zero = datetime.datetime.fromisoformat(ORIGIN)
    for seconds, name in marked(ax, 0, 300 * 86_400, DAYS, ORIGIN).items():
        date = zero + datetime.timedelta(seconds=seconds)
        assert (date.day, date.hour, date.minute) == (1, 0, 0)
        assert name == date.strftime("%Y" if date.month == 1 else "%b")
    assert ax.get_xlabel() == "date, 2026 to 2027, UTC"


@pytest.mark.parametrize(("last", "origin"), [(1e12, ORIGIN), (5.0, ORIGIN), (7200.0, None)])
def test_without_dates_to_show_the_axis_counts_the_unit(ax: Any, last: float, origin: str | None) -> None:
    marked(ax, 0, last, MINUTES, origin)
    assert ax.get_xlabel() == "time (min)"


def test_what_is_no_date_is_refused(ax: Any) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match="origin = 'yesterday'"):
        label_time(ax, DAYS, "yesterday")


def test_a_drawing_keeps_its_coordinates(ax: Any) -> None:
    inst = schedcore.Instance(schedcore.Jobs([7200, 7200], [[1], [1]]), schedcore.Machines([[1]]))
    plan = schedcore.Schedule([0, 7200], [0, 0])
    plotting.plot_utilisation(inst, plan, origin=ORIGIN, ax=ax)
    assert ax.get_xlim() == (0, 4)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["23:00", "Dec 01", "01:00", "02:00"]
