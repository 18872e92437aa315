"""Times in which machines cannot be used, a row an outage."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError

from .arrays import FloatArray, IntArray
from .arrow import FieldTable
from .columns import check_entries, float_column, integer_column

__all__ = ["Outages"]


class Outages(FieldTable):
    """Outages [start_time, end_time) of machines, columnar and immutable.

    Parameters
    ----------
    machine : (n_outages,) array_like of int
        Index of the machine, at least 0; whether there is such a machine, `Instance` checks.
    start_time : (n_outages,) array_like
        Finite, at least 0.
    end_time : (n_outages,) array_like
        Above the start; infinite for an outage without end.

    Raises
    ------
    InvalidInstanceError
        For any value outside its bounds; names the outage, the value and the bound.
    TypeError
        For a column that does not hold numbers.

    Notes
    -----
    Rows stay in the order given, and count in it: the same outages in another order are another object. `united`
    brings them into one form.
    """

    __slots__ = ("end_time", "machine", "start_time")
    _fields: ClassVar[tuple[str, ...]] = ("machine", "start_time", "end_time")
    _called: ClassVar[str] = "outages"

    machine: IntArray
    start_time: FloatArray
    end_time: FloatArray

    def __init__(self, machine: ArrayLike, start_time: ArrayLike, end_time: ArrayLike) -> None:
        machines = integer_column(machine, "machine", row="outage")
        starts = float_column(start_time, "start_time", len(machines), row="outage")
        ends = float_column(end_time, "end_time", len(machines), row="outage")
        check_entries("machine", machines, machines >= 0, "at least 0", row="outage")
        valid = np.isfinite(starts) & (starts >= 0)
        check_entries("start_time", starts, valid, "finite and at least 0", row="outage")
        above = ends > starts  # not where the end is NaN
        if not above.all():
            row = int(np.argmin(above))
            bound = f"above its start_time {float(starts[row])!r}; it may be infinite"
            check_entries("end_time", ends, above, bound, row="outage")
        self._assign(machine=machines, start_time=starts, end_time=ends)

    def check_machines(self, n_machines: int) -> None:
        """Raise an `InvalidInstanceError` that names the first outage of a machine that there is not."""
        valid = self.machine < n_machines
        check_entries("machine", self.machine, valid, f"at least 0 and below {n_machines}", row="outage")

    def united(self) -> Self:
        """Return the same times as outages that neither overlap nor touch, by machine and then by start.

        O(n_outages * log n_outages).
        """
        order = np.lexsort((self.start_time, self.machine))
        machine, start, end = self.machine[order], self.start_time[order], self.end_time[order]
        if len(order) == 0:
            return self
        # The latest end so far on the same machine, as a rank among all ends. Ranks grow by a whole turn from machine
        # to machine, so that those of one never count for the next.
        ends, rank = np.unique(end, return_inverse=True)
        turn = np.concatenate([[0], np.cumsum(machine[1:] != machine[:-1])]) * len(ends)
        latest = ends[np.maximum.accumulate(rank + turn) - turn]
        begins = np.ones(len(order), dtype=np.bool_)
        begins[1:] = (machine[1:] != machine[:-1]) | (start[1:] > latest[:-1])
        last = np.append(np.flatnonzero(begins)[1:], len(order)) - 1
        return self._restore(
            {"machine": machine[begins], "start_time": start[begins], "end_time": latest[last]}
        )

    def __len__(self) -> int:
        return len(self.machine)

    def __repr__(self) -> str:
        if len(self) == 0:
            return "Outages(0 outages)"
        n_machines = len(np.unique(self.machine))
        return (
            f"Outages({len(self)} outages of {n_machines} machines, "
            f"{self.start_time.min():g}..{self.end_time.max():g})"
        )

    def as_json(self) -> dict[str, list[Any]]:
        """Return the columns as JSON has them, which knows no infinity: an outage without end has the end None."""
        ends = [end if math.isfinite(end) else None for end in self.end_time.tolist()]
        return {"machine": self.machine.tolist(), "start_time": self.start_time.tolist(), "end_time": ends}

    @classmethod
    def from_json(cls, plain: Any) -> Self:
        """Return the outages that `as_json` described; anything else is an `InvalidInstanceError`."""
        try:
            machine, start_time, end_time = (plain[name] for name in cls._fields)
            ends = [math.inf if end is None else end for end in end_time]
            return cls(machine, start_time, ends)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InvalidInstanceError(f"these are no outages: {error}") from error
