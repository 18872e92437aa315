"""An embedded scheduler under the rules of a site: what callers are told, and what is refused."""

from typing import Any

import numpy as np
import pytest

from schedcore import (
    InfeasibleError,
    Instance,
    InvalidInstanceError,
    Jobs,
    Limit,
    Machines,
    Multifactor,
    OnlineScheduler,
    Partition,
    ServiceClass,
    Site,
    UnsupportedError,
    solve,
)

ONE = Machines([[4]], labels=[["a"]])
PAIR = Machines([[4], [4]], labels=[["a"], ["b"]])


def job(length: float, demand: int = 4, **columns: Any) -> Jobs:
    return Jobs([length], [[demand]], **columns)


def submit(scheduler: OnlineScheduler, jobs: Jobs, id: int, now: float) -> None:
    scheduler.submit(jobs, now, ids=[id])


def test_an_urgent_job_ends_another_which_waits_again() -> None:
    site = Site(
        service_classes=[ServiceClass("urgent", 1), ServiceClass("low", preemptible=True)], preempt="requeue"
    )
    scheduler = OnlineScheduler("easy", ONE, site=site)
    submit(scheduler, job(20, service_class="low"), 0, 0)
    scheduler.advance(0)
    submit(scheduler, job(3, service_class="urgent"), 1, 5)
    decision = scheduler.advance(5)
    assert decision.preempted.tolist() == [0]
    assert decision.starts.id.tolist() == [1]
    assert scheduler.jobs("waiting").id.tolist() == [0]
    # at the same instant it is no candidate, whatever ends
    scheduler.complete([1], 5)
    assert scheduler.advance(5).starts.id.tolist() == []
    assert scheduler.advance(6).starts.id.tolist() == [0]


@pytest.mark.parametrize("policy", ["first_fit", "easy"])
def test_a_job_that_was_ended_is_looked_at_once_the_instant_is_over(policy: str) -> None:
    def one(where: str, units: int, service_class: str | None = None) -> Jobs:
        return Jobs([50.0], [[units]], constraint=[where], service_class=[service_class])

    machines = Machines([[2], [2], [1]], labels=[["a"], ["b"], ["c"]])
    site = Site(
        service_classes=[ServiceClass("urgent", 1), ServiceClass("low", preemptible=True)], preempt="requeue"
    )
    scheduler = OnlineScheduler(policy, machines, site=site)
    submit(scheduler, one("c", 1), 0, 0)
    submit(scheduler, one("c", 1), 1, 0)  # the head of the queue, as long as the other runs
    submit(scheduler, one("a|b", 2, "low"), 2, 1)
    scheduler.advance(1)
    submit(scheduler, one("a", 2, "urgent"), 3, 5)
    assert scheduler.advance(5).preempted.tolist() == [2]
    for each in (scheduler, OnlineScheduler.load(scheduler.save())):
        for _ in range(2):
            assert each.advance(5).starts.id.tolist() == []
        submit(each, one("c", 1), 4, 6)
        assert each.advance(6).starts.id.tolist() == [2]


def test_a_job_waits_for_others_and_leaves_where_that_is_in_vain() -> None:
    scheduler = OnlineScheduler("conservative", ONE)
    submit(scheduler, job(4), 0, 0)
    submit(scheduler, job(1, after_ok=[[0]]), 1, 0)
    submit(scheduler, job(1, after_not_ok=[[0]]), 2, 0)
    submit(scheduler, job(1, after_any=[[2]]), 3, 0)
    scheduler.advance(0)
    assert [(each.id, each.reason, each.jobs) for each in scheduler.explain()] == [
        (1, "dependency", (0,)),
        (2, "dependency", (0,)),
        (3, "dependency", (2,)),
    ]
    scheduler.complete([0], 4)
    decision = scheduler.advance(4)
    assert decision.left.tolist() == [2]
    assert decision.starts.id.tolist() == [1]
    # also for jobs that ended before
    submit(scheduler, job(1, after_ok=[[0]], after_not_ok=[[2]]), 4, 5)
    submit(scheduler, job(1, after_ok=[[2]]), 5, 5)
    decision = scheduler.advance(5)
    assert decision.left.tolist() == [5]
    assert scheduler.jobs("waiting").id.tolist() == [3, 4]


