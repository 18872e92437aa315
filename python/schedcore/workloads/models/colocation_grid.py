"""The instances of the colocation study: 431 kinds, 30 of each, drawn from a sample of tasks [Pascual2019]_.

An instance is a function of its kind, its repetition and the sample. The study's sample of Google's trace was never
published; `standin_tasks` is a calibrated substitute, and `sample_google_usage` and `sample_google_requests` make
others.

.. [Pascual2019] F. Pascual, K. Rzadca, "Optimizing egalitarian performance when colocating tasks with types for cloud
   data center resource management", IEEE Transactions on Parallel and Distributed Systems 30(11), 2019.
"""

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model import ColocationInstance
from schedcore.model.choices import check_choice
from schedcore.model.integers import at_least, integer
from schedcore.workloads.draws.splitmix import Draws, check_seed
from schedcore.workloads.models.task_sample import TaskSample, colocation_tasks, task_type

__all__ = [
    "COLOCATION_CLASSES",
    "GRID_REPETITIONS",
    "GridCell",
    "colocation_grid",
    "grid_cells",
    "grid_instance",
    "grid_seed",
    "standin_tasks",
]

#: How the coefficients of different types are drawn; the diagonal is 1.
COLOCATION_CLASSES = ("compatible", "incompatible", "clashing", "mixed")
#: Instances of every cell in the study.
GRID_REPETITIONS = 30

_N_TYPES = (2, 3, 4)
_SMALL = ((10, 20, 50, 100, 200, 500, 1000), (2, 3, 5, 10))
_LARGE = ((200, 500, 1000, 2000, 5000), (20, 50, 100))
_STANDIN_SEED = 57
_STANDIN_RECORDS = 10_000
_FIRST_STATE = 20190401


class GridCell(NamedTuple):
    """A kind of instance: class of coefficients, and the numbers of types, tasks and machines."""

    cls: str
    n_types: int
    n_tasks: int
    n_machines: int

    @property
    def is_small(self) -> bool:
        """Whether it belongs to the small grid (up to 10 machines) rather than to the large one."""
        return self.n_machines <= max(_SMALL[1])


def standin_tasks(seed: int = _STANDIN_SEED) -> TaskSample:
    """Return tasks that resemble the study's sample of measured usage; unpacks as ``size, ratio``.

    Parameters
    ----------
    seed : int
        In [0, 2**64). The default gives 5,490 tasks of 10,000 records.

    Notes
    -----
    Made up, not data: half of the records use more CPU than memory, the larger of both is log-uniform over 4.18
    decades, the logarithm of their quotient half-normal. The decades make 45 % of the records tiny, the deviations make
    shares of the types near the published 10, 40, 39 and 11 %. Logarithms come from the platform's library.
    """
    cpu, memory = _core.workloads.usage_records(check_seed(seed), _STANDIN_RECORDS)
    return colocation_tasks(cpu, memory)


def grid_cells() -> list[GridCell]:
    """Return the 431 kinds of instances, by class, number of types, small before large, tasks, machines.

    Left out are incompatible and clashing types that outnumber the machines, and mixed instances with two types.
    """
    return [
        GridCell(cls, n_types, n_tasks, n_machines)
        for cls in COLOCATION_CLASSES
        for n_types in _N_TYPES
        for tasks, machines in (_SMALL, _LARGE)
        for n_tasks in tasks
        for n_machines in machines
        if not (cls in ("incompatible", "clashing") and n_types > n_machines)
        and not (cls == "mixed" and n_types == 2)
    ]


