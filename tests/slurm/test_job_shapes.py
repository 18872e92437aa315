"""What a job asks of Slurm becomes equal tasks that take no less than Slurm gives, and what is inexact is said."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore.slurm import SlurmJob
from schedcore.slurm.cluster_machines import Resources
from schedcore.slurm.job_shapes import JobShape, shape_of_job

RESOURCES = Resources(memory=True, gres=("gpu",))


def shape(*, memory: float | None = 1000.0, **asked: object) -> JobShape:
    job = SlurmJob(job_id=1, state="PENDING", memory_per_node=memory, **asked)  # type: ignore[arg-type]
    return shape_of_job(job, RESOURCES)


def test_nodes_with_tasks_per_node_are_one_nodes_share_each() -> None:
    got = shape(min_nodes=3, max_nodes=3, n_tasks=6, tasks_per_node=2, cpus_per_task=4)
    assert got == JobShape(3, (8, 1000, 0), 1)


def test_nodes_alone_have_one_task_each() -> None:
    assert shape(min_nodes=3, max_nodes=3, n_tasks=3, cpus_per_task=4) == JobShape(3, (4, 1000, 0), 1)


def test_one_node_holds_all_tasks() -> None:
    assert shape(min_nodes=1, max_nodes=1, n_tasks=6, cpus_per_task=2) == JobShape(1, (12, 1000, 0), 1)


def test_tasks_alone_are_tasks_wherever_they_fit() -> None:
    got = shape(memory=None, memory_per_cpu=100.0, min_nodes=1, n_tasks=6, cpus_per_task=2)
    assert got == JobShape(6, (2, 200, 0), 0)


def test_memory_of_a_node_is_divided_among_tasks_alone_and_that_is_said() -> None:
    got = shape(min_nodes=1, n_tasks=6, cpus_per_task=2)
    assert (got.n_tasks, got.demand, got.per_machine) == (6, (2, 167, 0), 0)
    assert [setting for setting, _ in got.notes] == ["job: --mem with -n alone"]


def test_tasks_over_nodes_are_divided_evenly_rounded_up_and_that_is_said() -> None:
    got = shape(min_nodes=4, max_nodes=4, n_tasks=14, cpus_per_task=1)
    assert (got.n_tasks, got.demand, got.per_machine) == (4, (4, 1000, 0), 1)
    assert [setting for setting, _ in got.notes] == ["job: -n and -N"]


def test_tasks_per_node_without_nodes_bound_the_tasks_of_a_machine() -> None:
    got = shape(memory=None, memory_per_cpu=1.0, min_nodes=1, n_tasks=5, tasks_per_node=2, cpus_per_task=1)
    assert (got.n_tasks, got.per_machine) == (5, 2)


def test_no_more_nodes_are_used_than_the_partition_or_the_job_allows() -> None:
    job = SlurmJob(job_id=1, state="PENDING", min_nodes=1, n_tasks=10, cpus_per_task=1, memory_per_cpu=1.0)
    got = shape_of_job(job, RESOURCES, most_nodes=3)
    assert (got.n_tasks, got.demand[0]) == (3, 4)  # three parts of four tasks
    ranged = shape(memory=None, memory_per_cpu=1.0, min_nodes=1, max_nodes=2, n_tasks=4, cpus_per_task=1)
    assert (ranged.n_tasks, ranged.demand[0]) == (2, 2)
    assert {setting for setting, _ in ranged.notes} == {
        "job: -N with a range",
        "job: -n and a greatest number of nodes",
    }


def test_a_job_without_tasks_has_what_its_processors_make() -> None:
    # what the text of squeue tells: nodes and processors
    assert shape(min_nodes=4, cpus=10).demand == (3, 1000, 0)
    assert shape(min_nodes=4, cpus=10).n_tasks == 4


@pytest.mark.parametrize(
    ("asked", "n_tasks", "gpus"),
    [
        ({"gres_per_node": (("gpu", "", 2),), "min_nodes": 3, "max_nodes": 3, "n_tasks": 3}, 3, 2),
        ({"gres_per_task": (("gpu", "", 1),), "min_nodes": 1, "n_tasks": 4}, 4, 1),
        ({"gres_per_task": (("gpu", "a100", 1),), "min_nodes": 2, "max_nodes": 2, "n_tasks": 4}, 2, 2),
        ({"gres_per_job": (("gpu", "", 4),), "min_nodes": 2, "max_nodes": 2, "n_tasks": 2}, 2, 2),
        (
            {
                "tres": (("cpu", 2), ("gres/gpu", 6), ("gres/gpu:a", 6)),
                "min_nodes": 3,
                "max_nodes": 3,
                "n_tasks": 3,
            },
            3,
            2,
        ),
    ],
)
def test_generic_resources_are_those_of_one_task(asked: dict[str, object], n_tasks: int, gpus: int) -> None:
    got = shape(cpus_per_task=1, **asked)
    assert (got.n_tasks, got.demand[2]) == (n_tasks, gpus)


def test_without_a_request_the_default_memory_counts_and_without_that_a_whole_node() -> None:
    job = SlurmJob(job_id=1, state="PENDING", min_nodes=1, max_nodes=1, n_tasks=2, cpus_per_task=2)
    assert shape_of_job(job, RESOURCES, default_memory=(500.0, None)).demand == (4, 2000, 0)
    assert shape_of_job(job, RESOURCES, default_memory=(None, 700.0)).demand == (4, 700, 0)
    assert shape_of_job(job, RESOURCES, whole_memory=32_000).demand == (4, 32_000, 0)


def test_cores_are_given_whole() -> None:
    job = SlurmJob(
        job_id=1, state="PENDING", min_nodes=2, max_nodes=2, n_tasks=2, cpus_per_task=3, memory_per_cpu=10
    )
    assert shape_of_job(job, RESOURCES, whole_cores=2).demand == (4, 40, 0)


@given(st.integers(1, 50), st.integers(1, 10), st.integers(1, 8), st.booleans())
def test_a_job_never_takes_fewer_processors_than_it_asks_for(
    n_tasks: int, n_nodes: int, cpus_per_task: int, nodes_too: bool
) -> None:
    n_nodes = min(n_nodes, n_tasks)
    got = shape(
        min_nodes=n_nodes if nodes_too else 1,
        max_nodes=n_nodes if nodes_too else None,
        n_tasks=n_tasks,
        cpus_per_task=cpus_per_task,
    )
    assert n_tasks * cpus_per_task <= got.n_tasks * got.demand[0] < (n_tasks + got.n_tasks) * cpus_per_task
    if nodes_too:
        assert got.n_tasks == n_nodes
        assert got.demand[1] == 1000
    else:
        assert got.demand[1] == math.ceil(1000 / n_tasks)
