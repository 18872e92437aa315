"""From SWF rows to jobs, one row at a time, by the numbered steps of the format's conversion rules.

A row is 18 numbers, as exact fractions. Returns the jobs as (id, release, p, estimate, demand...) and the
counts of the reasons for which rows were left out.
"""

from collections import Counter
from fractions import Fraction
from math import ceil, floor

SwfRow = list[Fraction]


def requested(
    rows: list[SwfRow],
    processors: int | None,
    memory_capacity: int | None,
    missing_memory: str | int,
    n_resources: int = 2,
) -> tuple[list[tuple[int, ...]], Counter[str]]:
    reasons: Counter[str] = Counter()
    candidates = []
    for row in rows:
        if not _ran(row, reasons):
            continue
        n_processors = row[7] if row[7] > 0 else row[4]
        if n_processors <= 0:
            reasons["no_processors"] += 1
            continue
        demand = [ceil(n_processors)]
        if n_resources == 2:
            if row[9] > 0:
                memory = row[9]
            elif missing_memory == "used":
                memory = row[6]
            elif missing_memory == "skip":
                memory = Fraction(-1)
            else:
                memory = Fraction(missing_memory)
            if memory < 0:
                reasons["no_memory"] += 1
                continue
            demand.append(ceil(memory * ceil(n_processors)))
        candidates.append((row, demand))
    return _finish(candidates, reasons, processors, memory_capacity, per_processor=1)


def used(
    rows: list[SwfRow], processors: int | None, memory_capacity: int | None
) -> tuple[list[tuple[int, ...]], Counter[str]]:
    reasons: Counter[str] = Counter()
    candidates = []
    for row in rows:
        if not _ran(row, reasons):
            continue
        if row[4] <= 0 or row[5] < 0:
            reasons["no_processors"] += 1
            continue
        if row[6] < 0:
            reasons["no_memory"] += 1
            continue
        share = min(Fraction(1), row[5] / max(1, ceil(row[3])))
        demand = [ceil(1000 * row[4] * share), ceil(row[6] * row[4])]
        if not any(demand):
            reasons["no_usage"] += 1
            continue
        candidates.append((row, demand))
    return _finish(candidates, reasons, processors, memory_capacity, per_processor=1000)


def _ran(row: SwfRow, reasons: Counter[str]) -> bool:
    if row[10] in (2, 3, 4):
        reasons["partial"] += 1
        return False
    if row[3] < 0 or row[1] < 0 or (row[3] == 0 and row[10] == 5):
        reasons["no_runtime"] += 1
        return False
    return True


def _finish(
    candidates: list[tuple[SwfRow, list[int]]],
    reasons: Counter[str],
    processors: int | None,
    memory_capacity: int | None,
    per_processor: int,
) -> tuple[list[tuple[int, ...]], Counter[str]]:
    if processors is None:
        largest = max((demand[0] for _, demand in candidates), default=0)
        processors = ceil(Fraction(largest, per_processor))
    capacity = [processors * per_processor]
    if candidates and len(candidates[0][1]) == 2:
        if memory_capacity is None:
            fitting = [demand[1] for _, demand in candidates if demand[0] <= capacity[0]]
            memory_capacity = max(fitting, default=0)
        capacity.append(memory_capacity)
    kept = []
    for row, demand in candidates:
        if any(d > c for d, c in zip(demand, capacity, strict=True)):
            reasons["too_big"] += 1
        else:
            kept.append((row, demand))
    origin = min((row[1] for row, _ in kept), default=Fraction(0))
    jobs = []
    for row, demand in kept:
        p = max(1, ceil(row[3]))
        estimate = max(p, ceil(row[8])) if row[8] > 0 else p
        jobs.append((int(row[0]), floor(row[1] - origin), p, estimate, *demand))
    return jobs, reasons
