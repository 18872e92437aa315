"""A program that changes saved schedulers in every way and loads them: does anything crash, or pass that should not?

    python tests/boundary/mutated_snapshots.py --count 1000 [--checksum] [--policies NAME ...] [--seed N] [--last FILE]

Without ``--checksum`` every changed snapshot has to be refused. With it the checksum is made right again, as whoever
means harm would do: a snapshot is then refused, or its state keeps every invariant, now and through some events. It
prints one JSON object a policy and ends with 1 where something was wrong; a crash is for whoever started it to see, and
``--last`` names a file that then holds the bytes. Wrong are also a decision that fails and a job that waits for ever.
To be run with the sanitized extension as well (CONTRIBUTING.md).
"""

import argparse
import copy
import json
import random
import re
import struct
import sys
import time
from pathlib import Path
from typing import Any

import saved_clusters
from saved_states import engine_state, parts

import schedcore
from schedcore import registry
from schedcore.engine.embedded_columns import described_machines
from schedcore.errors import InfeasibleError, InvalidInstanceError, UnsupportedError


def shortest_last(jobs: schedcore.Jobs) -> Any:
    """A key of the caller's own."""
    return -jobs.processing_time


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "pq": ("pq", {}),
    "pq-callable": ("pq", {"heuristic": shortest_last}),
    "ca_pq": ("ca_pq", {"last_release_time": 40.0}),
    "tetris": ("tetris", {}),
    "bf_exec": ("bf_exec", {}),
    "mris": ("mris", {"gamma0": 1.0}),
    "mris-replan": ("mris", {"gamma0": 1.0, "replan": True, "opportunistic": True, "knapsack": "greedy"}),
    "mris-always": ("mris", {"gamma0": 1.0, "replan": "always", "opportunistic": True, "epsilon": (1, 2)}),
    "fcfs": ("fcfs", {}),
    "first_fit": ("first_fit", {"selection": "bl"}),
    "easy": ("easy", {"interval": 3.0}),
    "conservative": ("conservative", {"resolution": 2.0}),
    "conservative-rebuild": ("conservative", {"mode": "rebuild"}),
    "backfill": ("backfill", {"protected": 2, "queue_depth": 9, "interval": 2.0, "compression": "fixpoint"}),
    "bbsched": ("bbsched", {"window_size": 6, "max_passes": 2}),
    "plan_annealing": ("plan_annealing", {"steps": 3, "exhaustive": 2}),
    **saved_clusters.CASES,
}

FAR = 1e9  # times above this, or below its inverse, are none that a program would have

WORDS = [0, 1, 2**31, 2**32 - 1, 2**53, 2**63 - 1, 2**63, 2**64 - 1] + [
    struct.unpack("<Q", struct.pack("<d", number))[0]
    for number in (float("nan"), float("inf"), float("-inf"), -1.0, 1e308, 5e-324, 3.5, 7.0)
]


def states(case: str, seed: int, n_states: int = 16) -> list[bytes]:
    """Snapshots of one scheduler as it goes along, with records that were not yet applied."""
    rng = random.Random(seed)
    policy, options = CASES[case]
    if case in saved_clusters.CASES:
        return saved_clusters.states(case, rng, n_states)
    machines = schedcore.Machines([[8, 6], [8, 6]], resource_names=["cores", "memory"])
    scheduler = schedcore.OnlineScheduler(policy, machines, **options)
    saved = [scheduler.save()]
    running: list[int] = []
    now = 0.0
    while len(saved) < n_states:
        n = rng.randint(0, 4) if now <= 40 else 0
        if n:
            lengths = [rng.choice([1.0, 2.0, 3.0, 8.5, 20.0]) for _ in range(n)]
            demand = [[rng.choice([1, 4, 8]), rng.randint(0, 6)] for _ in range(n)]
            jobs = schedcore.Jobs(lengths, demand, weight=[rng.choice([1.0, 2.5]) for _ in range(n)])
            scheduler.submit(jobs, now)
        ending = [job for job in running if rng.random() < 0.2]
        scheduler.complete(ending, now)
        running = [job for job in running if job not in ending]
        if n and rng.random() < 0.2:  # a record of a later instant beside it
            now += 0.5
            scheduler.submit(schedcore.Jobs([2.0], [[4, 2]]), now)
        if rng.random() < 0.7 or now > 40:
            saved.append(scheduler.save())
        running += scheduler.advance(now).starts.id.tolist()
        if rng.random() < 0.5:
            saved.append(scheduler.save())
        now += rng.choice([0.0, 1.0, 2.5])
    return saved


