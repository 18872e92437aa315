"""Packing into epochs: names in any case, and what is refused."""

import re

import pytest

import schedcore

SIX_JOBS = [(6, 2), (6, 4), (7, 16), (8, 16), (4, 16), (2, 10)]


@pytest.mark.parametrize("rule", ["fcfs", "unc", "ff", "bb!", "bl(2)", "sb"])
def test_a_rule_may_be_written_in_any_case(rule: str) -> None:
    packed = schedcore.epochs(SIX_JOBS, (16, 32), rule)
    assert sorted(job for epoch in packed for job in epoch) == list(range(6))
    assert schedcore.epochs(SIX_JOBS, (16, 32), f" {rule.upper()} ") == packed


@pytest.mark.parametrize(
    ("demand", "capacity", "rule", "message"),
    [
        ([(1, 1)], (4,), "ff", "demand has 2 resources, capacity 1"),
        ([(1,)], (4, 4), "fcfs", "demand has 1 resources, capacity 2"),
        ([(1,)], (4,), "fcf", "unknown rule 'fcf'; did you mean 'fcfs'"),
        ([(1,)], (4,), 3, "choices: fcfs, unc, ff, bb"),
        ([(1,)], (4,), "bl(w)", "stands for a number"),
    ],
)
def test_what_makes_no_sense_is_refused(
    demand: list[tuple[int, ...]], capacity: tuple[int, ...], rule: str, message: str
) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match=re.escape(message)):
        schedcore.epochs(demand, capacity, rule)


def test_a_job_above_the_capacity_is_refused_by_name() -> None:
    with pytest.raises(schedcore.InfeasibleError, match=r"job 1 demands \(5,\)"):
        schedcore.epochs([(1,), (5,)], (4,), "ff")