def test_jobs_that_are_waited_for_are_known_and_come_first() -> None:
    scheduler = OnlineScheduler("easy", ONE)
    with pytest.raises(InvalidInstanceError, match="job 1 waits for job 7, which was never submitted"):
        submit(scheduler, job(1, after_ok=[[7]]), 1, 0)
    circle = Jobs([1, 1], [[1], [1]], after_ok=[[5], [4]])
    with pytest.raises(
        InvalidInstanceError,
        match=r"^jobs wait for each other: job 4 waits for job 5, job 5 waits for job 4$",
    ):
        scheduler.submit(circle, 0, ids=[4, 5])
    with pytest.raises(InvalidInstanceError, match=r"^jobs wait for each other: job 3 waits for job 3$"):
        submit(scheduler, job(1, after_any=[[3]]), 3, 0)
    ring = Jobs([1] * 12, [[1]] * 12, after_ok=[[(number + 1) % 12] for number in range(12)])
    with pytest.raises(InvalidInstanceError, match=r"job 7 waits for job 8, and 4 more$"):
        scheduler.submit(ring, 0, ids=range(12))
    assert scheduler.recorded_instant is None


def test_jobs_without_ids_wait_for_rows_as_in_solve() -> None:
    scheduler = OnlineScheduler("easy", PAIR)
    assert scheduler.submit(Jobs([1, 1], [[4], [4]], after_ok=[None, [0]]), 0).tolist() == [0, 1]
    assert scheduler.advance(0).starts.id.tolist() == [0]
    decision = scheduler.event(0, submitted=Jobs([1, 1, 1], [[1]] * 3, after_any=[None, [0], [0, 1]]))
    assert decision.submitted.tolist() == [2, 3, 4]
    assert decision.starts.id.tolist() == [2]
    assert [(each.id, each.jobs) for each in scheduler.explain()] == [(1, (0,)), (3, (2,)), (4, (2, 3))]
    # with ids they name ids, of this submission and of others
    scheduler.submit(Jobs([1, 1], [[1], [1]], id=[8, 9], after_ok=[[1], [8]]), 0)
    scheduler.advance(0)
    assert [each.jobs for each in scheduler.explain([8, 9])] == [(1,), (8,)]
    for rows, message in (
        (
            [None, [2]],
            r"after_ok\[1\] names 2, but there are 2 jobs: without ids they name each other by row",
        ),
        ([None, [1]], "jobs wait for each other: job 11 waits for job 11"),
    ):
        with pytest.raises(InvalidInstanceError, match=message):
            scheduler.submit(Jobs([1, 1], [[1], [1]], after_ok=rows), 1)
    assert scheduler.submit(job(1), 1).tolist() == [10]


def test_rows_are_those_of_the_key_as_well() -> None:
    def longest_first(jobs: Jobs) -> Any:
        return -jobs.processing_time

    scheduler = OnlineScheduler("pq", ONE, heuristic=longest_first)
    scheduler.submit(Jobs([1], [[4]]), 0)
    scheduler.submit(Jobs([1, 2, 3], [[4]] * 3, after_ok=[None, [0], None]), 0)
    assert scheduler.advance(0).starts.id.tolist() == [3]
    assert [(each.id, each.jobs) for each in scheduler.explain() if each.reason == "dependency"] == [
        (2, (1,))
    ]


def test_a_limit_holds_and_is_named() -> None:
    site = Site(limits=[Limit("account", "tasks", 9), Limit("user=ann", "jobs", 1)])
    scheduler = OnlineScheduler("first_fit", PAIR, site=site)
    for number in range(2):
        submit(scheduler, job(5, 1, user="ann"), number, 0)
    submit(scheduler, job(5, 1, user="bob"), 2, 0)
    assert scheduler.advance(0).starts.id.tolist() == [0, 2]
    (waiting,) = scheduler.explain()
    assert (waiting.id, waiting.reason, waiting.limit) == (1, "limit", 1)
    scheduler.complete([0], 3)
    assert scheduler.advance(3).starts.id.tolist() == [1]


def test_partitions_narrow_where_jobs_run_also_after_an_update() -> None:
    site = Site(partitions=[Partition("left", "a"), Partition("any")])
    scheduler = OnlineScheduler("easy", PAIR, site=site)
    submit(scheduler, job(5, partition="left"), 0, 0)
    submit(scheduler, job(5, partition="left"), 1, 0)
    assert scheduler.advance(0).starts.machine.tolist() == [0]
    scheduler.update([1], 1, constraint="a|b")
    assert scheduler.advance(1).starts.id.tolist() == []
    with pytest.raises(InfeasibleError, match=r"fit the empty cluster \(constraint '.*b.*'\)"):
        scheduler.update([1], 2, constraint="b")


def test_an_update_is_refused_with_what_it_says() -> None:
    scheduler = OnlineScheduler("easy", PAIR)
    submit(scheduler, job(5, constraint="a"), 0, 0)
    for given in ("zz", "!a&!b"):
        with pytest.raises(
            InfeasibleError, match=rf"job 0 can never run: .*\(constraint '(?:{given}|!b&!a)'\)"
        ):
            scheduler.update([0], 0, constraint=given)


