"""A log on several machines: jobs become tasks of cores or of whole nodes, and no work of wide jobs is lost."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import schedcore
from data_folder import data_folder
from schedcore import Instance, InvalidInstanceError, Jobs, Machines, solve, validate
from schedcore.workloads import read_swf, recorded_schedule, write_batsim_jobs, write_swf

SMP = "; MaxNodes: 4\n; MaxProcs: 16\n"


def swf(folder: Path, *rows: tuple[int, int, int], header: str = "") -> Path:
    """Jobs of 100 s (processors, KB per processor, user), one a second."""
    lines = [
        f"{number} {number} 0 100 {size} -1 -1 {size} 200 {memory} 1 {user} 3 1 1 2 -1 -1"
        for number, (size, memory, user) in enumerate(rows)
    ]
    path = folder / "log.swf"
    path.write_text(header + "\n".join(lines) + "\n")
    return path


def shape(instance: Instance) -> list[tuple[Any, ...]]:
    jobs = instance.jobs
    columns = (jobs.n_tasks.tolist(), jobs.demand.tolist(), jobs.exclusive.tolist())
    return list(zip(*columns, strict=True))


def test_a_processor_with_its_memory_is_a_task(tmp_path: Path) -> None:
    path = swf(tmp_path, (6, 512, 7), (1, 1024, 8))
    instance, report = read_swf(path, machines="4x4,2MB")
    assert shape(instance) == [(6, [1, 512], False), (1, [1, 1024], False)]
    assert report.work_lost == {"processors": 0, "memory": 0}
    assert instance.work().tolist() == [700, 100 * (6 * 512 + 1024)]
    assert any("one task a processor" in sentence for sentence in report.assumptions)


def test_whole_nodes_are_as_few_as_hold_the_processors_with_their_memory(tmp_path: Path) -> None:
    # 6 processors of 512 KB: 4 on a node of 2 MB, 2 nodes. Of 1024 KB: 2 on a node, 3 nodes. 4096 KB fit on none.
    path = swf(tmp_path, (6, 512, 7), (6, 1024, 7), (1, 4096, 7), (5, 1, 8))
    instance, report = read_swf(path, machines="4x4,2MB", tasks="nodes")
    # Memory is shared out: 6 * 512 / 2 and 6 * 1024 / 3 KB; ceil(5 / 2).
    assert shape(instance) == [(2, [4, 1536], True), (3, [4, 2048], True), (2, [4, 3], True)]
    assert report.dropped == {"too_big": 1}
    assert instance.jobs.id.tolist() == [0, 1, 3]


def test_a_job_is_dropped_only_if_the_empty_cluster_does_not_hold_it(tmp_path: Path) -> None:
    path = swf(tmp_path, (16, 1, 1), (17, 1, 1))
    instance, report = read_swf(path, machines="4x4", n_resources=1)
    assert instance.n_jobs == 1
    # 17 of 16 + 17 processors, for 100 s each.
    assert report.work_lost["processors"] == pytest.approx(17 / 33)
    assert report.stops["loss"].endswith("no room for 17 tasks, the most of a job: it takes more of them")
    _, report = read_swf(swf(tmp_path, (1, 3000, 1), (1, 10, 1)), machines="4x4,2MB")
    assert "a task runs inside one machine: a machine such as 1x1,3MB would hold each" in report.stops["loss"]


def test_whole_jobs_are_what_they_were_and_one_machine_makes_no_tasks(tmp_path: Path) -> None:
    path = swf(tmp_path, (6, 512, 7), (2, 1024, 8))
    whole, _ = read_swf(path, machines="2x8,8MB", tasks="whole")
    assert not whole.jobs.uses("n_tasks")
    assert whole.jobs.demand.tolist() == [[6, 3072], [2, 2048]]
    pool, _ = read_swf(path, machines="1x16,16MB")
    assert pool.jobs == whole.jobs
    assert read_swf(path, processors=16, memory_capacity=16384)[0] == pool


@pytest.mark.parametrize(
    ("header", "sizes", "expected"),
    [
        (SMP, (4, 8), "nodes"),  # every job has a multiple of what a node has
        (SMP, (4, 6), "cores"),
        ("; MaxNodes: 16\n; MaxProcs: 16\n", (4, 8), "cores"),  # a processor is a node
        ("", (4, 8), "cores"),
        ("; Note: jobs get whole nodes\n", (4, 6), "nodes"),
        ("; Note: nodes are dedicated to one job\n; Note: more\n", (1, 6), "nodes"),
        ("; Note: nodes are not exclusive\n", (4, 8), "cores"),
        ("; Note: the whole log\n; Note: 4 nodes\n", (4, 8), "cores"),
    ],
)
def test_the_header_says_whether_jobs_get_whole_nodes(
    tmp_path: Path, header: str, sizes: tuple[int, ...], expected: str
) -> None:
    path = swf(tmp_path, *((size, -1, 1) for size in sizes), header=header)
    instance, _ = read_swf(path, machines="4x4")
    assert instance == read_swf(path, machines="4x4", tasks=expected)[0]
    assert instance.jobs.uses("exclusive") == (expected == "nodes")


def test_machines_that_differ_take_cores_and_refuse_whole_nodes(tmp_path: Path) -> None:
    path = swf(tmp_path, (6, -1, 7), header=SMP)
    instance, _ = read_swf(path, machines="1x4+1x8")
    assert shape(instance) == [(6, [1], False)]
    with pytest.raises(InvalidInstanceError, match=r'tasks="nodes": whole nodes need machines .* 4 to 8'):
        read_swf(path, machines="1x4+1x8", tasks="nodes")


def test_tasks_need_machines_and_whole_nodes_what_was_requested(tmp_path: Path) -> None:
    path = swf(tmp_path, (6, -1, 7))
    with pytest.raises(InvalidInstanceError, match=r'tasks="cores" needs the nodes, as in machines="120x16"'):
        read_swf(path, tasks="cores")
    with pytest.raises(InvalidInstanceError, match=r'tasks="nodes" gives whole nodes, and mode="used"'):
        read_swf(path, mode="used", machines="4x4", tasks="nodes")
    with pytest.raises(InvalidInstanceError, match="core"):
        read_swf(path, machines="4x4", tasks="core")  # type: ignore[arg-type]


def test_measured_processor_time_is_shared_out_over_the_processors(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    # 4 processors, 50 of 100 s each: 2000 thousandths, 500 on each; 30 KB on each.
    path.write_text("1 0 0 100 4 50 30 4 200 40 1 1 1 1 1 1 -1 -1\n")
    instance, _ = read_swf(path, mode="used", machines="2x2,1MB")
    assert shape(instance) == [(4, [500, 30], False)]


def test_users_groups_and_partitions_come_along(tmp_path: Path) -> None:
    path = swf(tmp_path, (6, -1, 7), (1, -1, -1), (1, -1, 7))
    jobs = read_swf(path, machines="4x4")[0].jobs
    assert jobs.user.tolist() == ["7", None, "7"]
    assert jobs.account.tolist() == ["3"] * 3
    assert jobs.partition.tolist() == ["2"] * 3
    assert not read_swf(path, machines="4x4", columns=False)[0].jobs.uses("user")
    assert read_swf(path, processors=8)[0].jobs.user.tolist() == ["7", None, "7"]


FRESH = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def gangs(draw: st.DrawFn) -> tuple[Instance, str]:
    """What a log on nodes of equal size is read as."""
    n_jobs, cores, n_machines = draw(st.integers(1, 6)), draw(st.integers(1, 4)), draw(st.integers(2, 4))
    whole = draw(st.booleans())
    most = n_machines if whole else n_machines * cores
    n_tasks = draw(st.lists(st.integers(1, most), min_size=n_jobs, max_size=n_jobs))
    length = draw(st.lists(st.integers(1, 9), min_size=n_jobs, max_size=n_jobs))
    names = draw(st.lists(st.sampled_from(["1", "2", None]), min_size=n_jobs, max_size=n_jobs))
    jobs = Jobs(
        length, np.full((n_jobs, 1), cores if whole else 1), n_tasks=n_tasks, exclusive=whole, user=names,
        release_time=np.arange(n_jobs), estimated_processing_time=length, id=np.arange(n_jobs),
    )  # fmt: skip
    return Instance(
        jobs, Machines.identical(n_machines, [cores], ["processors"])
    ), "nodes" if whole else "cores"


@FRESH
@given(case=gangs())
def test_a_written_log_of_tasks_reads_as_the_same_instance(
    tmp_path: Path, case: tuple[Instance, str]
) -> None:
    instance, tasks = case
    write_swf(tmp_path / "log.swf", instance, overwrite=True)
    again, _ = read_swf(tmp_path / "log.swf", machines=instance.machines, tasks=tasks, n_resources=1)  # type: ignore[arg-type]
    assert again == instance


@FRESH
@given(case=gangs(), policy=st.sampled_from(["easy", "fcfs", "pq"]))
def test_processors_in_the_jobs_file_of_batsim_tell_where_tasks_are(
    tmp_path: Path, case: tuple[Instance, str], policy: str
) -> None:
    instance, _ = case
    result = solve(policy, instance)
    write_batsim_jobs(tmp_path / "jobs.csv", instance, result.schedule, overwrite=True)
    found = recorded_schedule(tmp_path / "jobs.csv", instance)
    assert validate(instance, found).ok
    assert found.start_time.tolist() == result.schedule.start_time.tolist()
    assert sorted(found.allocation.machine.tolist()) == sorted(result.schedule.allocation.machine.tolist())


def test_processors_that_are_no_whole_number_of_tasks_are_refused(tmp_path: Path) -> None:
    jobs = Jobs([5], [[2]], n_tasks=[2])
    instance = Instance(jobs, Machines.identical(2, [4], ["processors"]))
    path = tmp_path / "jobs.csv"
    for held, sentence in (
        ("0-2 4", "job 0 holds 3 processors of machine_0, and each of its tasks needs 2"),
        ("0-1 8-9", "job 0 holds processors beyond number 7, the last of the machines"),
    ):
        path.write_text(f"job_id,starting_time,allocated_resources\n0,0,{held}\n")
        with pytest.raises(InvalidInstanceError, match=re.escape(sentence)):
            recorded_schedule(path, instance)
    path.write_text("job_id,starting_time\n0,0\n")
    with pytest.raises(InvalidInstanceError, match="on which of the 2 machines the tasks of a job ran"):
        recorded_schedule(path, instance)


def test_writers_refuse_by_name_what_a_log_cannot_say(tmp_path: Path) -> None:
    nodes = Machines([[4], [8]])
    for jobs, sentence in (
        (Jobs([1], [[1]], n_tasks=2, max_tasks_per_machine=1), "bounds on the tasks on one machine"),
        (Jobs([1], [[4]], n_tasks=2, exclusive=True), "machines for themselves"),
    ):
        with pytest.raises(schedcore.UnsupportedError, match=sentence):
            write_swf(tmp_path / "log.swf", Instance(jobs, nodes))


# Log, machines, options; jobs and the share of the work that is lost as tasks, then as whole jobs, in percent.
RECORDED = [
    ("KTH-SP2-1996-2.1-cln", "100x1", {}, (28_475, 0.0), (9_370, 95.2)),
    ("HPC2N-2002-2.2-cln", "120x2", {"n_resources": 1}, (202_871, 0.0), (123_308, 80.6)),
    ("HPC2N-2002-2.2-cln", "120x2,1GB", {"missing_memory": "used"}, (200_693, 2.2), (122_966, 80.6)),
    ("SDSC-DS-2004-2.1-cln", "177x8+7x32", {}, (84_969, 0.0), (60_550, 75.2)),
    ("OSC-Clust-2000-3.1-cln", "32x4+25x2", {}, (36_097, 0.0), (31_669, 27.6)),
    ("RICC-2010-2", "1024x8,12GB", {}, (447_786, 0.0), (375_963, 93.4)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "machines", "options", "tasks", "whole"), RECORDED)
def test_recorded_logs_on_their_nodes_keep_their_wide_jobs(
    name: str, machines: str, options: dict[str, Any], tasks: tuple[int, float], whole: tuple[int, float]
) -> None:
    path = data_folder("pwa-swf", f"{name}.swf.gz")
    for choice, (n_jobs, lost) in ((None, tasks), ("whole", whole)):
        instance, report = read_swf(path, machines=machines, tasks=choice, **options)  # type: ignore[arg-type]
        assert instance.n_jobs == n_jobs
        assert 100 * max(report.work_lost.values()) == pytest.approx(lost, abs=0.05)


def test_a_log_of_which_all_jobs_have_whole_nodes_is_read_so() -> None:
    instance, report = read_swf(data_folder("pwa-swf", "SDSC-DS-2004-2.1-cln.swf.gz"), machines="184x8")
    assert instance.jobs.exclusive.all()
    assert any("every job has a multiple of 8 processors" in sentence for sentence in report.assumptions)


def test_queue_policies_run_a_recorded_log_on_its_nodes() -> None:
    instance, _ = read_swf(data_folder("pwa-swf", "KTH-SP2-1996-2.1-cln.swf.gz"), machines="100x1")
    first = instance.take_jobs(slice(0, 2000))
    result = solve("easy", first)
    assert validate(first, result.schedule).ok
    assert result.schedule.has_allocation
