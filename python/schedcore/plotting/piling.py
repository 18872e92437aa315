"""Where does each job lie in a picture of what a machine has in use?

At every instant a running job is one unbroken interval of heights, as long as its demand, and no two overlap: the
height in use is exactly the demand in use. A job that starts gets the lowest free interval that is high enough.
Where there is none although enough is free in total, jobs between free intervals slide apart until there is one, as
few of them and as little as possible. So a job is a rectangle that may be shifted up or down when others start;
jobs to be kept in place slide only where nothing else helps. (Splitting jobs over several intervals
instead leaves ever smaller ones: on the workload of the patience experiment some eight pieces a job.)
"""

import heapq
from bisect import insort
from collections.abc import Collection
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError

# More pieces than a drawing can use; 2500 jobs can never have so many.
MOST_PIECES = 2_000_000

_KEPT = 10**6  # sliding a job to be kept counts like sliding so many others


@dataclass(frozen=True, eq=False)
class Pile:
    """Rectangles of one machine in the order of their left ends; a job has one for each place that it had.

    Attributes
    ----------
    job : (k,) int64
        Row of the job in the instance.
    begin, until : (k,) float64
        When it lay there, ``begin < until``.
    low, high : (k,) int64
        The heights, in units of the resource; ``high - low`` is the demand.
    """

    job: NDArray[np.int64]
    begin: NDArray[np.float64]
    until: NDArray[np.float64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


def pile_up(
    jobs: NDArray[np.int64],
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    demand: NDArray[np.int64],
    capacity: int,
    keep: Collection[int] = (),
) -> Pile:
    """Give each job of one machine its heights; jobs that start together are placed in the order of `jobs`.

    Parameters
    ----------
    jobs : (k,) int64
        Rows of the jobs of the machine. Those without demand or without time get no rectangle.
    start, end : (n_jobs,) float64
        Each job of the instance runs during [start, end).
    demand : (n_jobs,) int64
    capacity : int
    keep : collection of int
        Jobs that should not slide.

    Raises
    ------
    InvalidInstanceError
        If more than `capacity` is in use at some instant (names the job that does not fit), or `MOST_PIECES` are
        exceeded.

    Notes
    -----
    Each start costs O(r) for r running jobs.
    """
    order = jobs[np.argsort(start[jobs], kind="stable")]
    order = order[(demand[order] > 0) & (end[order] > start[order])]
    machine = _Machine(capacity, frozenset(keep))
    for job, now, until, amount in zip(
        order.tolist(), start[order].tolist(), end[order].tolist(), demand[order].tolist(), strict=True
    ):
        machine.complete(now)
        if amount > machine.free:
            raise InvalidInstanceError(
                f"job {job} demands {amount} units at time {now:g}, where {machine.free} are free: "
                "the schedule is not feasible (schedcore.validate says more)"
            )
        machine.place(job, now, until, amount)
    return machine.pile(end, demand)


class _Machine:
    """What runs at an instant, and the places so far."""

    def __init__(self, capacity: int, keep: frozenset[int]) -> None:
        self.free = capacity
        self._capacity = capacity
        self._keep = keep
        self._running: list[tuple[int, int, int]] = []  # (low, high, job), ascending and disjoint
        self._ends: list[tuple[float, int]] = []  # a heap of (end, job)
        self._latest: dict[int, int] = {}  # the latest piece of each running job
        # pieces, in the order of their begin
        self._job: list[int] = []
        self._begin: list[float] = []
        self._until: list[float] = []
        self._low: list[int] = []

    def complete(self, now: float) -> None:
        gone = set()
        while self._ends and self._ends[0][0] <= now:
            gone.add(heapq.heappop(self._ends)[1])
        if gone:
            self.free += sum(high - low for low, high, job in self._running if job in gone)
            self._running = [place for place in self._running if place[2] not in gone]
            for job in gone:
                del self._latest[job]

    def place(self, job: int, now: float, until: float, amount: int) -> None:
        """Start `job`, which demands at most `free`."""
        below = [0, *(high for _, high, _ in self._running)]
        above = [*(low for low, _, _ in self._running), self._capacity]
        gaps = [high - low for low, high in zip(below, above, strict=True)]
        gap = next((place for place, size in enumerate(gaps) if size >= amount), None)
        low = self._make_room(gaps, amount, now) if gap is None else below[gap]
        insort(self._running, (low, low + amount, job))
        heapq.heappush(self._ends, (until, job))
        self.free -= amount
        self._put(job, now, low)

    def _make_room(self, gaps: list[int], amount: int, now: float) -> int:
        """Slide jobs apart until `amount` is free in one place, and return its lower end; ``gaps[i]`` is below job i.

        First which jobs: the cheapest run whose gaps suffice. Then which of them go down and which up, so that the
        way is short.
        """
        costs = [self._cost_of_sliding(job, now) for _, _, job in self._running]
        cost_below = [0, *accumulate(costs)]  # of sliding all jobs below a gap
        free_below = [0, *accumulate(gaps)]  # below a gap
        runs = []
        first = 0
        for last in range(len(gaps)):
            while free_below[last + 1] - free_below[first + 1] >= amount:
                first += 1
            if (size := free_below[last + 1] - free_below[first]) >= amount:
                runs.append((cost_below[last] - cost_below[first], first, last, size - amount))
        _, first, last, spare = min(runs)

        run = range(first, last)
        down = {place: free_below[place + 1] - free_below[first] for place in run}
        up = {place: free_below[last + 1] - free_below[place + 1] for place in run}
        way_down = [0, *accumulate(costs[place] * down[place] for place in run)]
        way_up = [0, *accumulate(costs[place] * up[place] for place in reversed(run))]
        split = min(range(first, last + 1), key=lambda place: way_down[place - first] + way_up[last - place])
        # what is left over, less than the gap at either end of the run, spares the larger part some of its way
        spare_down, spare_up = (spare, 0) if split - first >= last - split else (0, spare)
        for place in range(first, split):
            self._slide(place, now, spare_down - down[place])
        for place in range(split, last):
            self._slide(place, now, up[place] - spare_up)
        return self._running[split - 1][1] if split > 0 else 0

    def _cost_of_sliding(self, job: int, now: float) -> int:
        if self._begin[self._latest[job]] == now:
            return 0  # nothing is drawn of its place yet
        return _KEPT if job in self._keep else 1

    def _slide(self, place: int, now: float, way: int) -> None:
        low, high, job = self._running[place]
        self._running[place] = (low + way, high + way, job)
        self._put(job, now, low + way)

    def _put(self, job: int, now: float, low: int) -> None:
        latest = self._latest.get(job)
        if latest is not None:
            if self._low[latest] == low:
                return
            if self._begin[latest] == now:
                self._low[latest] = low
                return
            self._until[latest] = now
        if len(self._job) == MOST_PIECES:
            raise InvalidInstanceError(
                f"a packing of more than {MOST_PIECES} rectangles cannot be read; choose machines or a shorter "
                "stretch with between, or use plot_utilisation"
            )
        self._latest[job] = len(self._job)
        self._job.append(job)
        self._begin.append(now)
        self._until.append(np.nan)
        self._low.append(low)

    def pile(self, end: NDArray[np.float64], demand: NDArray[np.int64]) -> Pile:
        job = np.array(self._job, dtype=np.int64)
        low = np.array(self._low, dtype=np.int64)
        until = np.array(self._until, dtype=np.float64)
        until = np.where(np.isnan(until), end[job], until)
        return Pile(job, np.array(self._begin, dtype=np.float64), until, low, low + demand[job])
