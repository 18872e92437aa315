"""Instances, incidents and runs of the cluster references as objects of the library; job j has the id j."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from reference.cluster_instance import ClusterInstance, ClusterMachine, Down
from reference.cluster_site import Multifactor as PlainMultifactor
from reference.cluster_site import Site as PlainSite
from reference.cluster_state import RunRecord
from schedcore import (
    Incidents,
    Instance,
    Jobs,
    Limit,
    Machines,
    Multifactor,
    Outages,
    Partition,
    RunAllocation,
    Runs,
    ServiceClass,
    Site,
)

PARTY_COLUMNS = (
    "priority",
    "user",
    "account",
    "partition",
    "service_class",
    "array",
    "after_ok",
    "after_any",
    "after_not_ok",
)


def model_site(site: PlainSite, machines: Machines, n_jobs: int) -> Site:
    """A callable order becomes numbers, a number of a resource its name."""
    order = site.order
    if isinstance(order, PlainMultifactor):
        order = Multifactor(**vars(order))
    elif callable(order):
        order = [order(job) for job in range(n_jobs)]
    return Site(
        order,
        [Partition(**vars(each)) for each in site.partitions],
        [ServiceClass(**vars(each)) for each in site.service_classes],
        [
            Limit(
                each.who,
                machines.resource_names[each.what] if isinstance(each.what, int) else each.what,
                each.most,
            )
            for each in site.limits
        ],
        site.shares,
        site.preempt,
    )


@lru_cache(maxsize=2_000)
def model_instance(instance: ClusterInstance) -> Instance:
    jobs = instance.jobs
    return Instance(
        Jobs(
            [job.processing_time for job in jobs],
            [job.demand for job in jobs],
            [job.release_time for job in jobs],
            [job.weight for job in jobs],
            [job.estimated_processing_time for job in jobs],
            n_tasks=[job.n_tasks for job in jobs],
            max_tasks_per_machine=[job.spread for job in jobs],
            exclusive=[job.exclusive for job in jobs],
            constraint=[job.constraint for job in jobs],
            checkpoint_interval=[job.checkpoint_interval for job in jobs],
            restart_cost=[job.restart_cost for job in jobs],
            **{name: [getattr(job, name) for job in jobs] for name in PARTY_COLUMNS},
        ),
        model_machines(instance.machines),
        model_outages(instance.outages),
    )


def model_machines(machines: Sequence[ClusterMachine]) -> Machines:
    return Machines(
        [machine.capacity for machine in machines],
        labels=[machine.labels for machine in machines],
        weight=[machine.weight for machine in machines],
    )


@lru_cache(maxsize=2_000)
def model_incidents(instance: ClusterInstance) -> Incidents:
    return Incidents(model_outages(instance.failures), instance.cancellations, instance.killed)


def model_outages(downs: Iterable[Down]) -> Outages | None:
    """As they are, not united."""
    rows = list(downs)
    if not rows:
        return None
    return Outages([row.machine for row in rows], [row.start for row in rows], [row.end for row in rows])


def model_runs(runs: Sequence[RunRecord]) -> Runs:
    places = [(row, machine, n) for row, run in enumerate(runs) for machine, n in run.allocation]
    columns = zip(*places, strict=True) if places else ((), (), ())
    return Runs(
        [run.job for run in runs],
        [run.attempt for run in runs],
        [run.start for run in runs],
        [run.end for run in runs],
        [run.outcome for run in runs],
        RunAllocation(*map(list, columns)),
    )
