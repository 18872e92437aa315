"""Where the tasks of jobs are, as a text a job: ``0:16 3:4`` says 16 tasks on machine 0 and 4 on machine 3."""

import itertools
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import Allocation, RunAllocation
from schedcore.model.real_numbers import shown

__all__ = ["allocation_of_texts", "allocation_texts"]

_PLACES = re.compile(r"(\d{1,15}:\d{1,15}( +\d{1,15}:\d{1,15})*)?", re.ASCII)


def allocation_texts(allocation: Allocation | RunAllocation, n_owners: int) -> list[str]:
    """Return a text for each job or run, in the order of placement; an empty one for a job without tasks anywhere."""
    places = [
        f"{machine}:{n_tasks}"
        for machine, n_tasks in zip(allocation.machine.tolist(), allocation.n_tasks.tolist(), strict=True)
    ]
    offsets = np.searchsorted(allocation.owner, np.arange(n_owners + 1)).tolist()
    return [" ".join(places[begin:end]) for begin, end in itertools.pairwise(offsets)]


def allocation_of_texts(texts: NDArray[Any], source: str) -> Allocation:
    """Return what `allocation_texts` wrote; row j is job j.

    An `InvalidInstanceError` names the first text that is another.
    """
    for text in dict.fromkeys(texts.tolist()):
        if not _PLACES.fullmatch(text):
            raise InvalidInstanceError(
                f"{source}: allocation {shown(text)!r} is no list of MACHINE:TASKS such as 0:16 3:4"
            )
    parts = [text.split() for text in texts.tolist()]
    places = [part.split(":") for part in itertools.chain.from_iterable(parts)]
    job = np.repeat(np.arange(len(parts)), np.fromiter(map(len, parts), dtype=np.int64, count=len(parts)))
    machine, n_tasks = np.array(places, dtype=np.int64).reshape(len(job), 2).T
    return Allocation(job, np.ascontiguousarray(machine), np.ascontiguousarray(n_tasks))
