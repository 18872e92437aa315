"""The columns of a planning pass as the records of the plain reference, and its answer as columns again."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from reference.cycle_plan import Machine, Pass, Request, Reservation, Run, Settings
from schedcore.engine.cycle_plan import (
    MEMORY_KINDS,
    OUTCOMES,
    SELECTIONS,
    CycleMachines,
    CyclePlan,
    CycleRequests,
    CycleReservations,
    CycleRuns,
    CycleSettings,
    MachineSets,
)

__all__ = ["Case", "random_case", "reference_plan"]


@dataclasses.dataclass(frozen=True)
class Case:
    """What `plan_cycle` is given."""

    machines: CycleMachines
    runs: CycleRuns
    requests: CycleRequests
    settings: CycleSettings
    sets: MachineSets
    reservations: CycleReservations

    def plan(self, planner: Callable[..., CyclePlan]) -> CyclePlan:
        return planner(
            self.machines,
            self.runs,
            self.requests,
            self.settings,
            sets=self.sets,
            reservations=self.reservations,
        )


def random_case(seed: int) -> Case:
    """A small cluster with everything that a pass heeds; half of the cases have many ties."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 12))
    step = int(draw.choice([1, 30, 60, 300]))  # of times; coarse ones make ties
    now = int(draw.integers(0, 100)) * 7
    sizes = draw.choice([2, 4, 8], n) if draw.random() < 0.5 else np.full(n, 4)
    machines = CycleMachines(
        sizes.astype(np.int64),
        (sizes * draw.choice([1, 2], n) * 10).astype(np.int64),
        draw.integers(0, 1 + 2 * (draw.random() < 0.3), n),
        draw.random(n) > 0.1,
    )
    sets = [sorted(draw.permutation(n)[: draw.integers(0, n + 1)].tolist()) for _ in range(6)]
    sets += [list(range(n)), [], *([machine] for machine in range(n))]
    return Case(
        machines,
        _runs(draw, machines, now, step),
        _requests(draw, n, len(sets), step),
        CycleSettings(
            now,
            window=int(draw.choice([600, 3600, 20000])),
            resolution=int(draw.choice([1, 7, 60, 600])),
            depth=int(draw.choice([0, 3, 500], p=[0.05, 0.15, 0.8])),
            most_intervals=int(draw.choice([4, 500], p=[0.1, 0.9])),
            growth=int(draw.choice([0, 0, 1, 10, 60])),
        ),
        MachineSets.of(sets),
        _reservations(draw, len(sets), now, step),
    )


def _runs(draw: np.random.Generator, machines: CycleMachines, now: int, step: int) -> CycleRuns:
    n = len(machines.processors)
    left = [machines.processors.copy(), machines.memory.copy()]
    ends, offsets, held = [], [0], list[tuple[int, int, int]]()
    for _ in range(draw.integers(0, 12)):
        for machine in sorted(draw.permutation(n)[: draw.integers(1, n + 1)].tolist()):
            shares = [int(draw.integers(0, amount[machine] + 1) * draw.choice([0.3, 1])) for amount in left]
            for amount, share in zip(left, shares, strict=True):
                amount[machine] -= share
            held.append((machine, shares[0], shares[1]))
        end = max(0, now + int(draw.integers(-3, 40)) * step)
        ends.append((end, end if end > now else now + int(draw.integers(1, 900))))
        offsets.append(len(held))
    places = np.array(held, dtype=np.int64).reshape(-1, 3).T.copy()
    both = np.array(ends, dtype=np.int64).reshape(-1, 2).T.copy()
    return CycleRuns(both[0], both[1], np.array(offsets, dtype=np.int64), *places)


