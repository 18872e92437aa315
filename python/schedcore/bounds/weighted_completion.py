"""Lower bounds on the sum of weighted completion times.

Every job takes at least its processing time (the trivial bound), and every resource, over all machines
together, relaxes the instance to one preemptive machine of unit speed, where weighted shortest processing
time first minimises the sum of weighted mean busy times (Goemans 1997). The split bounds mix the two job by
job. Divide by the number of jobs for bounds on the average (AWCT).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance

from .bounded_instance import check_bounded
from .content_cache import ContentCache
from .parts import Part, Parts
from .rounding import LARGEST, mean_up_to, sum_up_to

__all__ = [
    "average_response_time_lower_bound",
    "awct_lower_bound",
    "bound_names",
    "lower_bounds",
    "mean_busy_times",
]


def lower_bounds(inst: Instance) -> dict[str, float]:
    """Return proven lower bounds on sum w C, by name.

    Parameters
    ----------
    inst : Instance
        Machines may differ from each other.

    Returns
    -------
    dict of str to float
        In units of weight x time; all 0.0 for no jobs:

        - ``"trivial"``: every job starts at its release time. Exact for integers as long as the sum is at most 2**53.
        - ``"mean_busy_0"``, ``"mean_busy_1"``, ..., ``"mean_busy_sum"``: the relaxation of one resource, and
          of the average of all that have any capacity.
        - ``"split_0"``, ..., ``"split_sum"``: the same after moving the weights of jobs that hardly wait to
          the trivial bound; never below ``"mean_busy_..."``.
        - ``"fractional_split"``: weights are shared in fractions and jobs may use different resources; never
          below any ``"mean_busy_..."``.
        - ``"best"``: the maximum of all. Where jobs fit some of the machines only, also of the sums of such bounds for
          those jobs on those machines and for the others.

        Jobs count with what all of their tasks hold, exclusive ones with the machines that they keep others from, and
        from when on outages let them start.

    Raises
    ------
    TypeError, UnsupportedError
        For what is no instance, and other kinds of instances.

    Notes
    -----
    O(n_jobs * n_resources * log n_jobs) time without the GIL, about 0.2 s for 64,000 jobs and four resources, and some
    150 bytes a job; where jobs can use different machines, so much again for each such set of machines. Computed once
    per instance. A value is at most 2e-14 below the exact bound, relatively, or 2e-14 + 1.2e-16 n_jobs where the times
    are so unlike that schedules themselves are rounded; ``"trivial"`` 1e-15. No value is above
    ``metrics.weighted_completion`` of a schedule, to the last bit.
    Without outages the bounds hold for preemptive schedules too.
    """
    check_bounded("lower_bounds", inst, (Instance,), counts_tasks=True)
    return dict(_bounds.get(inst, _compute))


def bound_names(inst: Instance) -> tuple[str, ...]:
    """Return the names of `lower_bounds`."""
    series = [*range(inst.n_resources), "sum"]
    of_series = (f"{bound}_{name}" for bound in ("mean_busy", "split") for name in series)
    return ("trivial", *of_series, "fractional_split", "best")


def awct_lower_bound(inst: Instance) -> float:
    """Return the best of `lower_bounds` over the number of jobs, rounded down; 0.0 without jobs.

    Cost and errors as there.
    """
    check_bounded("awct_lower_bound", inst, (Instance,), counts_tasks=True)
    return mean_up_to(lower_bounds(inst)["best"], inst.n_jobs)


def average_response_time_lower_bound(inst: Instance) -> float:
    """Return a proven lower bound on the mean of completion minus release time; 0.0 without jobs.

    The best of `lower_bounds` with all weights 1, less the release times, and not below the mean processing time; both
    rounded down. Cost and errors as there.
    """
    check_bounded("average_response_time_lower_bound", inst, (Instance,), counts_tasks=True)
    if inst.n_jobs == 0:
        return 0.0
    jobs = inst.jobs
    unweighted = inst if (jobs.weight == 1).all() else inst.replace(weight=1)
    completions = lower_bounds(unweighted)["best"]
    # A response time in doubles is below the completion time in doubles, less the release time, by less than 3 * 2**-53
    # of the completion time: each of start - release, that + processing time, start + processing time is rounded once.
    differences = np.concatenate([[completions, -completions * 2.0**-51], -jobs.release_time])
    responses = (
        sum_up_to(differences) if completions < LARGEST else 0.0
    )  # beyond the doubles nothing can be subtracted
    return mean_up_to(max(responses, sum_up_to(jobs.processing_time)), inst.n_jobs)


def mean_busy_times(inst: Instance, load: ArrayLike) -> tuple[float, NDArray[np.float64]]:
    """Return the mean busy time bound for loads of your own, and the mean busy times.

    Parameters
    ----------
    inst : Instance
    load : (n_jobs,) float
        Processing times on one machine of unit speed. The bound is proven if jobs that can run at one time
        never have ``load / processing_time`` summing to more than one, as with ``processing_time * demand[:,
        l] / total capacity of l`` and convex combinations of these.

    Returns
    -------
    bound : float
        Sum of weight x (mean busy time + processing time / 2).
    mean_busy_time : (n_jobs,) float64
        The mean of the instants at which preemptive weighted-shortest-processing-time-first works on each
        job; the release time where the load is 0.

    Raises
    ------
    InvalidInstanceError
        If a load is negative or not finite, or their number is wrong; names the first.
    TypeError, UnsupportedError
        For what is no instance, and other kinds of instances.

    Notes
    -----
    O(n_jobs log n_jobs) time without the GIL. Not cached.
    """
    check_bounded("mean_busy_times", inst, (Instance,), counts_tasks=True)
    loads = np.ascontiguousarray(load, dtype=np.float64)
    if loads.shape != (inst.n_jobs,):
        raise InvalidInstanceError(f"load has shape {loads.shape}; the instance has {inst.n_jobs} jobs")
    wrong = ~(np.isfinite(loads) & (loads >= 0))
    if wrong.any():
        job = int(np.argmax(wrong))
        raise InvalidInstanceError(f"load[{job}] = {loads[job]} must be finite and at least 0")
    jobs = inst.jobs
    return _core.bounds.mean_busy_time_bound(jobs.release_time, jobs.processing_time, jobs.weight, loads)


def _compute(inst: Instance) -> dict[str, float]:
    parts = Parts(inst)
    found = dict(zip(bound_names(inst), _of_part(parts.whole()), strict=True))
    for split in parts.splits():
        values = np.array([_of_part(part)[-1] for part in split])
        found["best"] = max(found["best"], sum_up_to(values))
    return found


def _of_part(part: Part) -> list[float]:
    """The values of `bound_names` for some jobs on some machines."""
    trivial, mean_busy, split, fractional_split, best = _core.bounds.completion_time_bounds(
        part.release_time, part.processing_time, part.weight, part.amounts, part.capacity
    )
    return [trivial, *mean_busy, *split, fractional_split, best]


_bounds: ContentCache[dict[str, float]] = ContentCache()