def mutated(data: bytes, rng: random.Random) -> bytes:
    """One change, or a few, of one kind."""
    changed = bytearray(data)

    def place(size: int, step: int) -> int:
        return rng.randrange(max(1, (len(changed) - size) // step + 1)) * step

    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        step = rng.choice([1, 4, 8])
        kind = rng.randrange(9)
        if kind == 0:
            changed[place(1, 1)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            changed[place(1, 1)] = rng.choice([0, 1, 2, 127, 128, 255, rng.randrange(256)])
        elif kind == 2:
            del changed[place(1, step) :]
        elif kind == 3:
            at = place(0, step)
            changed[at:at] = rng.randbytes(rng.choice([1, 4, 8, 100]))
        elif kind == 4:
            at = place(1, step)
            del changed[at : at + rng.choice([1, 4, 8, 100])]
        elif kind == 5:
            a, b = place(8, step), place(8, step)
            changed[a : a + 8], changed[b : b + 8] = changed[b : b + 8], changed[a : a + 8]
        elif kind == 6:
            at = place(8, step)
            changed[at : at + 8] = struct.pack("<Q", rng.choice(WORDS))[: len(changed) - at]
        elif kind == 7:
            at = place(4, step)
            changed[at : at + 4] = struct.pack("<I", rng.choice(WORDS) & 0xFFFFFFFF)[: len(changed) - at]
        else:
            a, b = place(4, 4), place(4, 4)  # another job's number, time or machine
            changed[a : a + 4] = changed[b : b + 4]
        if len(changed) < 8:
            break
    return bytes(changed)


def with_checksum(data: bytes, rng: random.Random) -> bytes:
    """A change of the header, of the engine's part or of the length between them, and the checksum that it needs."""
    saved = parts(data)
    where = rng.random()
    if where < 0.05:
        return saved.joined(length=rng.choice(WORDS))
    if where < 0.25:
        return saved._replace(header=mutated(saved.header, rng)).joined()
    return saved._replace(engine=mutated(saved.engine, rng)).joined()


def check(scheduler: schedcore.OnlineScheduler) -> None:
    """Raise where the state contradicts itself."""
    embedded = registry.get(scheduler.policy).embedded(scheduler.machines, scheduler._options)
    assert embedded is not None
    scheduler._core.check_invariants(
        embedded.prototype,
        described_machines(scheduler.machines),
        for_clusters=embedded.for_clusters,
        killed=scheduler._killed,
        infeasible=scheduler._infeasible,
    )


def advance(scheduler: schedcore.OnlineScheduler, now: float) -> schedcore.engine.Decision | None:
    """The decision, or none where the numbers of the snapshot allow none; any other error is a failure."""
    try:
        return scheduler.advance(now)
    except UnsupportedError as error:  # the snapshot may ask for a finer knapsack
        if "memory" not in str(error):
            raise
    except InvalidInstanceError as error:
        # Times so far apart that doubles cannot tell them; those of records to be applied are not looked at.
        if not re.search("too short to be told|the largest double", str(error)):
            raise
        if saved_clusters.is_one(scheduler):
            return None
        times = [now, *engine_state(scheduler).times]
        if scheduler.recorded_instant is None and max(times) < FAR and min(filter(None, times)) > 1 / FAR:
            raise
    return None


def come_to_an_end(scheduler: schedcore.OnlineScheduler) -> None:
    """Without new jobs, and where all that runs ends after a while, everything that waits has to start."""
    for _ in range(1000):
        recorded = scheduler.recorded_instant
        now = scheduler.now if recorded is None else recorded
        decision = advance(scheduler, now)
        if decision is None:
            return
        if recorded is not None:
            continue
        if scheduler.n_running:
            scheduler.complete(engine_state(scheduler).running, now + 1)
        elif scheduler.n_waiting == 0:
            return
        elif decision.next_wakeup == float("inf"):
            raise AssertionError("a job waits for ever")
        elif decision.next_wakeup > FAR or advance(scheduler, decision.next_wakeup) is None:
            return
    raise AssertionError("jobs do not come to an end")


def go_on(scheduler: schedcore.OnlineScheduler, rng: random.Random) -> None:
    """Some events; a job that the changed state cannot take, or an instant that has passed, is refused as always."""
    now = scheduler.now
    n_resources = scheduler.machines.n_resources
    for step in range(5):
        try:
            if step % 2 == 0:
                scheduler.submit(schedcore.Jobs([1.0, 4.0], [[1] * n_resources, [3] * n_resources]), now)
        except (InvalidInstanceError, InfeasibleError) as error:
            passed = re.search(r"lies before ([0-9.e+]+),", str(error))
            now = float(passed[1]) if passed else now + 1
        decision = advance(scheduler, now)
        started = [] if decision is None else decision.starts.id.tolist()
        ended = [job for job in started if rng.random() < 0.7]
        if scheduler.recorded_instant is None:
            scheduler.complete(ended, now)
        if decision is not None and step % 3 == 1 and now < decision.next_wakeup < 1e300:
            now = decision.next_wakeup
        elif not started:
            now += 2.5
        check(scheduler)


def run(case: str, count: int, checksum: bool, seed: int, last: Path | None) -> dict[str, Any]:
    """Load `count` changed snapshots of one policy; returns how many were refused, accepted, and what went wrong."""
    rng = random.Random(f"{case} {seed} {checksum}")
    callable_key = CASES[case][1].get("heuristic")
    bases = states(case, seed)
    counts: dict[str, Any] = {"policy": case, "changed": 0, "refused": 0, "accepted": 0, "failures": []}
    began = time.perf_counter()
    for base in bases:  # they themselves are taken
        check(schedcore.OnlineScheduler.load(base, heuristic=callable_key))
    while counts["changed"] < count:
        base = rng.choice(bases)
        data = with_checksum(base, rng) if checksum else mutated(base, rng)
        if data == base:
            continue
        counts["changed"] += 1
        if last is not None:
            last.write_bytes(data)
        heuristic = callable_key
        if b'"heuristic":{"callable":true}' not in data:
            heuristic = None
        try:
            scheduler = schedcore.OnlineScheduler.load(data, heuristic=heuristic)
        except InvalidInstanceError:
            counts["refused"] += 1
            continue
        except Exception as error:
            counts["failures"].append(f"{type(error).__name__}: {error}"[:300])
            continue
        counts["accepted"] += 1
        if not checksum:
            counts["failures"].append("a changed snapshot was accepted")
            continue
        try:
            check(scheduler)
            if not saved_clusters.is_one(scheduler):  # there, who waits may wait for ever
                come_to_an_end(copy.copy(scheduler))
            go_on(scheduler, rng)
        except Exception as error:
            counts["failures"].append(f"{type(error).__name__}: {error}"[:300])
            if last is not None:
                last.with_name(f"{case}-{counts['changed']}.bin").write_bytes(data)
    counts["seconds"] = round(time.perf_counter() - began, 1)
    counts["n_failures"] = len(counts["failures"])
    counts["failures"] = counts["failures"][:5]
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--checksum", action="store_true")
    parser.add_argument("--policies", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--last", type=Path)
    arguments = parser.parse_args()
    failed = False
    for case in arguments.policies:
        counts = run(case, arguments.count, arguments.checksum, arguments.seed, arguments.last)
        print(json.dumps(counts), flush=True)
        failed |= counts["n_failures"] > 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
