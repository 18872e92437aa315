"""Who waits, and when: waits by who submitted the jobs, or by the hour of the week of their release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.metrics import JobClasses, fairness_by_class, queuing_delay
from schedcore.metrics.submitter_classes import named_classes, naming_columns, submitter_classes
from schedcore.model import Instance, Runs, Schedule
from schedcore.model.choices import check_choice
from schedcore.model.integers import checked_integer
from schedcore.plotting.dates import date_of_time_0
from schedcore.plotting.readable import TimeUnit, readable_unit, wrapped_to
from schedcore.plotting.scales import choose_scale
from schedcore.plotting.steps import draw_steps
from schedcore.plotting.style import PALE, axes_or_new, legend_above, lighten, note, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Policy -> jobs, and their schedule or runs.
Ran = Mapping[str, tuple[Instance, Schedule | Runs]]

HOUR_OF_WEEK = "hour_of_week"
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_HOUR, _HOURS = 3600.0, 168
_SPREAD = 0.76  # of the policies of a group; groups stand one unit apart
_LETTERS = 24.0  # of a line of a name
_HEIGHT, _OF_GROUP, _OF_MARK = 1.6, 0.14, 0.085  # inches: of a drawing without marks, and what each adds


def plot_waits_by(
    inst: Instance,
    schedules: Mapping[str, Schedule | Runs],
    by: str,
    *,
    most: int = 8,
    unit: TimeUnit | None = None,
    origin: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the waits of the jobs of each user or the like, or of each hour of the week, for each policy.

    Parameters
    ----------
    inst : Instance
        Times in seconds.
    schedules : mapping of str to Schedule or Runs
        Policy to schedule of `inst`, or to the runs of its jobs, all of which completed.
    by : {"user", "account", "partition", "service_class", "hour_of_week"} or one of the `notes` of the jobs
        By whom or when jobs were submitted: by names a mark at the mean wait, with a thin line to the wait that 95 % of
        the jobs did not exceed; by hour of the week, from Monday on, a step line of the mean waits of the jobs that are
        released in it.
    most : int, default 8
        So many names, those with most jobs, have a row of their own, the first at the top; all others are one together.
    unit : TimeUnit, optional
        Unit of the waits; by default seconds to days, whichever suits, and on a logarithmic axis of names several of
        them, each at its ticks.
    origin : str, optional
        The date of time 0 in ISO 8601, such as `DataReport.origin`; hours of the week need it, and are those of its
        clock.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Where a policy has no jobs there is a gap. The axis of waits is linear, or logarithmic beyond a short linear
        stretch where some policy would not be seen.

    Raises
    ------
    InvalidInstanceError
        For another `by`, one that no job has a name in, hours of the week without an `origin`, one that is no date, a
        job that did not complete, and a schedule of another number of jobs.

    Notes
    -----
    O(n log n) a policy.
    """
    check_choice("by", by, (*naming_columns(inst), HOUR_OF_WEEK))
    ran = {policy: (inst, schedule) for policy, schedule in schedules.items()}
    if by == HOUR_OF_WEEK:
        if origin is None:
            raise InvalidInstanceError(
                "hours of the week need the date of time 0: give origin, such as that of the report of a log"
            )
        return draw_waits_by_hour(ran, origin, unit=unit, ax=ax)
    return draw_waits_by_name(inst, ran, by, most=most, unit=unit, ax=ax)


