"""Plan annealing by hand: plans of all jobs against queues, sorted queues and EASY, on one machine of 4 processors."""

import pytest

import schedcore
from reference.backfilling_instance import BackfillInstance
from reference.plan_annealing import simulate_plans

# processors, length
WIDE_FIRST = [(4, 2), (1, 3), (1, 3), (1, 3), (1, 3)]
PAIRS = [(3, 2), (1, 4), (2, 2), (2, 3)]


def at_once(rows: list[tuple[int, int]]) -> schedcore.Instance:
    return schedcore.Instance(
        schedcore.Jobs([length for _, length in rows], [[n] for n, _ in rows]), schedcore.Machines([[4]])
    )


def starts(policy: str, rows: list[tuple[int, int]], **options: object) -> list[float]:
    return schedcore.solve(policy, at_once(rows), **options).schedule.start_time.tolist()


# The wide job is the first in the queue and the shortest, so all start it first: 2 + 4 * 5 in responses. Behind the
# others it is 4 * 3 + 5. The order by size has that, so nothing need be annealed.
def test_narrow_jobs_side_by_side_before_a_wide_one() -> None:
    for options in ({}, {"order": "sjf"}, {"selection": "sb"}):
        assert starts("easy", WIDE_FIRST, **options) == [0, 2, 2, 2, 2]
    assert starts("plan_annealing", WIDE_FIRST) == [3, 0, 0, 0, 0]
    assert starts("plan_annealing", WIDE_FIRST, exhaustive=0, steps=0) == [3, 0, 0, 0, 0]


# Jobs A, B, C, D. The queue, as a plan and under EASY: A and B at 0, C at 2 beside B, D at 4. By area B and C come
# first, A at 2, D at 4. So the sum of starts is 6. By estimate A is first, then C and D at 2, B at 4: 8; with EASY B
# overtakes C, as it leaves 3 at 2, and D waits until 4: 6. Of all orders C, D, A, B is the first with 5: C and D at 0,
# A at 3, B at 2 beside D until 3 and beside A from then on. No sorted order has that.
def test_a_pairing_that_no_sorted_order_has() -> None:
    assert starts("easy", PAIRS) == [0, 0, 2, 4]
    assert starts("easy", PAIRS, order="sjf") == [0, 0, 2, 4]
    assert sum(starts("plan_annealing", PAIRS, exhaustive=0, steps=0)) == 6
    assert starts("plan_annealing", PAIRS) == [3, 2, 0, 0]


# The same by exchanges: 180 draws of 6 pairs, of which several lead there from any order.
@pytest.mark.parametrize("seed", range(3))
def test_annealing_finds_the_pairing(seed: int) -> None:
    assert sum(starts("plan_annealing", PAIRS, exhaustive=0, seed=seed)) == 5


# A's and B's places show in the plan of the first decision, and 24 orders were tried: 4 placements for the first, then
# those behind the first difference to the order before: 2, 3, 2, 3, 2 within the first job, 4 where it changes.
def test_what_is_told_of_the_first_search() -> None:
    scheduler = schedcore.OnlineScheduler("plan_annealing", schedcore.Machines([[4]]))
    scheduler.submit(at_once(PAIRS).jobs, 0.0)
    decision = scheduler.advance(0.0)
    assert sorted(decision.starts.id.tolist()) == [2, 3]
    assert [(row.id, row.start_time) for row in decision.plan] == [(1, 2.0), (0, 3.0)]
    _, policy = simulate_plans(BackfillInstance.from_instance(at_once(PAIRS)))
    assert policy.found[0] == (0.0, [0, 1, 2, 3], [2, 3, 0, 1])
    first_search = 4 * 4 + 4 * (2 + 3 + 2 + 3 + 2)
    # At 2 two jobs wait, and B fits; both orders are planned: 2 and 2 placements. At 3 A is alone.
    assert schedcore.solve("plan_annealing", at_once(PAIRS)).stats["placements"] == first_search + 4 + 1


# Jobs A, B, C: A and C may use machine 1 alone, B either. C first makes A wait until 1, and B is on machine 0; A first
# makes C wait until 10.
def test_plans_keep_to_the_machines_that_jobs_may_use() -> None:
    machines = schedcore.Machines([[4], [4]], labels=[[], ["gpu"]])
    jobs = schedcore.Jobs([10, 1, 1], [[4], [4], [1]], constraint=["gpu", "", "gpu"])
    instance = schedcore.Instance(jobs, machines)
    schedule = schedcore.solve("plan_annealing", instance).schedule
    assert schedule.start_time.tolist() == [1, 0, 0]
    assert schedule.machine.tolist() == [1, 0, 1]
    queued = schedcore.solve("plan_annealing", instance, exhaustive=0, steps=0, seed=3).schedule
    assert queued.start_time.tolist() == [1, 0, 0]
    assert schedcore.solve("easy", instance).schedule.start_time.tolist() == [0, 0, 10]