def test_a_job_that_waits_does_not_become_longer_than_its_partition_allows() -> None:
    site = Site(partitions=[Partition("short", max_time=6), Partition("any")])
    scheduler = OnlineScheduler("easy", ONE, site=site)
    for number, partition in enumerate(["short", "short", "any"]):
        submit(scheduler, job(5, partition=partition), number, 0)
    assert scheduler.advance(0).starts.id.tolist() == [0]
    submit(scheduler, job(5, partition="short"), 3, 1)
    message = "job {} can never run: its remaining_time 7 is above max_time 6 of partition 'short'"
    for number in (1, 3):
        with pytest.raises(InfeasibleError, match=message.format(number)):
            scheduler.update([number], 1, remaining_time=7)
    with pytest.raises(InfeasibleError, match=message.format(1)):
        scheduler.update([0, 2, 1], 1, remaining_time=7)
    scheduler.update([0, 2], 1, remaining_time=7)
    scheduler.update([1, 3], 1, remaining_time=6)
    scheduler.advance(1)
    assert scheduler.estimate_start([1]).tolist() == [8]


def test_a_priority_that_is_updated_moves_the_job() -> None:
    scheduler = OnlineScheduler("easy", ONE, site=Site("priority"))
    for number, priority in enumerate([0, 3, 2, 1]):
        submit(scheduler, job(5, priority=[priority]), number, 0)
    assert scheduler.advance(0).starts.id.tolist() == [1]
    scheduler.update([0], 1, priority=9)
    scheduler.complete([1], 2)
    scheduler = OnlineScheduler.load(scheduler.save())
    assert scheduler.advance(2).starts.id.tolist() == [0]


def test_priorities_that_are_too_large_to_be_added_are_refused() -> None:
    scheduler = OnlineScheduler("easy", ONE, site=Site(Multifactor(age=1, job=-1e200)))
    message = r"priority\[0\] = .* \(job {}\) times the weight 1e\+200 of Multifactor.job is above 1e\+250"
    with pytest.raises(InvalidInstanceError, match=message.format(0)):
        submit(scheduler, job(1, priority=[1e60]), 0, 0)
    submit(scheduler, job(1, priority=[1e40]), 0, 0)
    with pytest.raises(InvalidInstanceError, match=message.format(0)):
        scheduler.update([0], 0, priority=-1e60)
    with pytest.raises(InvalidInstanceError, match=message.format("0")):
        solve("easy", Instance(job(1, priority=[1e60]), ONE), site=Site(Multifactor(age=1, job=-1e200)))


def test_a_limit_of_one_array_is_kept_however_its_number_is_written() -> None:
    for written in ("array=3", "array=003"):
        scheduler = OnlineScheduler("first_fit", ONE, site=Site(limits=[Limit(written, "jobs", 1)]))
        scheduler.submit(Jobs([5] * 4, [[1]] * 4, array=[3, 3, 4, 4]), 0)
        assert scheduler.advance(0).starts.id.tolist() == [0, 2, 3]


@pytest.mark.parametrize("policy", ["easy", "conservative"])
def test_what_is_saved_goes_on_with_the_use_of_accounts(policy: str) -> None:
    site = Site(
        Multifactor(age=1, fair_share=1000, max_age=1e6, half_life=50, interval=10), shares={"a": 1, "b": 1}
    )

    def steps(*, saves: bool) -> list[Any]:
        scheduler = OnlineScheduler(policy, ONE, site=site)
        found, running = [], []
        for step in range(40):
            now = 5.0 * step
            scheduler.submit(Jobs([7, 7], [[4], [2]], account=["a", "b"]), now)
            scheduler.complete(running, now)
            decision = scheduler.advance(now)
            running = decision.starts.id.tolist()
            found.append(running)
            if saves:
                scheduler = OnlineScheduler.load(scheduler.save())
        return found

    assert steps(saves=True) == steps(saves=False)


def test_a_run_counts_as_it_began_also_where_it_is_saved_after_machines_have_joined() -> None:
    site = Site(Multifactor(fair_share=1, half_life=float("inf"), interval=0))
    scheduler = OnlineScheduler("easy", ONE, site=site)
    for id, account in enumerate(["a", "a", "b"]):
        submit(scheduler, job(100, 1, account=account), id, 0)
    scheduler.advance(0)
    scheduler.add_machines(Machines([[12]], labels=[["b"]]), 10)
    scheduler.advance(10)
    saved = OnlineScheduler.load(scheduler.save())
    # Of account a one run is left, which is as large as that of b, whatever share of the cluster it is by now.
    for each in (scheduler, saved):
        each.complete([0], 20)
        each.advance(20)
        each.advance(30)
    assert saved.save() == scheduler.save()


