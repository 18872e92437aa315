"""What online runs in epochs share: solutions that the caller gives in place of programs, and what a run returns."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError

from .task_result import Pieces

__all__ = ["NOTHING", "GivenSolutions", "OnlineRun", "joined", "worst_status"]

_STATUSES = ("given", "optimal", "restricted", "time_limit", "failed")  # from good to bad

NOTHING: Pieces = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))


class OnlineRun(NamedTuple):
    """Pieces of all tasks, or None if the program of the last epoch gave no usable solution."""

    pieces: Pieces | None
    stats: dict[str, Any]
    lower_bound: Callable[[], float | None] | None


class GivenSolutions:
    """The option `lp_solution` of an online run: one entry for each epoch with work.

    Parameters
    ----------
    lp_solution : sequence of array_like, or None
        None if programs are solved.
    work : str
        What epochs with an entry have, as messages call it: "jobs to plan".

    Raises
    ------
    TypeError
        For anything that is no sequence.
    """

    def __init__(self, lp_solution: Any, work: str) -> None:
        self._work = work
        try:
            self._entries: list[ArrayLike] | None = None if lp_solution is None else list(lp_solution)
        except TypeError:
            raise TypeError("lp_solution must be a sequence with an array for each epoch") from None

    @property
    def are_given(self) -> bool:
        """Whether the caller gives solutions, if only for no epoch."""
        return self._entries is not None

    def entry(self, index: int, start: int) -> ArrayLike | None:
        """Return the entry of the epoch with work of this index; None if programs are solved."""
        if self._entries is None:
            return None
        if index == len(self._entries):
            raise InvalidInstanceError(
                f"lp_solution has {index} entries; the epoch from {start} on has {self._work}, too"
            )
        return self._entries[index]

    def check_all_used(self, n_epochs: int) -> None:
        """Raise an `InvalidInstanceError` if there are more entries than epochs with work."""
        if self._entries is not None and len(self._entries) > n_epochs:
            raise InvalidInstanceError(
                f"lp_solution has {len(self._entries)} entries; only {n_epochs} epochs have {self._work}"
            )


def worst_status(statuses: Iterable[str]) -> str:
    """Return the worst of the statuses of the programs of a run."""
    return max(statuses, key=_STATUSES.index)


def joined(parts: Sequence[Pieces]) -> Pieces:
    """Return the pieces of all parts, in their order."""
    task, machine, start, end = (np.concatenate(columns) for columns in zip(NOTHING, *parts, strict=True))
    return task, machine, start, end
