"""How does a job of a log become equal tasks over the nodes of a cluster?

A log counts processors, and memory and GPUs of the whole job. On one machine a job is one task with all of it. On
several machines it may be as many tasks as it has processors, or nodes, and runs on as many machines as these need.
"""

import dataclasses
from collections.abc import Sequence
from typing import Literal

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines
from schedcore.model.arrays import BoolArray, FloatArray
from schedcore.workloads.reading.machines_spec import ResourceUnit
from schedcore.workloads.reading.option_spelling import spelled

__all__ = ["JobShapes", "JobTasks", "Tasks", "tasks_on", "whole_jobs"]

Tasks = Literal["cores", "nodes", "recorded", "whole"]

_LARGEST_GCD = 2.0**53


@dataclasses.dataclass(frozen=True)
class JobShapes:
    """What a log says of the shapes of its jobs, beside their demands.

    Parameters
    ----------
    processors : (n_rows,) float64
        How many each job has, whatever its demand counts; NaN where that is not known.
    nodes : (n_rows,) float64, optional
        On how many nodes each job ran, at least 1, where the log says it.
    whole_nodes : str
        Where the header says that jobs get whole nodes, what it says; else empty.
    several_processors : bool
        Whether the header says that a node has several processors.
    """

    processors: FloatArray
    nodes: FloatArray | None = None
    whole_nodes: str = ""
    several_processors: bool = False


@dataclasses.dataclass(frozen=True)
class JobTasks:
    """The rows of a log as jobs of equal tasks.

    Parameters
    ----------
    n_tasks : (n_rows,) float64
        At least 1.
    demand : (n_rows, n_resources) float64
        Of one task; NaN where the log does not say it.
    are_whole : bool
        Whether every job is one task inside one machine.
    exclusive : bool
        Whether jobs have their machines for themselves.
    own_machine : bool
        Whether each task of a job is on a machine of its own.
    rounded_up : (n_rows,) bool, optional
        Jobs that do not divide evenly, so that their tasks have more processors or GPUs in all.
    sentence : str
        What was assumed; empty for whole jobs.
    """

    n_tasks: FloatArray
    demand: FloatArray
    are_whole: bool = True
    exclusive: bool = False
    own_machine: bool = False
    rounded_up: BoolArray | None = None
    sentence: str = ""

    def total(self) -> FloatArray:
        """Return what the tasks of each job demand together."""
        with np.errstate(over="ignore"):  # of rows that were dropped
            return self.demand * self.n_tasks[:, np.newaxis]


def whole_jobs(demand: FloatArray) -> JobTasks:
    """Return jobs of one task each."""
    return JobTasks(np.ones(len(demand)), demand)


@np.errstate(over="ignore", invalid="ignore")  # of rows that were dropped
def tasks_on(
    machines: Machines,
    choice: Tasks | None,
    shapes: JobShapes,
    demand: FloatArray,
    units: Sequence[ResourceUnit],
    kept: BoolArray,
) -> JobTasks:
    """Return the tasks of jobs on these machines; the log decides where nobody chose.

    Parameters
    ----------
    choice : str or None
        "cores": as many equal tasks as there can be: one processor each, or, beside GPUs, the largest number that
        divides both. "nodes": whole nodes, as few as hold the job. "recorded": as many tasks as the log says nodes,
        each on one of its own. "whole": one task inside one machine. None: on one machine whole; on several what the
        log says: recorded where it has nodes (whole if every job had one), whole nodes where its header has them, else
        cores.
    demand : (n_rows, n_resources) float64
        Of the whole jobs; the first resource is processors.
    kept : (n_rows,) bool
        Rows whose demand is known.

    Raises
    ------
    InvalidInstanceError
        If nodes are recorded nowhere, or machines of different numbers of processors are to be given whole.
    """
    if choice is None:
        choice, why = _usual(machines, shapes, units[0], kept)
    else:
        why = f" ({spelled('tasks', choice)})"
    if choice == "whole":
        return whole_jobs(demand)
    if choice == "nodes":
        return _whole_nodes(machines, shapes, demand, units, why)
    if choice == "cores":
        return _by_core(shapes, demand, units, why)
    if shapes.nodes is None:
        raise InvalidInstanceError(
            f"{spelled('tasks', choice)}: the log does not say on how many nodes jobs ran; choose "
            f"{spelled('tasks', 'cores')}, {spelled('tasks', 'nodes')} or {spelled('tasks', 'whole')}"
        )
    sentence = f"a job is as many tasks as it had nodes, each on a machine of its own, with its share{why}"
    return _shared(shapes.nodes, demand, units, own_machine=True, sentence=sentence)


