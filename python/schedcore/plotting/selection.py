"""What of an instance is worth drawing: the resources that matter, and the time in which things happen."""

from collections.abc import Iterable, Sequence

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.metrics import completion_time, horizon
from schedcore.model import Instance, Runs, Schedule

MOST_RESOURCES = 4  # more lines in one panel cannot be told apart
_BULK = 0.99


def check_rows(name: str, rows: Sequence[int], number: int, *, once: bool = False) -> None:
    """Raise an `InvalidInstanceError` for a row that is none of so many, or with `once` for one that is named twice."""
    for row in rows:
        if not 0 <= row < number:
            raise InvalidInstanceError(f"{name} {row} must lie in [0, {number})")
    if once and len(set(rows)) < len(rows):
        raise InvalidInstanceError(f"{name}s = {list(rows)} must name each {name} once")


def most_demanded(inst: Instance, at_most: int = MOST_RESOURCES) -> list[int]:
    """The resources with the highest total demand times processing time for their capacity, in their own order."""
    capacity = inst.machines.capacity.sum(axis=0, dtype=np.float64)
    load = inst.work()
    share = np.divide(load, capacity, out=np.zeros_like(capacity), where=capacity > 0)
    return sorted(np.argsort(-share, kind="stable")[:at_most].tolist())


def until_most_are_done(inst: Instance, schedules: Iterable[Schedule | Runs]) -> tuple[float, float]:
    """From the first release until every schedule has completed 99 % of the jobs: no long idle tail.

    (0, 0) without jobs or schedules.
    """
    plans = list(schedules)
    if not plans or inst.n_jobs == 0:
        return 0.0, 0.0
    return horizon(inst, plans[0])[0], max(float(np.quantile(completion_time(inst, p), _BULK)) for p in plans)
