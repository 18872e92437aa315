"""A written SWF log is the instance again, for `read_swf` and for other readers of the format."""

from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_folder import data_folder
from schedcore import Instance, InvalidInstanceError, Jobs, Machines, Outages, Schedule, UnsupportedError
from schedcore.workloads import read_swf, read_swf_table, recorded_schedule, write_swf

FRESH = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def log_instances(draw: st.DrawFn, max_machines: int = 3) -> Instance:
    """Instances as logs give them: whole seconds from 0 on, in order of release, unique ids, processors first."""
    n_jobs = draw(st.integers(1, 6))
    n_machines = draw(st.integers(1, max_machines))
    n_resources = draw(st.integers(1, 2))

    def column(values: st.SearchStrategy[int]) -> list[int]:
        return draw(st.lists(values, min_size=n_jobs, max_size=n_jobs))

    processing_time = column(st.integers(1, 100) | st.integers(1, 2**40))
    processors = column(st.integers(1, 7) | st.integers(1, 10**6))
    memory = column(st.integers(0, 100) | st.integers(0, 2**48))
    demand = np.array([processors, memory][:n_resources], dtype=np.int64).T
    release_time = sorted(column(st.integers(0, 50)))
    jobs = Jobs(
        processing_time,
        demand,
        release_time=[time - release_time[0] for time in release_time],
        estimated_processing_time=np.array(processing_time) + column(st.integers(0, 1000)),
        id=draw(st.lists(st.integers(0, 10**9), min_size=n_jobs, max_size=n_jobs, unique=True)),
    )
    capacity = [demand.max(axis=0).tolist()] * n_machines
    return Instance(jobs, Machines(capacity, ["processors", "memory"][:n_resources]))


def read_again(path: Path, instance: Instance) -> Instance:
    options: dict[str, Any] = {"n_resources": instance.n_resources}
    if instance.n_resources == 2:
        options["missing_memory"] = "used"
    if instance.n_machines > 1:
        options |= {"machines": instance.machines, "tasks": "whole", "columns": False}
    elif instance.n_resources == 2:
        options["memory_capacity"] = int(instance.machines.capacity[0, 1])
    return read_swf(path, **options)[0]


def one_after_another(instance: Instance) -> Schedule:
    """Each job waits for all before it, on the machines in turn."""
    ends = instance.jobs.release_time.max() + np.cumsum(instance.jobs.processing_time)
    return Schedule(ends - instance.jobs.processing_time, np.arange(instance.n_jobs) % instance.n_machines)


@FRESH
@given(instance=log_instances(), packed=st.booleans())
def test_a_written_log_reads_as_the_same_instance(tmp_path: Path, instance: Instance, packed: bool) -> None:
    path = tmp_path / ("log.swf.gz" if packed else "log.swf")
    write_swf(path, instance, overwrite=True)
    assert read_again(path, instance) == instance


@FRESH
@given(instance=log_instances())
def test_a_written_schedule_reads_as_the_same_schedule(tmp_path: Path, instance: Instance) -> None:
    path = tmp_path / "log.swf"
    schedule = one_after_another(instance)
    write_swf(path, instance, schedule, overwrite=True)
    assert read_again(path, instance) == instance
    assert recorded_schedule(path, instance) == schedule


@FRESH
@given(instance=log_instances())
def test_any_reader_that_rounds_up_gets_the_memory(tmp_path: Path, instance: Instance) -> None:
    path = tmp_path / "log.swf"
    write_swf(path, instance, overwrite=True)
    rows = [line.split() for line in path.read_text().splitlines() if not line.startswith(";")]
    assert {len(row) for row in rows} == {18}
    if instance.n_resources == 2:
        memory = [ceil(Fraction(row[9]) * int(row[7])) for row in rows]
        assert memory == instance.jobs.demand[:, 1].tolist()


def test_jobs_stand_in_the_order_of_their_release_times(tmp_path: Path) -> None:
    jobs = Jobs([5, 6, 7], [[1], [2], [3]], release_time=[9, 0, 9], id=[4, 2, 1])
    write_swf(tmp_path / "log.swf", Instance(jobs, Machines([[3]])))
    assert read_swf(tmp_path / "log.swf", n_resources=1)[0].jobs.id.tolist() == [2, 4, 1]


