"""The algorithms for parallel tasks decide exactly as their references, given the same solutions of the programs.

Integers are compared bit for bit. SynchPack-1 and PSRS divide times, so there the pieces must be the same and their
ends within 1e-9 (1 + t); SynchPack-1 is given whole percents, so that different instants are never that close.
"""

from fractions import Fraction
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from differential.parallel_task_pieces import assert_close, drawn, rows_of, solved
from example_shares import examples
from properties.parallel_task_instances import (
    completions,
    huge_parallel_task_instances,
    parallel_task_instances,
    parallel_tasks,
    plain,
    shares_of,
    solution_rows,
    solved_shares,
)
from reference.parallel_tasks_fractions import Share, interval_ends, lp_completion
from reference.parallel_tasks_jsq_mw import jsq_mw
from reference.parallel_tasks_psrs import psrs
from reference.parallel_tasks_synchpack1 import synchpack1
from reference.parallel_tasks_synchpack2 import synchpack2
from reference.parallel_tasks_synchpack3 import synchpack3
from reference.parallel_tasks_tetris import tetris_np, tetris_p

Instance = schedcore.ParallelTaskInstance

ALL_RELEASES = ("zero", "whole", "quarters")
LAMBDAS: dict[str, str | float] = {"derand": "derand", "1": 1.0, "1/2": 0.5, "3/8": 0.375, "3/4": 0.75}
EPSILONS = [(1.0, Fraction(1)), (0.5, Fraction(1, 2)), (0.1, Fraction(1, 10))]


def exact(lam: str | float) -> str | Fraction:
    return lam if isinstance(lam, str) else Fraction(lam)


# SynchPack-1


def assert_synchpack1(
    instance: Instance, shares: list[Share], epsilon: tuple[float, Fraction], **options: Any
) -> None:
    jobs = plain(instance)
    ends = interval_ends(jobs.horizon(), epsilon[1])
    result = schedcore.solve(
        "synchpack1", instance, epsilon=epsilon[0], lp_solution=solution_rows(instance, shares), **options
    )
    reference = synchpack1(jobs, shares, len(ends), **{**options, "lam": exact(options["lam"])})
    assert result.stats["lambda"] == pytest.approx(float(reference.lam), rel=1e-12)
    assert list(result.stats["tau"]) == pytest.approx([float(t) for t in reference.tau], rel=1e-12)
    assert (result.stats["horizon"], result.stats["n_intervals"]) == (jobs.horizon(), len(ends))
    completion = lp_completion(jobs, shares, ends)
    assert list(result.stats["lp_completion"]) == pytest.approx([float(c) for c in completion.values()])
    assert_close(result, reference.pieces)


@pytest.mark.parametrize("lam", LAMBDAS.values(), ids=LAMBDAS)
@examples(25)
@given(data=st.data(), cap=st.sampled_from(["task", "machine"]), shift=st.booleans())
def test_synchpack1_equals_the_reference_on_any_fractions(
    lam: str | float, data: st.DataObject, cap: str, shift: bool
) -> None:
    instance = data.draw(parallel_task_instances(max_resources=2))
    epsilon = data.draw(st.sampled_from(EPSILONS))
    shares = data.draw(shares_of(plain(instance), epsilon=epsilon[1]))
    assert_synchpack1(instance, shares, epsilon, lam=lam, cap=cap, shift=shift)


@examples(25)
@given(
    data=st.data(),
    instance=parallel_task_instances(min_jobs=1),
    cap=st.sampled_from(["task", "machine"]),
    shift=st.booleans(),
)
def test_synchpack1_equals_the_reference_on_solutions(
    data: st.DataObject, instance: Instance, cap: str, shift: bool
) -> None:
    epsilon = data.draw(st.sampled_from(EPSILONS))
    shares = solved_shares(plain(instance), epsilon[1])
    assert_synchpack1(instance, shares, epsilon, lam="derand", cap=cap, shift=shift)


