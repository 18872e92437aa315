"""TETRIS as a baseline over columns, for thousands of jobs with distinct demands: at most milliseconds a start.

It follows ``reference/tetris.py``, but its sums are those of doubles in any order. So ties have to be exact, or
wider apart than 1e-9 of a score. For identical machines that have something of every resource.
"""

from math import inf

import numpy as np
from numpy.typing import NDArray

from reference.plain_instance import PlainInstance, PlainSchedule, scored_demand
from reference.tetris import TIE_WIDTH


def tetris_by_columns(instance: PlainInstance, mode: str) -> PlainSchedule:
    assert instance.are_identical
    scored = scored_demand(instance)
    capacity = np.array(instance.capacities[0], dtype=np.int64)
    demand = np.array(instance.demand, dtype=np.int64)
    share = demand / capacity
    processing_time = np.array(instance.processing_time)
    volume = processing_time * np.array([total / scored.capacity for total in scored.total])
    second = 1 / volume if mode == "inverse" else volume
    release_time = np.array(instance.release_time)

    waits = np.ones(instance.n_jobs, dtype=bool)
    start_time = np.full(instance.n_jobs, -1.0)
    machine_of = np.full(instance.n_jobs, -1)
    end_time = np.full(instance.n_jobs, inf)
    free = np.tile(capacity, (instance.n_machines, 1))
    now = release_time.min(initial=inf)
    while waits.any():
        ended = np.flatnonzero(end_time <= now)
        np.add.at(free, machine_of[ended], demand[ended])
        end_time[ended] = inf
        arrived = np.flatnonzero(waits & (release_time <= now))
        for machine in range(instance.n_machines):
            while True:
                fitting = arrived[waits[arrived] & (demand[arrived] <= free[machine]).all(axis=1)]
                if not len(fitting):
                    break
                alignment = share[fitting] @ (free[machine] / capacity)
                job = fitting[best_position(alignment, second[fitting], mode)]
                free[machine] -= demand[job]
                waits[job] = False
                start_time[job], machine_of[job], end_time[job] = now, machine, now + processing_time[job]
        now = min(end_time.min(), release_time[waits & (release_time > now)].min(initial=inf))
    return PlainSchedule(start_time.tolist(), machine_of.tolist())


def best_position(alignment: NDArray[np.float64], second: NDArray[np.float64], mode: str) -> int:
    mean_alignment = alignment.mean()
    sign = -1 if mode == "minus" else 1
    score = alignment + sign * (mean_alignment / second.mean()) * second
    best = score.max()
    return int(np.argmax(score >= best - TIE_WIDTH * max(abs(best), mean_alignment)))
