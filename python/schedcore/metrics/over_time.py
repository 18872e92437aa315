"""How busy the machines were and how long the queue was, at every instant and on average."""

import math

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.metrics.exact_sums import exact_dot, exact_sum
from schedcore.metrics.per_job import completion_time, require_same_jobs
from schedcore.metrics.step_function import StepFunction
from schedcore.model import Instance, Schedule

_INT64_RANGE = 2.0**63


def horizon(inst: Instance, schedule: Schedule) -> tuple[float, float]:
    """First release and last completion, between which averages are taken; (0, 0) without jobs."""
    if inst.n_jobs == 0:
        return 0.0, 0.0
    return float(inst.jobs.release_time.min()), float(completion_time(inst, schedule).max())


def resource_usage(inst: Instance, schedule: Schedule, machine: int | None = None) -> StepFunction:
    """Amounts in use at every instant, exactly.

    Parameters
    ----------
    inst, schedule : Instance, Schedule
        A schedule with one row for every job of the instance.
    machine : int, optional
        Count this machine alone; by default all machines together.

    Returns
    -------
    StepFunction
        ``values`` is (k, n_resources) int64, in the units of the demands.

    Raises
    ------
    InvalidInstanceError
        If there is no such machine, or the schedule is one of another number of jobs.
    UnsupportedError
        If the total capacity and the total demand of a resource both reach 2**63, so that its use might not
        fit in 64 bits.

    Notes
    -----
    O(n log n) for sorting the starts and completions, O(n * n_resources) memory.
    """
    end = completion_time(inst, schedule)
    start, demand = schedule.start_time, inst.jobs.demand
    _refuse_sums_beyond_int64(inst)
    if machine is not None:
        if not 0 <= machine < inst.n_machines:
            raise InvalidInstanceError(f"machine {machine} must lie in [0, {inst.n_machines})")
        chosen = schedule.machine == machine
        start, end, demand = start[chosen], end[chosen], demand[chosen]
    return StepFunction.from_changes(np.concatenate((start, end)), np.concatenate((demand, -demand)))


def utilisation(
    inst: Instance, schedule: Schedule, between: tuple[float, float] | None = None
) -> npt.NDArray[np.float64]:
    """Share of the capacity of all machines that was in use, per resource, averaged over time.

    Parameters
    ----------
    inst, schedule : Instance, Schedule
        A schedule with one row for every job of the instance.
    between : (float, float), optional
        Start and end of the stretch to average over; by default `horizon`.

    Returns
    -------
    (n_resources,) float64
        ``sum_j demand[j, l] * (time of j within the stretch) / (total capacity of l * length)``; at most 1
        in a valid schedule. 0 for a stretch of length 0 and for a resource without capacity. Costs
        O(n * n_resources).

    Raises
    ------
    InvalidInstanceError
        If `between` is not an ascending pair of finite numbers.
    """
    require_same_jobs(inst, schedule)
    jobs = inst.jobs
    first, last = _stretch(inst, schedule, between)
    if between is None:
        busy = jobs.processing_time
    else:
        busy = np.maximum(
            np.minimum(completion_time(inst, schedule), last) - np.maximum(schedule.start_time, first), 0.0
        )
    available = total_capacity(inst) * (last - first)
    used = np.array([exact_dot(jobs.demand[:, column], busy) for column in range(inst.n_resources)])
    share: npt.NDArray[np.float64] = np.zeros(inst.n_resources)
    np.divide(used, available, out=share, where=available > 0)
    return share


def binned_utilisation(
    inst: Instance, schedule: Schedule, n_bins: int = 200, between: tuple[float, float] | None = None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Utilisation as a coarse function of time, for drawings.

    Parameters
    ----------
    inst, schedule : Instance, Schedule
        A schedule with one row for every job of the instance.
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


def queue_length(inst: Instance, schedule: Schedule) -> StepFunction:
    """Number of jobs that are released and have not started, at every instant.

    A job that starts the moment it is released never counts. O(n log n).
    """
    require_same_jobs(inst, schedule)
    one = np.ones(inst.n_jobs, dtype=np.int64)
    return StepFunction.from_changes(
        np.concatenate((inst.jobs.release_time, schedule.start_time)), np.concatenate((one, -one))
    )


def total_capacity(inst: Instance) -> npt.NDArray[np.float64]:
    """Capacity of all machines together, per resource, correctly rounded."""
    capacity = inst.machines.capacity
    return np.array([exact_sum(capacity[:, column]) for column in range(inst.n_resources)])


def _stretch(inst: Instance, schedule: Schedule, between: tuple[float, float] | None) -> tuple[float, float]:
    if between is None:
        return horizon(inst, schedule)
    first, last = between
    if not (math.isfinite(first) and math.isfinite(last) and first <= last):
        raise InvalidInstanceError(f"between = ({first}, {last}) must be finite and ascending")
    return first, last


def _refuse_sums_beyond_int64(inst: Instance) -> None:
    for column, total in enumerate(total_capacity(inst)):
        if total >= _INT64_RANGE and exact_sum(inst.jobs.demand[:, column]) >= _INT64_RANGE:
            raise UnsupportedError(
                f"the use of resource {column} may exceed 2**63 - 1: the machines have {total:.4g} units "
                "together; use a coarser unit"
            )
