"""Policies that know no processing times, on examples that are worked out by hand."""

from schedcore import solve
from slotted_cases import completions, pieces, slotted

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
