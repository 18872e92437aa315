"""Policies that know no processing times, on examples that are worked out by hand."""

import pytest

from schedcore import InvalidInstanceError, solve
from schedcore.preemptive import gittins_index
from slotted_cases import FAIR, completions, pieces, slotted

every_rule = pytest.mark.parametrize("name", FAIR)

# Least attained service first


def test_jobs_that_have_got_the_same_take_turns() -> None:
    # Slots 1-3: jobs 0, 1 (done) and 2 have got nothing. 4: jobs 0 and 2 have got 1, the lower index goes first.
    # 5: job 2 has got less, and is done. 6: job 0.
    result = solve("las", slotted([(0, 1, 3), (0, 1, 1), (0, 1, 2)], [1]))
    assert [job for _, job, _, _, _ in pieces(result)] == [0, 1, 2, 0, 2, 0]
    assert completions(result) == [6, 2, 5]
    assert result.stats["gamma"] is None


def test_service_counts_cores_and_time() -> None:
    # Slot 1: both have got nothing, job 0 takes both cores. 2: it has got 2 core-slots, job 1 none: a core each.
    # 3: 3 and 1, so the same; job 0 is done. 4: job 1. By time alone job 0 would have had both cores in slot 3 as well.
    result = solve("las", slotted([(0, 2, 2), (0, 1, 3)], [2]))
    assert pieces(result) == [(0, 0, 0, 1, 2), (1, 0, 0, 3, 1), (1, 1, 0, 4, 1)]


def test_service_is_measured_where_cores_are_believed_to_be_more() -> None:
    # Job 0 asks for 4 cores and uses 1. Slot 1: it holds all. 2: it has got 1 core-slot, not 4: job 1 has got none, and
    # holds 2; in slot 3 job 1 has got 2, so job 0 is before it and holds all four again, and is done.
    result = solve("las", slotted([(0, 1, 3), (0, 2, 2)], [4], believed=[4, 2]))
    assert pieces(result) == [
        (0, 0, 0, 1, 4),
        (1, 0, 0, 2, 2),
        (1, 1, 0, 2, 2),
        (2, 0, 0, 3, 4),
        (3, 1, 0, 4, 2),
    ]


def test_new_jobs_go_first_and_memory_is_granted_in_the_same_order() -> None:
    # One gigabyte: one job at a time. Slot 1: job 0; 2: job 1 has got less; 3: both have got 1; 4: job 1, and is done.
    result = solve("las", slotted([(0, (1, 1), 3), (1, (1, 1), 2)], [(2, 1)]))
    assert [job for _, job, _, _, _ in pieces(result)] == [0, 1, 0, 1, 0]
    assert completions(result) == [5, 4]


# The Gittins index


def test_the_index_is_the_best_chance_for_what_it_costs() -> None:
    # Sizes 1, 1 and 10. After 0: one slot each ends two jobs for three. After 1 the long one alone: 1 of 9.
    assert gittins_index([0, 1, 9, 10], [1, 10, 1]).tolist() == [2 / 3, 1 / 9, 1, 0]
    assert gittins_index([0, 5], []).tolist() == [0, 0]
    with pytest.raises(InvalidInstanceError, match=r"completed\[1\] = 0 \(size 1\) must be at least 1"):
        gittins_index([1], [2, 0])
    with pytest.raises(InvalidInstanceError, match=r"attained\[0\] = -1 \(job 0\)"):
        gittins_index([-1], [2])


def test_jobs_about_to_end_like_those_before_go_before_new_ones() -> None:
    # Slots 1-4: job 0, of size 4, is done. 5, 6: job 1, whose index grows from 1/4 to 1/3 to 1/2, keeps the core though
    # job 2 arrives after slot 5, and is done after 8. Under LAS job 2 would go first.
    instance = slotted([(0, 1, 4), (4, 1, 4), (5, 1, 4)], [1])
    assert pieces(solve("gittins", instance)) == [(0, 0, 0, 4, 1), (4, 1, 0, 8, 1), (8, 2, 0, 12, 1)]
    assert pieces(solve("las", instance))[1:3] == [(4, 1, 0, 5, 1), (5, 2, 0, 6, 1)]


def test_who_has_got_more_than_any_completed_job_waits_for_the_others() -> None:
    # Slot 1: job 0, of size 1, is done. 2: job 1 has index 1. 3: it has got 1, of which nothing is known; job 2 has got
    # nothing, so it is first, and 4: both have got 1: the lower index.
    instance = slotted([(0, 1, 1), (1, 1, 3), (2, 1, 2)], [1])
    assert [job for _, job, _, end, _ in pieces(solve("gittins", instance))] == [0, 1, 2, 1, 2, 1]


