"""When should maintenance be, and what does it cost? The same outage at several times, and failures beside it.

Run it on a log of your own cluster: ``python examples/maintenance_window.py LOG NODESxCORES`` takes SWF and the output
of ``sacct -X -P``. Without a log it makes a workload.
"""

import sys

import numpy as np

import schedcore
from schedcore import metrics, workloads

POLICIES = ("fcfs", "easy", "conservative")
LENGTH = 4 * 3600  # of the maintenance, in seconds
DAY = 86_400


def read(words: list[str]) -> schedcore.Instance:
    """The log that is named, on the nodes that are named, or a workload in its place; nodes are called n1, n2, ..."""
    if not words:
        inst = workloads.thunder_like(seed=1, n_jobs=1500, load=0.7)
    else:
        inst, report = workloads.load(words[0], machines=words[1])
        print(report)
    return inst.replace(machines=workloads.numbered_machines(inst.machines))


def main(words: list[str]) -> None:
    """Print a line for each time of the maintenance, and one for failures alone."""
    inst = read(words)
    n_nodes = inst.n_machines
    first, second = f"n[1-{n_nodes // 2}]", f"n[{n_nodes // 2 + 1}-{n_nodes}]"
    midnight = int(np.quantile(inst.jobs.release_time, 0.5) // DAY) * DAY
    noon = midnight + DAY // 2
    until = float(inst.jobs.release_time.max())
    failures = workloads.draw_failures(inst.machines, until, 60 * DAY, 4 * 3600, seed=1)
    settings: list[tuple[str, list[str], schedcore.Incidents | None]] = [
        ("no maintenance", [], None),
        ("all nodes, from midnight on", [f"all {midnight} {LENGTH}"], None),
        ("all nodes, from noon on", [f"all {noon} {LENGTH}"], None),
        (
            "one half, then the other",
            [f"{first} {noon} {LENGTH}", f"{second} {noon + LENGTH} {LENGTH}"],
            None,
        ),
        ("none, but failures", [], schedcore.Incidents(failures)),
    ]
    print(
        f"{'mean wait, minutes':28}" + "".join(f"{policy:>14}" for policy in POLICIES) + f"{'work lost':>12}"
    )
    for name, windows, incidents in settings:
        site = inst.replace(outages=workloads.parse_outages(windows, inst.machines) if windows else None)
        waits, lost = [], 0.0
        for policy in POLICIES:
            result = schedcore.solve(policy, site, incidents=incidents)
            runs, outcome = result.runs, result.outcome
            schedcore.validate(site, runs, incidents=incidents, outcome=outcome, raise_on_error=True)
            part = metrics.completed_part(site, runs, outcome)
            waits.append(metrics.queuing_delay(part.inst, part.runs).mean() / 60)
            lost = max(lost, 1 - float(metrics.run_work(site, runs).goodput[0]))
        print(f"{name:28}" + "".join(f"{wait:14.1f}" for wait in waits) + f"{lost:12.1%}")


if __name__ == "__main__":
    main(sys.argv[1:])
