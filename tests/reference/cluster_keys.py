"""The keys of the priority queue for jobs of several tasks: demand and volume count all of them."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from reference.cluster_instance import ClusterJob, ClusterMachine, with_anything
from reference.plain_instance import PlainInstance, scored_demand
from reference.priority_keys import KEYS

#: A name of a key, or any numbers: by job, as a function of its id or as a sequence.
Key = str | Callable[[int], Any] | Sequence[Any]


def total_demand(job: ClusterJob, machines: Sequence[ClusterMachine]) -> int:
    """u: the demand of all tasks, in units that are common to all resources."""
    return job.n_tasks * scored_demand(plain_job(job, machines)).total[0]


def plain_job(job: ClusterJob, machines: Sequence[ClusterMachine]) -> PlainInstance:
    """One task of the job, alone, for what the references of single-machine jobs count."""
    return PlainInstance(
        [job.processing_time],
        [job.weight],
        [job.release_time],
        [list(job.demand)],
        with_anything(machines),
    )


def priority_key(key: Key, job: int, row: ClusterJob, machines: Sequence[ClusterMachine]) -> Any:
    """Smaller first."""
    if isinstance(key, str):
        p, w, r = Fraction(row.processing_time), Fraction(row.weight), Fraction(row.release_time)
        return KEYS[key](p, w, r, total_demand(row, machines))
    return key(job) if callable(key) else key[job]
