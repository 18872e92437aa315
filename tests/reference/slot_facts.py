"""Reference of the measures of schedules in slots: their definitions, slot by slot, in exact fractions."""

from fractions import Fraction
from typing import Any, NamedTuple

from .slot_rows import Key, Row, held_in, pieces_of, progress_of, rows_of


class PlainFacts(NamedTuple):
    """Lists with an entry a job."""

    completion_time: list[float]
    fractional: list[Fraction]
    preemptions: list[int]
    migrations: list[int]
    live_migrations: list[int]
    max_gap: list[int]


class PlainCurves(NamedTuple):
    """Lists with an entry a slot, from slot 1 on."""

    offered_volume: list[int]
    unfinished_volume: list[int]
    unfinished_time: list[Fraction]
    flow_power: list[int]
    fractional: list[Fraction]


def weight(rows: dict[Key, Row], key: Key, slot: int, k: int) -> Fraction:
    """What a unit of rate costs in a slot."""
    row = rows[key]
    age = slot - row.release_time
    if key[1] == -1:
        return Fraction(age**k, row.processing_time) + row.processing_time ** (k - 1)
    phase = [r for other, r in rows.items() if other[0] == key[0] and r.is_reduce == row.is_reduce]
    times = {r.is_reduce: r.processing_time for other, r in rows.items() if other[0] == key[0]}
    return Fraction(2 * age**k + sum(times.values()) ** k, 2 * len(phase) * row.processing_time)


def plain_facts(instance: Any, schedule: Any, k: int, end_of_run: int = 0) -> PlainFacts:
    """The facts of every job."""
    rows = rows_of(instance)
    pieces = pieces_of(schedule)
    held = held_in(pieces)
    last = max([end_of_run, *(int(piece.end) for piece in pieces)])
    n_jobs = instance.n_jobs
    facts = PlainFacts([0.0] * n_jobs, [Fraction()] * n_jobs, *([0] * n_jobs for _ in range(4)))
    left = {key: row.work for key, row in rows.items()}
    before: dict[Key, tuple[int, set[int]]] = {}  # last slot in which the task ran, and where
    gap = [0] * n_jobs
    for slot, key, work, rest in progress_of(rows, held, last):
        job = key[0]
        if left[key] and slot > rows[key].release_time:
            machines = {m for (j, t, m) in held.get(slot, {}) if (j, t) == key}
            ran, there = before.get(key, (-1, set()))
            facts.preemptions[job] += ran == slot - 1 and not machines
            if machines:
                facts.migrations[job] += ran >= 0 and not machines <= there
                facts.live_migrations[job] += ran == slot - 1 and not machines <= there
                before[key] = slot, machines
        facts.fractional[job] += weight(rows, key, slot, k) * Fraction(work, rows[key].demand[0])
        if work and not rest:
            facts.completion_time[job] = max(facts.completion_time[job], slot)
        last_of_job = (job, key[1] + 1) not in rows
        left[key] = rest
        if last_of_job:
            own = [other for other in rows if other[0] == job]
            runs = any((j, t) in own for (j, t, _) in held.get(slot, {}))
            done_before = facts.completion_time[job] < slot and not any(left[other] for other in own)
            waits = slot > rows[key].release_time and not runs and not done_before
            gap[job] = gap[job] + 1 if waits else 0
            facts.max_gap[job] = max(facts.max_gap[job], gap[job])
    for job in {key[0] for key, rest in left.items() if rest}:
        facts.completion_time[job] = float("inf")
    return facts


def plain_curves(instance: Any, schedule: Any, k: int, last: int) -> PlainCurves:
    """The curves after slots 1 to `last`."""
    rows = rows_of(instance)
    held = held_in(pieces_of(schedule))
    completion = plain_facts(instance, schedule, k).completion_time
    curves = PlainCurves([], [], [], [], [])
    cost = Fraction()
    left = {key: row.work for key, row in rows.items()}
    progress = list(progress_of(rows, held, last))
    for slot in range(1, last + 1):
        for _, key, work, rest in progress[(slot - 1) * len(rows) : slot * len(rows)]:
            left[key] = rest
            cost += weight(rows, key, slot, k) * Fraction(work, rows[key].demand[0])
        known = [key for key, row in rows.items() if row.release_time < slot]
        release = {key[0]: row.release_time for key, row in rows.items()}
        done = [job for job, end in enumerate(completion) if end <= slot]
        curves.offered_volume.append(sum(rows[key].work for key in known))
        curves.unfinished_volume.append(sum(left[key] for key in known))
        curves.unfinished_time.append(
            sum((Fraction(left[key], rows[key].demand[0]) for key in known), Fraction())
        )
        curves.flow_power.append(sum((int(completion[job]) - release[job]) ** k for job in done))
        curves.fractional.append(cost)
    return curves
