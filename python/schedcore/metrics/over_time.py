"""How busy the machines were and how long the queue was, at every instant and on average.

A job takes the demand of all its tasks, each on its machine; an exclusive one does not count with all that it keeps
others from. Where jobs ran several times (`Runs`), every run counts, also of jobs that never completed.
"""

import math

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.metrics.exact_sums import exact_dot, exact_sum
from schedcore.metrics.job_amounts import amounts_of_tasks, work_of_jobs
from schedcore.metrics.per_job import completion_time, require_same_jobs
from schedcore.metrics.resource_choice import resource_index
from schedcore.metrics.run_columns import check_runs_of, last_completion, run_length, waiting_times
from schedcore.metrics.step_function import StepFunction
from schedcore.model import Instance, Runs, Schedule

_INT64_RANGE = 2.0**63


def horizon(inst: Instance, schedule: Schedule | Runs) -> tuple[float, float]:
    """First release and last completion, between which averages are taken; (0, 0) without jobs.

    Of runs the last end counts, also of one that did not complete; without any run both are the first release.
    """
    if inst.n_jobs == 0:
        return 0.0, 0.0
    first = float(inst.jobs.release_time.min())
    if isinstance(schedule, Runs):
        check_runs_of(inst, schedule)
        return first, float(schedule.end_time.max(initial=first))
    return first, float(completion_time(inst, schedule).max())


def resource_usage(inst: Instance, schedule: Schedule | Runs, machine: int | None = None) -> StepFunction:
    """Amounts in use at every instant, exactly.

    Parameters
    ----------
    inst : Instance
    schedule : Schedule or Runs
        A schedule with one row for every job of the instance, or the runs of its jobs.
    machine : int, optional
        Count this machine alone; by default all machines together.

    Returns
    -------
    StepFunction
        ``values`` is (k, n_resources) int64, in the units of the demands.

    Raises
    ------
    InvalidInstanceError
        If there is no such machine, or the schedule is one of another number of jobs; for more tasks on the machine
        than a job has.
    UnsupportedError
        If the total capacity and the total demand of a resource both reach 2**63, so that its use might not
        fit in 64 bits; if a job takes more than 2**53 units.

    Notes
    -----
    O(n log n) for sorting the starts and completions, O(n * n_resources) memory.
    """
    start = schedule.start_time
    if isinstance(schedule, Runs):
        check_runs_of(inst, schedule)
        end, job = schedule.end_time, schedule.job
    else:
        end, job = completion_time(inst, schedule), None
    demand = inst.demand_of_all_tasks()
    demand = demand if job is None else demand[job]
    _refuse_sums_beyond_int64(inst, demand)
    if machine is not None:
        if not 0 <= machine < inst.n_machines:
            raise InvalidInstanceError(f"machine {machine} must lie in [0, {inst.n_machines})")
        places = schedule.allocation
        here = places.machine == machine
        row = places.owner[here]
        demand = amounts_of_tasks(inst, row if job is None else job[row], places.n_tasks[here])
        start, end = start[row], end[row]
    return StepFunction.from_changes(np.concatenate((start, end)), np.concatenate((demand, -demand)))


def utilisation(
    inst: Instance, schedule: Schedule | Runs, between: tuple[float, float] | None = None
) -> npt.NDArray[np.float64]:
    """Share of the capacity of all machines that was in use, per resource, averaged over time.

    Parameters
    ----------
    inst : Instance
    schedule : Schedule or Runs
        A schedule with one row for every job of the instance, or the runs of its jobs.
    between : (float, float), optional
        Start and end of the stretch to average over; by default `horizon`.

    Returns
    -------
    (n_resources,) float64
        ``sum_j demand[j, l] * (time of j within the stretch) / (total capacity of l * length)``, with the demand of all
        tasks; at most 1 in a valid schedule. 0 for a stretch of length 0 and for a resource without capacity. Outages
        and failures do not count: `capacity_use` knows them. Costs O(n * n_resources).

    Raises
    ------
    InvalidInstanceError
        If `between` is not an ascending pair of finite numbers.
    """
    first, last = _stretch(inst, schedule, between)
    amounts, busy = (
        inst.demand_of_all_tasks(),
        busy_time(inst, schedule, None if between is None else (first, last)),
    )
    if isinstance(schedule, Runs):
        amounts = amounts[schedule.job]
    available = total_capacity(inst) * (last - first)
    used = np.array([exact_dot(amounts[:, column], busy) for column in range(inst.n_resources)])
    share: npt.NDArray[np.float64] = np.zeros(inst.n_resources)
    np.divide(used, available, out=share, where=available > 0)
    return share


