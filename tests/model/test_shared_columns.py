"""What every kind of instance with jobs has under the same names, so that nobody needs to ask for the kind."""

from typing import Any

import numpy as np
import pytest

from schedcore import Instance, Jobs, Machines, PreemptiveSchedule
from schedcore.workloads import generate

JOBS = Instance(
    Jobs([3, 5], [[2, 1], [1, 4]], release_time=[0, 4], weight=[1, 2], id=[0, 17]), Machines([[4, 4]])
)
KINDS = [
    JOBS,
    generate("parallel_task_standin", n_jobs=4, n_machines=3, seed=1),
    generate("mapreduce_standin", n_jobs=4, seed=1, window=50),
]


@pytest.mark.parametrize("inst", KINDS, ids=lambda inst: type(inst).__name__)
def test_jobs_are_taken_and_released_alike(inst: Any) -> None:
    later = inst.release_time + 1
    assert (inst.replace(release_time=later).release_time == later).all()
    assert inst.replace(machines=inst.machines) == inst
    assert inst.take_jobs([1, 0]).release_time.tolist() == inst.release_time[[1, 0]].tolist()
    assert inst.take_jobs(slice(0)).work().tolist() == [0.0] * inst.n_resources


@pytest.mark.parametrize("inst", KINDS, ids=lambda inst: type(inst).__name__)
def test_work_is_the_sum_of_that_of_the_jobs(inst: Any) -> None:
    of_jobs = [inst.take_jobs([job]).work() for job in range(inst.n_jobs)]
    assert np.sum(of_jobs, axis=0) == pytest.approx(inst.work())


def test_columns_of_jobs_are_columns_of_their_instance() -> None:
    for name in ("release_time", "processing_time", "weight", "demand"):
        assert getattr(JOBS, name) is getattr(JOBS.jobs, name)
    assert JOBS.work().tolist() == [3 * 2 + 5 * 1, 3 * 1 + 5 * 4]


def test_a_job_is_named_with_its_identifier_where_that_is_another_number() -> None:
    assert [JOBS.job_name(job) for job in (0, 1, 2, -1)] == ["job 0", "job 1 (id 17)", "job 2", "job -1"]


def test_pieces_hold_cores_in_slots_and_demands_elsewhere() -> None:
    in_slots = PreemptiveSchedule([0, 1], [-1, -1], [0, 0], [0, 4], [3, 9], amount=[2, 3])
    assert JOBS.held_amounts(in_slots, 0).tolist() == [2, 3]
    assert JOBS.held_amounts(in_slots, 1).tolist() == [1, 4]  # believed, and here also true
    assert KINDS[2].held_amounts(in_slots, 0).tolist() == [2, 3]
    tasks = PreemptiveSchedule([1, 0], [0, 1], [0, 0], [0, 4], [3, 9])
    rows = KINDS[1].task_start[tasks.job] + tasks.task
    assert KINDS[1].held_amounts(tasks, 0).tolist() == KINDS[1].demand[rows, 0].tolist()
