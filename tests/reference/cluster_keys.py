"""The keys of the priority queue for jobs of several tasks: demand and volume count all of them."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from reference.cluster_instance import ClusterJob, ClusterMachine, with_anything
from reference.plain_instance import PlainInstance, scored_demand
from reference.priority_keys import KEYS

#: A name of a key, or any numbers: by job, as a function of its id or as a sequence.
Key = str | Callable[[int], Any] | Sequence[Any]


def total_demand(job: ClusterJob, machines: Sequence[ClusterMachine]) -> int:
    """u: the demand of all tasks, in units that are common to all resources."""
    return job.n_tasks * demand_of_a_task(job, machines)


def demand_of_a_task(job: ClusterJob, machines: Sequence[ClusterMachine]) -> int:
    return _demand_of_a_task(job.demand, tuple(machine.capacity for machine in machines))


@lru_cache(maxsize=10_000)  # queues are sorted again and again
def _demand_of_a_task(demand: tuple[int, ...], capacities: tuple[tuple[int, ...], ...]) -> int:
    alone = ClusterJob(0, 1, demand, 1)
    return scored_demand(plain_job(alone, list(map(ClusterMachine, capacities)))).total[0]


def plain_job(job: ClusterJob, machines: Sequence[ClusterMachine]) -> PlainInstance:
    """One task of the job, alone, for what the references of single-machine jobs count."""
    return PlainInstance(
        [job.processing_time],
        [job.weight],
        [job.release_time],
        [list(job.demand)],
        with_anything(machines),
    )


def priority_key(
    key: Key, job: int, row: ClusterJob, machines: Sequence[ClusterMachine], *, by_estimate: bool = False
) -> Any:
    """Smaller first."""
    if isinstance(key, str):
        p = row.estimated_processing_time if by_estimate else row.processing_time
        return _named_key(key, p, row.weight, row.release_time, total_demand(row, machines))
    return key(job) if callable(key) else key[job]


@lru_cache(maxsize=10_000)  # likewise
def _named_key(key: str, p: float, w: float, r: float, u: int) -> Any:
    return KEYS[key](Fraction(p), Fraction(w), Fraction(r), u)
