"""SynchPack-2: its bound, its options, and what it refuses."""

import numpy as np
import pytest

from parallel_task_cases import THREE_PINNED_JOBS, parallel_tasks
from schedcore.algorithms.parallel_tasks.synchpack2 import synchpack2
from schedcore.bounds.parallel_tasks import WHOLE_TASK

QUARTER = WHOLE_TASK // 4


EXAMPLE = THREE_PINNED_JOBS
# Both tasks of job 0: 3/4 in interval 2, 1/4 in interval 3; job 1 in interval 1; job 2 in interval 2.
EXAMPLE_SOLUTION = [
    [0, 0, 0, 2, 3 * QUARTER],
    [0, 0, 0, 3, QUARTER],
    [0, 1, 1, 2, 3 * QUARTER],
    [0, 1, 1, 3, QUARTER],
    [1, 0, 0, 1, WHOLE_TASK],
    [1, 1, 1, 1, WHOLE_TASK],
    [2, 0, 0, 2, WHOLE_TASK],
]


def test_the_program_of_the_worked_example_bounds_its_value() -> None:
    result = synchpack2(EXAMPLE)
    assert result.value == 15
    assert result.lower_bound == pytest.approx(7.5, rel=1e-6)
    assert result.lower_bound <= 7.5
    assert result.guarantee == 24
    assert result.stats["lp_status"] == "optimal"


def test_a_number_is_taken_as_lambda() -> None:
    result = synchpack2(EXAMPLE, lam=0.75, lp_solution=EXAMPLE_SOLUTION)
    assert result.stats["lambda"] == 0.75
    assert result.stats["proxy"] == 28 / 3


def test_a_random_lambda_is_the_root_of_the_first_number_of_the_stream() -> None:
    # SplitMix64 from 0 begins with 0xE220A8397B1DCDAF.
    units = round(np.sqrt((0xE220A8397B1DCDAF >> 11) * 2.0**-53) * WHOLE_TASK)
    result = synchpack2(EXAMPLE, lam="random", seed=0, lp_solution=EXAMPLE_SOLUTION)
    assert result.stats["lambda"] == units / WHOLE_TASK
    assert result.guarantee is None


def test_the_list_may_follow_the_program() -> None:
    # One at a time, in one interval; of job 0 less is done by the end of interval 1.
    instance = parallel_tasks([1, 1], [(0, [1], {0: 2}), (1, [1], {0: 2})], [[1]])
    rows = [
        [0, 0, 0, 1, QUARTER],
        [0, 0, 0, 2, 3 * QUARTER],
        [1, 0, 0, 1, 2 * QUARTER],
        [1, 0, 0, 2, 2 * QUARTER],
    ]
    by_index = synchpack2(instance, lam=0.25, lp_solution=rows, shift=False)
    by_program = synchpack2(instance, lam=0.25, lp_solution=rows, shift=False, order="lp")
    assert (
        by_index.stats["interval_of_task"].tolist() == by_program.stats["interval_of_task"].tolist() == [1, 1]
    )
    assert by_index.completion_time.tolist() == [2, 4]
    assert by_program.completion_time.tolist() == [4, 2]


def test_guarantees_are_for_what_is_proven() -> None:
    assert synchpack2(EXAMPLE, lam=1).guarantee is None
    assert synchpack2(EXAMPLE, cap="machine").guarantee is None
    assert synchpack2(parallel_tasks([1], [(0, [5, 1], {0: 4})], [[10, 10]])).guarantee is None
    assert synchpack2(EXAMPLE, online=True, tau0=3).guarantee is None


def test_no_time_gives_no_schedule_but_a_bound() -> None:
    result = synchpack2(EXAMPLE, time_limit=1e-9)
    assert result.stats["lp_status"] == "time_limit"
    assert result.schedule is None
    assert result.value == float("inf")
    assert 0 <= result.lower_bound <= 7.5
    online = synchpack2(EXAMPLE, time_limit=1e-9, online=True, tau0=3)
    assert online.schedule is None
    assert online.stats["lp_status"] == "time_limit"
    assert [epoch["n_started"] for epoch in online.stats["epochs"]] == [0]
