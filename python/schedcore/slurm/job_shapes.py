"""From what a job asks of Slurm to equal tasks: how many, what each takes, how many may share a machine.

============================== ===========================================================================
asked for                      here
============================== ===========================================================================
``-N k`` with tasks per node   k tasks of one node's share, each on a machine of its own
``-N k -n n``                  k tasks of ``ceil(n / k)`` tasks' processors; Slurm may divide n unevenly
``-n n`` alone                 n tasks, wherever they fit; memory of a node is divided among them
``--exclusive``                as above, and the machines are taken whole
============================== ===========================================================================
"""

import dataclasses
import math
from collections.abc import Mapping

from .cluster_machines import Resources
from .jobs import SlurmJob

__all__ = ["Asked", "JobShape", "asked_memory", "asked_of", "shape_of_job"]


@dataclasses.dataclass(frozen=True)
class JobShape:
    """A job as tasks.

    Parameters
    ----------
    n_tasks : int
    demand : tuple of int
        Of one task, in the order of the resources.
    per_machine : int
        At most so many tasks on one machine; 0: no bound.
    notes : tuple of (str, str)
        What is not exact: (setting, why).
    """

    n_tasks: int
    demand: tuple[int, ...]
    per_machine: int
    notes: tuple[tuple[str, str], ...] = ()


@dataclasses.dataclass(frozen=True)
class Asked:
    """What a job asks for, with defaults in place.

    Parameters
    ----------
    n_nodes : int
    fixed_nodes : bool
        Whether it wants so many, neither less nor more.
    n_tasks, cpus_per_task : int
    tasks_per_node : int or None
    """

    n_nodes: int
    fixed_nodes: bool
    n_tasks: int
    cpus_per_task: int
    tasks_per_node: int | None


def shape_of_job(
    job: SlurmJob,
    resources: Resources,
    *,
    most_nodes: int | None = None,
    whole_memory: int = 0,
    whole_cores: int = 1,
    default_memory: tuple[float | None, float | None] = (None, None),
) -> JobShape:
    """Return the shape of a waiting job.

    Parameters
    ----------
    most_nodes : int, optional
        MaxNodes of its partition.
    whole_memory : int
        MB that a job takes of a node if it asks for all of its memory, which is what no request and no default mean.
    whole_cores : int
        Processors of a core, of which a node is given whole ones.
    default_memory : tuple
        MB per processor and per node of jobs that do not say.

    Notes
    -----
    Amounts are rounded up, so that a job never takes less here than Slurm gives it; where the memory of a node is
    divided among tasks, they may take less of a node that holds few of them.
    """
    asked, notes = asked_of(job), list[tuple[str, str]]()
    if asked.fixed_nodes:
        n_parts, tasks_in_part, per_machine = asked.n_nodes, _share(asked), 1
        if asked.tasks_per_node is None and asked.n_tasks > asked.n_nodes > 1:
            notes.append(
                (
                    "job: -n and -N",
                    "tasks are divided evenly over the nodes, rounded up; Slurm may fill some nodes first",
                )
            )
    else:
        most = min(job.max_nodes or asked.n_tasks, most_nodes or asked.n_tasks)
        group = math.ceil(asked.n_tasks / most)
        if job.max_nodes is not None:
            notes.append(
                ("job: -N with a range", "at most so many nodes as it allows; the least number is not kept")
            )
        if group > 1:
            notes.append(
                (
                    "job: -n and a greatest number of nodes",
                    "tasks are tied together, so that no more are used",
                )
            )
        n_parts, tasks_in_part = math.ceil(asked.n_tasks / group), group
        per_machine = asked.tasks_per_node or 0
    cpus = tasks_in_part * asked.cpus_per_task
    if per_machine == 1 or n_parts == 1:
        cpus = math.ceil(cpus / whole_cores) * whole_cores
    elif cpus % whole_cores:
        notes.append(("job: cores", "tasks may share a core here; Slurm gives cores whole to one job"))
    gres = _gres_of_part(job, asked, tasks_in_part, n_parts, notes)
    memory, of_node = _memory_of_part(job, cpus, default_memory, whole_memory)
    if of_node and n_parts > 1 and per_machine != 1 and resources.memory:
        memory = math.ceil(memory / n_parts)
        notes.append(
            ("job: --mem with -n alone", "memory asked for per node is divided evenly among the tasks")
        )
    return JobShape(n_parts, resources.vector(cpus, memory, gres), per_machine, tuple(notes))


