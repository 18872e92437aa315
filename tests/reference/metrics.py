"""Reference implementation of ``schedcore.metrics``: every figure from its definition, job by job, in exact fractions.

Completion times are the doubles ``start + processing_time``; everything after that is exact until the caller
compares. Queue and use at an instant are counted over all jobs, not accumulated.
"""

import math
from fractions import Fraction
from typing import Any


def rows(inst: Any, schedule: Any) -> list[dict[str, Any]]:
    """One dictionary of fractions per job."""
    jobs = inst.jobs
    result = []
    for job in range(inst.n_jobs):
        start = float(schedule.start_time[job])
        processing_time = float(jobs.processing_time[job])
        result.append(
            {
                "release": Fraction(float(jobs.release_time[job])),
                "start": Fraction(start),
                "processing": Fraction(processing_time),
                "completion": Fraction(start + processing_time),
                "weight": Fraction(float(jobs.weight[job])),
                "demand": [int(amount) for amount in jobs.demand[job]],
                "machine": int(schedule.machine[job]),
            }
        )
    return result


def total_capacity(inst: Any) -> list[int]:
    return [sum(int(row[k]) for row in inst.machines.capacity) for k in range(inst.n_resources)]


def weighted_completion(inst: Any, schedule: Any) -> Fraction:
    return sum((row["weight"] * row["completion"] for row in rows(inst, schedule)), Fraction(0))


def usage_at(inst: Any, schedule: Any, instant: float) -> list[int]:
    """Amounts held by the jobs with start <= instant < completion."""
    active = [row for row in rows(inst, schedule) if row["start"] <= instant < row["completion"]]
    return [sum(row["demand"][k] for row in active) for k in range(inst.n_resources)]


def queue_at(inst: Any, schedule: Any, instant: float) -> int:
    """Jobs with release <= instant < start."""
    return sum(row["release"] <= instant < row["start"] for row in rows(inst, schedule))


def waiting_work_at(inst: Any, schedule: Any, instant: float, resource: int) -> int:
    """Demand times processing time of the jobs with release <= instant < start, each product of doubles rounded."""
    waiting = [row for row in rows(inst, schedule) if row["release"] <= instant < row["start"]]
    return sum(round(row["demand"][resource] * float(row["processing"])) for row in waiting)


def utilisation(inst: Any, schedule: Any, between: tuple[float, float]) -> list[Fraction]:
    """Share of capacity times time that jobs hold within `between`, from the overlap of each interval."""
    first, last = Fraction(between[0]), Fraction(between[1])
    shares = []
    for k, capacity in enumerate(total_capacity(inst)):
        used = Fraction(0)
        for row in rows(inst, schedule):
            overlap = min(row["completion"], last) - max(row["start"], first)
            used += row["demand"][k] * max(overlap, Fraction(0))
        available = capacity * (last - first)
        shares.append(used / available if available else Fraction(0))
    return shares


def quantile(inst: Any, schedule: Any, q: Fraction) -> Fraction:
    """The smallest delay that at least the share q of the jobs did not exceed."""
    delays = sorted(row["start"] - row["release"] for row in rows(inst, schedule))
    for delay in delays:
        if sum(other <= delay for other in delays) >= q * len(delays):
            return delay
    return Fraction(0)


def volumes_of(inst: Any, table: list[dict[str, Any]]) -> list[Fraction]:
    """Processing time times the summed shares of the total capacity, of every job."""
    capacity = total_capacity(inst)
    volumes = []
    for row in table:
        shares = [Fraction(d, c) for d, c in zip(row["demand"], capacity, strict=True) if c]
        volumes.append(row["processing"] * sum(shares, Fraction(0)))
    return volumes


def steady_state(inst: Any, schedule: Any, warm_up: Fraction) -> dict[str, Any]:
    """Means over the jobs but for the first ones, and the queue in both halves of their arrivals, as fractions."""
    table = rows(inst, schedule)
    volumes = volumes_of(inst, table)
    order = sorted(range(len(table)), key=lambda job: (table[job]["release"], job))
    counted = order[math.floor(warm_up * len(table)) :]
    response = {
        job: table[job]["start"] - table[job]["release"] + table[job]["processing"] for job in counted
    }
    total = sum((volumes[job] for job in counted), Fraction(0))
    weighted = sum((volumes[job] * response[job] for job in counted), Fraction(0))
    first, last = table[counted[0]]["release"], table[counted[-1]]["release"]
    middle = (first + last) / 2
    queues = []
    for begin, end in ((first, middle), (middle, last)):
        waited = Fraction(0)
        for row in table:
            waited += max(min(row["start"], end) - max(row["release"], begin), Fraction(0))
        queues.append(waited / (end - begin) if end > begin else Fraction(0))
    return {
        "avg_response": sum(response.values()) / len(counted),
        "weighted_avg_response": weighted / total if total else 0,
        "first_queue": queues[0],
        "second_queue": queues[1],
        "queue_growth": queues[1] / queues[0] if queues[0] else (math.inf if queues[1] else 1),
    }


def summary(inst: Any, schedule: Any, tau: int = 10) -> dict[str, Any]:
    """All summary figures as fractions."""
    table = rows(inst, schedule)
    n = len(table)
    if n == 0:
        return {}
    waits = [row["start"] - row["release"] for row in table]
    responses = [wait + row["processing"] for wait, row in zip(waits, table, strict=True)]
    first = min(row["release"] for row in table)
    last_release = max(row["release"] for row in table)
    last = max(row["completion"] for row in table)
    volumes = volumes_of(inst, table)
    instants = {row["release"] for row in table} | {row["start"] for row in table}
    queued = sum((min(row["start"], last_release) - row["release"] for row in table), Fraction(0))
    return {
        "n_jobs": n,
        "awct": weighted_completion(inst, schedule) / n,
        "weighted_completion": weighted_completion(inst, schedule),
        "makespan": last,
        "avg_response": sum(responses) / n,
        "weighted_avg_response": (
            sum(v * r for v, r in zip(volumes, responses, strict=True)) / sum(volumes) if sum(volumes) else 0
        ),
        "avg_wait": sum(waits) / n,
        "max_wait": max(waits),
        "zero_wait_share": Fraction(sum(wait == 0 for wait in waits), n),
        "wait_p50": quantile(inst, schedule, Fraction(1, 2)),
        "wait_p90": quantile(inst, schedule, Fraction(9, 10)),
        "wait_p95": quantile(inst, schedule, Fraction(19, 20)),
        "wait_p99": quantile(inst, schedule, Fraction(99, 100)),
        "avg_slowdown": sum(r / row["processing"] for r, row in zip(responses, table, strict=True)) / n,
        "avg_bounded_slowdown": sum(
            max(Fraction(1), r / max(row["processing"], tau)) for r, row in zip(responses, table, strict=True)
        )
        / n,
        "utilisation": tuple(utilisation(inst, schedule, (float(first), float(last)))),
        "avg_queue_all": sum(waits) / (last - first),
        "avg_queue_arrivals": queued / (last_release - first) if last_release > first else 0,
        "max_queue": max(queue_at(inst, schedule, instant) for instant in instants),
    }


def correctly_rounded(value: Fraction) -> float:
    """The double next to an exact value; infinity beyond the range."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return math.inf
