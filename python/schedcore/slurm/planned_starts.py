"""When the jobs that wait are to start: the plan of one pass of Slurm's backfilling, as ``squeue --start`` shows it.

``docs/slurm-plan.md`` says the rule and how far it was checked. What a pass plans lives until the next one, which makes
all plans anew; so this is a forecast of Slurm's own, not of what will happen.
"""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from schedcore.engine.cycle_plan import OUTCOMES, CyclePlan, plan_cycle
from schedcore.model import Machines
from schedcore.model.arrays import FloatArray, IntArray

from .cycle_columns import cycle_machines, cycle_reservations, cycle_runs, cycle_settings
from .cycle_requests import CycleRecord, NumberedSets, columns_of_records, cycle_records
from .divided_shares import Held
from .jobs import SlurmJob
from .not_modelled import NotModelled
from .reservations import SlurmReservation
from .site import SlurmSite

__all__ = ["PlannedStarts", "cycle_instant", "not_in_the_plan", "planned_starts"]


@dataclasses.dataclass(frozen=True)
class PlannedStarts:
    """What one pass of the scheduler plans for the jobs that wait, a row for each task of an array.

    Parameters
    ----------
    now : float
        The instant of the pass, in seconds since 1970.
    id : (n_jobs,) int64
        As in ``SlurmState.waiting.jobs.id``.
    start_time : (n_jobs,) float64
        Seconds since 1970; nan where nothing is planned. All tasks of an array that wait together have the start of the
        one that was planned last, which is what Slurm shows.
    nodes : tuple of tuple of str
        Which nodes the plan holds; none where nothing is planned, or for a start behind the window.
    reason : tuple of str
        Why nothing is planned; empty for a job with a start. ``held``, ``dependency``, ``begin time``, ``throttle`` (as
        many tasks of its array run as may), ``partition limit``, ``reservation`` (its own is not there, or not yet),
        ``never fits``, ``window`` (no room before the end of bf_window), ``dead end`` (no instant at which a plan ends
        and a node becomes free follows, so no later one is tried), ``now only`` (bf_min_age_reserve,
        bf_min_prio_reserve), ``array`` (another record of its array has no plan), ``limit`` (bf_max_job_test or
        bf_node_space_size).
    """

    now: float
    id: IntArray
    start_time: FloatArray
    nodes: tuple[tuple[str, ...], ...]
    reason: tuple[str, ...]


def cycle_instant(jobs: Sequence[SlurmJob], now: float) -> float:
    """Return when the scheduler last looked at the jobs that wait, as far as that is told; else `now`."""
    known = [job.considered_time for job in jobs if job.is_waiting and job.considered_time is not None]
    return min(max(known, default=now), now)


def planned_starts(
    site: SlurmSite,
    machines: Machines,
    jobs: Sequence[SlurmJob],
    held: Sequence[Held],
    reservations: Sequence[SlurmReservation],
    ids: IntArray,
    now: float,
) -> PlannedStarts:
    """Return the plan of a pass at `now`.

    `held` is what the jobs hold that run, and `ids` are those of all tasks that wait, in the order of `jobs`.
    """
    instant = math.floor(now)
    sets = NumberedSets(site, machines)
    records, reasons = cycle_records(site, jobs, reservations, sets, instant)
    of_reservations = cycle_reservations(reservations, sets)
    plan = plan_cycle(
        cycle_machines(site),
        cycle_runs(site, held, instant),
        columns_of_records(records),
        cycle_settings(site, instant),
        sets=sets.columns,
        reservations=of_reservations,
    )
    return _by_task(site, jobs, records, reasons, plan, ids, float(instant))


def _by_task(
    site: SlurmSite,
    jobs: Sequence[SlurmJob],
    records: Sequence[CycleRecord],
    reasons: dict[int, str],
    plan: CyclePlan,
    ids: IntArray,
    now: float,
) -> PlannedStarts:
    """The earliest plan of each job, repeated for each of its tasks."""
    earliest: dict[int, int] = {}
    why = dict(reasons)
    starts, outcomes, offsets = plan.start.tolist(), plan.outcome.tolist(), plan.machines.offset.tolist()
    for row, record in enumerate(records):
        first = earliest.get(record.job)
        if starts[row] < 0:
            why.setdefault(record.job, OUTCOMES[outcomes[row]])
        elif first is None or starts[row] < starts[first]:
            earliest[record.job] = row
    names = [node.name for node in site.nodes]
    start_time, nodes, reason = [], [], []
    for index, job in enumerate(jobs):
        if not job.is_waiting:
            continue
        found = earliest.get(index)
        held: tuple[str, ...] = ()
        if found is not None:
            chosen = plan.machines.machine[offsets[found] : offsets[found + 1]].tolist()
            held = tuple(names[machine] for machine in chosen)
        start_time += [math.nan if found is None else float(starts[found])] * job.n_jobs
        nodes += [held] * job.n_jobs
        reason += ["" if found is not None else why[index]] * job.n_jobs
    return PlannedStarts(now, ids, np.array(start_time, dtype=np.float64), tuple(nodes), tuple(reason))


def not_in_the_plan(
    site: SlurmSite, jobs: Sequence[SlurmJob], reservations: Sequence[SlurmReservation]
) -> list[NotModelled]:
    """Return what the plan does not know of, beside what is not modelled anyway, with the number of jobs that wait."""
    waiting = [job for job in jobs if job.is_waiting]
    n_waiting = sum(job.n_jobs for job in waiting)
    with_gres = sum(
        job.n_jobs for job in waiting if job.gres_per_node or job.gres_per_task or job.gres_per_job
    )
    given = site.parts.configuration.parameters("SchedulerParameters")
    kind = (site.parts.configuration.text("SchedulerType") or "sched/backfill").lower().removeprefix("sched/")
    told = [
        ("generic resources", "", "always count as free", with_gres),
        ("SchedulerType", kind, "the plan is that of sched/backfill", n_waiting * (kind != "backfill")),
        (
            "preemption",
            "",
            "nobody is ended for a job that waits",
            n_waiting * (site.site.preempt is not None),
        ),
        ("limits", "", "limits of accounts and users keep no job out", n_waiting * bool(site.site.limits)),
        ("threads", "", "processors are planned, not cores", n_waiting * (site.whole_cores > 1)),
    ]
    for name in ("bf_job_part_count_reserve", "bf_max_job_start"):
        told.append((name, given.get(name, ""), "every job is planned", n_waiting * (name in given)))
    cores = {node.name: node.cpus // node.threads_per_core for node in site.nodes}
    for each in reservations:
        if each.nodes and each.cores is not None and each.cores < sum(cores[host] for host in each.nodes):
            told.append(("reservation", each.name, "has its nodes whole", n_waiting))
    return [
        NotModelled(f"planned_starts: {setting}", value, why, n_jobs=touched)
        for setting, value, why, touched in told
        if touched
    ]
