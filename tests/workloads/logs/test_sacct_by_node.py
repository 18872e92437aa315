"""Slurm's accounting on the nodes of a cluster: tasks by NNodes, constraints, and what a site wants to know of jobs."""

from pathlib import Path
from typing import Any

import pytest

from schedcore import InvalidInstanceError, Machines, solve, validate
from schedcore.workloads import read_sacct, recorded_schedule

HEADER = (
    "JobIDRaw|JobID|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|NNodes|ReqTRES|Partition|User|Account|QOS|Priority"
    "|Constraints|NodeList"
)
ROWS = (
    "1|1|100|100|110|10|1|COMPLETED|2|cpu=8,mem=4G,node=2|batch|ann|phys|normal|50||n[1-2]",
    "2|2|100|100|110|10|1|COMPLETED|1|cpu=4,mem=1G,node=1,gres/gpu:a100=2|gpu|bob|bio|high|90|fast|g1",
    "3|3_7|101|110|120|10|1|COMPLETED|3|cpu=4,mem=1G,node=3|batch|ann|phys||10|(null)|n[1-3]",
)
CLUSTER = Machines(
    [[8, 8 * 2**20, 0]] * 3 + [[8, 8 * 2**20, 4]],
    ["processors", "memory", "gpus"],
    names=["n1", "n2", "n3", "g1"],
    labels=[["fast"], [], [], ["a100", "fast"]],
)


def write(folder: Path, *rows: str, header: str = HEADER) -> Path:
    path = folder / "log.sacct"
    path.write_text("\n".join((header, *(rows or ROWS))) + "\n")
    return path


def test_a_job_is_as_many_tasks_as_it_had_nodes(tmp_path: Path) -> None:
    instance, report = read_sacct(write(tmp_path), machines=CLUSTER)
    jobs = instance.jobs
    assert jobs.n_tasks.tolist() == [2, 1, 3]
    assert jobs.max_tasks_per_machine.tolist() == [1, 0, 1]
    # 8 / 2 and ceil(4 / 3) processors, 2 GB and a third of 1 GB in KB, rounded up.
    assert jobs.demand.tolist() == [[4, 2 * 2**20, 0], [4, 2**20, 2], [2, 349_526, 0]]
    assert report.repaired["uneven_tasks"] == 1
    assert any("the log counts nodes" in sentence for sentence in report.assumptions)


def test_what_a_site_wants_to_know_comes_along(tmp_path: Path) -> None:
    jobs = read_sacct(write(tmp_path), machines=CLUSTER)[0].jobs
    assert jobs.partition.tolist() == ["batch", "gpu", "batch"]
    assert jobs.user.tolist() == ["ann", "bob", "ann"]
    assert jobs.account.tolist() == ["phys", "bio", "phys"]
    assert jobs.service_class.tolist() == ["normal", "high", None]
    assert jobs.priority.tolist() == [50, 90, 10]
    assert jobs.array.tolist() == [-1, -1, 3]
    assert jobs.constraint.tolist() == ["", "(fast) & (a100)", ""]
    pooled = read_sacct(write(tmp_path), processors=32, memory_capacity=2**30, gpu_capacity=4)[0].jobs
    assert pooled.user.tolist() == ["ann", "bob", "ann"]
    assert not any(map(pooled.uses, ("priority", "array", "constraint")))
    kept = read_sacct(write(tmp_path), processors=32, memory_capacity=2**30, gpu_capacity=4, columns=True)[0]
    assert kept.jobs.user.tolist() == ["ann", "bob", "ann"]


def test_a_column_of_array_numbers_goes_before_the_job_id(tmp_path: Path) -> None:
    rows = [f"{row}|{number}" for row, number in zip(ROWS, (12, 0, ""), strict=True)]
    path = write(tmp_path, *rows, header=f"{HEADER}|ArrayJobID")
    assert read_sacct(path, machines=CLUSTER)[0].jobs.array.tolist() == [12, -1, -1]


def test_constraints_that_machines_cannot_tell_are_counted_not_kept(tmp_path: Path) -> None:
    rows = (*ROWS, "4|4|102|102|110|8|1|COMPLETED|1|cpu=1,mem=1M,gres/gpu:v100=1|b|ann|p||1|r1*2|g1")
    instance, report = read_sacct(write(tmp_path, *rows), machines=CLUSTER)
    assert instance.jobs.constraint.tolist()[3] == ""
    assert report.not_modelled["constraint_ignored"] == 1
    assert report.not_modelled["gpu_type"] == 1
    instance, report = read_sacct(write(tmp_path, *rows), machines="3x8,8GB,0+1x8,8GB,4")
    assert not instance.jobs.uses("constraint")
    assert report.not_modelled["constraint_ignored"] == 2


def test_a_job_that_no_machine_with_its_features_holds_is_dropped_with_its_work(tmp_path: Path) -> None:
    # 8 processors for 10 s on nodes with a label that none has; the others have 8, 4 and 6 for 10 s.
    rows = (*ROWS, "4|4|102|102|112|10|1|COMPLETED|1|cpu=8,mem=1M|b|ann|p||1|slow|n1")
    instance, report = read_sacct(write(tmp_path, *rows), machines=CLUSTER)
    assert instance.n_jobs == 3
    assert report.dropped == {"constraint": 1}
    assert report.work_lost["processors"] == pytest.approx(8 / 26)


