"""The jobs that run: as equal tasks on the machines where they are, holding what they hold.

What each node gives a job is known from ``scontrol -d show job`` or JSON; without that, every node is taken to give
the same, as far as other jobs leave it free (`divided_shares`). A job with equal shares is one task of one share on
each of its nodes, exactly. Where shares differ, its tasks are the largest that divide the processors of every node, and
what does not divide alike is counted below what it holds, never above.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence

from schedcore.errors import InvalidInstanceError
from schedcore.model import Jobs
from schedcore.model.arrays import FloatArray
from schedcore.model.real_numbers import shown

from .cluster_machines import Resources
from .jobs import NodeShare, SlurmJob
from .nodes import SlurmNode

__all__ = [
    "HeldShape",
    "RunningJobs",
    "divided",
    "equal_parts",
    "gres_of_whole_job",
    "held_shape",
    "shares_of_job",
]


@dataclasses.dataclass(frozen=True)
class RunningJobs:
    """The jobs that run, as `OnlineScheduler.adopt` takes them.

    Parameters
    ----------
    jobs : Jobs
        Estimates last until the end that Slurm tells, or are time limits; so are the processing times, which nobody
        knows. Ids are job numbers.
    start_time : (n_jobs,) float64
        Seconds since 1970.
    machine : list of lists of (int, int)
        Where the tasks of each job are: (index of the machine, number of tasks).
    called : tuple of str
        As Slurm writes each job: ``17``, ``17_3``.
    """

    jobs: Jobs
    start_time: FloatArray
    machine: list[list[tuple[int, int]]]
    called: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class HeldShape:
    """A running job as tasks.

    Parameters
    ----------
    demand : tuple of int
        Of one task.
    places : tuple of (str, int)
        Node and number of tasks there.
    notes : tuple of (str, str)
        What is not exact: (setting, why).
    """

    demand: tuple[int, ...]
    places: tuple[tuple[str, int], ...]
    notes: tuple[tuple[str, str], ...] = ()


def shares_of_job(job: SlurmJob, nodes: Mapping[str, SlurmNode]) -> tuple[tuple[NodeShare, ...], bool]:
    """Return what a running job holds on each node, and whether that is told rather than divided evenly by itself.

    Raises
    ------
    InvalidInstanceError
        For a job that runs nowhere, or on a node that there is not.
    """
    hosts = [share.node for share in job.allocation] or list(job.nodes)
    if not hosts:
        raise InvalidInstanceError(f"{job.place}: job {job.called} is {job.state}, but on no node")
    for host in hosts:
        if host not in nodes:
            raise InvalidInstanceError(
                f"{job.place}: job {job.called} is {job.state} on node {shown(host)}, which does not exist"
            )
    gres = _gres_of_node(job, len(hosts))
    if job.allocation:
        told = sum(share.cpus for share in job.allocation)
        # Some versions tell cores, of which each has several processors.
        factor = job.cpus // told if job.cpus and told and job.cpus % told == 0 else 1
        return tuple(
            dataclasses.replace(share, cpus=share.cpus * factor, gres=share.gres or gres)
            for share in job.allocation
        ), True
    memory = dict(job.tres).get("mem", 0)
    per_node = job.memory_per_node
    memories = [nodes[host].memory for host in hosts]
    if per_node != 0 or memory not in (0, sum(memories)):  # else it has all that each of its nodes has
        each = memory // len(hosts) if not per_node or math.isinf(per_node) else math.ceil(per_node)
        memories = [each] * len(hosts)
    cpus = divided(job.cpus or len(hosts), [nodes[host].cpus for host in hosts])
    return tuple(
        NodeShare(host, of_node, of_memory, gres)
        for host, of_node, of_memory in zip(hosts, cpus, memories, strict=True)
    ), len(hosts) == 1


def divided(total: int, capacity: Sequence[int]) -> list[int]:
    """Divide a number as evenly as capacities allow; what is above all of them goes to the first."""
    parts, left = [0] * len(capacity), total
    order = sorted(range(len(capacity)), key=lambda index: (capacity[index], -index))
    for done, index in enumerate(order):
        parts[index] = min(capacity[index], left // (len(capacity) - done))
        left -= parts[index]
    parts[0] += left
    return parts


def held_shape(job: SlurmJob, shares: tuple[NodeShare, ...], told: bool, resources: Resources) -> HeldShape:
    """Return the tasks that hold these shares."""
    notes = []
    if not told:
        notes.append(
            (
                "running job: nodes",
                "what each of its nodes gives is not told; divided evenly over what is free (scontrol -d tells)",
            )
        )
    vectors = [resources.vector(share.cpus, share.memory, _summed(share.gres)) for share in shares]
    if len(set(vectors)) == 1 or job.exclusive:
        demand = tuple(map(min, zip(*vectors, strict=True)))
        return HeldShape(demand, tuple((share.node, 1) for share in shares), tuple(notes))
    unit = math.gcd(*(share.cpus for share in shares))
    numbers = [share.cpus // unit if unit else 1 for share in shares]
    demand = tuple(
        min(amount // number for amount, number in zip(amounts, numbers, strict=True))
        for amounts in zip(*vectors, strict=True)
    )
    if any(
        amount != number * of_task
        for vector, number in zip(vectors, numbers, strict=True)
        for amount, of_task in zip(vector, demand, strict=True)
    ):
        notes.append(
            (
                "running job: unequal nodes",
                "its tasks are equal, so on some nodes it holds less than it has there",
            )
        )
    places = tuple((share.node, number) for share, number in zip(shares, numbers, strict=True))
    return HeldShape(demand, places, tuple(notes))


def equal_parts(
    job: SlurmJob, shares: tuple[NodeShare, ...], told: bool, resources: Resources
) -> list[HeldShape]:
    """Return the job in parts that hold exactly these shares: of each part, every node gives the same.

    The part with the first node comes first. A job that has its nodes for itself is one part.
    """
    if job.exclusive:
        return [held_shape(job, shares, told, resources)]
    nodes: dict[tuple[int, ...], list[str]] = {}
    for share in shares:
        vector = resources.vector(share.cpus, share.memory, _summed(share.gres))
        nodes.setdefault(vector, []).append(share.node)
    return [HeldShape(vector, tuple((node, 1) for node in own)) for vector, own in nodes.items()]


def _summed(gres: tuple[tuple[str, str, int], ...]) -> dict[str, int]:
    amounts: dict[str, int] = {}
    for name, _, number in gres:
        amounts[name] = amounts.get(name, 0) + number
    return amounts


def gres_of_whole_job(job: SlurmJob) -> dict[str, int]:
    """Return the generic resources of which the number is told for the whole job, by name."""
    return {
        name.removeprefix("gres/"): number
        for name, number in job.tres
        if name.startswith("gres/") and ":" not in name
    }


def _gres_of_node(job: SlurmJob, n_nodes: int) -> tuple[tuple[str, str, int], ...]:
    """Return what every node gives of generic resources, where that is told for the whole job alone."""
    total = gres_of_whole_job(job)
    if total:
        return tuple((name, "", number // n_nodes) for name, number in total.items())
    return job.gres_per_node