def test_a_scheduler_is_saved_where_a_multiple_of_the_interval_is_rounded_up() -> None:
    assert 17 * 0.1 > 1.7
    scheduler = OnlineScheduler("easy", ONE, site=Site(Multifactor(fair_share=1, age=1, interval=0.1)))
    submit(scheduler, job(5, account="a"), 0, 1.7)
    assert scheduler.advance(1.7).starts.id.tolist() == [0]
    assert OnlineScheduler.load(scheduler.save()).save() == scheduler.save()


def test_what_a_site_does_not_know_is_refused_by_name() -> None:
    site = Site(
        partitions=[Partition("short", max_time=10, max_tasks=2)],
        limits=[Limit("user", "resource_0", 3)],
        shares={"physics": 1},
    )
    scheduler = OnlineScheduler("easy", ONE, site=site)
    for columns, message in (
        ({"partition": "long"}, r"partition\[0\] = 'long' \(job 5\) is unknown: the site has 'short'"),
        ({"account": "art"}, r"account\[0\] = 'art' \(job 5\) is unknown: it has no share"),
        ({}, "job 5 has no account, and shares has none for None"),
    ):
        with pytest.raises(InvalidInstanceError, match=message):
            submit(scheduler, job(1, **columns), 5, 0)
    known = {"account": "physics", "partition": "short"}
    for jobs, message in (
        (job(11, **known), "job 5 can never run: its estimate 11 is above max_time 10 of partition 'short'"),
        (job(1, 1, n_tasks=3, **known), "job 5 can never run: its 3 tasks are above max_tasks 2"),
        (job(1, user="ann", **known), r"its 4 resource_0 are above limits\[0\] = Limit\('user'"),
    ):
        with pytest.raises(InfeasibleError, match=message):
            submit(scheduler, jobs, 5, 0)
    assert scheduler.recorded_instant is None


def test_policies_refuse_rules_that_they_cannot_keep() -> None:
    preempting = Site(service_classes=[ServiceClass("low", preemptible=True)], preempt="drop")
    for policy, site, message in (
        ("tetris", Site("sjf"), "'tetris' does not take rules of a site when embedded"),
        ("conservative", preempting, "'conservative' does not take jobs that end others when embedded"),
        ("easy", Site([1.0, 2.0]), "an array cannot know later jobs"),
        ("pq", Site("sjf"), "pq has an order of its own"),
    ):
        with pytest.raises(UnsupportedError, match=message):
            OnlineScheduler(policy, ONE, site=site)
    with pytest.raises(UnsupportedError, match="selection 'bb' does not take jobs that end others"):
        OnlineScheduler("easy", Machines([[4, 4]]), selection="bb", site=preempting)
    with pytest.raises(UnsupportedError, match="reservation_depth 2 does not take preemption"):
        OnlineScheduler("easy", ONE, reservation_depth=2, site=preempting)
    with pytest.raises(
        InvalidInstanceError, match=r"limits\[0\] = .* names neither jobs, tasks nor a resource"
    ):
        submit(OnlineScheduler("easy", ONE, site=Site(limits=[Limit("user", "gpu", 1)])), job(1), 0, 0)
    with pytest.raises(TypeError, match="site must be a Site, not str"):
        OnlineScheduler("easy", ONE, site="slurm")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("order", "message"), [([1.0], r"shape \(1,\), not \(2,\)"), ([1.0, np.nan], "job 1 is NaN")]
)
def test_numbers_to_order_by_are_one_for_each_job(order: list[float], message: str) -> None:
    instance = Instance(Jobs([1, 1], [[1], [1]]), ONE)
    with pytest.raises(InvalidInstanceError, match=message):
        solve("easy", instance, site=Site(order))


def test_a_callable_order_is_given_again_on_loading() -> None:
    def longest_first(jobs: Jobs) -> Any:
        return -jobs.processing_time

    scheduler = OnlineScheduler("easy", ONE, site=Site(longest_first))
    scheduler.submit(Jobs([1, 5, 3], [[4], [4], [4]]), 0)
    assert scheduler.advance(0).starts.id.tolist() == [1]
    saved = scheduler.save()
    with pytest.raises(InvalidInstanceError, match=r"had a callable Site\.order, which is not in the bytes"):
        OnlineScheduler.load(saved)
    loaded = OnlineScheduler.load(saved, heuristic=longest_first)
    loaded.complete([1], 5)
    assert loaded.advance(5).starts.id.tolist() == [2]