def _requests(draw: np.random.Generator, n: int, n_sets: int, step: int) -> CycleRequests:
    size = int(draw.integers(1, 25))

    def some(chance: float, values: Any, otherwise: int) -> Any:
        return np.where(draw.random(size) < chance, values, otherwise).astype(np.int64)

    least = draw.integers(1, max(2, n // 2 + 2), size)
    per_task = draw.choice([1, 1, 2, 3], size)
    return CycleRequests(
        limit=draw.integers(1, 20, size) * step,
        min_machines=least,
        max_machines=np.where(draw.random(size) < 0.5, least, least + draw.integers(0, n + 1, size)),
        n_tasks=np.where(draw.random(size) < 0.5, least, draw.integers(1, 3 * n + 1, size)),
        processors_per_task=per_task,
        tasks_per_machine=some(0.3, draw.integers(1, 3, size), 0),
        least_processors=some(0.7, per_task, 0),
        memory_kind=draw.integers(0, len(MEMORY_KINDS), size),
        memory=draw.integers(0, 15, size),
        is_exclusive=draw.random(size) < 0.15,
        partition=some(0.3, draw.integers(0, n_sets, size), -1),
        eligible=some(0.1, draw.integers(0, n_sets, size), -1),
        required=some(0.1, n_sets - 1 - draw.integers(0, n + 2, size), -1),
        reservation=some(0.1, draw.integers(0, 2, size), -1),
        n_copies=some(0.2, draw.integers(1, 4, size), 1),
        array=some(0.2, draw.integers(0, 2, size), -1),
        may_wait=draw.random(size) < 0.95,
        selection=some(0.4, draw.integers(0, len(SELECTIONS), size), 0),
    )


def _reservations(draw: np.random.Generator, n_sets: int, now: int, step: int) -> CycleReservations:
    size = int(draw.choice([2, 2, 5]))  # requests name the first two
    start = np.maximum(0, now + draw.integers(-5, 60, size) * step)
    return CycleReservations(
        start,
        start + draw.integers(1, 30, size) * step,
        draw.integers(0, n_sets, size),
        draw.random(size) < 0.1,
        draw.random(size) < 0.3,
        draw.random(size) < 0.2,
    )


def reference_plan(
    machines: CycleMachines,
    runs: CycleRuns,
    requests: CycleRequests,
    settings: CycleSettings,
    *,
    sets: MachineSets,
    reservations: CycleReservations,
) -> CyclePlan:
    """What `plan_cycle` has to return."""
    named = [
        frozenset(sets.machine[begin:end].tolist())
        for begin, end in zip(sets.offset[:-1], sets.offset[1:], strict=True)
    ]
    everywhere = frozenset(range(len(machines.processors)))
    held = list(zip(runs.machine.tolist(), runs.processors.tolist(), runs.memory.tolist(), strict=True))
    done = Pass(
        [Machine(*row) for row in zip(*(column.tolist() for column in vars(machines).values()), strict=True)],
        [
            Run(end, likely, {m: (processors, memory) for m, processors, memory in held[begin:stop]})
            for end, likely, begin, stop in zip(
                *(
                    column.tolist()
                    for column in (runs.end, runs.likely_end, runs.offset[:-1], runs.offset[1:])
                ),
                strict=True,
            )
        ],
        [
            Reservation(start, end, named[own], takes_all, maintenance, flexible)
            for start, end, own, takes_all, maintenance, flexible in zip(
                *(column.tolist() for column in vars(reservations).values()), strict=True
            )
        ],
        Settings(**vars(settings)),
    )
    names = list(vars(requests))
    records = []
    for row in zip(*(column.tolist() for column in vars(requests).values()), strict=True):
        told = dict(zip(names, row, strict=True))
        told["memory_kind"], told["selection"] = (
            MEMORY_KINDS[told["memory_kind"]],
            SELECTIONS[told["selection"]],
        )
        told["partition"] = everywhere if told["partition"] < 0 else named[told["partition"]]
        told["eligible"] = None if told["eligible"] < 0 else named[told["eligible"]]
        told["required"] = frozenset() if told["required"] < 0 else named[told["required"]]
        told["copies"] = told.pop("n_copies")
        records.append(Request(**told))
    placements = done.placements(records)
    return CyclePlan(
        np.array([-1 if each.start is None else each.start for each in placements], dtype=np.int64),
        np.array([OUTCOMES.index(each.outcome) for each in placements], dtype=np.int64),
        MachineSets.of([each.machines for each in placements]),
        done.tally.tried,
        done.tally.inserted,
    )