def test_the_header_tells_the_system(tmp_path: Path) -> None:
    instance = Instance(Jobs([5], [[2, 3]]), Machines([[4, 6], [2, 5]], ["processors", "memory"]))
    write_swf(tmp_path / "log.swf", instance)
    header, table = read_swf_table(tmp_path / "log.swf")
    assert (header["Version"], header["MaxJobs"], header["MaxProcs"], header["MaxNodes"]) == (
        "2.2",
        "1",
        "6",
        "2",
    )
    assert header["Partition"].splitlines() == [
        "1  4 processors, 6 KB of memory",
        "2  2 processors, 5 KB of memory",
    ]
    # 3 KB on 2 processors, written a little lower, so that ceil(2 * field 10) is 3.
    assert table.iloc[0].tolist() == [0, 0, -1, 5, 2, -1, -1, 2, 5, 1.25, 1, -1, -1, -1, -1, -1, -1, -1]


def test_fractional_times_are_written_as_they_are(tmp_path: Path) -> None:
    instance = Instance(Jobs([0.1 + 0.2, 2e15 + 0.5], [[1], [1]]), Machines([[2]]))
    schedule = Schedule([1 / 3, 0.5], [0, 0])
    write_swf(tmp_path / "log.swf", instance, schedule)
    _, table = read_swf_table(tmp_path / "log.swf")
    assert table["run_time"].tolist() == pytest.approx([0.3, 2e15 + 0.5], rel=1e-15)
    assert table["wait_time"].tolist() == pytest.approx([1 / 3, 0.5], rel=1e-15)


def test_times_are_written_without_exponents(tmp_path: Path) -> None:
    jobs = Jobs([10**15, 2**53], [[1], [1]])
    write_swf(tmp_path / "log.swf", Instance(jobs, Machines([[1]])))
    assert f" {10**15} " in (tmp_path / "log.swf").read_text()
    assert f" {2**53} " in (tmp_path / "log.swf").read_text()


@pytest.mark.parametrize(
    ("instance", "message"),
    [
        (Instance(Jobs([1, 1], [[1], [0]]), Machines([[1]])), "job 1 demands 0 of resource_0"),
        (Instance(Jobs([1, 1], [[1], [1]], weight=[1, 2]), Machines([[1]])), "job 1 has weight 2"),
        (Instance(Jobs([1], [[1, 1, 1]]), Machines([[1, 1, 1]])), "not for the resources"),
        (
            Instance(Jobs([1], [[1, 1]]), Machines([[1, 1]], ["processors", "gpus"])),
            "not for the resources processors, gpus",
        ),
        (Instance(Jobs([1], [[3, 2**49]]), Machines([[3, 2**49]])), "no whole number of KB per processor"),
        (
            Instance(Jobs([1], [[1]], n_tasks=2, max_tasks_per_machine=1), Machines([[1]] * 2)),
            r"write_swf does not take bounds on the tasks on one machine",
        ),
        (
            Instance(Jobs([1], [[1]], n_tasks=2, exclusive=True), Machines([[2]] * 2)),
            r"machines for themselves and not all of their processors \(job 0 has tasks of 1\)",
        ),
        (
            Instance(Jobs([1], [[1]], constraint="gpu"), Machines([[1]])),
            r"write_swf does not take constraints",
        ),
        (Instance(Jobs([1], [[1]]), Machines([[1]]), Outages([0], [1], [2])), "announced outages"),
    ],
)
def test_what_the_format_cannot_say_is_refused(tmp_path: Path, instance: Instance, message: str) -> None:
    path = tmp_path / "log.swf"
    with pytest.raises(UnsupportedError, match=message):
        write_swf(path, instance)
    assert not path.exists()


def test_a_file_that_exists_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    path.write_text("precious")
    instance = Instance(Jobs([1], [[1]]), Machines([[1]]))
    with pytest.raises(FileExistsError):
        write_swf(path, instance)
    assert path.read_text() == "precious"
    with pytest.raises(InvalidInstanceError, match="the schedule has 2 jobs, the instance 1"):
        write_swf(path, instance, Schedule([0, 0], [0, 0]), overwrite=True)
    assert path.read_text() == "precious"
    write_swf(path, instance, overwrite=True)
    assert read_swf(path, n_resources=1)[0].n_jobs == 1


@pytest.mark.parametrize("name", ["KTH-SP2-1996-2.1-cln", "HPC2N-2002-2.2-cln"])
def test_recorded_logs_survive_writing(tmp_path: Path, name: str) -> None:
    log = data_folder("pwa-swf", f"{name}.swf.gz")
    options: dict[str, Any] = {"n_resources": 1}
    if name.startswith("HPC2N"):
        options = {"missing_memory": "used", "memory_capacity": 120 * 1_048_576}
    instance, _ = read_swf(log, **options)
    write_swf(tmp_path / "log.swf.gz", instance)
    assert read_swf(tmp_path / "log.swf.gz", **options)[0] == instance
