"""Jobs sorted into classes by how much they ask for and how long they run, for figures a class.

Classes depend on the instance alone, so the same ones serve all schedules of it. Sizes and shares stand on a scale of
powers of two, as evaluations of parallel machines do it; narrow or wide and short or long are the four classes of S.
Srinivasan et al., "Characterization of backfilling strategies for parallel job scheduling", ICPP Workshops 2002.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.metrics.resource_choice import resource_index
from schedcore.model import Instance
from schedcore.model.arrays import unmasked

DEFAULT_LENGTHS = (60.0, 600.0, 3_600.0, 21_600.0, 86_400.0)

_WITHOUT_LIMIT = 2**60  # how often a job fits that asks for nothing; capacities are at most 2**53

_FloatColumn = npt.NDArray[np.float64]
_IntColumn = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class JobClasses:
    """A class for each job, and what the classes are; only classes that have jobs.

    Attributes
    ----------
    measures : tuple of str
        What the bounds are about: a resource's name, "largest_share" or "processing_time".
    names : tuple of str
        One a class, in ascending order.
    lower, upper : (n_classes, n_measures) float64
        A job of the class has ``lower < value <= upper`` in every measure; infinite where there is no bound.
    of_job : (n_jobs,) int64
        Class of each job.
    """

    measures: tuple[str, ...]
    names: tuple[str, ...]
    lower: _FloatColumn
    upper: _FloatColumn
    of_job: _IntColumn

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.names)


def size_classes(inst: Instance, resource: int | str = 0) -> JobClasses:
    """Classes by the demand of all tasks for one resource: 1, 2, 3-4, 5-8, 9-16 units and so on.

    Parameters
    ----------
    inst : Instance
    resource : int or str, default 0
        Index or name of the resource. Jobs that do not ask for it are a class of their own, named 0.

    Raises
    ------
    InvalidInstanceError
        If there is no such resource.

    Notes
    -----
    Exact; O(n log n).
    """
    column = resource_index(inst, resource)
    demand = inst.demand_of_all_tasks()[:, column]
    doublings = np.frexp((demand - 1).astype(np.float64))[1]  # 2**(doublings - 1) < demand <= 2**doublings
    present, of_job = np.unique(np.where(demand > 0, doublings, -1), return_inverse=True)
    upper = np.where(present < 0, 0.0, np.ldexp(1.0, present))
    lower = np.where(present < 0, -np.inf, np.where(present == 0, 0.0, upper / 2))
    names = [
        f"{high:.0f}" if high <= 2 else f"{low + 1:.0f}-{high:.0f}"
        for low, high in zip(lower.tolist(), upper.tolist(), strict=True)
    ]
    return _classes(inst.machines.resource_names[column], names, lower, upper, of_job)


def share_classes(inst: Instance) -> JobClasses:
    """Classes by the largest share of a machine that a task takes: up to 1/2, 1/4, 1/8 and so on of the capacity.

    The share of a resource is the demand of one task over the capacity of the machine that has most of it; what counts
    is the resource of which the job takes the largest share. Jobs without any demand are a class of their own, named 0.

    Notes
    -----
    Exact; O(n * n_resources + n log n).
    """
    capacity = inst.machines.capacity.max(axis=0)
    demand = inst.jobs.demand
    times_it_fits = np.full(demand.shape, _WITHOUT_LIMIT, dtype=np.int64)
    np.floor_divide(capacity, demand, out=times_it_fits, where=demand > 0)
    scarcest = times_it_fits.min(axis=1, initial=_WITHOUT_LIMIT)
    # share <= 2**doublings means that the demand fits 2**-doublings times: exact in integers.
    doublings = 1 - np.frexp(scarcest.astype(np.float64))[1]
    present, of_job = np.unique(doublings, return_inverse=True)
    nothing, too_much = present < -53, present > 0
    upper = np.where(nothing, 0.0, np.where(too_much, np.inf, np.ldexp(1.0, present)))
    lower = np.where(nothing, -np.inf, np.where(too_much, 1.0, upper / 2))
    names = [
        "0" if high == 0 else "over 1" if low == 1 else f"{_fraction(low)} to {_fraction(high)}"
        for low, high in zip(lower.tolist(), upper.tolist(), strict=True)
    ]
    return _classes("largest_share", names, lower, upper, of_job)


def length_classes(inst: Instance, limits: Sequence[float] = DEFAULT_LENGTHS) -> JobClasses:
    """Classes by processing time, by default up to a minute, ten minutes, an hour, six hours, a day, and more.

    Parameters
    ----------
    inst : Instance
    limits : sequence of float
        Ascending; a job belongs to the first that it does not exceed. In the time unit of the instance.

    Raises
    ------
    InvalidInstanceError
        If `limits` are not positive, finite and strictly ascending.
    """
    bounds = np.asarray(unmasked(limits, "limits"), dtype=np.float64)
    if bounds.ndim != 1 or not ((np.diff(bounds, prepend=0.0) > 0) & np.isfinite(bounds)).all():
        raise InvalidInstanceError(f"limits = {list(limits)} must be positive, finite and strictly ascending")
    present, of_job = np.unique(
        np.searchsorted(bounds, inst.jobs.processing_time, side="left"), return_inverse=True
    )
    lower = np.concatenate(([0.0], bounds))[present]
    upper = np.concatenate((bounds, [np.inf]))[present]
    names = [
        f"over {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"
        for low, high in zip(lower.tolist(), upper.tolist(), strict=True)
    ]
    return _classes("processing_time", names, lower, upper, of_job)


def shape_classes(
    inst: Instance, resource: int | str = 0, narrow: int = 8, short: float = 3_600.0
) -> JobClasses:
    """Narrow or wide, and short or long: the four classes in which backfilling policies are told apart.

    Parameters
    ----------
    inst : Instance
    resource : int or str, default 0
        Index or name of the resource that makes a job wide.
    narrow : int, default 8
        Largest demand of a narrow job, all its tasks together.
    short : float, default 3600
        Largest processing time of a short job, in the time unit of the instance.

    Raises
    ------
    InvalidInstanceError
        If there is no such resource, or a limit is negative or NaN.
    """
    column = resource_index(inst, resource)
    if not (narrow >= 0 and short >= 0):
        raise InvalidInstanceError(f"narrow = {narrow} and short = {short} must be at least 0")
    wide = inst.demand_of_all_tasks()[:, column] > narrow
    long = inst.jobs.processing_time > short
    present, of_job = np.unique(2 * wide + long, return_inverse=True)
    of_four = {
        "narrow short": ((-np.inf, 0.0), (narrow, short)),
        "narrow long": ((-np.inf, short), (narrow, np.inf)),
        "wide short": ((narrow, 0.0), (np.inf, short)),
        "wide long": ((narrow, short), (np.inf, np.inf)),
    }
    names = [list(of_four)[index] for index in present]
    return JobClasses(
        (inst.machines.resource_names[column], "processing_time"),
        tuple(names),
        np.array([of_four[name][0] for name in names], dtype=np.float64).reshape(-1, 2),
        np.array([of_four[name][1] for name in names], dtype=np.float64).reshape(-1, 2),
        of_job.astype(np.int64),
    )


def _classes(
    measure: str, names: Sequence[str], lower: _FloatColumn, upper: _FloatColumn, of_job: npt.NDArray[np.intp]
) -> JobClasses:
    return JobClasses((measure,), tuple(names), lower[:, None], upper[:, None], of_job.astype(np.int64))


def _fraction(power_of_two: float) -> str:
    return "1" if power_of_two == 1 else f"1/{1 / power_of_two:.0f}"
