"""The cluster manager of the examples keeps its promises at every event, and its book is what the scheduler knows.

It runs on a loop whose clock jumps to the next timer, so a run is quick and the same every time. The clock is coarse:
much happens at one instant.
"""

import asyncio
import importlib.util
import math
import selectors
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
N_USERS, N_JOBS = 4, 15
POLICIES = {
    "easy": 6,
    "conservative": 6,
    "fcfs": 6,
    "first_fit": 6,
    "pq": 6,
    "tetris": 1,
    "bf_exec": 1,
}  # most tasks
TICKS = 64  # in a second
KINDS = {"submitted", "cancelled", "takes", "ended", "joined", "drains", "crashed", "came_back"}


class JumpingSelector(selectors.DefaultSelector):
    """Does not wait for timers; nothing else happens on this loop."""

    now = 1000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "nothing is left that could happen"
            self.now += timeout
        return ready


class JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.jumping = JumpingSelector()
        super().__init__(self.jumping)

    def time(self) -> float:
        return self.jumping.now

    def call_at(self, when: float, *given: Any, **more: Any) -> asyncio.TimerHandle:
        tick = when if math.isinf(when) else math.ceil(when * TICKS) / TICKS
        return super().call_at(tick, *given, **more)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module, with a manager that looks at itself after every decision."""
    monkeypatch.syspath_prepend(EXAMPLES)
    spec = importlib.util.spec_from_file_location("cluster_manager", EXAMPLES / "cluster_manager.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ClusterManager", checked(module.ClusterManager))
    return module


def checked(manager: Any) -> Any:
    class Checked(manager):  # type: ignore[misc]
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            self.known_down: set[int] = set()
            self.seen: list[int] = []
            self.most_workers_of_a_job = 0

        def submitted(self, jobs: list[Any]) -> Any:
            self.seen += [job.number for job in jobs]
            return super().submitted(jobs)

        def crashed(self, workers: list[Any]) -> Any:
            self.known_down |= {each.number for each in workers}
            return super().crashed(workers)

        def came_back(self, workers: list[Any]) -> Any:
            self.known_down -= {each.number for each in workers}
            return super().came_back(workers)

        def end(self, jobs: list[Any], outcome: str) -> Any:
            for job in jobs:
                assert job.number not in self.outcomes, "a job ends twice"
                if outcome == "completed":
                    assert not any(job in worker.tasks for worker in job.places), "a task has not ended"
                    assert job.n_runs > job.n_failures, "a run that failed counts"
            return super().end(jobs, outcome)

        def follow(self, decision: Any) -> None:
            super().follow(decision)
            for number in decision.starts.allocation.machine.tolist():
                assert number not in self.known_down, "a job starts on a worker that has crashed"
                assert not self.workers[number].is_draining, "a job starts on a worker that drains"
            for number in decision.starts.id.tolist():
                for worker in self.jobs[number].places:
                    assert worker.is_down or self.jobs[number] in worker.tasks, "a task was not started"
            self.compare_jobs()
            self.compare_machines()

        def compare_jobs(self) -> None:
            known, running = self.scheduler.jobs(), {}
            assert known.id.tolist() == sorted(self.jobs)
            for number, job in self.jobs.items():
                if job.places:
                    assert sum(job.places.values()) == job.n_tasks, "a job runs in part"
                    self.most_workers_of_a_job = max(self.most_workers_of_a_job, len(job.places))
                    running[number] = {worker.number: count for worker, count in job.places.items()}
            assert known.id[known.state == "running"].tolist() == sorted(running)
            assert {number: dict(known.allocation.of(number)) for number in running} == running
            for worker in self.workers.values():
                for job in worker.tasks:
                    assert worker in job.places, "a task outlived its job"

        def compare_machines(self) -> None:
            state = self.scheduler.machine_state()
            assert state.machine.tolist() == sorted(self.workers)
            used = {number: np.zeros(2, dtype=np.int64) for number in self.workers}
            n_jobs: Counter[int] = Counter()
            for job in self.jobs.values():
                for worker, count in job.places.items():
                    used[worker.number] += count * np.array(job.demand)
                    n_jobs[worker.number] += 1
            for row, number in enumerate(state.machine.tolist()):
                worker = self.workers[number]
                assert (used[number] <= worker.capacity).all(), "a worker has more than it can hold"
                is_down = number in self.known_down
                stands = "closed" if worker.is_draining else "failed" if is_down else "up"
                free = worker.capacity - used[number] if stands == "up" else np.zeros(2)
                assert state.state[row] == stands
                assert state.used[row].tolist() == used[number].tolist()
                assert state.free[row].tolist() == free.tolist()
                assert state.n_jobs[row] == n_jobs[number]

    return Checked


@pytest.mark.parametrize("policy", POLICIES)
def test_a_cluster_manager_and_its_scheduler_agree_at_every_event(policy: str, example: ModuleType) -> None:
    counts: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    most = 0
    for seed in range(1, 6):
        with asyncio.Runner(loop_factory=JumpingLoop) as runner:
            manager = runner.run(example.manage(policy, seed, POLICIES[policy], N_USERS, N_JOBS))
        assert sorted(manager.seen) == sorted(manager.outcomes) == list(range(N_USERS * N_JOBS))
        assert not manager.jobs
        assert manager.scheduler.n_waiting == manager.scheduler.n_running == 0
        assert not any(worker.tasks for worker in manager.workers.values())
        counts += manager.counts
        outcomes += Counter(manager.outcomes.values())
        most = max(most, manager.most_workers_of_a_job)
    assert counts.keys() >= KINDS
    assert outcomes.keys() == {"completed", "cancelled", "given up"}
    assert (most > 2) == (POLICIES[policy] > 1)


def test_its_usage_names_the_policies_that_work(example: ModuleType) -> None:
    for policy in example.POLICIES:
        assert policy in example.__doc__
        with asyncio.Runner(loop_factory=JumpingLoop) as runner:
            assert not runner.run(example.manage(policy, 1, n_users=1, n_jobs=3)).jobs


@pytest.mark.parametrize("wrong", [("tetris",), ("nobody",), ("mris", "1"), ("easy", "one"), ("easy", "-1")])
def test_what_it_cannot_run_is_said_in_one_line(wrong: tuple[str, ...], example: ModuleType) -> None:
    with pytest.raises(SystemExit) as caught:
        example.main(*wrong)
    message = str(caught.value)
    assert repr(wrong[-1] if len(wrong) > 1 and wrong[0] == "easy" else wrong[0]) in message
    assert "\n" not in message


def test_a_manager_is_woken_when_its_scheduler_asks_for_it(example: ModuleType) -> None:
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        manager = runner.run(example.manage("conservative", 1))
    assert manager.counts["woken"] > 0


def test_the_end_of_a_run_that_was_killed_does_not_end_the_next_one(example: ModuleType) -> None:
    async def killed_once() -> Any:
        manager = example.ClusterManager("easy", [[4, 16]])
        service = asyncio.create_task(manager.serve())
        job = example.Job(0, n_tasks=1, demand=[4, 4], estimate=1.0, seconds=1.0, n_failures=0)
        manager.report("submitted", job)
        await asyncio.sleep(0.1)
        (worker,) = manager.workers.values()
        await worker.crash(until_repair=0.1)
        await asyncio.sleep(0.1)
        assert job.n_runs == 2
        manager.report("ended", (job, 1, worker, True))
        await asyncio.sleep(0.1)
        assert manager.outcomes == {}
        await asyncio.sleep(2.0)
        service.cancel()
        return manager

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        assert runner.run(killed_once()).outcomes == {0: "completed"}
