"""`OnlineScheduler.explain`: why jobs wait."""

from typing import Any

import pytest

from engine.policy_cases import CLUSTER_POLICIES
from parallel_task_cases import TWO_JOBS_WITH_LOCAL_MACHINES
from schedcore import Explanation, InvalidInstanceError, Jobs, Machines, OnlineScheduler, UnsupportedError

INF = float("inf")


def cluster(policy: str = "easy", **options: Any) -> OnlineScheduler:
    """Job 0 runs on machine 1 until 10, job 1 on machine 2 until 6; the preferred machine is 1."""
    machines = Machines(
        [[4, 8], [4, 8], [8, 8]], ["cores", "memory"], labels=[["a"], ["a"], ["b"]], weight=[1, 0, 2]
    )
    scheduler = OnlineScheduler(policy, machines, **options)
    scheduler.submit(Jobs([10.0, 6.0], [[3, 2], [8, 1]]), 0)
    decision = scheduler.advance(0)
    assert [(job.id, job.machine) for job in decision.starts] == [(0, 1), (1, 2)]
    return scheduler


def why(scheduler: OnlineScheduler, now: float, ids: Any = None) -> list[Explanation]:
    scheduler.advance(now)
    before = scheduler.save()
    found = scheduler.explain(ids)
    assert scheduler.save() == before
    return found


@pytest.mark.parametrize(
    ("policy", "options"), [case for case in CLUSTER_POLICIES if case[0] not in ("mris", "ca_pq")]
)
def test_running_jobs_hold_what_it_needs(policy: str, options: dict[str, Any]) -> None:
    scheduler = cluster(policy, **options)
    scheduler.submit(Jobs([5.0], [[7, 3]]), 1)
    assert why(scheduler, 1) == [
        Explanation(2, "resources", machines=(2,), time=6.0, shortage=(7, 0)),
    ]


def test_what_several_tasks_lack_is_summed() -> None:
    scheduler = cluster()
    scheduler.submit(Jobs([5.0], [[2, 3]], n_tasks=6), 1)
    # machine 1 has room for none now, 0 for two, 2 for none; all of them have it at 10
    (found,) = why(scheduler, 1)
    assert found == Explanation(2, "resources", machines=(1, 0, 2), time=10.0, shortage=(3 + 0 + 4, 0))


def test_machines_that_are_down() -> None:
    scheduler = cluster()
    scheduler.fail_machines([2], 1)
    scheduler.close([0], 1)
    scheduler.submit(Jobs([5.0, 5.0], [[5, 1], [4, 1]], constraint=["", "a"], n_tasks=[1, 2]), 1)
    found = {each.id: each for each in why(scheduler, 1)}
    assert found[1].reason == "down"  # it was killed
    assert found[2] == Explanation(2, "down", machines=(0, 2))
    assert found[3] == Explanation(3, "down", machines=(0,))


def test_an_outage_that_is_in_the_way() -> None:
    scheduler = cluster()
    scheduler.announce_outage(0, 4, 9, 1)
    scheduler.submit(Jobs([5.0, 3.0], [[4, 1], [1, 1]]), 1)
    assert why(scheduler, 1) == [Explanation(2, "outage", machines=(0,))]


def test_held_jobs_and_jobs_that_can_never_fit_beside_what_is_known() -> None:
    scheduler = cluster()
    scheduler.submit(Jobs([5.0, 5.0], [[8, 1], [8, 1]]), 1)
    scheduler.hold([2], 1)
    scheduler.announce_outage(2, 20, INF, 1)
    scheduler.update([1], 1, remaining_time=16.0)
    assert why(scheduler, 1) == [
        Explanation(2, "held"),
        Explanation(3, "resources", time=INF, shortage=(0, 0)),
    ]


