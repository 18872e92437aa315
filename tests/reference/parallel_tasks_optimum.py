"""The best schedule of tiny instances in unit time slots, by dynamic programming over the remaining work.

For class nonpreempt (with whole release times) this is the optimum. The other two classes may gain from pieces that
start or end inside a slot: three tasks of one slot each, two at a time, take 1.5 slots. There it is the best schedule
whose pieces are whole slots, an upper bound on the optimum, and closer to it with more slots a unit of time.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import lcm

from reference.parallel_tasks_instance import PlainTasks

State = tuple[tuple[int, int], ...]  # per task: the machine it is tied to (-1: none yet), remaining work


def slot_optimum(instance: PlainTasks, kind: str, slots: int = 1) -> Fraction:
    """The smallest sum of w C over the schedules of class `kind` that change at multiples of 1 / `slots` only."""
    if slots > 1:
        return slot_optimum(in_units_of(instance, slots), kind) / slots
    tasks = instance.tasks
    assert all(r.denominator == 1 for r in instance.release_time)
    last_release = max((int(r) for r in instance.release_time), default=0)
    unit = [lcm(*task.time.values()) if kind == "migrate" else 1 for task in tasks]

    def after_a_slot(task: int, home: int, work: int, machine: int) -> tuple[int, int]:
        time = tasks[task].time[machine]
        if kind == "migrate":
            return -1, max(0, work - unit[task] // time)
        left = (time if home < 0 else work) - 1
        return machine, left

    def choices(state: State, now: int) -> Iterator[State]:
        """Every state that one slot can lead to."""

        def extend(
            task: int, running: dict[int, list[int]], chosen: list[tuple[int, int]]
        ) -> Iterator[State]:
            if task == len(tasks):
                if any(running.values()) or now < last_release:
                    yield tuple(chosen)
                return
            home, work = state[task]
            finished = work == 0
            must_run = kind == "nonpreempt" and home >= 0 and not finished
            if not must_run:
                yield from extend(task + 1, running, [*chosen, (home, work)])
            if finished or instance.release_of(task) > now:
                return
            for machine in [home] if home >= 0 else tasks[task].time:
                beside = running.get(machine, [])
                if instance.fits(machine, [task, *beside]):
                    yield from extend(
                        task + 1,
                        {**running, machine: [task, *beside]},
                        [*chosen, after_a_slot(task, home, work, machine)],
                    )

        yield from extend(0, {}, [])

    @cache
    def best(state: State, now: int) -> Fraction:
        open_jobs = {task.job for task, (_, work) in zip(tasks, state, strict=True) if work}
        if not open_jobs:
            return Fraction(0)
        cost = sum((instance.weight[job] for job in open_jobs), Fraction(0))
        then = min(now + 1, last_release)
        return cost + min(
            best(later, then) for later in set(choices(state, now)) if later != state or now < then
        )

    return best(tuple((-1, unit[t] if kind == "migrate" else 1) for t in range(len(tasks))), 0)


def in_units_of(instance: PlainTasks, slots: int) -> PlainTasks:
    """The same instance whose times count parts of the unit."""
    return replace(
        instance,
        release_time=[slots * release for release in instance.release_time],
        tasks=[
            replace(task, time={i: slots * time for i, time in task.time.items()}) for task in instance.tasks
        ],
    )