def _usual(
    machines: Machines, shapes: JobShapes, processors: ResourceUnit, kept: BoolArray
) -> tuple[Tasks, str]:
    """What the log says, and in which words."""
    if machines.n_machines == 1:
        return "whole", ""
    if shapes.nodes is not None and (shapes.nodes[kept] <= 1).all():
        return "whole", ""
    if shapes.nodes is not None:
        return "recorded", ", because the log counts nodes"
    each = machines.capacity[:, 0] // processors.units_per_one
    if each[0] > 1 and (each == each[0]).all():
        if shapes.whole_nodes:
            return "nodes", f", because the header says so: {shapes.whole_nodes}"
        counted = shapes.processors[kept]
        if shapes.several_processors and len(counted) and not (counted % each[0]).any():
            return "nodes", f", because every job has a multiple of {each[0]} processors"
    return "cores", f" ({spelled('tasks', 'nodes')} gives whole nodes)"


def _by_core(shapes: JobShapes, demand: FloatArray, units: Sequence[ResourceUnit], why: str) -> JobTasks:
    """As many equal tasks as processors, and GPUs, divide into without a rest."""
    n_tasks = np.where(shapes.processors >= 1, shapes.processors, 1.0)
    sentence = "one task a processor, on any machines"
    for resource, unit in enumerate(units):
        if resource and unit.bytes_per_unit is None:
            amounts = np.where(demand[:, resource] >= 0, demand[:, resource], 0.0)
            n_tasks = _common_divisor(n_tasks, amounts)
            sentence = f"as many equal tasks as processors and {unit.name} divide into, on any machines"
    return _shared(n_tasks, demand, units, sentence=f"a job is {sentence}{why}")


def _common_divisor(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the largest integer that divides both; of numbers that are too large to tell, 1."""
    usable = (first <= _LARGEST_GCD) & (second <= _LARGEST_GCD)
    divisor = np.gcd(
        np.where(usable, first, 1.0).astype(np.int64), np.where(usable, second, 1.0).astype(np.int64)
    )
    return divisor.astype(np.float64)


def _whole_nodes(
    machines: Machines, shapes: JobShapes, demand: FloatArray, units: Sequence[ResourceUnit], why: str
) -> JobTasks:
    """As few exclusive tasks as hold the processors, and what belongs to each, and all else of the job."""
    each = machines.capacity[:, 0]
    if (each != each[0]).any() or not each[0]:
        raise InvalidInstanceError(
            f"{spelled('tasks', 'nodes')}: whole nodes need machines with the same number of processors, and these "
            f"have {each.min() // units[0].units_per_one} to {each.max() // units[0].units_per_one}; choose "
            f"{spelled('tasks', 'cores')}"
        )
    largest = machines.capacity.max(axis=0).astype(np.float64)
    a_node = largest[0] / units[0].units_per_one
    processors = np.where(shapes.processors >= 1, shapes.processors, 1.0)
    fitting = np.full(len(demand), a_node)
    least = np.ones(len(demand))
    for resource, unit in enumerate(units[1:], start=1):
        amounts = np.where(demand[:, resource] > 0, demand[:, resource], 0.0)
        if unit.bytes_per_unit is None:  # of the job as a whole, such as GPUs
            least = np.maximum(least, np.ceil(amounts / max(largest[resource], 1.0)))
        else:  # of each of its processors
            a_processor = amounts / processors
            held = np.divide(
                largest[resource], a_processor, out=np.full(len(demand), np.inf), where=a_processor > 0
            )
            fitting = np.minimum(fitting, np.floor(held))
    fitting = np.maximum(fitting, 1.0)  # where a node does not hold even one, the job is too big
    n_tasks = np.maximum(np.ceil(processors / fitting), least)
    of_task = np.ceil(demand / n_tasks[:, np.newaxis])
    of_task[:, 0] = np.where(np.isnan(demand[:, 0]), np.nan, largest[0])
    sentence = f"a job has whole nodes for itself, of {a_node:g} processors{why}"
    return JobTasks(n_tasks, of_task, are_whole=False, exclusive=True, sentence=sentence)


def _shared(
    n_tasks: FloatArray,
    demand: FloatArray,
    units: Sequence[ResourceUnit],
    *,
    sentence: str,
    own_machine: bool = False,
) -> JobTasks:
    """Every task an equal share of the job, rounded up."""
    of_task = np.ceil(demand / n_tasks[:, np.newaxis])
    # Memory, and processor time that was measured, have units too small to speak of.
    counted = [
        resource
        for resource, unit in enumerate(units)
        if unit.bytes_per_unit is None and unit.units_per_one == 1
    ]
    uneven: BoolArray = np.asarray((of_task * n_tasks[:, np.newaxis] > demand)[:, counted].any(axis=1))
    return JobTasks(
        n_tasks, of_task, are_whole=False, own_machine=own_machine, rounded_up=uneven, sentence=sentence
    )
