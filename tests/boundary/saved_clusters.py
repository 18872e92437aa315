"""Saved schedulers of clusters: gangs, labels, failures, repairs, outages, holds, cancelled and requeued jobs."""

import random
from contextlib import suppress
from typing import Any

import schedcore

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "cluster-fcfs": ("fcfs", {}),
    "cluster-easy": ("easy", {"interval": 3.0, "killed": "checkpoint"}),
    "cluster-easy-bb": ("easy", {"selection": "bb"}),
    "cluster-pq": ("pq", {"killed": "drop"}),
    "cluster-conservative": ("conservative", {"resolution": 2.0, "killed": "checkpoint"}),
    "cluster-backfill": ("backfill", {"protected": 2, "compression": "fixpoint"}),
    "cluster-tetris": ("tetris", {}),
    "cluster-mris": ("mris", {"gamma0": 1.0, "origin": 0.0, "replan": True, "opportunistic": True}),
    "cluster-mris-always": ("mris", {"gamma0": 1.0, "replan": "always", "opportunistic": True}),
}
_TAKE_GANGS = ("fcfs", "cluster-easy", "pq", "conservative", "backfill")
_LABELS = ["a", "b"]


def is_one(scheduler: schedcore.OnlineScheduler) -> bool:
    """Whether it is one of these."""
    return scheduler.machines.labels is not None


def states(case: str, rng: random.Random, n_states: int) -> list[bytes]:
    """Snapshots of one scheduler as it goes along."""
    policy, options = CASES[case]
    machines = schedcore.Machines(
        [[8, 6], [8, 6], [12, 6]], ["cores", "memory"], labels=[["a"], ["b"], ["a", "b"]], weight=[0, 0, 1]
    )
    scheduler = schedcore.OnlineScheduler(policy, machines, **options)
    saved = [scheduler.save()]
    waiting: set[int] = set()
    held: set[int] = set()
    running: set[int] = set()
    now = 0.0
    while len(saved) < n_states:
        if now <= 40:
            waiting |= set(scheduler.submit(_jobs(rng, case.endswith(_TAKE_GANGS)), now).tolist())
        ending = {job for job in running if rng.random() < 0.2}
        scheduler.complete(sorted(ending), now)
        running -= ending
        happens = rng.randrange(14)
        machine = rng.randrange(3)
        if happens == 0:
            killed = set(scheduler.fail_machines([machine], now).tolist())
            running -= killed
            waiting |= killed if options.get("killed") != "drop" else set()
        elif happens == 1:
            scheduler.repair_machines([machine], now)
        elif happens == 2:
            begin = now + rng.choice([0, 2])
            scheduler.announce_outage(machine, begin, begin + rng.choice([1, 5, float("inf")]), now)
        elif happens == 3 and waiting - held:
            job = rng.choice(sorted(waiting - held))
            scheduler.hold([job], now)
            held.add(job)
        elif happens == 4 and held:
            scheduler.release([held.pop()], now)
        elif happens == 5 and waiting:
            job = rng.choice(sorted(waiting))
            scheduler.cancel([job], now)
            waiting.discard(job)
            held.discard(job)
        elif happens == 6 and running:
            job = rng.choice(sorted(running))
            scheduler.requeue([job], now)
            running.discard(job)
            waiting |= {job} if options.get("killed") != "drop" else set()
        elif happens == 8:
            how = rng.choice(["finish", "requeue", "drop"])
            killed = set(scheduler.close([machine], now, how).tolist())
            running -= killed
            waiting |= killed if how == "requeue" else set()
        elif happens == 9:
            scheduler.open(range(3), now)
        elif happens == 10 and running | waiting:
            job = rng.choice(sorted(running | waiting))
            scheduler.update([job], now, remaining_time=rng.choice([2.0, 9.0]), weight=rng.choice([1.0, 4.0]))
        elif (
            happens == 11
            and machine in scheduler.machine_state().machine[scheduler.machine_state().free[:, 0] > 0]
        ):
            with suppress(schedcore.InvalidInstanceError):  # known to fail, or full, by now
                one = schedcore.Jobs([5.0], [[1, 0]])
                running |= set(scheduler.adopt(one, [machine], max(0.0, now - 2), now).tolist())
        elif happens == 12:
            with suppress(schedcore.InfeasibleError):
                begin = now + rng.choice([0, 2])
                number = scheduler.reserve(
                    [[3, 1], [4, 2]], begin, begin + 9, now, machines=rng.choice([None, [0, 1]])
                )
                waiting |= set(scheduler.submit(_small_jobs(rng), now, reservation=number).tolist())
        elif happens == 13 and len(scheduler.reservations()):
            with suppress(schedcore.InvalidInstanceError):  # over by now
                scheduler.cancel_reservation(rng.choice(scheduler.reservations().reservation.tolist()), now)
        if rng.random() < 0.5:
            saved.append(scheduler.save())
        started = set(scheduler.advance(now).starts.id.tolist())
        running |= started
        waiting -= started
        if rng.random() < 0.5:
            saved.append(scheduler.save())
        now += rng.choice([0.0, 1.0, 2.5])
    return saved


def _small_jobs(rng: random.Random) -> schedcore.Jobs:
    """Jobs for a reservation."""
    return schedcore.Jobs([rng.choice([1.0, 4.0]) for _ in range(2)], [[3, 1], [2, 0]])


def _jobs(rng: random.Random, are_gangs: bool) -> schedcore.Jobs:
    n = rng.randint(1, 3)
    gangs: dict[str, Any] = {}
    if are_gangs:
        gangs = {
            "n_tasks": [rng.randint(1, 3) for _ in range(n)],
            "exclusive": [rng.random() < 0.2 for _ in range(n)],
        }
    return schedcore.Jobs(
        [rng.choice([1.0, 2.0, 3.0, 8.5, 20.0]) for _ in range(n)],
        [[rng.choice([1, 4, 6]), rng.randint(0, 3)] for _ in range(n)],
        weight=[rng.choice([1.0, 2.5]) for _ in range(n)],
        constraint=[rng.choice(["", *_LABELS]) for _ in range(n)],
        checkpoint_interval=[rng.choice([0.0, 1.0]) for _ in range(n)],
        restart_cost=[rng.choice([0.0, 0.5]) for _ in range(n)],
        **gangs,
    )
