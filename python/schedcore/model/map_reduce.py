"""Jobs of two phases, map and reduce, each of equal tasks: an instance of the extension of [Xu2021]_.

Reduce tasks may run from the slot after the one in which the last map task ends. A task may run on fewer cores than it
asks for, and on several machines at once; it needs cores x time of its phase in all. Times are whole slots.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers",
   IEEE/ACM Transactions on Networking 29(4), 2021.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError

from .arrays import EXACT_BOUND, FloatArray, IntArray, first_index, place, selection, summed_products
from .arrow import Columnar, Columns, Metadata
from .columns import integer_column
from .machines import Machines
from .preemptive_schedule import PreemptiveSchedule, cores_of_pieces

__all__ = ["COLUMNS", "MapReduceInstance"]

#: Of the table of an instance.
COLUMNS = (
    "release_time",
    "map_tasks",
    "map_cores",
    "map_time",
    "reduce_tasks",
    "reduce_cores",
    "reduce_time",
)
_MOST_TASKS = 2**31 - 1


class MapReduceInstance(Columnar):
    """Jobs of map and reduce tasks, and machines with cores; immutable.

    Parameters
    ----------
    release_time : (n_jobs,) array_like of int
        The map tasks of a job released at a may run from slot a + 1 on, that is from time a; at least 0.
    map_tasks, map_cores, map_time : (n_jobs,) array_like of int
        Number of map tasks of each job, cores that each can use, and the slots it takes with so many; at least 1.
    reduce_tasks, reduce_cores, reduce_time : (n_jobs,) array_like of int
        The same for reduce tasks. A job may have none; its other two entries then mean nothing.
    machines : Machines
        With one resource, the cores; they may differ.

    Raises
    ------
    InvalidInstanceError
        For any value outside its bounds; names the job, the value and the bound. A job needs less than 2**53
        core-slots, all jobs have less than 2**31 tasks.
    TypeError
        For columns that hold no integers.

    Notes
    -----
    A task that asks for more cores than any machine has is split; with more than all machines have together the
    algorithms raise an `InfeasibleError`. The tasks of a job are numbered from 0: map tasks first, then reduce tasks.
    """

    __slots__ = (*COLUMNS, "machines")
    _fields: ClassVar[tuple[str, ...]] = (*COLUMNS, "machines")

    release_time: IntArray
    map_tasks: IntArray
    map_cores: IntArray
    map_time: IntArray
    reduce_tasks: IntArray
    reduce_cores: IntArray
    reduce_time: IntArray
    machines: Machines

    def __init__(
        self,
        *,
        release_time: ArrayLike,
        map_tasks: ArrayLike,
        map_cores: ArrayLike,
        map_time: ArrayLike,
        reduce_tasks: ArrayLike,
        reduce_cores: ArrayLike,
        reduce_time: ArrayLike,
        machines: Machines,
    ) -> None:
        if not isinstance(machines, Machines):
            raise TypeError(f"machines must be Machines, not {type(machines).__name__}")
        if machines.n_resources != 1:
            raise InvalidInstanceError(
                f"machines have {machines.n_resources} resources; map and reduce tasks use 1, cores"
            )
        releases = integer_column(release_time, "release_time")
        given = {
            "map_tasks": map_tasks,
            "map_cores": map_cores,
            "map_time": map_time,
            "reduce_tasks": reduce_tasks,
            "reduce_cores": reduce_cores,
            "reduce_time": reduce_time,
        }
        columns = {name: integer_column(values, name, len(releases)) for name, values in given.items()}
        _check_range("release_time", releases, 0)
        has_reduce = columns["reduce_tasks"] > 0
        for name, column in columns.items():
            least = 1 if name.startswith("map") else 0
            _check_range(name, column, least)
            if name in ("reduce_cores", "reduce_time"):
                _check_range(name, column, 1, has_reduce)
        self._assign(release_time=releases, **columns, machines=machines)
        self._check_sizes()

    def _check_sizes(self) -> None:
        if sum(self.map_tasks.tolist()) + sum(self.reduce_tasks.tolist()) > _MOST_TASKS:
            raise InvalidInstanceError("the jobs have 2**31 tasks or more")
        # As doubles first: they tell safely whether the integers can be multiplied.
        rough = _product(self.map_tasks, self.map_cores, self.map_time)
        rough = rough + _product(self.reduce_tasks, self.reduce_cores, self.reduce_time)
        large = rough >= EXACT_BOUND
        if large.any():
            job = int(np.argmax(large))
            raise InvalidInstanceError(
                f"job {job} needs {rough[job]:g} core-slots; it must be less than 2**53"
            )

    @property
    def n_jobs(self) -> int:
        """Number of jobs."""
        return len(self.release_time)

    @property
    def n_tasks(self) -> int:
        """Number of tasks of all jobs."""
        return int(self.task_start[-1])

    @property
    def n_machines(self) -> int:
        """Number of machines."""
        return self.machines.n_machines

    @property
    def n_resources(self) -> int:
        """Number of resources: 1, cores."""
        return self.machines.n_resources

    @property
    def task_start(self) -> IntArray:
        """(n_jobs + 1,) First row of each job among all tasks: map tasks, then reduce tasks, job by job."""
        starts = np.zeros(self.n_jobs + 1, dtype=np.int64)
        np.cumsum(self.map_tasks + self.reduce_tasks, out=starts[1:])
        return starts

    @property
    def processing_time(self) -> IntArray:
        """(n_jobs,) Slots that each job takes at least: the times of the phases that have tasks."""
        return self.map_time + np.where(self.reduce_tasks > 0, self.reduce_time, 0)

    @property
    def volume(self) -> IntArray:
        """(n_jobs,) Core-slots of each job."""
        reduce = self.reduce_tasks * np.where(self.reduce_tasks > 0, self.reduce_cores * self.reduce_time, 0)
        return self.map_tasks * self.map_cores * self.map_time + reduce

    def work(self) -> FloatArray:
        """(n_resources,) Return the core-slots of all jobs."""
        return summed_products(self.volume.astype(np.float64), np.ones((self.n_jobs, 1)))

    def held_amounts(self, schedule: PreemptiveSchedule, resource: int) -> IntArray:
        """(n_pieces,) Units of a resource, which is cores, that each piece of a schedule holds."""
        return cores_of_pieces(schedule)

    def replace(self, **changes: Any) -> Self:
        """Return the instance with some constructor arguments changed."""
        return type(self)(**{**{name: getattr(self, name) for name in self._fields}, **changes})

    def take_jobs(self, key: slice | ArrayLike) -> Self:
        """Return the instance with the selected jobs, in the order of `key`: a slice, indices or a mask.

        A job that is selected twice is there twice.

        Raises
        ------
        InvalidInstanceError
            For a masked entry.
        TypeError, IndexError
            For any other selection, and for an index that no job has.
        """
        rows = selection(key)
        return self.replace(**{name: getattr(self, name)[rows] for name in COLUMNS})

    def __len__(self) -> int:
        return self.n_jobs

    def __repr__(self) -> str:
        return f"MapReduceInstance({self.n_jobs} jobs of {self.n_tasks} tasks, {self.machines!r})"

    def _columns(self) -> Columns:
        return {name: getattr(self, name) for name in COLUMNS}

    def _metadata(self) -> Metadata:
        return self.machines.as_json()

    @classmethod
    def _from_columns(cls, columns: Columns, metadata: Metadata | None) -> Self:
        if metadata is None or not {"capacity", "resource_names"} <= metadata.keys():
            raise InvalidInstanceError("the table carries no machines for its map and reduce tasks")
        if set(columns) != set(COLUMNS):
            raise InvalidInstanceError(
                f"a table of map and reduce jobs has the columns {list(COLUMNS)}, not {list(columns)}"
            )
        return cls(**columns, machines=Machines.from_json(metadata))


def _check_range(name: str, column: IntArray, least: int, where: Any = True) -> None:
    wrong = np.asarray(((column < least) | (column >= EXACT_BOUND)) & where, dtype=np.bool_)
    if wrong.any():
        index = first_index(wrong)
        raise InvalidInstanceError(
            f"{place(name, column, index)} (job {index[0]}) must be at least {least} and below 2**53"
        )


def _product(tasks: IntArray, cores: IntArray, time: IntArray) -> Any:
    return tasks.astype(np.float64) * cores * time