def busy_time(
    inst: Instance, schedule: Schedule | Runs, between: tuple[float, float] | None
) -> npt.NDArray[np.float64]:
    """(n_jobs,) or (n_runs,) How long each job or run took, or how much of that lies within a stretch."""
    if between is None:
        if isinstance(schedule, Runs):
            return run_length(inst, schedule)
        require_same_jobs(inst, schedule)
        return inst.jobs.processing_time
    first, last = between
    end = schedule.end_time if isinstance(schedule, Runs) else completion_time(inst, schedule)
    within: npt.NDArray[np.float64] = np.minimum(end, last) - np.maximum(schedule.start_time, first)
    return np.maximum(within, 0.0)


def binned_utilisation(
    inst: Instance, schedule: Schedule | Runs, n_bins: int = 200, between: tuple[float, float] | None = None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Utilisation as a coarse function of time, for drawings.

    Parameters
    ----------
    inst : Instance
    schedule : Schedule or Runs
        A schedule with one row for every job of the instance, or the runs of its jobs.
    n_bins : int, default 200
        Number of equal bins.
    between : (float, float), optional
        Start and end of the stretch; by default `horizon`.

    Returns
    -------
    edges : (n_bins + 1,) float64
    share : (n_bins, n_resources) float64
        Mean share of the total capacity in use within each bin.
    """
    if n_bins < 1:
        raise InvalidInstanceError(f"n_bins = {n_bins} must be at least 1")
    first, last = _stretch(inst, schedule, between)
    edges = np.linspace(first, last, n_bins + 1)
    used = resource_usage(inst, schedule).binned_mean(edges)
    capacity = np.broadcast_to(total_capacity(inst), used.shape)
    return edges, np.divide(used, capacity, out=np.zeros_like(used), where=capacity > 0)


def queue_length(inst: Instance, schedule: Schedule | Runs) -> StepFunction:
    """Number of jobs that are released and have not started, at every instant.

    A job that starts the moment it is released never counts. One that was killed waits again until its next run. Jobs
    that never completed are an `InvalidInstanceError`, as their wait has no end in the runs. O(n log n).
    """
    since, until = waits(inst, schedule)
    one = np.ones(len(since), dtype=np.int64)
    return StepFunction.from_changes(np.concatenate((since, until)), np.concatenate((one, -one)))


def waiting_work(inst: Instance, schedule: Schedule | Runs, resource: int | str = 0) -> StepFunction:
    """Work of the jobs that are released and have not started, at every instant.

    Parameters
    ----------
    inst : Instance
    schedule : Schedule or Runs
        A schedule with one row for every job of the instance, or the runs of its jobs, all of which completed.
    resource : int or str, default 0
        Index or name.

    Returns
    -------
    StepFunction
        Units of the resource times units of time, rounded to whole ones for each job: the demand of all its tasks times
        its processing time. A job that was killed waits again with all of it.

    Raises
    ------
    InvalidInstanceError
        If there is no such resource, the schedule is one of another number of jobs, or a job did not complete.
    UnsupportedError
        If the work of all jobs reaches 2**63.

    Notes
    -----
    O(n log n).
    """
    work = work_of_jobs(inst, resource_index(inst, resource))
    since, until = waits(inst, schedule)
    if isinstance(schedule, Runs):
        work = work[np.sort(schedule.job)]  # the order of `waits`
    return StepFunction.from_changes(np.concatenate((since, until)), np.concatenate((work, -work)))


def waits(
    inst: Instance, schedule: Schedule | Runs
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """From when to when jobs waited: an entry a job, or a run."""
    if isinstance(schedule, Runs):
        last_completion(inst, schedule)
        return waiting_times(inst, schedule)
    require_same_jobs(inst, schedule)
    return inst.jobs.release_time, schedule.start_time


def total_capacity(inst: Instance) -> npt.NDArray[np.float64]:
    """Capacity of all machines together, per resource, correctly rounded."""
    capacity = inst.machines.capacity
    return np.array([exact_sum(capacity[:, column]) for column in range(inst.n_resources)])


def _stretch(
    inst: Instance, schedule: Schedule | Runs, between: tuple[float, float] | None
) -> tuple[float, float]:
    return horizon(inst, schedule) if between is None else checked_stretch(between)


def checked_stretch(between: tuple[float, float]) -> tuple[float, float]:
    """The pair, which must be finite and ascending."""
    first, last = between
    if not (math.isfinite(first) and math.isfinite(last) and first <= last):
        raise InvalidInstanceError(f"between = ({first}, {last}) must be finite and ascending")
    return first, last


def _refuse_sums_beyond_int64(inst: Instance, demand: npt.NDArray[np.int64]) -> None:
    for column, total in enumerate(total_capacity(inst)):
        if total >= _INT64_RANGE and exact_sum(demand[:, column]) >= _INT64_RANGE:
            raise UnsupportedError(
                f"the use of resource {column} may exceed 2**63 - 1: the machines have {total:.4g} units "
                "together; use a coarser unit"
            )
