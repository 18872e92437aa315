"""A schedule as Batsim's jobs.csv: times that agree, processors that no two running jobs share."""

import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reference.processor_numbers import lowest_free_processors
from schedcore import Instance, InvalidInstanceError, Jobs, Machines, Schedule, UnsupportedError, validate
from schedcore.workloads import recorded_schedule, write_batsim_jobs

# Columns of Batsim's file, of which evalys reads allocated_resources and the times.
COLUMNS = [
    "job_id",
    "workload_name",
    "profile",
    "submission_time",
    "requested_number_of_resources",
    "requested_time",
    "success",
    "final_state",
    "starting_time",
    "execution_time",
    "finish_time",
    "waiting_time",
    "turnaround_time",
    "stretch",
    "allocated_resources",
    "consumed_energy",
    "metadata",
]


@st.composite
def packed(draw: st.DrawFn) -> tuple[Instance, Schedule]:
    """An instance, and a feasible schedule that starts each job at the first instant at which it fits."""
    n_jobs, n_machines = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    capacity = draw(st.lists(st.integers(3, 9), min_size=n_machines, max_size=n_machines))
    rows = st.tuples(st.integers(1, 5), st.integers(1, 3), st.integers(0, 4))
    table = draw(st.lists(rows, min_size=n_jobs, max_size=n_jobs))
    length, size, release = (list(column) for column in zip(*table, strict=True))
    instance = Instance(Jobs(length, [[s] for s in size], release), Machines([[c] for c in capacity]))
    start, machine = [], []
    for job in range(n_jobs):
        i = draw(st.integers(0, n_machines - 1))
        time = release[job]
        while not validate(
            Instance(instance.jobs[: job + 1], instance.machines), Schedule([*start, time], [*machine, i])
        ):
            time += 1
        start.append(time)
        machine.append(i)
    return instance, Schedule(start, machine)


def numbers(text: str) -> set[int]:
    """The processors of a text such as ``0-3 7``."""
    intervals = [re.fullmatch(r"(\d+)(?:-(\d+))?", part) for part in text.split(" ")]
    return {n for match in intervals if match for n in range(int(match[1]), int(match[2] or match[1]) + 1)}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=packed())
def test_processors_equal_those_of_the_reference(tmp_path: Path, case: tuple[Instance, Schedule]) -> None:
    instance, schedule = case
    write_batsim_jobs(tmp_path / "jobs.csv", instance, schedule, overwrite=True)
    table = pd.read_csv(tmp_path / "jobs.csv", dtype={"allocated_resources": str})
    held = [numbers(text) for text in table["allocated_resources"]]
    assert held == lowest_free_processors(instance, schedule)
    assert [len(processors) for processors in held] == instance.jobs.demand[:, 0].tolist()
    assert recorded_schedule(tmp_path / "jobs.csv", instance) == schedule


def example() -> tuple[Instance, Schedule]:
    jobs = Jobs(
        [10, 20, 5, 7],
        [[2, 9], [3, 9], [1, 9], [4, 0]],
        release_time=[0, 1, 1, 30],
        estimated_processing_time=[12, 20, 9, 7],
        id=[5, 3, 9, 11],
    )
    return Instance(jobs, Machines([[4, 30]])), Schedule([0, 10, 1.5, 30], [0, 0, 0, 0])


def test_every_column_of_a_small_schedule(tmp_path: Path) -> None:
    instance, schedule = example()
    write_batsim_jobs(tmp_path / "jobs.csv", instance, schedule, workload_name="w0")
    rows = [line.split(",") for line in (tmp_path / "jobs.csv").read_text().splitlines()]
    assert rows[0] == COLUMNS
    first = "5,w0,delay,0,2,12,1,COMPLETED_SUCCESSFULLY,0,10,10,0,10,1,0-1,-1,"
    assert rows[1] == first.split(",")
    # Starts as job 5 completes, while job 9 is long done: the lowest three are free.
    assert rows[2][8:15] == ["10", "20", "30", "9", "29", "1.45", "0-2"]
    assert rows[3][8:15] == ["1.5", "5", "6.5", "0.5", "5.5", "1.1", "2"]
    assert rows[4][8:15] == ["30", "7", "37", "0", "7", "1", "0-3"]


@pytest.mark.filterwarnings("ignore")  # evalys warns of its own ways
def test_evalys_opens_the_file(tmp_path: Path) -> None:
    from evalys import jobset  # imports matplotlib and seaborn

    instance, schedule = example()
    write_batsim_jobs(tmp_path / "jobs.csv", instance, schedule)
    read = jobset.JobSet.from_csv(str(tmp_path / "jobs.csv"))
    assert read.MaxProcs == 4
    assert read.df["proc_alloc"].tolist() == [2, 3, 1, 4]
    assert read.utilisation.load.max() == 4
    assert read.queue.load.max() == 4  # processors that wait: jobs 3 and 9


def test_a_schedule_that_is_not_feasible_is_refused(tmp_path: Path) -> None:
    instance, _ = example()
    path = tmp_path / "jobs.csv"
    with pytest.raises(InvalidInstanceError, match="job "):
        write_batsim_jobs(path, instance, Schedule([0, 1, 1, 30], [0] * 4))
    with pytest.raises(InvalidInstanceError, match="workload_name"):
        write_batsim_jobs(path, *example(), workload_name="a,b")
    without = Instance(Jobs([1, 1], [[1, 1], [0, 1]]), Machines([[2, 2]]))
    with pytest.raises(UnsupportedError, match="job 1 demands 0"):
        write_batsim_jobs(path, without, Schedule([0, 0], [0, 0]))
    assert not path.exists()
    path.write_text("precious")
    with pytest.raises(FileExistsError):
        write_batsim_jobs(path, *example())
    assert path.read_text() == "precious"