def test_what_others_have_been_promised() -> None:
    machine = Machines.identical(1, [4])
    for policy in ("easy", "conservative"):
        scheduler = OnlineScheduler(policy, machine)
        scheduler.submit(Jobs([10.0, 5.0, 11.0, 3.0], [[2], [4], [2], [2]]), 0)
        found = why(scheduler, 0)
        # job 3 overtakes, job 2 would keep job 1 waiting
        assert found == [
            Explanation(1, "resources", machines=(0,), time=10.0, shortage=(4,)),
            Explanation(2, "resources", machines=(0,), time=3.0, shortage=(2,)),
        ]
        scheduler.complete([3], 2)
        assert why(scheduler, 2)[1] == Explanation(2, "reserved", jobs=(1,))


def test_a_promise_of_its_own_that_is_later() -> None:
    # without compression a reservation stays where it is although there is room
    scheduler = OnlineScheduler("conservative", Machines.identical(1, [4]), compression="none")
    scheduler.submit(Jobs([10.0, 5.0], [[4], [4]]), 0)
    scheduler.advance(0)
    scheduler.complete([0], 3)
    assert why(scheduler, 3) == [Explanation(1, "planned", time=10.0)]


def test_others_come_first() -> None:
    scheduler = OnlineScheduler("fcfs", Machines.identical(1, [4]))
    scheduler.submit(Jobs([10.0, 5.0, 5.0, 5.0], [[2], [4], [1], [2]]), 0)
    found = why(scheduler, 0)
    assert found[1:] == [
        Explanation(2, "order", jobs=(1,), before=1),
        Explanation(3, "order", jobs=(1,), before=2),
    ]
    assert why(scheduler, 1, [3])[0].before == 2


def test_mris_waits_for_the_end_of_its_interval() -> None:
    scheduler = OnlineScheduler("mris", Machines.identical(1, [4]), gamma0=1, origin=0)
    scheduler.submit(Jobs([3.0, 2.0], [[2], [1]]), 1.5)
    # the smaller key first
    assert why(scheduler, 1.5) == [
        Explanation(0, "order", jobs=(1,), before=1),
        Explanation(1, "order", before=0),
    ]


def test_ca_pq_waits_for_the_last_release() -> None:
    scheduler = OnlineScheduler("ca_pq", Machines.identical(1, [4]), last_release_time=5)
    scheduler.submit(Jobs([3.0], [[2]]), 1)
    assert why(scheduler, 1) == [Explanation(0, "order", before=0)]


def test_asking_in_any_order_and_twice() -> None:
    scheduler = cluster()
    scheduler.submit(Jobs([5.0, 5.0], [[8, 1], [7, 1]]), 1)
    both = why(scheduler, 1)
    assert scheduler.explain([3, 2, 3]) == [both[1], both[0], both[1]]
    assert scheduler.explain([]) == []


def test_a_scheduler_that_has_heard_of_nothing_but_jobs_explains_as_well() -> None:
    scheduler = OnlineScheduler("easy", Machines.identical(1, [4]))
    scheduler.submit(Jobs([10.0, 5.0], [[2], [4]]), 0)
    assert why(scheduler, 0) == [Explanation(1, "resources", machines=(0,), time=10.0, shortage=(2,))]


def test_bad_input() -> None:
    scheduler = cluster()
    with pytest.raises(InvalidInstanceError, match="job 0 runs; it does not wait"):
        scheduler.explain([0])
    (new,) = scheduler.submit(Jobs([5.0], [[8, 1]]), 1).tolist()
    with pytest.raises(InvalidInstanceError, match=f"job {new} is unknown, or waits for the next decision"):
        scheduler.explain([new])
    with pytest.raises(InvalidInstanceError, match="integers"):
        scheduler.explain(["a"])


def test_tasks_of_parallel_jobs_are_not_explained() -> None:
    tasks = TWO_JOBS_WITH_LOCAL_MACHINES
    with pytest.raises(UnsupportedError, match="cannot explain"):
        OnlineScheduler("jsq_mw", tasks.machines, remote_penalty=tasks.remote_penalty).explain()
    scheduler = OnlineScheduler("pq", tasks.machines)
    scheduler.submit(tasks, 0)
    scheduler.submit(tasks, 0)
    scheduler.advance(0)
    assert scheduler.n_waiting > 0
    with pytest.raises(UnsupportedError, match="is a task of a parallel job"):
        scheduler.explain()
