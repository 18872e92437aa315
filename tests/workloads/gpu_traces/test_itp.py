"""Microsoft's training jobs: up to 8 GPUs inside a node, more as tasks of 8."""

from pathlib import Path

import pytest

from data_folder import data_folder
from schedcore import Instance, InvalidInstanceError, solve, validate
from schedcore.workloads import load, read_itp

HEADER = "job_id,submission_time,duration,num_gpu"


def write(folder: Path, *rows: str) -> Path:
    path = folder / "cluster.csv"
    path.write_text("\n".join((HEADER, *rows)) + "\n")
    return path


def test_wide_jobs_are_tasks_of_eight(tmp_path: Path) -> None:
    instance, report = read_itp(write(tmp_path, "a,10,600,3", "b,11,700.5,8", "c,20,0,16", "d,30,5,20"))
    jobs = instance.jobs
    assert jobs.n_tasks.tolist() == [1, 1, 2, 3]
    assert jobs.demand.tolist() == [[3], [8], [8], [8]]
    assert jobs.release_time.tolist() == [0, 1, 10, 20]
    assert jobs.processing_time.tolist() == [600, 701, 1, 5]
    assert report.repaired == {"zero_runtime": 1, "uneven_tasks": 1, "missing_estimate": 4}


def test_without_machines_there_are_as_few_nodes_as_keep_up_and_hold_the_widest_job(tmp_path: Path) -> None:
    # Work 8 * 1000 + 2 * 8 * 100 GPU-seconds in 100 s: 96 GPUs, 12 nodes.
    instance, report = read_itp(write(tmp_path, "a,0,1000,8", "b,100,100,16"))
    assert instance.machines.capacity.tolist() == [[8]] * 12
    assert report.load["gpus"] == 1
    assert "12 nodes of 8 GPUs, the fewest" in str(report)
    assert read_itp(write(tmp_path, "a,0,1,1", "b,1000,1,64"))[0].n_machines == 8


def test_machines_are_nodes_of_eight_or_what_the_caller_says(tmp_path: Path) -> None:
    path = write(tmp_path, "a,0,1000,8", "b,100,100,64")
    instance, report = load(path, machines=3)
    assert isinstance(instance, Instance)
    assert instance.machines.capacity.tolist() == [[8]] * 3
    # 64 * 100 of 64 * 100 + 8 * 1000 GPU-seconds need 8 nodes.
    assert report.dropped == {"too_big": 1}
    assert report.work_lost["gpus"] == pytest.approx(6400 / 14400)
    assert load(path, machines="1x16")[0].n_jobs == 1  # two tasks of 8 at a time


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("b,1,5,0", "no_gpus"),
        ("b,1,5,1.5", "no_gpus"),
        ("b,1,5,x", "garbled_row"),
        ("b,1,-5,1", "impossible_value"),
        ("b,1e300,5,1", "impossible_value"),
        ("a,1,5,1", "repeated_job"),
        ("b,1,5", "ragged_row"),
    ],
)
def test_bad_rows_are_refused_by_line_or_left_out(tmp_path: Path, row: str, reason: str) -> None:
    path = write(tmp_path, "a,0,10,1", row)
    with pytest.raises(InvalidInstanceError, match=r"1 row \(line 3\)"):
        read_itp(path)
    instance, report = read_itp(path, on_bad_row="skip")
    assert instance.n_jobs == 1
    assert report.dropped == {reason: 1}


# Cluster: jobs, nodes that keep up, the most GPUs that run at once if nothing waits.
RECORDED = {
    "cluster01": (1_595, 8, "330"),
    "cluster03": (3_011, 18, "1,379"),
    "cluster04": (15_802, 62, "2,025"),
    "cluster06": (2_396, 11, "516"),
    "cluster07": (12_699, 33, "1,903"),
    "cluster10": (260, 2, "52"),
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_clusters(name: str) -> None:
    n_jobs, n_nodes, peak = RECORDED[name]
    instance, report = load(data_folder("msr-itp-gpu-2021", f"{name}.csv.gz"))
    assert isinstance(instance, Instance)
    assert (instance.n_jobs, instance.n_machines) == (n_jobs, n_nodes)
    assert report.dropped == {}
    assert f"up to {peak} GPUs are busy" in str(report)
    first = instance.take_jobs(slice(0, 1000))
    assert validate(first, solve("easy", first).schedule).ok
