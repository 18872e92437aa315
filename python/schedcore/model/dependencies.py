"""Do the jobs that jobs wait for exist, and can each of them ever start? A cycle could not."""

from collections import deque
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from schedcore.errors import InvalidInstanceError

from .arrays import IntArray
from .integer_lists import IntegerLists
from .job_rows import RowsOfIds
from .jobs import Jobs

__all__ = ["AFTER", "awaited_ids", "awaited_rows", "check_dependencies"]

#: The columns that say for which jobs a job waits.
AFTER = ("after_ok", "after_any", "after_not_ok")
_MOST_NAMED = 8  # jobs of a cycle in a message


def check_dependencies(jobs: Jobs, name_of: Callable[[int], str]) -> None:
    """Raise an `InvalidInstanceError` for an id that no job has, and for a cycle; `name_of` says how jobs are called.

    O(1) for jobs that wait for none. Otherwise O(n_jobs log n_jobs + n_ids), without a loop in Python where every job
    waits for jobs of earlier rows only.
    """
    used = [name for name in AFTER if jobs.uses(name)]
    if not used:
        return
    waiting, awaited = [], []
    rows_of = RowsOfIds(jobs.id)
    for name in used:
        lists = jobs.id_lists(name)
        rows, known = rows_of(lists.values)
        if not known.all():
            value = int(np.argmin(known))
            job = int(lists.row_of_value[value])
            raise InvalidInstanceError(
                f"{name}[{job}] ({name_of(job)}) names id {lists.values[value]}, which no job has"
            )
        waiting.append(lists.row_of_value)
        awaited.append(rows)
    later, earlier = np.concatenate(waiting), np.concatenate(awaited)
    if (earlier < later).all():
        return
    cycle = _cycle(later, earlier, jobs.n_jobs)
    if cycle:
        raise InvalidInstanceError(f"jobs wait for each other: {_in_words(cycle, name_of)}")


def awaited_rows(jobs: Jobs) -> tuple[IntArray, IntArray, IntArray]:
    """Return for which jobs each job waits, and how, as kernels read it; of jobs that `check_dependencies` has passed.

    Returns
    -------
    offsets : (n_jobs + 1,) int64
        Job j waits for those of the entries ``offsets[j]`` to ``offsets[j + 1] - 1``.
    row : (n_entries,) int64
        The job that is waited for.
    how : (n_entries,) int64
        Index into `AFTER`.
    """
    offsets, ids, how = awaited_ids(jobs)
    return offsets, RowsOfIds(jobs.id)(ids)[0], how


def awaited_ids(jobs: Jobs, numbers: IntArray | None = None) -> tuple[IntArray, IntArray, IntArray]:
    """Return the same with ids in place of rows, whatever jobs have them.

    Jobs without ids of their own name each other by row; `numbers` are the ids that they get.

    Raises
    ------
    InvalidInstanceError
        For a row that there is not.
    """
    lists = [jobs.id_lists(name) for name in AFTER]
    waiting = np.concatenate([each.row_of_value for each in lists])
    order = np.argsort(waiting, kind="stable")
    ids = np.concatenate([each.values for each in lists])[order]
    how = np.repeat(np.arange(len(AFTER)), [len(each.values) for each in lists])[order]
    if numbers is not None:
        for value in np.flatnonzero(ids >= jobs.n_jobs)[:1]:
            raise InvalidInstanceError(
                f"{AFTER[how[value]]}[{waiting[order][value]}] names {ids[value]}, but there are {jobs.n_jobs} jobs: "
                "without ids they name each other by row"
            )
        ids = numbers[ids]
    return np.searchsorted(waiting[order], np.arange(jobs.n_jobs + 1)), ids, how


def _cycle(waiting: IntArray, awaited: IntArray, n_jobs: int) -> list[int]:
    """Return jobs each of which waits for the next, the last one being the first again; empty if there are none."""
    by_awaited = np.argsort(awaited, kind="stable")
    offsets = np.searchsorted(awaited[by_awaited], np.arange(n_jobs + 1))
    followers = IntegerLists(offsets, waiting[by_awaited]).rows
    n_awaited = np.bincount(waiting, minlength=n_jobs).tolist()
    free = deque(job for job, count in enumerate(n_awaited) if count == 0)
    while free:
        for job in followers[free.popleft()]:
            n_awaited[job] -= 1
            if n_awaited[job] == 0:
                free.append(job)
    # Whoever is left waits for one that is left, too: following such a one comes back to where it was.
    waits_for = {
        job: other for job, other in zip(waiting.tolist(), awaited.tolist(), strict=True) if n_awaited[other]
    }
    stuck = next((job for job, count in enumerate(n_awaited) if count), None)
    if stuck is None:
        return []
    seen: dict[int, int] = {}
    path: list[int] = []
    while stuck not in seen:
        seen[stuck] = len(path)
        path.append(stuck)
        stuck = waits_for[stuck]
    return [*path[seen[stuck] :], stuck]


def _in_words(cycle: list[int], name_of: Callable[[int], str]) -> str:
    steps = [f"{name_of(job)} waits for {name_of(other)}" for job, other in pairwise(cycle)]
    more = [f"and {len(steps) - _MOST_NAMED} more"] if len(steps) > _MOST_NAMED else []
    return ", ".join(steps[:_MOST_NAMED] + more)
