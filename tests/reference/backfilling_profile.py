"""The availability profile: rectangles on machines, and the free amounts at an instant summed up from them.

Nothing is stored but the rectangles; free amounts may be negative where rectangles overlap.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reference.vector_fit import fits


@dataclass(frozen=True)
class Rectangle:
    """``demand`` held on ``machine`` during [start, end)."""

    machine: int
    start: float
    end: float
    demand: Sequence[int]


@dataclass(frozen=True)
class Profile:
    """The free amounts of all machines from now on."""

    capacity: Sequence[Sequence[int]]
    rectangles: list[Rectangle]

    def free(self, machine: int, instant: float) -> list[int]:
        held = [r.demand for r in self.rectangles if r.machine == machine and r.start <= instant < r.end]
        return [c - sum(demand[k] for demand in held) for k, c in enumerate(self.capacity[machine])]

    def breakpoints(self, machine: int) -> set[float]:
        return {x for r in self.rectangles if r.machine == machine for x in (r.start, r.end)}

    def has_room(self, machine: int, start: float, end: float, demand: Sequence[int]) -> bool:
        """Whether ``demand`` is free during all of [start, end)."""
        instants = [start, *(x for x in self.breakpoints(machine) if start < x < end)]
        return all(fits(demand, self.free(machine, x)) for x in instants)

    def earliest(
        self, demand: Sequence[int], end_if_started: Callable[[float], float], now: float
    ) -> tuple[float, int]:
        """The smallest start >= now with room until the end that follows from it, and the lowest machine with it."""
        starts = []
        for machine in range(len(self.capacity)):
            for start in sorted({now} | {x for x in self.breakpoints(machine) if x > now}):
                if self.has_room(machine, start, end_if_started(start), demand):
                    starts.append((start, machine))
                    break
        return min(starts)
