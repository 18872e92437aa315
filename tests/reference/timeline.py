"""Reference implementation of the resource timeline: a sorted list of breakpoints, scanned from the left.

Every method is its definition: the free vector of an instant is that of the last breakpoint not after it.
"""

from collections.abc import Sequence
from math import inf


class Timeline:
    """The free amounts of a machine as a right-continuous step function of time."""

    def __init__(self, capacity: Sequence[int], origin: float = 0.0) -> None:
        self.stretches: list[tuple[float, list[int]]] = [(origin, list(capacity))]

    @property
    def origin(self) -> float:
        return self.stretches[0][0]

    def breakpoints(self) -> tuple[list[float], list[list[int]]]:
        return [time for time, _ in self.stretches], [list(free) for _, free in self.stretches]

    def free_at(self, t: float) -> list[int]:
        return [free for time, free in self.stretches if time <= t][-1]

    def change(self, start: float, end: float, by: Sequence[int]) -> None:
        instants = sorted({time for time, _ in self.stretches} | {start, end} - {inf})
        changed = []
        for t in instants:
            free = self.free_at(t)
            if start <= t < end:
                free = [amount + change for amount, change in zip(free, by, strict=True)]
            changed.append((t, list(free)))
        self.stretches = [
            stretch for i, stretch in enumerate(changed) if i == 0 or stretch[1] != changed[i - 1][1]
        ]

    def reserve(self, start: float, end: float, demand: Sequence[int]) -> None:
        self.change(start, end, [-amount for amount in demand])

    def release(self, start: float, end: float, demand: Sequence[int]) -> None:
        self.change(start, end, demand)

    def instants(self, start: float, end: float) -> list[float]:
        """`start` and every breakpoint inside (start, end)."""
        return [start, *(time for time, _ in self.stretches if start < time < end)]

    def range_min(self, start: float, end: float) -> list[int]:
        rows = [self.free_at(t) for t in self.instants(start, end)]
        return [min(column) for column in zip(*rows, strict=True)]

    def has_room(self, t: float, demand: Sequence[int]) -> bool:
        return all(amount <= free for amount, free in zip(demand, self.free_at(t), strict=True))

    def first_shortage(self, not_before: float, demand: Sequence[int]) -> float:
        return next((t for t in self.instants(not_before, inf) if not self.has_room(t, demand)), inf)

    def earliest_fit(self, not_before: float, duration: float, demand: Sequence[int]) -> float:
        for start in self.instants(not_before, inf):
            if all(self.has_room(t, demand) for t in self.instants(start, start + duration)):
                return start
        return inf

    def forget_before(self, t: float) -> None:
        if t > self.origin:
            later = [stretch for stretch in self.stretches if stretch[0] > t]
            self.stretches = [(t, self.free_at(t)), *later]

    def next_change(self, after: float) -> float:
        return next((time for time, _ in self.stretches if time > after), inf)
