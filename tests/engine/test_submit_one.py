"""`submit_one` is `submit` of one job: the same ids, decisions, keys and messages."""

from typing import Any

import numpy as np
import pytest

from schedcore import InvalidInstanceError, Jobs, Machines, OnlineScheduler, PolicyError

MACHINES = Machines.identical(2, [4, 8])

POLICIES: list[tuple[str, dict[str, Any]]] = [
    ("pq", {}),
    ("pq", {"heuristic": lambda jobs: -jobs.id * jobs.weight}),
    ("ca_pq", {"last_release_time": 9, "heuristic": lambda jobs: jobs.processing_time - jobs.id}),
    ("tetris", {}),
    ("bf_exec", {}),
    ("mris", {"gamma0": 1.0, "heuristic": lambda jobs: jobs.demand.sum(axis=1)}),
    ("easy", {}),
    ("conservative", {}),
]


def row(job: dict[str, Any]) -> Jobs:
    values = {name: [value] for name, value in job.items() if name not in ("resolution", "id")}
    return Jobs(**values, id=[job["id"]] if "id" in job else None, resolution=job.get("resolution"))


@pytest.mark.parametrize(("policy", "options"), POLICIES)
def test_jobs_one_by_one_are_decided_like_rows(policy: str, options: dict[str, Any]) -> None:
    one, many = (OnlineScheduler(policy, MACHINES, **options) for _ in range(2))
    jobs: list[dict[str, Any]] = [
        {"processing_time": 3, "demand": [2, 3]},
        {"processing_time": 2.5, "demand": (1, 8), "weight": 3},
        {"processing_time": 4.0, "demand": np.array([4, 1]), "estimated_processing_time": 9.5, "id": 40},
        {"processing_time": 1, "demand": [0, 5], "weight": np.float64(2)},
        {"processing_time": 2, "demand": [0.5, 0.25], "resolution": 4, "id": np.int64(7)},
        {"processing_time": 2, "demand": [3, 3], "estimated_processing_time": 2},
    ]
    for now in (0.0, 2.0, 4.0, 9.0):
        for job in jobs:
            given = {**job, "id": job["id"] + 100 * int(now)} if "id" in job else job
            assert [one.submit_one(**given, now=now)] == many.submit(row(given), now).tolist()
        assert one.advance(now) == many.advance(now)
    assert one.n_running == many.n_running > 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"processing_time": 0}, {"processing_time": -1.0}, {"processing_time": float("nan")},
        {"processing_time": 2**53 + 1}, {"processing_time": "1"}, {"processing_time": None}, {"processing_time": True},
        {"processing_time": 1e-18, "now": 5}, {"demand": [1]}, {"demand": [1, 2, 3]}, {"demand": []},
        {"demand": [0, 0]}, {"demand": [-1, 1]}, {"demand": [5, 1]}, {"demand": [0.5, 1.0]}, {"demand": 3},
        {"demand": [[1, 2]]}, {"demand": [True, True]}, {"demand": [2**70, 1]},
        {"weight": 0}, {"weight": -1}, {"weight": float("inf")}, {"weight": "2"}, {"weight": [1, 2]},
        {"estimated_processing_time": 0}, {"estimated_processing_time": float("nan")}, {"resolution": 0},
        {"id": -1}, {"id": 2**63 - 1}, {"id": 2**63}, {"id": 1.0}, {"id": 12}, {"id": True},
        {"now": -1}, {"now": float("nan")}, {"now": 1.0},
    ],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("heuristic", ["wsjf", lambda jobs: jobs.weight])
def test_what_submit_refuses_is_refused_with_the_same_message(heuristic: Any, wrong: dict[str, Any]) -> None:
    scheduler = OnlineScheduler("pq", MACHINES, heuristic=heuristic)
    scheduler.submit_one(1.0, [1, 1], 2.0, id=12)
    if "processing_time" in wrong and "now" in wrong:
        scheduler.advance(2.0)
    call = {"processing_time": 1.0, "demand": [1, 1], "now": 2.0, **wrong}
    now = call.pop("now")
    with pytest.raises(Exception) as expected:  # noqa: PT011 - which one it is is the question
        scheduler.submit(row(call), now)
    with pytest.raises(expected.type) as caught:
        scheduler.submit_one(**call, now=now)
    assert str(caught.value) == str(expected.value)
    assert scheduler._core.next_id == 13


def test_a_key_sees_the_job_as_submit_would_show_it() -> None:
    seen: list[Jobs] = []

    def key(jobs: Jobs) -> Any:
        seen.append(jobs)
        return jobs.weight

    scheduler = OnlineScheduler("pq", MACHINES, heuristic=key)
    for id in (5, None):
        scheduler.submit_one(2, [1, 2], 3.5, weight=4, estimated_processing_time=6.0, id=id)
    OnlineScheduler("pq", MACHINES, heuristic=key).submit(Jobs([2], [[1, 2]], 9, 4, [6.0], [6]), 3.5)
    assert seen[1] == seen[2]
    assert seen[0] == seen[1].replace(id=[5])
    for jobs in seen:
        for name in ("processing_time", "demand", "release_time", "weight", "id"):
            assert not getattr(jobs, name).flags.writeable


def test_a_failing_key_names_the_job_and_uses_up_no_number() -> None:
    scheduler = OnlineScheduler("pq", MACHINES, heuristic=lambda jobs: 1 / (jobs.weight - 1).tolist()[0])
    with pytest.raises(PolicyError, match="the priority key failed on job 0: ZeroDivisionError"):
        scheduler.submit_one(1.0, [1, 1], 0)
    assert scheduler._core.next_id == 0
    silent = OnlineScheduler("pq", MACHINES, heuristic=lambda jobs: [float("nan")])
    with pytest.raises(PolicyError, match="the priority key of job 3 is NaN"):
        silent.submit_one(1.0, [1, 1], 0, id=3)
    with pytest.raises(InvalidInstanceError, match="the jobs demand 3 resources, the machines have 2"):
        silent.submit_one(1.0, [1, 1, 1], 0)
