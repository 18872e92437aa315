"""Who got what: waits, use, promised shares and lost work of the jobs of each user, account, partition or class."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from schedcore.metrics.class_figures import ClassFigures, fairness_by_class
from schedcore.metrics.cluster_share import cluster_share
from schedcore.metrics.completed_part import completed_part
from schedcore.metrics.exact_sums import exact_dot, exact_sum
from schedcore.metrics.job_classes import JobClasses
from schedcore.metrics.known_result import runs_of_jobs
from schedcore.metrics.lost_by_cause import CAUSES, lost_time
from schedcore.metrics.run_columns import run_length
from schedcore.metrics.run_work import totals
from schedcore.metrics.shares_over_time import promised_shares
from schedcore.metrics.submitter_classes import named_classes
from schedcore.model import Instance, Result, Runs

_Column = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SubmitterFigures(ClassFigures):
    """Figures of one result, a row for each name: columns of length n_names, times in the unit of the instance.

    The figures of `ClassFigures` are those of the jobs that completed, but for `n_jobs`.

    Attributes
    ----------
    column : str
        By which jobs are told apart.
    resource_names : tuple of str
    n_jobs : (n_names,) int64
        All jobs.
    n_completed : (n_names,) int64
        Those that completed.
    use : (n_names,) float64
        Length times size, summed over all runs. The size of a job is the largest part of a resource of all machines
        that it takes.
    share_used : (n_names,) float64
        The part of all use, in [0, 1]; 0 where nothing was used.
    share_promised : (n_names,) float64 or None
        The part of all shares of the site; without shares all accounts have the same. None where jobs are told apart
        by something else than accounts, and of results without a site.
    share_lost : (n_names,) float64
        The part of the own use that was lost, in [0, 1].
    lost_by_preemption, lost_by_failure, lost_by_cancellation : (n_names, n_resources) float64
        Time lost times amount, as `run_work` counts it: all three together are the lost work.
    """

    column: str
    resource_names: tuple[str, ...]
    n_completed: npt.NDArray[np.int64]
    use: _Column
    share_used: _Column
    share_promised: _Column | None
    share_lost: _Column
    lost_by_preemption: npt.NDArray[np.float64]
    lost_by_failure: npt.NDArray[np.float64]
    lost_by_cancellation: npt.NDArray[np.float64]

    @property
    def names(self) -> tuple[str, ...]:
        """One a row, in alphabetical order; last "(none)", of the jobs without a name."""
        return self.classes.names

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a name: its figures; ``share_promised`` is None where it is; what is lost by resource."""
        rows: list[dict[str, Any]] = []
        for index, row in enumerate(super().rows()):
            promised = None if self.share_promised is None else float(self.share_promised[index])
            rows.append(
                {
                    **row,
                    "n_completed": int(self.n_completed[index]),
                    "use": float(self.use[index]),
                    "share_used": float(self.share_used[index]),
                    "share_promised": promised,
                    "share_lost": float(self.share_lost[index]),
                    **{f"lost_by_{cause}": self._lost(cause, index) for cause in CAUSES},
                }
            )
        return rows

    def _lost(self, cause: str, index: int) -> dict[str, float]:
        return dict(zip(self.resource_names, getattr(self, f"lost_by_{cause}")[index].tolist(), strict=True))


def fairness_by_submitter(result: Result, column: str = "user", tau: float = 10.0) -> SubmitterFigures:
    """Waits, slowdowns, use, promised shares and lost work of the jobs of each user, account, partition or class.

    Parameters
    ----------
    result : Result
        Of `solve`; jobs need not have completed.
    column : {"user", "account", "partition", "service_class"}, default "user"
    tau : float, default 10
        Threshold of the bounded slowdown, in the time unit of the instance.

    Returns
    -------
    SubmitterFigures
        A row for each name that jobs carry.

    Raises
    ------
    InvalidInstanceError
        For another column (with the close matches), one that no job has a name in, an account without a share, and a
        `tau` that is negative or not finite.
    UnsupportedError
        For a result that does not know its instance of jobs, or has no runs.
    TypeError
        For what is no result.

    Notes
    -----
    O((n_jobs + n_runs) log n + n_runs * n_resources + places). Sums are correctly rounded. The waits of jobs
    that did not complete are in no figure, as in `cluster_summary`; what they used and lost is.
    """
    inst, runs = runs_of_jobs(result, "fairness_by_submitter")
    classes = named_classes(inst, column)
    part = completed_part(inst, runs, result.outcome)
    completed = fairness_by_class(
        part.inst, part.runs, replace(classes, of_job=classes.of_job[part.jobs]), tau
    )
    time, cause = lost_time(inst, runs, result.incidents, result.site)
    use = _size_times(inst, runs, run_length(inst, runs), classes)
    lost = _size_times(inst, runs, time, classes)
    everything = exact_sum(use)
    promised = None
    if column == "account" and result.site is not None:
        promised = promised_shares(inst, result.site)
    figures: dict[str, Any] = {each.name: getattr(completed, each.name) for each in fields(ClassFigures)}
    figures["n_jobs"] = np.bincount(classes.of_job, minlength=classes.n_classes)
    for number, name in enumerate(CAUSES):
        figures[f"lost_by_{name}"] = _lost_work(inst, runs, np.where(cause == number, time, 0.0), classes)
    return SubmitterFigures(
        **figures,
        column=column,
        resource_names=inst.machines.resource_names,
        n_completed=completed.n_jobs,
        use=use,
        share_used=use / everything if everything > 0 else np.zeros_like(use),
        share_promised=promised,
        share_lost=np.minimum(np.divide(lost, use, out=np.zeros_like(use), where=use > 0), 1.0),
    )


def _size_times(inst: Instance, runs: Runs, time: _Column, classes: JobClasses) -> _Column:
    """(n_classes,) Size times so much time of each run."""
    size = cluster_share(inst)[runs.job]
    parts = _by_class(classes.of_job[runs.job], classes.n_classes)
    return np.array([exact_dot(size[rows], time[rows]) for rows in parts], dtype=np.float64)


def _lost_work(inst: Instance, runs: Runs, time: _Column, classes: JobClasses) -> npt.NDArray[np.float64]:
    """(n_classes, n_resources) Amounts times so much time of each run."""
    work = np.zeros((classes.n_classes, inst.n_resources))
    lost = np.flatnonzero(time > 0)
    job = runs.job[lost]
    amounts = inst.demand_of_all_tasks()[job]
    for number, rows in enumerate(_by_class(classes.of_job[job], classes.n_classes)):
        if len(rows):
            work[number] = totals(amounts[rows], time[lost[rows]])
    return work


def _by_class(of_row: npt.NDArray[np.int64], n_classes: int) -> list[npt.NDArray[np.intp]]:
    """The rows of each class."""
    order = np.argsort(of_row, kind="stable")
    ends = np.cumsum(np.bincount(of_row, minlength=n_classes))[:-1]
    return np.split(order, ends) if n_classes else []
