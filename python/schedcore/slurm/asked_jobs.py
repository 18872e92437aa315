"""Waiting jobs that are asked about, by the words that Slurm writes for them: ``17``, ``17_3``, ``17_[1-5]``."""

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model.arrays import IntArray

from .array_tasks import array_tasks
from .state import SlurmState

__all__ = ["AskedJobs", "columns_of_rows", "rows_of_jobs"]


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class AskedJobs:
    """Waiting jobs of a state, a row for each.

    Parameters
    ----------
    now : float
        The instant of the state; all instants are seconds since 1970.
    id : (n,) int64
        As in ``state.waiting.jobs``.
    called, user, partition : tuple of str
        The job as Slurm writes it, and whose it is.
    """

    now: float
    id: IntArray
    called: tuple[str, ...]
    user: tuple[str, ...]
    partition: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.id)

    def row(self, index: int) -> dict[str, Any]:
        """Return a job as plain values by name."""
        return {"job": self.called[index], "user": self.user[index], "partition": self.partition[index]}


def columns_of_rows(state: SlurmState, rows: IntArray) -> dict[str, Any]:
    """Return the columns of `AskedJobs` for rows of ``state.waiting``."""
    waiting = state.waiting
    user, partition = waiting.jobs.user, waiting.jobs.partition
    return {
        "now": state.now,
        "id": waiting.jobs.id[rows],
        "called": tuple(waiting.called[row] for row in rows),
        "user": tuple(user[row] or "" for row in rows),
        "partition": tuple(partition[row] or "" for row in rows),
    }


def rows_of_jobs(state: SlurmState, words: Iterable[str | int]) -> IntArray:
    """Return the rows of ``state.waiting`` that words name, in the order of the words, each once.

    Raises
    ------
    InvalidInstanceError
        For a word that is no job, and for jobs that do not wait; says what becomes of them instead.
    """
    rows_of: dict[str, list[int]] = {}
    for row, called in enumerate(state.waiting.called):
        rows_of.setdefault(called, []).append(row)
        whole = called.partition("_")[0].partition("+")[0]
        if whole != called:
            rows_of.setdefault(whole, []).append(row)
    found: dict[int, None] = {}
    for word in words:
        for name in _names(str(word).strip()):
            if name not in rows_of:
                raise InvalidInstanceError(f"job {name} does not wait: {_otherwise(state, name)}")
            found.update(dict.fromkeys(rows_of[name]))
    return np.array(list(found), dtype=np.int64)


def _names(word: str) -> list[str]:
    array, bracket, tasks = word.partition("_[")
    if not bracket:
        number = word.replace("_", "", 1).replace("+", "", 1)
        if not (number.isascii() and number.isdigit() and word[0].isdigit() and word[-1].isdigit()):
            raise InvalidInstanceError(f"{one_line(repr(word))} is no job, such as 17, 17_3 or 17_[1-5]")
        return [word]
    if not (array.isascii() and array.isdigit() and tasks.endswith("]")):
        raise InvalidInstanceError(f"{one_line(repr(word))} is no job, such as 17, 17_3 or 17_[1-5]")
    return [f"{array}_{task}" for task in array_tasks(tasks)[0]]


def _otherwise(state: SlurmState, name: str) -> str:
    for job in state.jobs:
        if name in (job.called, str(job.job_id), str(job.array_job_id)) and not job.is_waiting:
            return f"it is {job.state}" + (
                f" on {','.join(job.nodes)}" if job.is_running and job.nodes else ""
            )
    return "the state does not have it"
