"""The tasks of arrays of jobs: ``0-5``, ``1,3-9:2``, ``[0-99%10]``; the number behind ``%`` says how many may run."""

import re

from schedcore.errors import InvalidInstanceError
from schedcore.model.real_numbers import shown

__all__ = ["array_tasks"]

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9})(?::([0-9]{1,9}))?)?")
_MOST_TASKS = 4_000_001  # MaxArraySize is at most 4,000,001


def array_tasks(text: str) -> tuple[tuple[int, ...], int | None]:
    """Return the numbers of the tasks in ascending order, and how many may run at once (None: all).

    Raises
    ------
    InvalidInstanceError
        For anything else; also a list that Slurm cut short with ``...``, which does not tell all tasks.
    """
    inner = text.strip().removeprefix("[").removesuffix("]")
    ranges, percent, throttle = inner.partition("%")
    if "..." in ranges:
        raise InvalidInstanceError(
            f"{shown(repr(text))} is cut short; with SLURM_BITSTR_LEN=0 Slurm prints all tasks of an array"
        )
    tasks: set[int] = set()
    for part in ranges.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise InvalidInstanceError(f"{shown(repr(text))} is no list of tasks such as 0-5,8%2")
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        step = int(match[3] or 1)
        if last < first or step == 0 or (last - first) // step + len(tasks) >= _MOST_TASKS:
            raise InvalidInstanceError(f"{shown(repr(text))}: {part.strip()} is no range of tasks")
        tasks.update(range(first, last + 1, step))
    if percent and not throttle.isdecimal():
        raise InvalidInstanceError(f"{shown(repr(text))}: {shown(repr(throttle))} behind % is no number")
    return tuple(sorted(tasks)), int(throttle) or None if percent else None
