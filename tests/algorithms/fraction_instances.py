"""Instances of parallel tasks, and solutions of LP1 for them that no program was solved for.

Each part of a task goes to a random machine, and to the first interval from a random one on in which the rules (b) and
(c) of the program still hold. So the fractions are solutions of the program, mostly bad ones.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import schedcore
from parallel_task_cases import parallel_tasks

__all__ = ["UNIT", "Drawn", "drawn_fractions", "instance_of"]

UNIT = 10**9
Placements = dict[int, int]


def instance_of(
    jobs: list[tuple[float, list[tuple[list[int], Placements]]]], capacity: list[list[int]], **more: Any
) -> schedcore.ParallelTaskInstance:
    """The instance of jobs (weight, tasks), each task (demand, {machine: processing time})."""
    rows = [(j, *task) for j, (_, own) in enumerate(jobs) for task in own]
    return parallel_tasks([weight for weight, _ in jobs], rows, capacity, **more)


class Drawn(NamedTuple):
    instance: schedcore.ParallelTaskInstance
    rows: list[tuple[int, int, int, int, int]]
    ends: list[int]  # d_l, for epsilon = 1


@st.composite
def drawn_fractions(draw: st.DrawFn, *, one_machine: bool = False, n_resources: int = 1) -> Drawn:
    n_machines = draw(st.integers(1, 3))
    row = st.integers(8, 12)
    capacity = draw(
        st.lists(
            st.lists(row, min_size=n_resources, max_size=n_resources),
            min_size=n_machines,
            max_size=n_machines,
        )
    )
    most = 1 if one_machine else n_machines
    times = st.dictionaries(st.integers(0, n_machines - 1), st.integers(1, 9), min_size=1, max_size=most)
    task = st.tuples(st.lists(st.integers(1, 8), min_size=n_resources, max_size=n_resources), times)
    job = st.tuples(st.sampled_from([1.0, 2.0, 5.0]), st.lists(task, min_size=1, max_size=3))
    jobs = draw(st.lists(job, min_size=1, max_size=4))
    horizon = max(sum(own.get(i, 0) for _, tasks in jobs for _, own in tasks) for i in range(n_machines))
    plan = _Plan(capacity, [2**exponent for exponent in range(max(1, math.ceil(math.log2(horizon))) + 1)])
    rows = []
    for j, (_, tasks) in enumerate(jobs):
        for k, (demand, own) in enumerate(tasks):
            inner = st.sampled_from([n * UNIT // 12 for n in range(1, 12)])
            cuts = sorted({0, UNIT, *draw(st.lists(inner, max_size=3))})
            plan.next_task(demand)
            parts: dict[tuple[int, int], int] = {}
            for units in np.diff(cuts).tolist():
                machine = draw(st.sampled_from(sorted(own)))
                interval = plan.add(machine, units * own[machine], draw(st.integers(0, len(plan.ends) - 1)))
                parts[machine, interval] = parts.get((machine, interval), 0) + units
            rows += [(j, k, *place, units) for place, units in parts.items()]
    return Drawn(instance_of(jobs, capacity), rows, plan.ends)


class _Plan:
    """What is done of the current task, and on every machine, by the end of each interval; in billionths."""

    def __init__(self, capacity: list[list[int]], ends: list[int]) -> None:
        self.ends = ends
        self._capacity = capacity
        self._volume = [[[0] * len(ends) for _ in row] for row in capacity]

    def next_task(self, demand: list[int]) -> None:
        self._demand = demand
        self._time = [0] * len(self.ends)

    def add(self, machine: int, time: int, wanted: int) -> int:
        """Add a part, in the first interval from `wanted` on that can take it, and return that."""
        interval = max(
            [wanted, *(q + 1 for q in range(len(self.ends)) if not self._has_room(machine, time, q))]
        )
        for q in range(interval, len(self.ends)):
            self._time[q] += time
            for volume, amount in zip(self._volume[machine], self._demand, strict=True):
                volume[q] += amount * time
        return interval

    def _has_room(self, machine: int, time: int, q: int) -> bool:
        end = self.ends[q] * UNIT
        rows = zip(self._volume[machine], self._demand, self._capacity[machine], strict=True)
        return self._time[q] + time <= end and all(v[q] + a * time <= m * end for v, a, m in rows)
