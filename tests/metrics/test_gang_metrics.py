"""What jobs of several tasks use: all of their tasks count, on the machines where they are."""

import numpy as np
import pytest

from schedcore import Allocation, Instance, Jobs, Machines, Schedule, UnsupportedError, metrics
from schedcore.plotting import plot_packing

# Job 0: 3 tasks of 2 units for 10 s, two on machine 0, one on machine 1. Job 1: 1 task of 4 for 5 s on machine 1.
JOBS = Jobs([10, 5], [[2], [4]], n_tasks=[3, 1])
INSTANCE = Instance(JOBS, Machines([[4], [6]], ["cores"]))
SCHEDULE = Schedule([0, 0], [0, 1], Allocation([0, 0, 1], [0, 1, 1], [2, 1, 1]))


def test_all_tasks_of_a_job_are_its_demand() -> None:
    assert INSTANCE.demand_of_all_tasks().tolist() == [[6], [4]]
    one_task = INSTANCE.replace(n_tasks=1)
    assert one_task.demand_of_all_tasks() is one_task.demand
    huge = Instance(Jobs([1], [[2**53]], n_tasks=[2**11]), INSTANCE.machines)
    with pytest.raises(UnsupportedError, match=rf"job 0 takes {2**64} of cores, more than 2\*\*53"):
        huge.demand_of_all_tasks()


def test_use_counts_the_tasks_that_are_on_a_machine() -> None:
    together = metrics.resource_usage(INSTANCE, SCHEDULE)
    assert together.at(np.array([1.0, 7.0])).tolist() == [[10], [6]]
    first, second = (metrics.resource_usage(INSTANCE, SCHEDULE, machine) for machine in (0, 1))
    assert first.at(np.array([1.0, 7.0])).tolist() == [[4], [4]]
    assert second.at(np.array([1.0, 7.0])).tolist() == [[6], [2]]


def test_utilisation_counts_all_tasks() -> None:
    # (6 * 10 + 4 * 5) of 10 units * 10 s.
    assert metrics.utilisation(INSTANCE, SCHEDULE).tolist() == [0.8]
    assert metrics.summary(INSTANCE, SCHEDULE)["utilisation"] == (0.8,)


def test_sizes_are_those_of_whole_jobs() -> None:
    assert metrics.size_classes(INSTANCE).names == ("3-4", "5-8")
    assert metrics.shape_classes(INSTANCE, narrow=5).names == ("narrow short", "wide short")


def test_a_drawing_of_machines_refuses_jobs_of_several_tasks() -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(UnsupportedError, match="a drawing of machines does not take jobs of several tasks"):
        plot_packing(INSTANCE, SCHEDULE)
