"""Recorded or requested CPU and memory, as the sizes and types of tasks to colocate.

Records are normalised by the largest CPU and the largest memory among them; those that use next to nothing of both are
dropped. The size of a task is the larger of its two shares in hundredths; its type tells how CPU relates to memory
[Pascual2019]_. The thresholds between types are decimal powers: 10^0.66 = 4.57 and its reciprocal.

.. [Pascual2019] F. Pascual, K. Rzadca, "Optimizing egalitarian performance when colocating tasks with types for cloud
   data center resource management", IEEE Transactions on Parallel and Distributed Systems 30(11), 2019.
"""

from collections.abc import Iterator
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import FloatArray, IntArray, first_index, place
from schedcore.model.arrow import Columnar, Columns, Metadata
from schedcore.model.columns import float_column, integer_column

__all__ = ["TaskSample", "colocation_tasks", "task_type"]

_TINY = 0.005
_HIGH = 10**0.66
_THRESHOLDS = {2: (1.0,), 3: (1 / _HIGH, _HIGH), 4: (1 / _HIGH, 1.0, _HIGH)}


class TaskSample(Columnar):
    """Tasks that instances of the colocation problem are drawn from; immutable.

    Unpacks as ``size, ratio``.

    Parameters
    ----------
    size : (n_tasks,) array_like of int
        Load of each task, at least 1.
    ratio : (n_tasks,) array_like of float
        CPU by memory, at least 0; infinite without memory.
    n_records, n_dropped : int, optional
        Records that the tasks come from, and how many of them were too small. Default: as many as tasks, and none.

    Raises
    ------
    InvalidInstanceError
        For values out of range, columns of different lengths, and numbers of records that do not add up.
    """

    __slots__ = ("n_dropped", "n_records", "ratio", "size")
    _fields: ClassVar[tuple[str, ...]] = ("size", "ratio", "n_records", "n_dropped")

    size: IntArray
    ratio: FloatArray
    n_records: int
    n_dropped: int

    def __init__(
        self, size: ArrayLike, ratio: ArrayLike, n_records: int | None = None, n_dropped: int = 0
    ) -> None:
        sizes = integer_column(size, "size", row="task")
        ratios = _measures("ratio", ratio, "task", len(sizes))
        if (sizes < 1).any():
            raise InvalidInstanceError(f"{place('size', sizes, first_index(sizes < 1))} must be at least 1")
        records = len(sizes) + n_dropped if n_records is None else n_records
        if n_dropped < 0 or records != len(sizes) + n_dropped:
            raise InvalidInstanceError(
                f"{records} records of which {n_dropped} are dropped are not {len(sizes)} tasks"
            )
        self._assign(size=sizes, ratio=ratios, n_records=int(records), n_dropped=int(n_dropped))

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return len(self.size)

    def __len__(self) -> int:
        return self.n_tasks

    def __iter__(self) -> Iterator[IntArray | FloatArray]:
        return iter((self.size, self.ratio))

    def dropped_share(self) -> float:
        """Return the share of the records that were too small to be tasks."""
        return self.n_dropped / self.n_records if self.n_records else 0.0

    def type_shares(self, n_types: int) -> tuple[float, ...]:
        """Return the share of the tasks that each type has, where `n_types` types are told apart."""
        count = np.bincount(task_type(self.ratio, n_types), minlength=n_types)
        return tuple((count / max(self.n_tasks, 1)).tolist())

    def __repr__(self) -> str:
        return f"TaskSample({self.n_tasks} tasks of {self.n_records} records)"

    def _columns(self) -> Columns:
        return {"size": self.size, "ratio": self.ratio}

    def _metadata(self) -> Metadata:
        return {"n_records": self.n_records, "n_dropped": self.n_dropped}

    @classmethod
    def _from_columns(cls, columns: Columns, metadata: Metadata | None) -> Self:
        if set(columns) != {"size", "ratio"}:
            raise InvalidInstanceError(
                f"a sample of tasks has the columns size and ratio, not {list(columns)}"
            )
        records = metadata or {}
        return cls(**columns, n_records=records.get("n_records"), n_dropped=records.get("n_dropped", 0))


def colocation_tasks(cpu: ArrayLike, memory: ArrayLike) -> TaskSample:
    """Turn records of CPU and memory into tasks to colocate.

    Parameters
    ----------
    cpu, memory : (n_records,) array_like of float
        Usage or requests, at least 0, each in any unit: both are divided by their largest value.

    Returns
    -------
    TaskSample
        In the order of the records, without those whose CPU and memory are both below 0.005. Sizes are
        ``floor(100 * max(cpu, memory) + 0.5)``, 1 to 100.

    Raises
    ------
    InvalidInstanceError
        For a value that is negative or not finite, columns of different lengths, and a resource of which no record has
        any.
    """
    cpus = _measures("cpu", cpu, "record")
    memories = _measures("memory", memory, "record", len(cpus))
    for name, column in (("cpu", cpus), ("memory", memories)):
        if np.isinf(column).any():
            raise InvalidInstanceError(f"{place(name, column, first_index(np.isinf(column)))} must be finite")
        if not column.any():
            raise InvalidInstanceError(f"none of the {len(column)} records has any {name}")
    cpus, memories = cpus / cpus.max(), memories / memories.max()
    kept = (cpus >= _TINY) | (memories >= _TINY)
    larger = np.maximum(cpus, memories)[kept]
    with np.errstate(divide="ignore", over="ignore"):
        ratio = cpus[kept] / memories[kept]  # at least one of them is above 0
    size = np.floor(100 * larger + 0.5).astype(np.int64)
    return TaskSample(size, ratio, n_records=len(kept), n_dropped=int(np.count_nonzero(~kept)))


def task_type(ratio: ArrayLike, n_types: int) -> IntArray:
    """Return the type of tasks: the more CPU by memory, the higher.

    Parameters
    ----------
    ratio : (n_tasks,) array_like of float
        CPU by memory.
    n_types : {2, 3, 4}
        Two types part at 1; three at 10^-0.66 and 10^0.66; four at all of these. A ratio on a threshold is of the
        lower type.

    Raises
    ------
    InvalidInstanceError
        For another number of types, and a ratio that is negative or NaN.
    """
    if n_types not in _THRESHOLDS:
        raise InvalidInstanceError(f"n_types = {n_types!r}: tasks are told apart by 2, 3 or 4 types")
    return np.searchsorted(_THRESHOLDS[n_types], _measures("ratio", ratio, "task")).astype(np.int64)


def _measures(name: str, values: ArrayLike, row: str, n_rows: int | None = None) -> FloatArray:
    """Return a column of numbers that are at least 0; they may be infinite."""
    column = float_column(values, name)
    if n_rows is not None and len(column) != n_rows:
        raise InvalidInstanceError(f"{name} has {len(column)} entries for {n_rows} {row}s")
    wrong = ~(column >= 0)  # NaN is wrong, too
    if wrong.any():
        index = first_index(wrong)
        raise InvalidInstanceError(f"{place(name, column, index)} ({row} {index[0]}) must be at least 0")
    return column