def test_processors_and_gpus_divide_into_equal_tasks(tmp_path: Path) -> None:
    # gcd(4, 2) tasks of 2 processors and a GPU; without GPUs a task a processor.
    jobs = read_sacct(write(tmp_path), machines=CLUSTER, tasks="cores")[0].jobs
    assert jobs.n_tasks.tolist() == [8, 2, 4]
    assert jobs.demand[:, [0, 2]].tolist() == [[1, 0], [2, 1], [1, 0]]


def test_whole_nodes_are_as_many_as_gpus_and_memory_need(tmp_path: Path) -> None:
    rows = (ROWS[1].replace("gpu:a100=2", "gpu=6"), ROWS[0].replace("mem=4G", "mem=20G"))
    cluster = Machines([[8, 8 * 2**20, 4]] * 4, ["processors", "memory", "gpus"])
    jobs = read_sacct(write(tmp_path, *rows), machines=cluster, tasks="nodes")[0].jobs
    # 6 GPUs on nodes of 4; 8 processors of 2.5 GB, 3 on a node of 8 GB.
    assert jobs.n_tasks.tolist() == [2, 3]
    assert jobs.demand[:, [0, 2]].tolist() == [[8, 3], [8, 0]]
    assert jobs.exclusive.all()


def test_a_file_without_nodes_has_no_recorded_tasks(tmp_path: Path) -> None:
    header = "JobIDRaw|Submit|ElapsedRaw|State|ReqCPUS"
    path = write(tmp_path, "1|1|10|COMPLETED|6", header=header)
    assert read_sacct(path, machines="4x4")[0].jobs.n_tasks.tolist() == [6]
    with pytest.raises(
        InvalidInstanceError, match='tasks="recorded": the log does not say on how many nodes'
    ):
        read_sacct(path, machines="4x4", tasks="recorded")


def test_jobs_of_one_node_each_are_whole_jobs(tmp_path: Path) -> None:
    instance, _ = read_sacct(write(tmp_path, ROWS[1]), machines=CLUSTER)
    assert not instance.jobs.uses("n_tasks")


@pytest.mark.parametrize(("priority", "reason"), [("x", "Priority"), ("1e400", "Priority")])
def test_a_priority_that_cannot_be_read_is_refused(tmp_path: Path, priority: str, reason: str) -> None:
    path = write(tmp_path, ROWS[0].replace("|50|", f"|{priority}|"))
    with pytest.raises(InvalidInstanceError, match=rf"1 row \(line 2\): a field cannot be read \({reason}\)"):
        read_sacct(path, machines=CLUSTER)


def test_a_number_of_nodes_that_cannot_be_read_is_refused_only_where_nodes_count(tmp_path: Path) -> None:
    path = write(tmp_path, ROWS[0].replace("COMPLETED|2|", "COMPLETED|1.5K|"))
    with pytest.raises(InvalidInstanceError, match=r"line 2\): a field cannot be read \(NNodes\)"):
        read_sacct(path, machines=CLUSTER, gpus=True)
    assert read_sacct(path, machines=CLUSTER, gpus=True, tasks="cores")[0].n_jobs == 1
    assert read_sacct(path, processors=8, memory=False)[0].n_jobs == 1


def test_a_row_that_differs_only_in_what_a_site_wants_to_know_is_the_same_job(tmp_path: Path) -> None:
    path = write(tmp_path, *ROWS, ROWS[0].replace("|50|", "|51|"))
    _, report = read_sacct(path, machines=CLUSTER)
    assert report.dropped == {"repeated_row": 1}


def recorded(folder: Path, **options: Any) -> tuple[Any, Any]:
    path = write(folder)
    instance, _ = read_sacct(path, machines=CLUSTER, **options)
    return instance, recorded_schedule(path, instance)


def test_the_hosts_of_a_recorded_job_are_where_its_tasks_were(tmp_path: Path) -> None:
    instance, schedule = recorded(tmp_path)
    assert [schedule.allocation.of(job) for job in range(3)] == [
        [(0, 1), (1, 1)],
        [(3, 1)],
        [(0, 1), (1, 1), (2, 1)],
    ]
    assert validate(instance, schedule).ok


def test_tasks_of_cores_are_shared_out_over_the_hosts(tmp_path: Path) -> None:
    instance, schedule = recorded(tmp_path, tasks="cores")
    assert schedule.allocation.of(0) == [(0, 4), (1, 4)]
    assert schedule.allocation.of(2) == [(0, 2), (1, 1), (2, 1)]
    assert validate(instance, schedule).ok


def test_a_host_that_is_no_machine_is_refused_by_line(tmp_path: Path) -> None:
    path = write(tmp_path, *ROWS)
    instance, _ = read_sacct(path, machines=CLUSTER)
    path.write_text(path.read_text().replace("n[1-2]", "n[1-9]"))
    with pytest.raises(
        InvalidInstanceError, match=r"log\.sacct: line 2: NodeList: no machine is called 'n4'"
    ):
        recorded_schedule(path, instance)


def test_queue_policies_heed_what_was_read(tmp_path: Path) -> None:
    instance, _ = read_sacct(write(tmp_path), machines=CLUSTER)
    for policy in ("fcfs", "easy", "conservative", "pq"):
        result = solve(policy, instance)
        assert validate(instance, result.schedule).ok
        assert result.schedule.allocation.of(1) == [(3, 1)]