def draw_waits_by_name(
    inst: Instance, ran: Ran, by: str, *, most: int = 8, unit: TimeUnit | None = None, ax: Axes | None = None
) -> Axes:
    """The same of jobs that need not be all of those of `inst`, by which the names are chosen."""
    shown, others = _names(inst, by, checked_integer("most", most, 1))
    groups = [*shown, others] if others else shown
    if not groups:
        return note("no jobs", ax)
    waits = {
        policy: fairness_by_class(part, schedule, _classes(part, by, shown, others))
        for policy, (part, schedule) in ran.items()
    }
    columns = {
        policy: [np.where(found.n_jobs > 0, column, np.nan) for column in (found.mean_wait, found.wait_p95)]
        for policy, found in waits.items()
    }
    scale = choose_scale([np.concatenate(both) for both in columns.values()]).whole()
    length = scale.unit_of_times(unit).length
    rows = np.arange(len(groups), dtype=np.float64)
    axes = axes_or_new(ax, height=waits_height(len(groups), len(ran)))
    for index, (policy, (mean, p95)) in enumerate(columns.items()):
        look = series(index)
        place = rows + _SPREAD * ((index + 0.5) / len(columns) - 0.5)
        axes.hlines(place, mean / length, p95 / length, color=look.colour, linewidth=0.9)
        axes.plot(p95 / length, place, linestyle="none", marker="|", markersize=5, color=look.colour)
        axes.plot(
            mean / length, place, linestyle="none", marker=look.marker, markersize=5.5, color=look.colour,
            markeredgecolor="white", markeredgewidth=0.4, clip_on=False, zorder=3, label=policy,
        )  # fmt: skip
    axes.set_xlabel(scale.set_times(axes.xaxis, "wait: mean (mark) to the 95 % quantile (line)", unit))
    lighten(axes, "x")
    axes.hlines(
        rows[1:] - 0.5, 0, 1, transform=axes.get_yaxis_transform(), color=PALE, linewidth=0.6, zorder=0.5
    )
    axes.set_yticks(rows, [wrapped_to(name, _LETTERS) for name in groups])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.set_ylabel(by.replace("_", " "))
    legend_above(axes)
    return axes


def waits_height(n_groups: int, n_policies: int) -> float:
    """Inches in which so many marks can be told apart."""
    return _HEIGHT + n_groups * (_OF_GROUP + _OF_MARK * n_policies)


def draw_waits_by_hour(
    ran: Ran, origin: str, *, unit: TimeUnit | None = None, ax: Axes | None = None
) -> Axes:
    """The same by hour of the week, of jobs that may be others for each policy."""
    zero = date_of_time_0(origin)
    since_monday = (
        zero.weekday() * 86_400
        + (zero - zero.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()
    )
    lines = {}
    for policy, (part, schedule) in ran.items():
        hour = ((part.release_time + since_monday) // _HOUR % _HOURS).astype(np.int64)
        lines[policy] = _means(hour, queuing_delay(part, schedule))
    lowest_peak = min((float(np.nanmax(line, initial=0.0)) for line in lines.values()), default=0.0)
    unit = readable_unit(lowest_peak) if unit is None else unit
    axes = axes_or_new(ax)
    draw_steps(axes, np.arange(_HOURS + 1.0), lines, length=unit.length)
    axes.set_xticks(np.arange(0, _HOURS + 1, 24), [])
    axes.set_xticks(np.arange(12, _HOURS, 24), _DAYS, minor=True)
    axes.tick_params(axis="x", which="minor", length=0)
    axes.grid(visible=True, axis="x", color=PALE, linewidth=0.6)
    clock = f", {zero.tzname()}" if zero.tzinfo else ""
    axes.set_xlabel(f"hour of the week of the release{clock}")
    axes.set_ylabel(f"mean wait ({unit.name})")
    return axes


def _names(inst: Instance, by: str, most: int) -> tuple[list[str], str]:
    """The names with most jobs, and what the others are called; all of them if but one were left out."""
    classes = named_classes(inst, by)
    order = np.argsort(-np.bincount(classes.of_job, minlength=classes.n_classes), kind="stable")
    names = [classes.names[index] for index in order]
    n_shown = len(names) if len(names) <= most + 1 else most
    return names[:n_shown], f"{len(names) - n_shown} others" if n_shown < len(names) else ""


def _classes(inst: Instance, by: str, shown: list[str], others: str) -> JobClasses:
    found = submitter_classes(inst, by)
    place = {name: index for index, name in enumerate(shown)}
    group = np.array([place.get(name, len(shown)) for name in found.names], dtype=np.int64)
    names = (*shown, others) if others else tuple(shown)
    return JobClasses((), names, np.empty((len(names), 0)), np.empty((len(names), 0)), group[found.of_job])


def _means(hour: NDArray[np.int64], wait: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means of the waits in each hour, NaN where there are none."""
    mean: NDArray[np.float64] = np.full(_HOURS, np.nan)
    count = np.bincount(hour, minlength=_HOURS)
    np.divide(np.bincount(hour, weights=wait, minlength=_HOURS), count, out=mean, where=count > 0)
    return mean
