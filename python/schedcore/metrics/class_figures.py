"""Who pays for the average: waits, slowdowns and overtaking of the jobs of each class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.metrics.delays import quantile_of_sorted
from schedcore.metrics.exact_sums import exact_mean
from schedcore.metrics.job_classes import JobClasses
from schedcore.metrics.overtaking import times_overtaken
from schedcore.metrics.per_job import bounded_slowdown, flow_time, queuing_delay, slowdown
from schedcore.model import Instance, Runs, Schedule

_Column = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassFigures:
    """Figures of one schedule, a row a class: columns of length n_classes, times in the unit of the instance.

    Attributes
    ----------
    classes : JobClasses
        Names and bounds of the rows.
    n_jobs : (n_classes,) int64
    mean_wait, wait_p95, max_wait : (n_classes,) float64
        Queuing delay: mean, the one that 95 % of the jobs did not exceed, and the longest.
    mean_response : (n_classes,) float64
        Flow time.
    mean_slowdown, mean_bounded_slowdown : (n_classes,) float64
    mean_times_overtaken : (n_classes,) float64
        By how many jobs, of any class, a job of this one was overtaken.
    """

    classes: JobClasses
    n_jobs: npt.NDArray[np.int64]
    mean_wait: _Column
    wait_p95: _Column
    max_wait: _Column
    mean_response: _Column
    mean_slowdown: _Column
    mean_bounded_slowdown: _Column
    mean_times_overtaken: _Column

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a class: its name and bounds (``<measure>_above``, ``<measure>_at_most``), its figures."""
        bounds = {
            f"{measure}_{side}": column[:, index].tolist()
            for index, measure in enumerate(self.classes.measures)
            for side, column in (("above", self.classes.lower), ("at_most", self.classes.upper))
        }
        columns = {
            "class": self.classes.names,
            **bounds,
            **{figure: getattr(self, figure).tolist() for figure in _FIGURES},
        }
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


_FIGURES = (
    "n_jobs",
    "mean_wait",
    "wait_p95",
    "max_wait",
    "mean_response",
    "mean_slowdown",
    "mean_bounded_slowdown",
    "mean_times_overtaken",
)


def fairness_by_class(
    inst: Instance, schedule: Schedule | Runs, classes: JobClasses, tau: float = 10.0
) -> ClassFigures:
    """Waits, responses, slowdowns and overtaking of the jobs of each class.

    Parameters
    ----------
    inst : Instance
    schedule : Schedule or Runs
        A schedule with one row for every job of the instance, or the runs of its jobs, all of which completed.
    classes : JobClasses
        From `size_classes`, `share_classes`, `length_classes` or `shape_classes` of the same instance, or your own.
    tau : float, default 10
        Threshold of the bounded slowdown, in the time unit of the instance.

    Raises
    ------
    InvalidInstanceError
        If the classes or the schedule are those of another number of jobs, or `tau` is negative or not finite.

    Notes
    -----
    O(n log n). Sums are correctly rounded.
    """
    if len(classes.of_job) != inst.n_jobs:
        raise InvalidInstanceError(
            f"the classes are of {len(classes.of_job)} jobs, the instance has {inst.n_jobs}"
        )
    n_jobs = np.bincount(classes.of_job, minlength=classes.n_classes)
    by_class = np.argsort(classes.of_job, kind="stable")
    ends = np.cumsum(n_jobs)[:-1]

    def parts(values: _Column | npt.NDArray[np.int64]) -> list[npt.NDArray[np.float64]]:
        return np.split(values[by_class], ends) if classes.n_classes else []

    def means(values: _Column | npt.NDArray[np.int64]) -> _Column:
        return np.array([exact_mean(part) for part in parts(values)], dtype=np.float64)

    wait = queuing_delay(inst, schedule)
    waits = parts(wait)
    return ClassFigures(
        classes=classes,
        n_jobs=n_jobs,
        mean_wait=means(wait),
        wait_p95=np.array([quantile_of_sorted(np.sort(part), 0.95) for part in waits], dtype=np.float64),
        max_wait=np.array([part.max(initial=0.0) for part in waits], dtype=np.float64),
        mean_response=means(flow_time(inst, schedule)),
        mean_slowdown=means(slowdown(inst, schedule)),
        mean_bounded_slowdown=means(bounded_slowdown(inst, schedule, tau)),
        mean_times_overtaken=means(times_overtaken(inst, schedule)),
    )
