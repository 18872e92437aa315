"""One decision of an embedded conservative scheduler by the length of its queue, and a burst of arrivals, as JSON.

``python bench/python/conservative_at_depth.py stream N_WAITING N_MACHINES [policy] [cluster] [ROUNDS [WORK_LIMIT]]``
keeps `N_WAITING` jobs of azure_like waiting on full machines. In every round one running job ends early, as many jobs
arrive as have started, and one `advance` is timed; with a limit on its work also those that go on at once with what was
put off. Printed are the milliseconds of CPU of a decision and the reservations that changed in it, each as the median,
the 99th percentile and the most, the milliseconds of decisions that changed at most 1,000, and of the others the most
microseconds for one that changed. ``cluster`` makes the first machine fail and come back at the beginning, after which
the policy is that of clusters.

``python bench/python/conservative_at_depth.py burst N_MACHINES [cluster]`` lets five jobs a machine that will wait
arrive at once, and prints the seconds of CPU of that decision and the peak of the memory of the process, beside
the peak before it.
"""

import json
import resource
import sys
import time
from typing import Any

import numpy as np

import schedcore
from schedcore.engine import Decision
from schedcore.workloads import azure_like

BEGIN = 1.0


def jobs_of(instance: schedcore.Instance, first: int, n_jobs: int) -> schedcore.Jobs:
    """Return the next jobs of a workload, released when they are submitted."""
    jobs, rows = instance.jobs, slice(first, first + n_jobs)
    return schedcore.Jobs(jobs.processing_time[rows], jobs.demand[rows], weight=jobs.weight[rows])


def scheduler_on(machines: schedcore.Machines, policy: str, is_cluster: bool) -> schedcore.OnlineScheduler:
    """Return an idle scheduler; with `is_cluster` one whose first machine has failed and come back."""
    scheduler = schedcore.OnlineScheduler(policy, machines)
    if is_cluster:
        scheduler.event(0.0, failed=[0])
        scheduler.event(0.5, repaired=[0])
    return scheduler


def n_changed(before: Decision, after: Decision) -> int:
    """Return how many planned starts of the first decision the second gives otherwise, or starts."""
    rows = {
        name: np.concatenate([getattr(each, name) for each in (after.plan, after.starts)]) for name in FIELDS
    }
    order = np.argsort(rows["id"])
    found = order[np.searchsorted(rows["id"], before.plan.id, sorter=order)]
    same = np.logical_and.reduce([rows[name][found] == getattr(before.plan, name) for name in FIELDS])
    return int(np.count_nonzero(~same))


FIELDS = ("id", "machine", "start_time")


def spread(values: list[float]) -> list[float]:
    """Return the median, the 99th percentile and the most."""
    return [round(float(value), 3) for value in (*np.percentile(values, [50, 99]), max(values))]


def stream(
    n_waiting: int, n_machines: int, policy: str, is_cluster: bool, n_rounds: int, work_limit: int | None
) -> dict[str, Any]:
    """Time decisions about an early end and arrivals, and those that go on with what was put off."""
    instance = azure_like(1, n_waiting + 60 * n_machines + 20 * n_rounds, n_machines)
    scheduler = scheduler_on(instance.machines, policy, is_cluster)
    running: list[int] = []
    n_submitted = 0
    while scheduler.n_waiting < n_waiting:
        n_more = n_waiting - scheduler.n_waiting
        scheduler.submit(jobs_of(instance, n_submitted, n_more), BEGIN)
        n_submitted += n_more
        decision = scheduler.advance(BEGIN)
        running.extend(decision.starts.id.tolist())
    milliseconds, changed, for_one = [], [], [0.0]
    draw = np.random.default_rng(1)
    for step in range(n_rounds):
        now = BEGIN + 1e-3 * (step + 1)
        scheduler.complete(running.pop(int(draw.integers(len(running)))), now)
        n_more = n_waiting - scheduler.n_waiting
        if n_more > 0:
            scheduler.submit(jobs_of(instance, n_submitted, n_more), now)
            n_submitted += n_more
        is_over = False
        while not is_over:
            before = decision
            begun = time.process_time()
            decision = scheduler.advance(now, work_limit)
            milliseconds.append((time.process_time() - begun) * 1e3)
            changed.append(n_changed(before, decision))
            running.extend(decision.starts.id.tolist())
            if changed[-1] > 1000:
                for_one.append(milliseconds[-1] * 1e3 / changed[-1])
            is_over = decision.next_wakeup > now
    return {
        "decisions": len(milliseconds),
        "milliseconds": spread(milliseconds),
        "changed": spread([float(n) for n in changed]),
        "milliseconds_where_few_change": spread(
            [t for t, n in zip(milliseconds, changed, strict=True) if n <= 1000] or [0.0]
        ),
        "microseconds_for_one_of_many": round(max(for_one), 3),
    }


def burst(n_machines: int, is_cluster: bool) -> dict[str, Any]:
    """Time the decision about five jobs a machine that arrive at full machines."""
    n_jobs = 5 * n_machines
    instance = azure_like(1, n_jobs, n_machines)
    scheduler = scheduler_on(instance.machines, "conservative", is_cluster)
    full = schedcore.Jobs([1e4] * n_machines, np.asarray(instance.machines.capacity))
    scheduler.submit(full, BEGIN)
    scheduler.advance(BEGIN)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    scheduler.submit(jobs_of(instance, 0, n_jobs), BEGIN + 1)
    begun = time.process_time()
    decision = scheduler.advance(BEGIN + 1)
    seconds = time.process_time() - begun
    assert len(decision.plan) == n_jobs
    return {
        "seconds": round(seconds, 3),
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "peak_bytes_before": before * 1024,
    }


if __name__ == "__main__":
    words = sys.argv[2:]
    numbers = [int(word) for word in words if word.isdigit()]
    is_cluster = "cluster" in words
    if sys.argv[1] == "burst":
        print(json.dumps(burst(numbers[0], is_cluster)))
    else:
        names = [word for word in words if not word.isdigit() and word != "cluster"]
        n_rounds = numbers[2] if len(numbers) > 2 else 300
        work_limit = numbers[3] if len(numbers) > 3 else None
        policy = names[0] if names else "conservative"
        print(json.dumps(stream(numbers[0], numbers[1], policy, is_cluster, n_rounds, work_limit)))
