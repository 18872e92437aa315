"""Job sets out of one long list: every f-th of its jobs, and further resources for them.

Steps 6 and 7 of the experiments of the MRIS paper (Section 7.1), for any instance [Fan2024]_: a data point is
the mean over several job sets, thinned out of the same list by the same factor with different offsets. The
same arguments give the same job sets on every platform.

.. [Fan2024] X. Fan, B. Liang, "Online Non-preemptive Multi-Resource Scheduling for Weighted Completion Time
on
   Multiple Machines", ICPP 2024.
"""

import itertools

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Machines
from schedcore.model.arrays import unmasked
from schedcore.model.integers import INT64_MAX, checked_integer
from schedcore.workloads.draws.splitmix import Draws
from schedcore.workloads.models.mris_instances import at_least

__all__ = ["downsample", "downsampling_offset", "draw_extra_demands", "draw_more_resources", "every_nth"]


def downsample(inst: Instance, factor: int, offset: int = 0) -> Instance:
    """Keep the jobs `offset`, ``offset + factor``, ``offset + 2 factor``, ... of an instance.

    Parameters
    ----------
    inst : Instance
        Its machines, and the identifiers and estimates of the kept jobs, stay as they are.
    factor : int
        At least 1. The offsets 0..factor - 1 divide the jobs among `factor` instances.
    offset : int
        In [0, factor).

    Returns
    -------
    Instance
        With ``ceil((inst.n_jobs - offset) / factor)`` jobs.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range, and where no job would be left of some; names the values.

    Notes
    -----
    O(n_jobs / factor) time and memory.
    """
    kept = every_nth(factor, offset)
    if 0 < inst.n_jobs <= offset:
        raise InvalidInstanceError(f"offset = {offset} leaves no job of {inst.n_jobs} (factor = {factor})")
    return Instance(inst.jobs[kept], inst.machines)


def every_nth(factor: int, offset: int) -> slice:
    """Return ``offset::factor``, or raise an `InvalidInstanceError` that names the argument out of range."""
    factor = checked_integer("factor", factor, 1)
    if not 0 <= checked_integer("offset", offset, -INT64_MAX) < factor:
        raise InvalidInstanceError(f"offset = {offset} is outside [0, factor = {factor})")
    return slice(offset, None, factor)


def downsampling_offset(factor: int, job_set: int, seed: int = 1) -> int:
    """Return the offset of the job sets 1, 2, 3, ...: uniform, without replacement.

    Parameters
    ----------
    factor : int
        At least 1.
    job_set : int
        In [1, factor]; different job sets have different offsets, and those of all are 0..factor - 1.
    seed : int
        In [0, 2**64); with `factor` it determines the order of the offsets.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range; names it.

    Notes
    -----
    O(job_set) time and memory: the first entries of a permutation by Fisher and Yates. Factor f uses the f
    draws after the f (f - 1) / 2 of all smaller factors, so that offsets for different factors are
    independent.
    """
    at_least(1, factor=factor)
    if not 1 <= job_set <= factor:
        raise InvalidInstanceError(f"job_set = {job_set} is outside [1, factor = {factor}]")
    draws: list[int] = Draws(seed, job_set, 1, skip=factor * (factor - 1) // 2).column(0).tolist()
    moved: dict[int, int] = {}  # entry i of the permutation so far is moved.get(i, i)
    for entry, draw in enumerate(draws):
        other = entry + draw % (factor - entry)
        offset = moved.get(other, other)
        moved[other] = moved.get(entry, entry)
    return offset


def draw_more_resources(
    inst: Instance, n_resources: int, seed: int = 1, donors: NDArray[np.int64] | None = None
) -> Instance:
    """Bring an instance to a number of resources: keep the first ones, or draw demands for new ones.

    In each new resource every job independently gets the demand in resource 0 of a job drawn uniformly, and
    every machine has its capacity of resource 0.

    Parameters
    ----------
    inst : Instance
        Its first resources, or all, are kept as they are.
    n_resources : int
        At least 1.
    seed : int
        In [0, 2**64). Draws are made resource by resource, in each job by job.
    donors : (n_donors,) int64, optional
        The demands to draw from, for job sets thinned out of a list: those of the list in resource 0.
        Default: those of `inst`.

    Returns
    -------
    Instance
        New resources are named ``extra_0``, ``extra_1``, ..., without names that `inst` has already.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range, no donors, demands out of range among those drawn, and a job that loses
        its last demand with a resource; names the values.
    TypeError
        For donors that are no integers.

    Notes
    -----
    O(n_jobs * n_resources) time and memory. The extra resources of `azure_like` and `read_azure_packing` are
    drawn alike, but come after the other draws of their seed.
    """
    at_least(1, n_resources=n_resources)
    pool = inst.jobs.demand[:, 0] if donors is None else _checked_donors(donors)
    n_kept = min(n_resources, inst.n_resources)
    demand = np.empty((inst.n_jobs, n_resources), dtype=np.int64)
    demand[:, :n_kept] = inst.jobs.demand[:, :n_kept]
    _refuse_lost_demand(inst, demand[:, :n_kept])
    draw_extra_demands(demand[:, n_kept:], pool, seed)
    demand.setflags(write=False)
    new = n_resources - n_kept
    extra_names = (f"extra_{index}" for index in itertools.count())
    unused = (name for name in extra_names if name not in inst.machines.resource_names)
    capacity = inst.machines.capacity
    machines = Machines(
        np.hstack([capacity[:, :n_kept], np.repeat(capacity[:, :1], new, axis=1)]),
        (*inst.machines.resource_names[:n_kept], *itertools.islice(unused, new)),
    )
    return Instance(inst.jobs.replace(demand=demand), machines)


def draw_extra_demands(
    columns: NDArray[np.int64], donors: NDArray[np.int64], seed: int, skip: int = 0
) -> None:
    """Fill `columns`, shape (n_jobs, n_extra), with donors drawn uniformly: column by column, job by job.

    The draws are those of the stream of `seed` after the first `skip`. Requires a donor if there are jobs.
    """
    n_jobs, n_extra = columns.shape
    for extra in range(n_extra if n_jobs else 0):
        drawn = Draws(seed, n_jobs, 1, skip=skip + extra * n_jobs).below(0, len(donors))
        columns[:, extra] = donors[drawn.astype(np.intp)]


def _checked_donors(donors: NDArray[np.int64]) -> NDArray[np.int64]:
    array = np.asarray(unmasked(donors, "donors"))
    if array.ndim != 1 or not len(array):
        raise InvalidInstanceError(f"donors has shape {array.shape}; need one demand or more")
    if array.dtype.kind not in "iu":
        raise TypeError(f"donors are demands in units, integers, not {array.dtype}")
    return array


def _refuse_lost_demand(inst: Instance, kept: NDArray[np.int64]) -> None:
    lost = ~kept.any(axis=1) & inst.jobs.demand.any(axis=1)
    if lost.any():
        job = int(np.argmax(lost))
        names = ", ".join(inst.machines.resource_names[: kept.shape[1]])
        raise InvalidInstanceError(
            f"job {job} (id {inst.jobs.id[job]}) has no demand in {names}, which are to be kept; "
            f"{np.count_nonzero(lost)} of {inst.n_jobs} jobs would need nothing"
        )