def test_weights_count_beside_the_index() -> None:
    # Slot 2: of the index 1/2 each, job 2 has twice the weight; it is done, then job 1.
    instance = slotted([(0, 1, 2), (2, 1, 2), (2, 1, 2)], [1]).replace(weight=[1, 1, 2])
    assert completions(solve("gittins", instance)) == [2, 6, 4]
    none = slotted([(0, 1, 2), (2, 1, 2), (2, 1, 2)], [1]).replace(weight=[1, 0, 1])
    assert completions(solve("gittins", none)) == [2, 6, 4]


# Fair sharing


@every_rule
def test_cores_are_shared_by_weight(name: str) -> None:
    # Three cores and one, until job 0 has had 12 core-slots and job 1 four; then all four.
    result = solve(name, slotted([(0, 4, 3), (0, 4, 3)], [4]).replace(weight=[3, 1]))
    assert pieces(result) == [(0, 0, 0, 4, 3), (0, 1, 0, 4, 1), (4, 1, 0, 6, 4)]


@every_rule
def test_remainders_are_carried_from_slot_to_slot(name: str) -> None:
    # 4/3 cores each. Slot 1: equal remainders, the second core goes to job 0. 2: job 0 owes 2/3, the others are owed
    # 1/3. 3: job 2 is owed 2/3. All have had 4 core-slots by then.
    three = slotted([(0, 2, 2)] * 3, [4])
    assert [piece for piece in pieces(solve(name, three)) if piece[4] == 2] == [
        (0, 0, 0, 1, 2), (1, 1, 0, 2, 2), (2, 2, 0, 3, 2),
    ]  # fmt: skip
    # Dropped, job 0 has two cores until it is done, then the others have two each.
    dropped = solve(name, three, remainders="dropped")
    assert pieces(dropped) == [
        (0, 0, 0, 2, 2), (0, 1, 0, 2, 1), (0, 2, 0, 2, 1), (2, 1, 0, 3, 2), (2, 2, 0, 3, 2),
    ]  # fmt: skip


@every_rule
def test_memory_of_the_pool_bounds_shares_of_cores(name: str) -> None:
    # One gigabyte for two jobs: half a core each, one in all. They take turns.
    result = solve(name, slotted([(0, (1, 1), 3), (0, (1, 1), 2)], [(2, 1)]))
    assert [job for _, job, _, _, _ in pieces(result)] == [0, 1, 0, 1, 0]
    assert completions(result) == [5, 4]


@every_rule
def test_who_was_refused_memory_comes_first_in_the_next_slot(name: str) -> None:
    # Of 4 GB both could have two thirds of 3 each, so 4/3 cores, and are given one; but 3 and 3 do not fit together.
    # Slot 1: job 0 is first, and gets the idle cores that it can use. 2: job 1 is owed 4/3, job 0 owes 2/3. 3: both are
    # owed 2/3.
    result = solve(name, slotted([(0, (2, 3), 2), (0, (2, 3), 2)], [(4, 4)]), record=True)
    assert pieces(result) == [(0, 0, 0, 1, 2), (1, 1, 0, 2, 2), (2, 0, 0, 3, 2), (3, 1, 0, 4, 2)]
    refused = result.stats["refused"]
    assert (refused["slot"].tolist(), refused["job"].tolist()) == ([1, 2, 3], [1, 0, 1])


def test_dominant_shares_and_proportional_fairness_differ_where_two_resources_are_short() -> None:
    # Job 0 takes cores and memory, jobs 1 and 2 one of them each (2 the least of cores): a slot of 60 cores and 60 GB.
    instance = slotted([(0, (60, 60), 9), (0, (60, 0), 9), (0, (1, 60), 9)], [(60, 60)])
    got = {name: solve(name, instance, max_slots=1, mem_mode="once") for name in FAIR}
    # DRF: cores are used up at 60 / 121 of everything; job 2 could have more memory, but asks for cores, too.
    assert [amount for *_, amount in pieces(got["drf"])] == [30, 30]
    # PF: 1 / x_0 = p + q, 1 / x_1 = p, 1 / x_2 = p / 60 + q, x_0 + x_1 + x_2 / 60 = 1, x_0 + x_2 = 1: x_0 = 0.3348
    # about
    assert [amount for *_, amount in pieces(got["proportional_fairness"])] == [20, 39]


@every_rule
def test_an_unknown_treatment_of_remainders_gets_the_close_match(name: str) -> None:
    with pytest.raises(InvalidInstanceError, match=r"remainders.*carry.*carried"):
        solve(name, slotted([(0, 1, 1)], [1]), remainders="carry")
