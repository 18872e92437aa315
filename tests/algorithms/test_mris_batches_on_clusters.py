"""Batches of MRIS on clusters, by hand: who loses a place waits for the next one."""

import numpy as np
import pytest

import schedcore as sc
from schedcore.errors import UnsupportedError

PAIR = sc.Machines([[2], [2]])
# Each takes a whole machine for 4; the greedy knapsack takes all three at 4, the end of the first interval.
THREE = sc.Instance(sc.Jobs([4, 4, 4], [[2], [2], [2]]), PAIR)


def rows(result: sc.Result) -> list[tuple[int, float, float, str, int]]:
    runs = result.runs
    assert runs is not None
    machines = runs.allocation.machine.tolist()
    columns = (runs.job, runs.start_time, runs.end_time, runs.outcome)
    return list(zip(*(column.tolist() for column in columns), machines, strict=True))


def test_without_anything_of_a_cluster_the_third_job_waits_for_the_first() -> None:
    result = sc.mris(THREE, knapsack="greedy")
    assert result.schedule.start_time.tolist() == [4, 4, 8]
    assert result.schedule.machine.tolist() == [0, 1, 0]
    assert result.guarantee == 4 * (2 * 2 + 1)


def test_a_planned_job_whose_machine_fails_enters_the_next_batch() -> None:
    failures = sc.Outages([0], [6], [7])
    result = sc.mris(THREE, knapsack="greedy", incidents=sc.Incidents(failures))
    # At 6 job 0 is killed and the plan for job 2, on machine 0 at 8, is void. Machine 0 is back at 7, but the next
    # batch is taken at 8, when job 1 ends.
    assert rows(result) == [
        (0, 4, 6, "killed", 0),
        (1, 4, 8, "completed", 1),
        (0, 8, 12, "completed", 0),
        (2, 8, 12, "completed", 1),
    ]
    assert [each["chosen"] for each in result.stats["iterations"]] == [[0, 1, 2], [0, 2]]
    assert result.guarantee is None


def test_nothing_is_planned_into_an_announced_outage() -> None:
    result = sc.mris(THREE.replace(outages=sc.Outages([0], [7], [9])), knapsack="greedy")
    # Before the outage machine 0 has no time for a job.
    assert rows(result) == [
        (0, 4, 8, "completed", 1),
        (1, 8, 12, "completed", 1),
        (2, 9, 13, "completed", 0),
    ]
    assert result.guarantee is None


def test_a_job_without_a_place_is_no_candidate_until_it_has_one() -> None:
    told = THREE.replace(
        machines=PAIR.replace(labels=[["a"], ["b"]]), constraint=np.array(["a", "b", "b"], dtype=object)
    )
    failures = sc.Outages([0], [1], [5])
    result = sc.mris(told, knapsack="greedy", incidents=sc.Incidents(failures))
    # Machine 0 is down at 4, so the first batch is without job 0. It has a place again from 5 on: the next batch.
    assert [each["chosen"] for each in result.stats["iterations"]] == [[1, 2], [0]]
    assert rows(result)[1:] == [(0, 8, 12, "completed", 0), (2, 8, 12, "completed", 1)]


def test_jobs_of_several_tasks_are_refused_by_name() -> None:
    wide = THREE.replace(n_tasks=[2, 1, 1], demand=[[1], [2], [2]])
    with pytest.raises(UnsupportedError, match="'mris' does not take jobs of several tasks"):
        sc.mris(wide)