def asked_of(job: SlurmJob) -> Asked:
    """Return what a job asks for; where a command tells no tasks, they follow from processors and nodes."""
    cpus_per_task = job.cpus_per_task or 0
    n_nodes = max(1, job.min_nodes or 1)
    if not cpus_per_task:
        n_tasks = job.n_tasks or n_nodes
        cpus_per_task = max(1, math.ceil((job.cpus or 1) / n_tasks))
    else:
        n_tasks = job.n_tasks or max(n_nodes, (job.cpus or 1) // cpus_per_task)
    # squeue's text has no tasks, and no greatest number of nodes: several nodes were asked for then.
    fixed = job.max_nodes == n_nodes or (job.n_tasks is None and n_nodes > 1)
    if job.tasks_per_node and (fixed or n_nodes * job.tasks_per_node == n_tasks):
        fixed = True
    return Asked(n_nodes, fixed, n_tasks, cpus_per_task, job.tasks_per_node)


def _share(asked: Asked) -> int:
    """How many tasks a node gets."""
    even = math.ceil(asked.n_tasks / asked.n_nodes)
    if asked.tasks_per_node is None:
        return even
    return max(even, asked.tasks_per_node) if asked.n_nodes == 1 else asked.tasks_per_node


def _gres_of_part(
    job: SlurmJob, asked: Asked, tasks_in_part: int, n_parts: int, notes: list[tuple[str, str]]
) -> Mapping[str, int]:
    amounts: dict[str, int] = {}
    for name, _, number in job.gres_per_task:
        amounts[name] = amounts.get(name, 0) + number * tasks_in_part
    for name, _, number in job.gres_per_job:
        amounts[name] = amounts.get(name, 0) + math.ceil(number / n_parts)
        if n_parts > 1 and number % n_parts:
            notes.append((f"job: {name} of the whole job", "divided evenly over its parts, rounded up"))
    for name, _, number in job.gres_per_node:
        if asked.fixed_nodes or n_parts == 1:
            amounts[name] = amounts.get(name, 0) + number
        else:
            amounts[name] = amounts.get(name, 0) + math.ceil(number / n_parts)
            notes.append((f"job: {name} per node, with -n alone", "divided evenly among the tasks"))
    if amounts:
        return amounts
    for name, number in job.tres:
        kind, _, typed = name.removeprefix("gres/").partition(":")
        if name.startswith("gres/") and not typed:
            amounts[kind] = math.ceil(number / n_parts)
    return amounts


def asked_memory(job: SlurmJob, default_memory: tuple[float | None, float | None]) -> tuple[str, float]:
    """Return of what memory is asked for, "cpu" or "node", and MB of it; ("all", 0) for that of whole nodes."""
    per_cpu, per_node = job.memory_per_cpu, job.memory_per_node
    if per_cpu is None and per_node is None:
        per_cpu, per_node = default_memory
    if per_cpu is not None and 0 < per_cpu < math.inf:
        return "cpu", per_cpu
    if per_node is not None and 0 < per_node < math.inf:
        return "node", per_node
    return "all", 0


def _memory_of_part(
    job: SlurmJob, cpus: int, default_memory: tuple[float | None, float | None], whole_memory: int
) -> tuple[int, bool]:
    """Return MB of a part, and whether that is what a node gives."""
    kind, amount = asked_memory(job, default_memory)
    if kind == "cpu":
        return math.ceil(amount * cpus), False
    return (math.ceil(amount), True) if kind == "node" else (whole_memory, True)
