"""Jobs of Slurm as columns of `Jobs`: what running and waiting ones have alike, and the running ones where they are."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from schedcore.model import Jobs, Machines

from .jobs import SlurmJob
from .run_ends import ends_of_run
from .running_jobs import HeldShape, RunningJobs
from .site import SlurmSite

__all__ = ["columns_of_jobs", "demands", "placed_jobs"]


def placed_jobs(
    site: SlurmSite, machines: Machines, now: float, parts: Sequence[tuple[SlurmJob, int, HeldShape]]
) -> RunningJobs:
    """Return (job, id, what it holds) as running jobs."""
    own = [job for job, _, _ in parts]
    index = {name: machine for machine, name in enumerate(machines.names)}
    # Clocks of two machines differ: a job may have started a moment after the instant of the state.
    starts = np.array([min(job.start_time or 0.0, now) for job in own], dtype=np.float64)
    limits = [ends_of_run(site, job, now)[1] - start for job, start in zip(own, starts.tolist(), strict=True)]
    releases = [
        min(start, job.eligible_time or job.submit_time or start)
        for job, start in zip(own, starts, strict=True)
    ]
    jobs = Jobs(
        limits,
        demands(site, [shape.demand for _, _, shape in parts]),
        releases,
        estimated_processing_time=limits,
        id=[number for _, number, _ in parts],
        n_tasks=[sum(number for _, number in shape.places) for _, _, shape in parts],
        max_tasks_per_machine=[max(number for _, number in shape.places) for _, _, shape in parts],
        **columns_of_jobs(site, own),
    )
    places = [[(index[node], number) for node, number in shape.places] for _, _, shape in parts]
    return RunningJobs(jobs, starts, places, tuple(job.called for job in own))


def demands(site: SlurmSite, of_tasks: Sequence[tuple[int, ...]]) -> Any:
    """Return demands as `Jobs` takes them, also of no jobs."""
    return of_tasks or np.zeros((0, len(site.resources.names)), dtype=np.int64)


def columns_of_jobs(site: SlurmSite, jobs: Sequence[SlurmJob]) -> dict[str, Any]:
    """Return the columns of `Jobs` that running and waiting jobs have alike."""
    known = {each.name for each in site.site.service_classes}
    exclusive = {each.name for each in site.partitions if each.oversubscribe == "EXCLUSIVE"}
    first = [job.partition.partition(",")[0] for job in jobs]
    classes = first if site.classes_are_partitions else [job.qos for job in jobs]
    return {
        "exclusive": [
            site.exclusive or job.exclusive or name in exclusive
            for job, name in zip(jobs, first, strict=True)
        ],
        "priority": [0.0 if job.priority is None else job.priority for job in jobs],
        "user": [job.user or None for job in jobs],
        "account": [job.account or None for job in jobs],
        "partition": [name if site.partition(name) is not None else None for name in first],
        "service_class": [name if name and (not known or name in known) else None for name in classes],
        "array": [-1 if job.array_job_id is None else job.array_job_id for job in jobs],
    }
