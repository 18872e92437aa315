"""JSQ-MW: how tasks join queues, and which queue a machine serves."""

from hypothesis import given

import schedcore
from parallel_task_cases import parallel_tasks, pieces
from properties.parallel_task_instances import parallel_task_instances


def test_tasks_that_are_local_everywhere_never_join_the_remote_queue() -> None:
    # All go to the shorter of two local queues, ties to machine 0: 0, 1, 0, 1. Each machine runs its own, one by one.
    rows = [(0, [1], {0: p, 1: p}) for p in (5, 1, 1, 1)]
    instance = parallel_tasks([1], rows, [[1], [1]], local=[[0, 1]] * 4)
    result = schedcore.solve("jsq_mw", instance)
    assert sorted(pieces(result)) == [(0, 0, 0, 0, 5), (0, 1, 1, 0, 1), (0, 2, 0, 5, 6), (0, 3, 1, 1, 2)]


def test_a_task_without_local_machines_joins_the_remote_queue() -> None:
    instance = parallel_tasks([1], [(0, [1], {0: 2, 1: 3})], [[1], [1]], local=[[]])
    assert sorted(pieces(schedcore.solve("jsq_mw", instance))) == [(0, 0, 0, 0, 2)]


def test_weights_are_ignored() -> None:
    rows = [(0, [1], {0: 2}), (1, [1], {0: 1})]
    light = schedcore.solve("jsq_mw", parallel_tasks([1, 100], rows, [[1]]))
    heavy = schedcore.solve("jsq_mw", parallel_tasks([100, 1], rows, [[1]]))
    assert sorted(pieces(light)) == sorted(pieces(heavy)) == [(0, 0, 0, 0, 2), (1, 0, 0, 2, 3)]


def test_a_small_task_overtakes_one_that_does_not_fit() -> None:
    rows = [(0, [3], {0: 2}), (0, [3], {0: 2}), (0, [1], {0: 9})]
    result = schedcore.solve("jsq_mw", parallel_tasks([1], rows, [[4]]))
    assert sorted(pieces(result)) == [(0, 0, 0, 0, 2), (0, 1, 0, 2, 4), (0, 2, 0, 0, 9)]


@given(parallel_task_instances(releases=("zero", "whole", "quarters"), max_resources=3))
def test_schedules_are_valid(instance: schedcore.ParallelTaskInstance) -> None:
    result = schedcore.solve("jsq_mw", instance)
    report = schedcore.validate(instance, result.schedule, kind="nonpreempt")
    assert report, report.message