@examples(25)
@given(data=st.data(), instance=parallel_task_instances() | huge_parallel_task_instances(longest=2**28))
def test_synchpack1_handles_ends_a_billionth_apart(data: st.DataObject, instance: Instance) -> None:
    jobs = plain(instance)
    shares = data.draw(shares_of(jobs, tidy=False))
    rows = solution_rows(instance, shares)
    result = schedcore.solve("synchpack1", instance, lp_solution=rows, shift=False)
    reference = synchpack1(jobs, shares, len(interval_ends(jobs.horizon())), shift=False)
    assert list(result.stats["tau"]) == pytest.approx([float(t) for t in reference.tau], rel=1e-12)
    assert result.stats["lambda"] == pytest.approx(float(reference.lam), rel=1e-12)
    wanted = [float(c) for c in jobs.completion_times(reference.pieces)]
    assert result.completion_time.tolist() == pytest.approx(wanted, rel=1e-9)
    schedcore.validate(instance, result.schedule, kind="migrate", raise_on_error=True)
    shifted = schedcore.solve("synchpack1", instance, lp_solution=rows)
    schedcore.validate(instance, shifted.schedule, kind="migrate", raise_on_error=True)
    assert (shifted.completion_time <= result.completion_time * (1 + 1e-12)).all()


# SynchPack-2


def assert_synchpack2(instance: Instance, shares: list[Share], **options: Any) -> None:
    jobs = plain(instance)
    ends = interval_ends(jobs.horizon())
    rows = solution_rows(instance, shares)
    result = schedcore.solve("synchpack2", instance, lp_solution=rows, **options)
    reference = synchpack2(jobs, shares, **{**options, "lam": exact(options["lam"])})
    assert result.stats["lambda"] == float(reference.lam)
    assert result.stats["proxy"] == pytest.approx(float(reference.proxy), rel=1e-12)
    tasks = range(len(jobs.tasks))
    assert list(result.stats["machine_of_task"]) == [reference.machine_of[t] for t in tasks]
    assert list(result.stats["interval_of_task"]) == [reference.interval_of[t] for t in tasks]
    completion = lp_completion(jobs, shares, ends)
    assert list(result.stats["lp_completion"]) == pytest.approx([float(c) for c in completion.values()])
    assert (result.stats["horizon"], result.stats["n_intervals"]) == (jobs.horizon(), len(ends))
    assert rows_of(result) == drawn(reference.pieces)


@pytest.mark.parametrize("lam", LAMBDAS.values(), ids=LAMBDAS)
@examples(30)
@given(
    data=st.data(),
    instance=parallel_task_instances(max_resources=2) | huge_parallel_task_instances(),
    tidy=st.booleans(),
)
def test_synchpack2_equals_the_reference_on_any_fractions(
    lam: str | float, data: st.DataObject, instance: Instance, tidy: bool
) -> None:
    shares = data.draw(shares_of(plain(instance), doubling=True, tidy=tidy))
    options = data.draw(
        st.fixed_dictionaries(
            {
                "cap": st.sampled_from(["task", "machine"]),
                "shift": st.booleans(),
                "order": st.sampled_from(["index", "lp"]),
            }
        )
    )
    assert_synchpack2(instance, shares, lam=lam, **options)


@examples(25)
@given(
    instance=parallel_task_instances(min_jobs=1), shift=st.booleans(), order=st.sampled_from(["index", "lp"])
)
def test_synchpack2_equals_the_reference_on_solutions(instance: Instance, shift: bool, order: str) -> None:
    shares = solved_shares(plain(instance), doubling=True)
    assert_synchpack2(instance, shares, lam="derand", cap="task", shift=shift, order=order)


@examples(30)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_the_random_speed_is_one_of_the_speeds_of_the_reference(data: st.DataObject, seed: int) -> None:
    instance = data.draw(parallel_task_instances())
    shares = data.draw(shares_of(plain(instance), doubling=True))
    rows = solution_rows(instance, shares)
    result = schedcore.solve("synchpack2", instance, lp_solution=rows, lam="random", seed=seed)
    lam = Fraction(round(result.stats["lambda"] * 10**9), 10**9)
    assert 0 < lam <= 1
    assert rows_of(result) == drawn(synchpack2(plain(instance), shares, lam=lam).pieces)


# SynchPack-3


@given(
    data=st.data(),
    instance=parallel_task_instances(single_machine=True, max_jobs=6, max_resources=2)
    | huge_parallel_task_instances(single_machine=True),
)
def test_synchpack3_equals_the_reference(data: st.DataObject, instance: Instance) -> None:
    completion = data.draw(completions(instance))
    result = schedcore.solve("synchpack3", instance, lp_solution=np.array(completion))
    order, pieces = synchpack3(plain(instance), completion)
    assert list(result.stats["order"]) == order
    assert list(result.stats["lp_completion"]) == completion
    assert rows_of(result) == drawn(pieces)


