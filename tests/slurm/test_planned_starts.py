"""What `SlurmState.planned_starts` says is what a real Slurm said of the same queues, and why others have no start."""

import dataclasses
import math
from pathlib import Path

import pytest

from schedcore import InvalidInstanceError
from schedcore.slurm import SlurmState, read_state
from slurm.small_cluster import a_job, running, saved
from slurm.squeue_start import Agreement, agreement

QUEUES = Path(__file__).parent / "queues"


@pytest.mark.parametrize(
    ("queue", "n_planned", "n_without"), [("fifo", 36, 1), ("tiers", 28, 3), ("mixed", 31, 13)]
)
def test_starts_and_nodes_are_those_of_slurm(queue: str, n_planned: int, n_without: int) -> None:
    state = read_state(QUEUES / queue, timezone="UTC")
    assert agreement(state, QUEUES / queue) == Agreement(n_planned, n_planned, n_without, n_without, ())


@pytest.mark.parametrize("queue", ["fifo", "tiers", "mixed"])
def test_the_plan_does_not_look_at_what_slurm_planned(queue: str) -> None:
    state = read_state(QUEUES / queue, timezone="UTC")
    blind = [
        dataclasses.replace(job, start_time=None, end_time=None, reason="") if job.is_waiting else job
        for job in state.jobs
    ]
    expected = state.planned_starts()
    planned = dataclasses.replace(state, jobs=tuple(blind)).planned_starts()
    assert planned.nodes == expected.nodes
    assert planned.start_time.tobytes() == expected.start_time.tobytes()


def test_the_plan_of_a_saved_state_is_the_same(tmp_path: Path) -> None:
    state = read_state(QUEUES / "mixed", timezone="UTC")
    state.save(tmp_path / "state.parquet")
    again = SlurmState.load(tmp_path / "state.parquet").planned_starts()
    assert again.nodes == state.planned_starts().nodes


def reasons(state: SlurmState) -> dict[str, str]:
    return dict(zip(state.waiting.called, state.planned_starts().reason, strict=True))


def read(folder: Path, *jobs: str, **files: str) -> SlurmState:
    return read_state(saved(folder, "\n".join(jobs), **files), timezone="UTC")


def test_why_jobs_have_no_planned_start_is_said(tmp_path: Path) -> None:
    partition = (
        "PartitionName=batch AllowGroups=ALL Default=YES MaxTime=02:00:00 MaxNodes=2 Nodes=n[1-3] State=UP"
    )
    state = read(
        tmp_path,
        running(5, "Nodes=n1 CPU_IDs=0-7 Mem=1000 GRES=", ArrayJobId="5", ArrayTaskId="1"),
        a_job(11),
        a_job(12, Priority="0"),
        a_job(13, Dependency="afterok:5(unfulfilled)"),
        a_job(14, EligibleTime="7000"),
        a_job(15, ArrayJobId="5", ArrayTaskId="2-3", ArrayTaskThrottle="1"),
        a_job(16, TimeLimit="03:00:00"),
        a_job(17, NumNodes="3-3", TRES="cpu=6,mem=1000M,node=3"),
        a_job(18, MinMemoryNode="999000M"),
        a_job(19, Reservation="nowhere"),
        scontrol_partition=partition,
    )
    assert reasons(state) == {
        "11": "", "12": "held", "13": "dependency", "14": "begin time", "5_2": "throttle", "5_3": "throttle",
        "16": "partition limit", "17": "partition limit", "18": "never fits", "19": "reservation",
    }  # fmt: skip


@pytest.mark.parametrize(("depth", "why"), [(2, "window"), (1, "limit")])
def test_depth_and_window_are_those_of_the_site(tmp_path: Path, depth: int, why: str) -> None:
    config = (
        "Configuration data as of 1970-01-01T01:40:00\n"
        f"SchedulerParameters = bf_max_job_test={depth},bf_window=90\n"
    )
    whole = {"NumCPUs": "16", "CPUs__Task": "16", "MinCPUsNode": "16", "TRES": "cpu=16,mem=1000M,node=1"}
    on_n3 = running(5, "Nodes=n3 CPU_IDs=0-15 Mem=1000 GRES=", NumCPUs="16")
    state = read(
        tmp_path, on_n3, a_job(11, **whole), a_job(12, **whole), a_job(13, **whole), scontrol_config=config
    )
    planned = state.planned_starts()
    # The run ends at 8600; the first job has n3 from then until behind the end of the window, 6000 + 5400.  Where no
    # nodes are left a place is not even looked for, so this does not count.
    assert planned.start_time[0] == 8600
    assert planned.nodes[0] == ("n3",)
    assert planned.reason == ("", why, why)


def test_a_job_in_two_partitions_has_the_earlier_of_two_plans(tmp_path: Path) -> None:
    partitions = (
        "PartitionName=batch AllowGroups=ALL Nodes=n1 State=UP PriorityTier=1\n"
        "PartitionName=urgent AllowGroups=ALL Nodes=n2 State=UP PriorityTier=9"
    )
    jobs = [running(5, f"Nodes={node} CPU_IDs=0-7 Mem=1000 GRES=", EndTime=end, JobId=number)
            for node, end, number in (("n1", "7000", "5"), ("n2", "9000", "6"))]  # fmt: skip
    state = read(
        tmp_path, *jobs, a_job(11, Partition="urgent,batch"), a_job(12), scontrol_partition=partitions
    )
    planned = state.planned_starts()
    assert planned.start_time.tolist() == [7000, 10560]  # n1 is held until then, in minutes
    assert planned.nodes == (("n1",), ("n1",))


def test_the_instant_is_when_slurm_last_looked(tmp_path: Path) -> None:
    job = a_job(11) + " LastSchedEval=5990"
    assert read(tmp_path, job).planned_starts().now == 5990
    assert read(tmp_path, job).planned_starts(now=5995.7).now == 5995
    with pytest.raises(InvalidInstanceError, match="now = nan"):
        read(tmp_path, job).planned_starts(now=math.nan)


def test_what_the_plan_does_not_know_is_listed(tmp_path: Path) -> None:
    state = read(tmp_path, a_job(11, TresPerNode="gres/gpu:1"), a_job(12))
    told = {finding.setting: finding.n_jobs for finding in state.not_modelled}
    assert told["planned_starts: generic resources"] == 1
