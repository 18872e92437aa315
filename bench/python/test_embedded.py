"""One decision of an embedded scheduler with 10,000 waiting jobs, and copies of its state.

Jobs of azure_like arrive together until 10,000 wait; then every round reports one arrival, or one completion, one
second after the round before, and asks for a decision. Machines are full, as they are whenever jobs wait.
"""

import pickle
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

import schedcore
from schedcore.engine import Decision

N_WAITING = 10_000
ROUNDS = 1000
BEGIN = (
    2.0**20
)  # an instant at which MRIS takes a batch, with gamma0 = 1 and origin 0; the next one is as far away again

POLICIES: dict[str, tuple[str, dict[str, Any]]] = {
    "pq": ("pq", {}),
    "tetris": ("tetris", {}),
    "bf_exec": ("bf_exec", {}),
    "mris-greedy": ("mris", {"gamma0": 1.0, "origin": 0.0, "knapsack": "greedy"}),
    "mris-greedy-replan_always": (
        "mris",
        {"gamma0": 1.0, "origin": 0.0, "knapsack": "greedy", "replan": "always", "opportunistic": True},
    ),
}


class WarmScheduler:
    """A scheduler with `N_WAITING` waiting jobs, and what is left of the workload."""

    def __init__(self, policy: str, instance: schedcore.Instance) -> None:
        name, options = POLICIES[policy]
        self.scheduler = schedcore.OnlineScheduler(name, instance.machines, **options)
        self.jobs = instance.jobs
        self.submitted = 0
        self.running: list[int] = []
        self.clock = count(BEGIN + 1)
        while self.scheduler.n_waiting < N_WAITING:
            n_more = N_WAITING - self.scheduler.n_waiting
            self.scheduler.submit(self.next_jobs(n_more), BEGIN)
            self.note(self.scheduler.advance(BEGIN))

    def next_jobs(self, n_jobs: int) -> schedcore.Jobs:
        rows = slice(self.submitted, self.submitted + n_jobs)
        self.submitted += n_jobs
        jobs = self.jobs
        return schedcore.Jobs(jobs.processing_time[rows], jobs.demand[rows], weight=jobs.weight[rows])

    def note(self, decision: Decision) -> None:
        self.running.extend(decision.starts.id.tolist())

    def check(self, n_completed: int) -> None:
        """Every job waits, runs or has completed, and the machines are not left idle."""
        assert self.scheduler.n_running == len(self.running) > 0
        assert self.scheduler.n_waiting == self.submitted - len(self.running) - n_completed


@pytest.fixture
def warm(workload: Callable[..., schedcore.Instance]) -> Callable[[str], WarmScheduler]:
    return lambda policy: WarmScheduler(policy, workload(1, 64000, 20))


@pytest.mark.parametrize("policy", POLICIES, ids="azure_like-10000_waiting-M20-{}".format)
def test_one_arrival_is_decided(policy: str, warm: Callable[[str], WarmScheduler], benchmark: Any) -> None:
    benchmark.group = "embedded: submit one job and advance, 10,000 waiting"
    state = warm(policy)

    def next_job() -> tuple[tuple[schedcore.Jobs, float], dict[str, Any]]:
        return (state.next_jobs(1), next(state.clock)), {}

    def submit_and_advance(jobs: schedcore.Jobs, now: float) -> None:
        state.scheduler.submit(jobs, now)
        state.note(state.scheduler.advance(now))

    benchmark.pedantic(submit_and_advance, setup=next_job, rounds=ROUNDS, iterations=1)
    state.check(n_completed=0)


@pytest.mark.parametrize("policy", POLICIES, ids="azure_like-10000_waiting-M20-{}".format)
def test_one_completion_is_decided(policy: str, warm: Callable[[str], WarmScheduler], benchmark: Any) -> None:
    benchmark.group = "embedded: complete one job and advance, 10,000 waiting"
    state = warm(policy)
    completed: list[int] = []

    def next_completion() -> tuple[tuple[int, float], dict[str, Any]]:
        position = (len(completed) * 7919) % len(state.running)
        completed.append(state.running.pop(position))
        return (completed[-1], next(state.clock)), {}

    def complete_and_advance(job: int, now: float) -> None:
        state.scheduler.complete(job, now)
        state.note(state.scheduler.advance(now))

    n_rounds = min(ROUNDS, len(state.running) // 2)
    benchmark.pedantic(complete_and_advance, setup=next_completion, rounds=n_rounds, iterations=1)
    state.check(n_completed=len(completed))


@pytest.mark.parametrize("policy", POLICIES, ids="azure_like-10000_waiting-1000_instants-M20-{}".format)
def test_arrivals_of_many_instants_are_decided(
    policy: str, warm: Callable[[str], WarmScheduler], benchmark: Any
) -> None:
    benchmark.group = "embedded: one advance over 1,000 instants of one arrival, 10,000 waiting"
    state = warm(policy)

    def next_instants() -> tuple[tuple[float], dict[str, Any]]:
        instants = [next(state.clock) for _ in range(ROUNDS)]
        for instant in instants:
            state.scheduler.submit(state.next_jobs(1), instant)
        return (instants[-1],), {}

    def advance(now: float) -> None:
        state.note(state.scheduler.advance(now))

    benchmark.pedantic(advance, setup=next_instants, rounds=5, iterations=1)
    assert state.scheduler.recorded_instant is None
    state.check(n_completed=0)


@pytest.mark.parametrize("n_completions", [1000, 16000], ids="{}_calls".format)
def test_completions_of_one_instant_are_recorded_one_by_one(n_completions: int, benchmark: Any) -> None:
    benchmark.group = "embedded: complete, one call for each job that ends at an instant"
    scheduler = schedcore.OnlineScheduler("pq", schedcore.Machines.identical(1, [n_completions]))
    scheduler.submit(schedcore.Jobs([1.0] * n_completions, [[1]] * n_completions), 0)
    scheduler.advance(0)

    def complete_all(copied: schedcore.OnlineScheduler) -> None:
        for job in range(n_completions):
            copied.complete([job], 1)
        copied.advance(1)
        assert copied.n_running == 0

    benchmark.pedantic(complete_all, setup=lambda: ((scheduler.copy(),), {}), rounds=3, iterations=1)


@pytest.mark.parametrize("policy", POLICIES, ids="azure_like-10000_waiting-M20-{}".format)
@pytest.mark.parametrize("way", ["copy", "pickle"])
def test_a_copy_goes_on_identically(
    way: str, policy: str, warm: Callable[[str], WarmScheduler], benchmark: Any
) -> None:
    benchmark.group = f"embedded: {way} of a scheduler with 10,000 waiting"
    state = warm(policy)
    scheduler = state.scheduler
    make_copy: Callable[[], schedcore.OnlineScheduler] = (
        scheduler.copy if way == "copy" else lambda: pickle.loads(pickle.dumps(scheduler))
    )
    copied = benchmark(make_copy)
    decisions = []
    for each in (scheduler, copied):
        each.complete(state.running[: len(state.running) // 2], BEGIN + 1)
        decisions.append(each.advance(BEGIN + 1))
    assert decisions[0] == decisions[1]
