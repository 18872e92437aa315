"""Fewer jobs of a long list: the first ones, or every f-th, which makes job sets.

The latter is step 6 of the experiments of the MRIS paper (Section 7.1), for any instance [Fan2024]_: a data point is
the mean over several job sets, thinned out of the same list by the same factor with different offsets. The same
arguments give the same job sets on every platform.

.. [Fan2024] X. Fan, B. Liang, "Online Non-preemptive Multi-Resource Scheduling for Weighted Completion Time on
   Multiple Machines", ICPP 2024.
"""

from typing import TypeVar

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, MapReduceInstance, ParallelTaskInstance
from schedcore.model.integers import INT64_MAX, at_least, checked_integer
from schedcore.workloads.draws.splitmix import Draws

__all__ = ["downsample", "downsampling_offset", "every_nth", "first_jobs"]

_OfJobs = TypeVar("_OfJobs", Instance, ParallelTaskInstance, MapReduceInstance)


def first_jobs(inst: _OfJobs, n_jobs: int) -> _OfJobs:
    """Keep the first jobs of an instance, in its own order.

    Parameters
    ----------
    inst : Instance, ParallelTaskInstance or MapReduceInstance
        Its machines, and the identifiers, estimates and tasks of the kept jobs, stay as they are.
    n_jobs : int
        From 0 to as many as there are.

    Raises
    ------
    InvalidInstanceError
        For a number out of range; names it.
    """
    at_least(0, n_jobs=n_jobs)
    if n_jobs > inst.n_jobs:
        raise InvalidInstanceError(f"first {n_jobs} jobs: the workload has only {inst.n_jobs}")
    return inst.take_jobs(slice(n_jobs))


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
    return inst.take_jobs(kept)


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
