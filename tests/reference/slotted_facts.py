"""What a plain run is worth: fractional flow time, preemptions, migrations and gaps, slot by slot as defined."""

import math
from typing import NamedTuple

from .slotted_instance import totals
from .slotted_keys import weight
from .slotted_run import PlainRun


class PlainFacts(NamedTuple):
    """One number a job."""

    fractional: list[float]
    preemptions: list[int]
    migrations: list[int]
    live_migrations: list[int]
    max_gap: list[int]


def facts_of(run: PlainRun, k: int) -> PlainFacts:
    """The facts of every job."""
    per_job = [_job_facts(run, job, k) for job in range(run.jobs.n_jobs)]
    columns = list(zip(*per_job, strict=True)) or [()] * 5
    return PlainFacts(*(list(column) for column in columns))


def _job_facts(run: PlainRun, job: int, k: int) -> tuple[float, int, int, int, int]:
    jobs = run.jobs
    terms: list[float] = []
    preemptions = migrations = live = gap = longest = 0
    last: tuple[int, set[int]] | None = None
    for slot in run.slots:
        if job not in slot.remaining:
            continue
        machines = {machine for who, machine in slot.placed if who == job}
        if not machines:
            gap += 1
            longest = max(longest, gap)
            preemptions += last is not None and last[0] == slot.number - 1
            continue
        gap = 0
        if last is not None and not machines <= last[1]:
            migrations += 1
            live += last[0] == slot.number - 1
        last = (slot.number, machines)
        work = jobs.progress(job, slot.remaining[job], totals(slot.placed)[job])
        rate = work / jobs.demand[job][0]
        terms.append(weight(slot.number, jobs.release_time[job], jobs.processing_time[job], k) * rate)
    return math.fsum(terms), preemptions, migrations, live, longest
