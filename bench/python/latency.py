"""How long a decision of an embedded scheduler takes, by jobs that wait and machines: median, 99th percentile, most.

``python bench/python/latency.py`` prints the tables of the README; ``--policies``, ``--waiting`` and ``--machines``
take some of them. ``--seconds`` is how long a cell may take, filling the queue included.

Machines are full, and as many jobs wait as the column says. A random job completes, which is one decision. If others
start, as many arrive, which is the next decision. Each is timed from the call of `event` to its answer, in CPU of the
thread. All runs end early. Every scheduler decides on a cluster: jobs have up to four tasks where the policy takes
them. MRIS is between two of the instants at which it takes a batch. A cell is left out if its queue is not there in
time, or if it sees too few decisions.
"""

import argparse
import gc
import sys
from time import perf_counter, thread_time
from typing import Any

import numpy as np

import schedcore

BEGIN = 2.0**20  # when MRIS takes a batch; the next one is as far away again
POLICIES: dict[
    str, tuple[str, dict[str, Any], bool]
] = {  # the policy, its options, and whether it takes several tasks
    **{name: (name, {}, True) for name in ("fcfs", "first_fit", "easy", "conservative", "pq")},
    "backfill, protected=10": ("backfill", {"protected": 10}, True),
    "tetris": ("tetris", {}, False),
    "bf_exec": ("bf_exec", {}, False),
    "ca_pq": ("ca_pq", {"last_release_time": BEGIN}, False),
    'mris, replan="always"': ("mris", {"replan": "always"}, False),
    "mris with a fixed plan": ("mris", {}, False),
}
MRIS = {"gamma0": 1.0, "origin": 0.0, "opportunistic": True, "knapsack": "greedy"}
SIZES = (100, 1000, 10_000)
MOST, FEWEST = 2000, 200  # decisions of a cell
PORTION = 500  # of jobs that arrive together while the queue is filled


class Cell:
    """A full cluster with a queue."""

    def __init__(self, policy: str, n_waiting: int, n_machines: int, until: float) -> None:
        name, options, self.has_gangs = POLICIES[policy]
        machines = schedcore.Machines.identical(n_machines, [64, 256])
        given = {**MRIS, **options} if name == "mris" else options
        self.scheduler = schedcore.OnlineScheduler(name, machines, **given)
        self.draw = np.random.default_rng(1)
        self.running: list[int] = []
        self.now = BEGIN
        self.until = until
        self.takes_more = name != "ca_pq"
        self.scheduler.repair_machines(
            [0], BEGIN
        )  # nothing has failed; but from now on it decides on a cluster
        n_more = n_machines
        while n_more > 0 and perf_counter() < until:
            self.note(self.scheduler.event(BEGIN, submitted=self.jobs(min(n_more, PORTION))))
            n_more = max(n_more - PORTION, n_waiting - self.scheduler.n_waiting)
        self.is_ready = n_more <= 0

    def jobs(self, count: int) -> schedcore.Jobs:
        """None of them is over before the last decision; 35 distinct demands."""
        draw = self.draw
        demand = [draw.choice([1, 2, 4, 8, 16, 32, 64], count), draw.choice([4, 8, 16, 32, 64], count)]
        n_tasks = draw.choice([1, 1, 1, 2, 4], count) if self.has_gangs else 1
        return schedcore.Jobs(
            MOST + np.ceil(draw.lognormal(8, 1.2, count)), np.stack(demand, 1), n_tasks=n_tasks
        )

    def note(self, decision: schedcore.engine.Decision) -> int:
        self.running += decision.starts.id.tolist()
        return len(decision.starts)

    def seconds(self) -> list[float]:
        """Of each decision, as many as there is time for."""
        taken: list[float] = []
        n_arriving = 0
        while len(taken) < MOST and perf_counter() < self.until and self.running:
            self.now += 1.0
            if n_arriving and self.takes_more:
                reports: dict[str, Any] = {"submitted": self.jobs(n_arriving)}
            else:
                row = int(self.draw.integers(len(self.running)))
                self.running[row], self.running[-1] = self.running[-1], self.running[row]
                reports = {"completed": [self.running.pop()]}
            begin = thread_time()
            decision = self.scheduler.event(self.now, **reports)
            taken.append(thread_time() - begin)
            n_started = self.note(decision)
            n_arriving = n_started if "completed" in reports else 0
        return taken


def shown(value: float) -> str:
    """Two digits that count."""
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def measured(policy: str, n_waiting: int, n_machines: int, seconds: float) -> str:
    """Milliseconds, as the tables show them."""
    gc.collect()
    gc.disable()
    try:
        cell = Cell(policy, n_waiting, n_machines, perf_counter() + seconds)
        taken = cell.seconds() if cell.is_ready else []
    finally:
        gc.enable()
    if len(taken) < FEWEST:
        return "–"
    return " / ".join(shown(1e3 * value) for value in np.quantile(taken, [0.5, 0.99, 1.0]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policies", nargs="+", choices=POLICIES, default=list(POLICIES))
    parser.add_argument("--waiting", nargs="+", type=int, default=SIZES)
    parser.add_argument("--machines", nargs="+", type=int, default=SIZES)
    parser.add_argument("--seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    for n_machines in arguments.machines:
        print(f"| {n_machines:,} machines | {' | '.join(f'{n:,} wait' for n in arguments.waiting)} |")
        print("| --- |" + " --- |" * len(arguments.waiting))
        for policy in arguments.policies:
            print(f"| {policy} |", end="", flush=True)
            for n_waiting in arguments.waiting:
                print(f" {measured(policy, n_waiting, n_machines, arguments.seconds)} |", end="", flush=True)
            print()
        print()


if __name__ == "__main__":
    sys.exit(main())
