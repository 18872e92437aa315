"""The textbook algorithms for one resource and one machine of identical nodes, in scalars.

EASY as in Mu'alem and Feitelson, "Utilization, predictability, workloads, and user runtime estimates in scheduling the
IBM SP2 with backfilling" (2001): a shadow time, extra nodes, and one pass down the queue; conservative backfilling
after the same paper: every job in order of arrival at the earliest hole of a profile of free nodes. Written apart from
the other reference implementations; jobs are in order of release time.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Job:
    """``size`` nodes for ``length`` time units; the user estimates ``estimate``."""

    release_time: float
    size: int
    length: float
    estimate: float


def textbook_easy(jobs: Sequence[Job], n_nodes: int, *, largest_first: bool = False) -> list[float]:
    """Start times; with ``largest_first`` the queue behind the head is walked down from the widest job."""
    start: dict[int, float] = {}
    instants = {job.release_time for job in jobs}
    while instants:
        now = min(instants)
        waiting = [j for j, job in enumerate(jobs) if job.release_time <= now and j not in start]
        running = [j for j, s in start.items() if s + jobs[j].length > now]
        free = n_nodes - sum(jobs[j].size for j in running)
        started = []
        while waiting and jobs[waiting[0]].size <= free:
            free -= jobs[waiting[0]].size
            started.append(waiting.pop(0))
            start[started[-1]] = now
        if waiting:
            head, *behind = waiting
            shadow_time, extra = _shadow(jobs, head, {j: start[j] for j in running + started}, free)
            for j in sorted(behind, key=lambda j: -jobs[j].size) if largest_first else behind:
                in_time = now + jobs[j].estimate <= shadow_time
                if jobs[j].size <= free and (in_time or jobs[j].size <= extra):
                    free -= jobs[j].size
                    extra -= 0 if in_time else jobs[j].size
                    started.append(j)
                    start[j] = now
        instants |= {now + jobs[j].length for j in started}
        instants.remove(now)
    return [start[j] for j in range(len(jobs))]


def _shadow(jobs: Sequence[Job], head: int, running: dict[int, float], free: int) -> tuple[float, int]:
    """When enough nodes for the head are free by the estimates, and how many more than that."""
    for instant in sorted(s + jobs[j].estimate for j, s in running.items()):
        nodes = free + sum(jobs[j].size for j, s in running.items() if s + jobs[j].estimate <= instant)
        if nodes >= jobs[head].size:
            return instant, nodes - jobs[head].size
    raise AssertionError("the head is wider than the machine")


def textbook_conservative(jobs: Sequence[Job], n_nodes: int) -> list[float]:
    """Start times if all estimates are exact: each job, in order, at the first hole, never moved again."""
    starts: list[float] = []

    def nodes_free(instant: float) -> int:
        placed = zip(starts, jobs, strict=False)
        return n_nodes - sum(job.size for s, job in placed if s <= instant < s + job.length)

    for job in jobs:
        ends = [s + placed.length for s, placed in zip(starts, jobs, strict=False)]
        for start in sorted({job.release_time, *(end for end in ends if end > job.release_time)}):
            inside = [start, *(s for s in starts if start < s < start + job.length)]
            if all(nodes_free(instant) >= job.size for instant in inside):
                starts.append(start)
                break
    return starts