# Baselines


@given(
    instance=parallel_task_instances(single_machine=True, max_jobs=6, releases=ALL_RELEASES),
    v=st.sampled_from([0.836, 1.0, 0.5, 0.9]),
)
def test_psrs_equals_the_reference(instance: Instance, v: float) -> None:
    result = schedcore.solve("psrs", instance, v=v)
    assert_close(result, psrs(plain(instance), Fraction(str(v))))


@given(
    instance=parallel_task_instances(single_machine=True, max_jobs=4, max_machines=1, largest_capacity=4),
)
def test_psrs_equals_the_reference_where_most_tasks_are_wide(instance: Instance) -> None:
    assert_close(schedcore.solve("psrs", instance), psrs(plain(instance)))


@pytest.mark.parametrize("name", ["tetris_p", "tetris_np"])
@given(
    instance=parallel_task_instances(max_jobs=5, max_resources=2, releases=ALL_RELEASES),
    scale=st.sampled_from(["balanced", 1.0, 0.25, 3.0]),
    remote=st.sampled_from(["divide", "ten_percent"]),
)
def test_tetris_equals_the_reference(name: str, instance: Instance, scale: Any, remote: str) -> None:
    reference = {"tetris_p": tetris_p, "tetris_np": tetris_np}[name](plain(instance), exact(scale), remote)
    hypothesis.assume(not reference.close_scores)
    result = schedcore.solve(name, instance, scale=scale, remote=remote)
    assert rows_of(result) == drawn(reference.pieces)


@given(
    instance=parallel_task_instances(max_jobs=6, max_resources=2, releases=ALL_RELEASES)
    | huge_parallel_task_instances(releases=ALL_RELEASES)
)
def test_jsq_mw_equals_the_reference(instance: Instance) -> None:
    pieces, _ = jsq_mw(plain(instance))
    assert rows_of(schedcore.solve("jsq_mw", instance)) == drawn(pieces)


# The smallest instances that once told reference implementation and library apart are kept here


def test_a_task_of_two_machines_never_runs_on_both_at_once() -> None:
    instance = parallel_tasks([1], [(0, [1], {0: 2, 1: 2})], [[1], [1]])
    shares = [Share(1, 0, 0, 10**9 // 2), Share(1, 0, 1, 10**9 // 2)]
    assert_synchpack1(instance, shares, EPSILONS[0], lam=1.0, cap="task", shift=True)


def test_pieces_that_move_far_to_the_left_keep_their_length() -> None:
    # Task 2 waits for the second part of task 1, which slow motion makes needless: from 5 * (1 + 2**24) it moves to 1,
    # where an end that is rounded as at 2**26 would be off by 1e-8
    instance = parallel_tasks(
        [1, 1, 1], [(0, [1], {0: 1}), (1, [1], {0: 2**26, 1: 1}), (2, [1], {0: 1})], [[1], [1]]
    )
    unit = 10**9
    shares = [
        Share(0, 0, 0, unit),
        Share(0, 1, 1, unit * 3 // 4),
        Share(1, 1, 0, unit // 4),
        Share(2, 2, 0, unit),
    ]
    for lam in (0.2, 0.35, 0.01):
        result = solved(
            "synchpack1", instance, "migrate", lp_solution=solution_rows(instance, shares), lam=lam
        )
        assert result.completion_time.tolist() == pytest.approx([1, 1, 2], rel=1e-12)


def test_speeds_are_valued_where_a_task_has_done_exactly_that_much() -> None:
    # by 1.25 job 1 has done 0.69, 0.69 and 0.56; at speed 0.56 its last task is done at 0.56 in the greedy schedule,
    # at any higher speed only after 3.56
    instance = parallel_tasks(
        [1, 1], [(0, [4], {0: 2}), (1, [1], {0: 1}), (1, [2], {0: 1}), (1, [4], {0: 1})], [[4]]
    )
    hundredth = 10**7
    shares = [
        Share(0, 3, 0, 56 * hundredth),
        Share(1, 1, 0, 69 * hundredth),
        Share(2, 1, 0, 31 * hundredth),
        Share(3, 2, 0, 100 * hundredth),
        Share(4, 0, 0, 100 * hundredth),
        Share(5, 3, 0, 44 * hundredth),
    ]
    assert_synchpack1(instance, shares, EPSILONS[2], lam="derand", cap="task", shift=False)
