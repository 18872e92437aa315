"""Several threads may use one embedded scheduler: calls take turns, and the state stays sound."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

import schedcore


@pytest.mark.parametrize(
    ("policy", "options"),
    [
        ("pq", {}),
        ("tetris", {}),
        ("mris", {"gamma0": 1.0, "opportunistic": True}),
        ("mris", {"gamma0": 1.0, "replan": "always"}),
    ],
)
def test_threads_share_one_scheduler(policy: str, options: dict[str, object]) -> None:
    machines = schedcore.Machines.identical(3, [8, 8])
    scheduler = schedcore.OnlineScheduler(policy, machines, **options)
    jobs = schedcore.Jobs([1.0, 2.0, 3.0], [[1, 2], [2, 1], [1, 1]])

    def work(worker: int) -> list[int]:
        started: list[int] = []
        for _ in range(60):
            scheduler.submit(jobs, 5.0)
            decision = scheduler.advance(5.0)
            started += [start.id for start in decision.starts]
            # what this thread was told to start is this thread's to complete
            scheduler.complete([start.id for start in decision.starts], 5.0)
            if worker == 0:
                pickle.loads(pickle.dumps(scheduler.copy())).advance(5.0)
        return started

    with ThreadPoolExecutor(4) as pool:
        started = [job for part in pool.map(work, range(4)) for job in part]
    decision = scheduler.advance(5.0)
    while scheduler.n_waiting or decision.starts:
        started += [start.id for start in decision.starts]
        scheduler.complete([start.id for start in decision.starts], scheduler.now)
        # the wake-up, where there is nothing to complete
        decision = scheduler.advance(scheduler.now if decision.starts else decision.next_wakeup)
    assert sorted(started) == list(range(4 * 60 * 3))
    assert scheduler.n_running == 0
