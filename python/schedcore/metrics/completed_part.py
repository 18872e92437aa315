"""The jobs that completed, by themselves, and what is left out: metrics of jobs are about them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.metrics.run_columns import has_completed
from schedcore.metrics.run_work import totals
from schedcore.model import Instance, Runs
from schedcore.model.allocation import RunAllocation
from schedcore.model.dependencies import AFTER
from schedcore.model.runs import JOB_OUTCOMES, checked_outcome


@dataclass(frozen=True, eq=False)
class CompletedPart:
    """The jobs that completed with all their runs, and how much is left out.

    Attributes
    ----------
    inst : Instance
        The jobs that completed, in their order, without what they waited for.
    runs : Runs
        Theirs, also those that were killed.
    jobs : (n_completed,) int64
        Their rows in the whole instance.
    left_out : dict of str to int
        How many jobs did not complete, by what became of them: "killed", "cancelled", "never", "waiting"; or all under
        "not completed" where outcomes were not given. Only what occurs.
    left_out_work : (n_resources,) float64
        The work of these jobs: processing time times what their tasks take.
    """

    inst: Instance
    runs: Runs
    jobs: npt.NDArray[np.int64]
    left_out: dict[str, int]
    left_out_work: npt.NDArray[np.float64]

    @property
    def n_left_out(self) -> int:
        """How many jobs did not complete."""
        return sum(self.left_out.values())


def completed_part(inst: Instance, runs: Runs, outcome: Any = None) -> CompletedPart:
    """Return the jobs that completed as an instance with runs, for every metric that takes both.

    Parameters
    ----------
    inst, runs : Instance, Runs
        ``result.runs`` of a result on the instance.
    outcome : (n_jobs,) array_like of str, optional
        ``result.outcome``, to tell apart those that did not complete.

    Raises
    ------
    InvalidInstanceError
        For runs of a job that there is not; if an outcome is unknown, there are more or fewer of them than jobs, or one
        of them says "completed" where the runs do not, or the other way round.
    TypeError
        For what are no runs.

    Notes
    -----
    O(n_runs log n_runs + n_jobs + places). Where all jobs completed, `inst` and `runs` are those given.
    """
    completed = has_completed(inst, runs)
    left = ~completed
    counts = {"not completed": int(left.sum())}
    if outcome is not None:
        ended = checked_outcome(outcome, inst.n_jobs, JOB_OUTCOMES, row="job")
        told = ended.texts() == "completed"
        if (told != completed).any():
            job = int(np.argmax(told != completed))
            raise InvalidInstanceError(
                f"{inst.job_name(job)} has the outcome {ended.texts()[job]!r}, "
                f"{'a' if completed[job] else 'no'} run of it completed"
            )
        names, numbers = np.unique(ended.texts()[left].astype(str), return_counts=True)
        counts = dict(zip(names.tolist(), numbers.tolist(), strict=True))
    jobs = np.flatnonzero(completed).astype(np.int64, copy=False)
    work = totals(inst.demand_of_all_tasks()[left], inst.processing_time[left])
    if completed.all():
        return CompletedPart(inst, runs, jobs, {}, work)
    row = np.cumsum(completed) - 1
    kept = completed[runs.job]
    return CompletedPart(
        Instance(inst.jobs.replace(**dict.fromkeys(AFTER))[jobs], inst.machines, inst.outages),
        _kept_runs(runs, kept, row),
        jobs,
        {name: number for name, number in counts.items() if number},
        work,
    )


def _kept_runs(runs: Runs, kept: npt.NDArray[np.bool_], row_of_job: npt.NDArray[np.int64]) -> Runs:
    """Some of the runs, with other rows for their jobs in the same order."""
    places = runs.allocation
    of_kept = kept[places.run]
    row_of_run = np.cumsum(kept) - 1
    return Runs(
        row_of_job[runs.job[kept]],
        runs.attempt[kept],
        runs.start_time[kept],
        runs.end_time[kept],
        runs.coded_outcome.take(kept),
        RunAllocation(row_of_run[places.run[of_kept]], places.machine[of_kept], places.n_tasks[of_kept]),
    )
