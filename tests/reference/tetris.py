"""TETRIS as a baseline: at every event, machine by machine, start the best-scored job that fits.

Scores are doubles, sums are ``math.fsum`` (the same for every order of the summands); the tie rule takes the
lowest index among the jobs within 1e-9 of the best score, far wider than any rounding.
"""

from math import fsum

from reference.online_pq import FreeCapacity
from reference.plain_instance import PlainInstance, PlainSchedule, scored_demand

TIE_WIDTH = 1e-9


def tetris(instance: PlainInstance, mode: str = "inverse") -> PlainSchedule:
    scored = scored_demand(instance)
    volume = [p * (u / scored.capacity) for p, u in zip(instance.processing_time, scored.total, strict=True)]
    state = FreeCapacity(instance)
    schedule = PlainSchedule([-1.0] * instance.n_jobs, [-1] * instance.n_jobs)
    waiting = list(range(instance.n_jobs))
    now = min(instance.release_time, default=0.0)
    while waiting:
        state.release_until(now)
        for machine in range(instance.n_machines):
            while True:
                fitting = [j for j in waiting if instance.release_time[j] <= now and state.fits(j, machine)]
                if not fitting:
                    break
                free = state.free[machine]
                capacity = instance.capacities[machine]
                alignment = [
                    fsum(
                        (instance.demand[j][r] / whole) * (free[r] / whole)
                        for r, whole in enumerate(capacity)
                        if whole > 0
                    )
                    for j in fitting
                ]
                job = fitting[best_position(alignment, [volume[j] for j in fitting], mode)]
                state.start(job, machine, now)
                schedule.start_time[job], schedule.machine[job] = now, machine
                waiting.remove(job)
        arrivals = (instance.release_time[j] for j in waiting if instance.release_time[j] > now)
        now = min(state.next_end(), min(arrivals, default=float("inf")))
        assert not waiting or now < float("inf"), "a waiting job fits on no empty machine"
    return schedule


def best_position(alignment: list[float], volume: list[float], mode: str) -> int:
    """Position of the job to start; jobs stand in ascending index order."""
    n = len(alignment)
    mean_alignment = fsum(alignment) / n
    second = [1 / v for v in volume] if mode == "inverse" else volume
    factor = mean_alignment / (fsum(second) / n)
    sign = -1 if mode == "minus" else 1
    score = [a + sign * factor * b for a, b in zip(alignment, second, strict=True)]
    best = max(score)
    threshold = best - TIE_WIDTH * max(abs(best), mean_alignment)
    return next(i for i in range(n) if score[i] >= threshold)