def grid_instance(
    tasks: TaskSample | tuple[ArrayLike, ArrayLike],
    cls: str | int,
    n_types: int,
    n_tasks: int,
    n_machines: int,
    repetition: int,
    independent: bool = False,
) -> ColocationInstance:
    """Draw an instance from a sample of tasks.

    Parameters
    ----------
    tasks : TaskSample or pair of array_like
        Sizes and ratios of CPU by memory.
    cls : str or int
        Name or index in `COLOCATION_CLASSES`. Coefficients of two types are below 1 ("compatible"), between 1 and 2
        ("incompatible") or between 1 and 4 ("clashing"). "mixed", for three or four types: 0 and 1 are compatible, so
        are 2 and 3, all others incompatible.
    n_types : {2, 3, 4}
        See `task_type`. Every type gets a task.
    n_tasks : int
        Tasks drawn without replacement; at least `n_types`.
    n_machines : int
    repetition : int
        The study has 0 to 29; any number from 0 on gives another instance.
    independent : bool
        Draw both coefficients of two types; otherwise they are equal.

    Returns
    -------
    ColocationInstance
        Coefficients in thousandths.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range, more tasks than the sample holds, and a type without any task in it.

    Notes
    -----
    O(tasks in the sample).
    """
    name = _class_name(cls)
    kinds = {"n_tasks": n_tasks, "n_machines": n_machines, "n_types": n_types}
    n_tasks, n_machines, n_types = (integer(key, value) for key, value in kinds.items())
    if name == "mixed" and n_types == 2:
        raise InvalidInstanceError("mixed coefficients need 3 or 4 types: with n_types = 2 there is one pair")
    sample = tasks if isinstance(tasks, TaskSample) else TaskSample(*tasks)
    types = task_type(sample.ratio, n_types)
    at_least(1, n_machines=n_machines)
    if not n_types <= n_tasks <= sample.n_tasks:
        raise InvalidInstanceError(
            f"n_tasks = {n_tasks} is not between n_types = {n_types} and the {sample.n_tasks} tasks of the sample"
        )
    absent = np.flatnonzero(np.bincount(types, minlength=n_types) == 0)
    if len(absent):
        raise InvalidInstanceError(f"no task of the sample is of type {absent[0]} (n_types = {n_types})")
    seed = grid_seed(name, n_types, n_tasks, n_machines, repetition)
    chosen, alpha = _core.workloads.colocation_draw(
        seed, types, n_types, name, n_tasks, symmetric=not independent
    )
    return ColocationInstance(sample.size[chosen], types[chosen], alpha, n_machines=n_machines)


def grid_seed(cls: str | int, n_types: int, n_tasks: int, n_machines: int, repetition: int) -> int:
    """Return the seed of an instance of the grid: SplitMix64's first output, folded over what names the instance."""
    check_seed(integer("repetition", repetition))
    state = _FIRST_STATE
    for value in (COLOCATION_CLASSES.index(_class_name(cls)), n_types, n_tasks, n_machines, repetition):
        state = int(Draws(state ^ value, 1, per_job=1).column(0)[0])
    return state


def colocation_grid(cls: int, n_types: int, n_tasks: int, n_machines: int, seed: int) -> ColocationInstance:
    """Draw tasks of CPU and memory types that slow each other down.

    Parameters
    ----------
    cls : {0, 1, 2, 3}
        Types are compatible, incompatible, clashing or mixed; see `grid_instance`.
    n_types : {2, 3, 4}
    n_tasks : int
        Up to 5,490.
    n_machines : int
    seed : int
        The repetition of the study, where 0 to 29 occur.

    Raises
    ------
    InvalidInstanceError
        As `grid_instance` does; the sample is `standin_tasks`.
    """
    return grid_instance(_standin(), cls, n_types, n_tasks, n_machines, seed)


@functools.cache
def _standin() -> TaskSample:
    return standin_tasks()


def _class_name(cls: str | int) -> str:
    if isinstance(cls, str):
        check_choice("class of coefficients", cls, COLOCATION_CLASSES)
        return cls
    index = integer("cls", cls)
    if not 0 <= index < len(COLOCATION_CLASSES):
        raise InvalidInstanceError(f"cls = {index} is not 0, 1, 2 or 3 ({', '.join(COLOCATION_CLASSES)})")
    return COLOCATION_CLASSES[index]
