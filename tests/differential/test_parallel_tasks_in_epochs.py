"""SynchPack-2 and -3 in epochs decide exactly as their references, given the same solution for every active epoch."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import schedcore
from differential.parallel_task_pieces import drawn, rows_of
from properties.parallel_task_instances import (
    completions,
    parallel_task_instances,
    plain,
    shares_of,
    solution_rows,
)
from reference.parallel_tasks_fractions import Share
from reference.parallel_tasks_online import ReferenceEpoch, synchpack2_online, synchpack3_online

Instance = schedcore.ParallelTaskInstance

ALL_RELEASES = ("zero", "whole", "quarters")


def assert_epochs(stats: Any, records: list[ReferenceEpoch]) -> None:
    got = [(e["start"], e["end"], e.get("order"), e.get("n_started")) for e in stats["epochs"]]
    plain_rows = [(s, e, None if o is None else list(o), n) for s, e, o, n in got]
    assert plain_rows == [(r.start, r.end, r.order, r.n_started) for r in records]


epoch_options = st.fixed_dictionaries(
    {
        "tau0": st.sampled_from([0.5, 1.0, 3.0, 4.5, 10.0, 40.0]),
        "gamma": st.sampled_from([50.0, 0.0, 5.0]),
        "beta": st.sampled_from([3.0, 0.5, 0.0]),
    }
)


@given(
    data=st.data(),
    instance=parallel_task_instances(single_machine=True, max_resources=2, releases=ALL_RELEASES),
    options=epoch_options,
)
def test_synchpack3_in_epochs_equals_the_reference(
    data: st.DataObject, instance: Instance, options: dict[str, float]
) -> None:
    solutions: list[list[float]] = []

    def solution(jobs: list[int], remaining: dict[int, int]) -> list[float]:
        solutions.append(data.draw(completions(instance)))
        return solutions[-1]

    pieces, records = synchpack3_online(plain(instance), solution, **options)
    result = schedcore.solve("synchpack3", instance, online=True, lp_solution=solutions, **options)
    assert rows_of(result) == drawn(pieces)
    assert_epochs(result.stats, records)


@given(
    data=st.data(),
    instance=parallel_task_instances(max_resources=2, releases=ALL_RELEASES),
    options=epoch_options,
)
def test_synchpack2_in_epochs_equals_the_reference(
    data: st.DataObject, instance: Instance, options: dict[str, float]
) -> None:
    jobs = plain(instance)
    solutions: list[Any] = []

    def solution(active: list[int], tasks: list[int]) -> list[Share]:
        shares = data.draw(shares_of(jobs, tasks=tasks, doubling=True))
        others = [t for t in range(len(jobs.tasks)) if t not in tasks]
        ignored = [Share(0, t, next(iter(jobs.tasks[t].time)), 5) for t in others]
        solutions.append(solution_rows(instance, [*shares, *ignored]))
        return shares

    pieces, records = synchpack2_online(jobs, solution, **options)
    result = schedcore.solve("synchpack2", instance, online=True, lp_solution=solutions, **options)
    assert rows_of(result) == drawn(pieces)
    assert_epochs(result.stats, records)
