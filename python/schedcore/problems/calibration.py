"""How close does a simulation come to what really happened? Recorded against simulated waits, policy by policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from schedcore.errors import UnsupportedError
from schedcore.metrics import RecordedRun, queuing_delay, recorded_run, shape_classes, summary
from schedcore.metrics.delays import quantile_of_sorted
from schedcore.metrics.exact_sums import exact_mean
from schedcore.model import Instance, Schedule
from schedcore.plotting.readable import percent, rounded_count
from schedcore.problems.evaluation import Evaluation
from schedcore.problems.policy_choice import RECORDED, PolicyChoice
from schedcore.problems.presentation import Column, Presentation, Row, Table
from schedcore.problems.recorded_words import told_of_recorded
from schedcore.problems.time_units import time_columns, usual_unit
from schedcore.workloads.reading.report import DataReport

__all__ = ["CANDIDATES", "Calibration", "calibration_of", "presented_calibration"]

#: What is tried where nobody names policies: queues as batch systems run them, with the settings that change most.
CANDIDATES = (
    "fcfs",
    "first_fit",
    "easy",
    "easy:interval=60",
    "easy:interval=600",
    "easy:queue_depth=50",
    "easy:order=sjf",
    "easy:order=saf",
    "easy:order=lxf",
    "easy:order=wfp3",
    "backfill:protected=4",
    "conservative",
)

_WEEK = 7 * 86_400.0  # seconds
_WEEKS_SHOWN = 16
_QUANTILES = {
    "avg_wait": "mean\nwait",
    "wait_p50": "wait\np50",
    "wait_p90": "wait\np90",
    "wait_p95": "wait\np95",
}

_Column = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Calibration:
    """Recorded waits beside those of simulations, of the jobs of which a start is recorded.

    Attributes
    ----------
    run : RecordedRun
    recorded : Evaluation
        What really happened.
    simulated : list of Evaluation
        The policies with a feasible schedule in which all these jobs start, the closest first.
    failed : list of Evaluation
        The others.
    rows : list of dict
        A row for what really happened, then one a policy: the waits of these jobs, `distance` (mean difference between
        the sorted waits), `distance_share` (that over the mean recorded wait) and `distance_per_job` (mean difference
        job by job). Failed ones come last.
    classes, weeks : list of dict
        Mean and 95 % waits of what really happened and of the closest policy, by shape of the jobs and by week of
        their release.
    """

    run: RecordedRun
    recorded: Evaluation
    simulated: Sequence[Evaluation]
    failed: Sequence[Evaluation]
    rows: Sequence[Row]
    classes: Sequence[Row]
    weeks: Sequence[Row]


def calibration_of(
    inst: Instance,
    report: DataReport,
    choices: Sequence[PolicyChoice],
    evaluate: Callable[[Sequence[PolicyChoice]], Sequence[Evaluation]],
    tau: float = 10.0,
) -> Calibration:
    """Run policies and measure how far their waits are from the recorded ones.

    Parameters
    ----------
    inst : Instance
    report : DataReport
        Of its reader; says what time 0 is and what times count.
    choices : sequence of PolicyChoice
    evaluate : callable
        Runs choices, `RECORDED` among them.
    tau : float
        Threshold of the bounded slowdown.

    Raises
    ------
    UnsupportedError
        If the workload does not say when its jobs started.

    Notes
    -----
    O(n_jobs log n_jobs) a policy beside what the policy takes. The distance of the sorted waits is the Wasserstein
    distance of the two distributions: by how much the waits would have to move, in the mean, to be those recorded.
    """
    run = recorded_run(inst)
    if run is None:
        raise UnsupportedError(
            "the workload does not say when its jobs started, so there is nothing to compare with"
        )
    truth, *found = evaluate([PolicyChoice(RECORDED, RECORDED, {}), *choices])
    recorded = queuing_delay(run.inst, run.schedule)
    ascending = np.sort(recorded)
    starts = {
        each.policy: start
        for each in found
        if each.finding is None and np.isfinite(start := each.schedule.start_time[run.jobs]).all()
    }
    waits = {policy: start - run.inst.jobs.release_time for policy, start in starts.items()}
    distance = {policy: exact_mean(np.abs(np.sort(wait) - ascending)) for policy, wait in waits.items()}
    simulated = sorted(
        (each for each in found if each.policy in waits), key=lambda each: distance[each.policy]
    )
    others = [each for each in found if each.policy not in waits]
    rows = [truth.row()]
    for each in simulated:
        on_one = Schedule(starts[each.policy], run.schedule.machine)
        rows.append(
            {
                **each.row(),
                **_waits(summary(run.inst, on_one, tau)),
                "distance": distance[each.policy],
                "distance_share": _ratio(distance[each.policy], truth.figures["avg_wait"]),
                "distance_per_job": exact_mean(np.abs(waits[each.policy] - recorded)),
            }
        )
    closest = waits[simulated[0].policy] if simulated else None
    return Calibration(
        run,
        truth,
        simulated,
        others,
        [*rows, *(each.row() for each in others)],
        _by_class(run, recorded, closest, report),
        _by_week(run, recorded, closest, report),
    )


def _waits(figures: Row) -> dict[str, Any]:
    """Of the figures of some jobs those that do not depend on all others: the rest stays as it is of all jobs."""
    return {name: value for name, value in figures.items() if name == "n_jobs" or "wait" in name}


def _ratio(value: float, of: float) -> float | None:
    return value / of if of > 0 else None


def _by_class(
    run: RecordedRun, wait: _Column, closest: _Column | None, report: DataReport
) -> list[dict[str, Any]]:
    """Nothing for times that are not seconds: the limits of the classes are."""
    if report.units.get("time", "s") != "s":
        return []
    classes = shape_classes(run.inst)
    members = [np.flatnonzero(classes.of_job == number) for number in range(classes.n_classes)]
    return [
        {"class": name, **_waits_of(jobs, wait, closest)}
        for name, jobs in zip(classes.names, members, strict=True)
    ]


def _by_week(
    run: RecordedRun, wait: _Column, closest: _Column | None, report: DataReport
) -> list[dict[str, Any]]:
    """Nothing for times that are not seconds."""
    if report.units.get("time", "s") != "s" or not run.inst.n_jobs:
        return []
    week = (run.inst.jobs.release_time // _WEEK).astype(np.int64)
    order = np.argsort(week, kind="stable")
    numbers, starts = np.unique(week[order], return_index=True)
    return [
        {"week": _date_of_week(number, report.origin), **_waits_of(jobs, wait, closest)}
        for number, jobs in zip(numbers.tolist(), np.split(order, starts[1:]), strict=True)
    ]


def _waits_of(jobs: npt.NDArray[np.intp], recorded: _Column, closest: _Column | None) -> dict[str, Any]:
    """Mean and 95 % wait of some jobs, recorded and simulated."""
    figures: dict[str, Any] = {"n_jobs": len(jobs)}
    for prefix, wait in (("", recorded), ("simulated_", closest)):
        if wait is not None:
            figures[f"{prefix}mean_wait"] = exact_mean(wait[jobs])
            figures[f"{prefix}wait_p95"] = quantile_of_sorted(np.sort(wait[jobs]), 0.95)
    return figures


def _date_of_week(number: int, origin: str | None) -> str:
    if origin is None:
        return f"week {number + 1}"
    return (datetime.fromisoformat(origin) + timedelta(seconds=number * _WEEK)).date().isoformat()


def presented_calibration(found: Calibration, report: DataReport) -> Presentation:
    """The waits of all policies, then by class and by week those of the closest, and what cannot have been so."""
    excess = [vars(above) for above in found.run.excess()]
    document = {
        "workload": report.to_dict(),
        "closest": found.simulated[0].policy if found.simulated else None,
        "policies": found.rows,
        "classes": found.classes,
        "weeks": found.weeks,
        "recorded_schedule": {
            "n_jobs": found.run.inst.n_jobs,
            "n_without_start": found.run.n_without_start,
            "n_early": found.run.n_early,
            "above_capacity": excess,
        },
    }
    title = f"{report.source}: recorded and simulated waits of {found.run.inst.n_jobs:,} jobs"
    unit = usual_unit(found.rows, (*_QUANTILES, "distance"))
    columns = [
        Column("policy", "policy", is_text=True),
        *time_columns(found.rows, report, _QUANTILES, unit),
        *time_columns(found.rows, report, {"distance": "distance"}, unit),
        Column("distance_share", "of mean\nwait", percent),
        *time_columns(found.rows, report, {"distance_per_job": "per\njob"}, unit),
    ]
    parts: list[Table | str] = [Table(found.rows, columns, title, _closest(found))]
    weeks, note = _weeks_shown(found.weeks)
    for rows, key, heading, below in (
        (found.classes, "class", "jobs", ""),
        (weeks, "week", "week of\nsubmission", note),
    ):
        if rows:
            parts += ["", Table(rows, _side_by_side(rows, key, heading, report), note=below)]
    nothing = "recorded: at no time more was in use than there is, and no job started before its release"
    return Presentation(
        found.rows, document, (*parts, "", *(told_of_recorded(found.run, report) or [nothing]))
    )


def _closest(found: Calibration) -> str:
    if not found.simulated:
        return "no policy made a schedule"
    row = found.rows[1]
    share = row["distance_share"]
    apart = (
        ""
        if share is None
        else f": its waits are {percent(share)} of the mean wait away from the recorded ones"
    )
    return f"closest: {row['policy']}{apart}"


def _side_by_side(rows: Sequence[Row], key: str, heading: str, report: DataReport) -> list[Column]:
    """Recorded and simulated waits, both in one unit."""
    waits = {
        "mean_wait": "mean\nrecorded",
        "simulated_mean_wait": "mean\nclosest",
        "wait_p95": "p95\nrecorded",
        "simulated_wait_p95": "p95\nclosest",
    }
    shown = {name: words for name, words in waits.items() if name in rows[0]}
    return [
        Column(key, heading, is_text=True),
        Column("n_jobs", "jobs", rounded_count),
        *time_columns(rows, report, shown),
    ]


def _weeks_shown(weeks: Sequence[Row]) -> tuple[Sequence[Row], str]:
    """The weeks, of many those in which recorded and simulated waits differ most; and the sentence that says so."""
    if len(weeks) <= _WEEKS_SHOWN:
        return weeks, ""

    def apart(number: int) -> float:
        row = weeks[number]
        difference: float = abs(row.get("simulated_mean_wait", 0.0) - row["mean_wait"]) * row["n_jobs"]
        return difference

    most = sorted(sorted(range(len(weeks)), key=apart, reverse=True)[:_WEEKS_SHOWN])
    sentence = f"{_WEEKS_SHOWN} of {len(weeks)} weeks, where the two differ most; --json has all"
    return [weeks[number] for number in most], sentence
