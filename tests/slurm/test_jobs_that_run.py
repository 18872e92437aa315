"""What running jobs of a state hold, where, and until when."""

from pathlib import Path

import pytest

import schedcore as sc
from schedcore.slurm import when
from slurm.small_cluster import ON_N1, PARTITIONS, a_job, a_node, not_modelled, running, state


def test_a_running_job_holds_what_it_has_where_it_runs(tmp_path: Path) -> None:
    read = state(tmp_path, running(5, "Nodes=n[1-2] CPU_IDs=0-3 Mem=4000 GRES="))
    held = read.running
    assert held.jobs.id.tolist() == [5]
    assert held.jobs.demand.tolist() == [[4, 4000, 0]]
    assert held.jobs.n_tasks.tolist() == [2]
    assert held.machine == [[(0, 1), (1, 1)]]
    assert held.start_time.tolist() == [5000]
    assert held.jobs.estimated_processing_time.tolist() == [3600]


def test_a_running_job_lasts_until_the_end_that_slurm_tells(tmp_path: Path) -> None:
    read = state(
        tmp_path,
        running(5, ON_N1, EndTime="9000"),
        running(6, ON_N1, EndTime="Unknown", TimeLimit="02:00:00"),
    )
    assert read.running.jobs.estimated_processing_time.tolist() == [4000, 7200]


@pytest.mark.parametrize(
    ("settings_", "partition", "end"),
    [
        ("", "", 6025),
        ("KillWait=5\n", "", 6001),
        ("KillWait=0\n", "", 6001),
        ("OverTimeLimit=2\n", "", 6145),
        ("OverTimeLimit=2\n", " OverTimeLimit=1", 6085),
        ("OverTimeLimit=UNLIMITED\n", "", 9600),
    ],
)
def test_a_running_job_past_its_end_is_about_to_end(
    tmp_path: Path, settings_: str, partition: str, end: float
) -> None:
    files = {
        "slurm.conf": f"SelectTypeParameters=CR_Core_Memory\n{settings_}",
        "scontrol_partition": PARTITIONS + partition,
    }
    job = running(5, ON_N1.replace("0-3", "0-7"), StartTime="4000", EndTime="5995")
    read = state(tmp_path, job, a_job(6, ReqNodeList="n1"), **files)
    assert when(read).expected.tolist() == [end]
    assert not_modelled(read)["running job: past its end"] == 1


def test_unequal_shares_are_equal_tasks_that_hold_no_more_and_that_is_said(tmp_path: Path) -> None:
    where = "Nodes=n1 CPU_IDs=0-5 Mem=3000 GRES=   Nodes=n2 CPU_IDs=0-1 Mem=3000 GRES="
    read = state(tmp_path, running(5, where))
    # gcd(6, 2) = 2 processors a task: 3 tasks on n1 of 3000 // 3 MB, 1 on n2
    assert read.running.machine == [[(0, 3), (1, 1)]]
    assert read.running.jobs.demand.tolist() == [[2, 1000, 0]]
    assert not_modelled(read) == {"running job: unequal nodes": 1}


def test_the_occupancy_of_unequal_shares_is_exact(tmp_path: Path) -> None:
    where = "Nodes=n[1-2] CPU_IDs=0-5 Mem=3000 GRES=   Nodes=n3 CPU_IDs=0-1 Mem=3000 GRES="
    job = running(5, where, NodeList="n[1-3]", NumNodes="3", NumCPUs="14")
    read = state(
        tmp_path, job, a_job(6, ArrayJobId="6", ArrayTaskId="0-1"), running(9, ON_N1.replace("0-3", "6-7"))
    )
    held = read.occupancy
    assert held.jobs.id.tolist() == [5, 12, 9]  # the tasks of the array are 10 and 11
    assert held.called == ("5", "5", "9")
    assert held.jobs.demand.tolist() == [[6, 3000, 0], [2, 3000, 0], [2, 4000, 0]]
    assert held.machine == [[(0, 1), (1, 1)], [(2, 1)], [(0, 1)]]
    assert held.start_time.tolist() == [5000] * 3
    assert read.running.jobs.id.tolist() == [5, 9]


def test_generic_resources_of_running_jobs_are_held(tmp_path: Path) -> None:
    read = state(tmp_path, running(5, "Nodes=n3 CPU_IDs=0-3 Mem=100 GRES=gpu:a100:3(IDX:0-2)"))
    assert read.running.jobs.demand.tolist() == [[4, 100, 3]]


def test_where_nodes_are_not_told_processors_are_divided_as_capacities_allow(tmp_path: Path) -> None:
    job = running(5, "", NodeList="n[2-3]", NumNodes="2", NumCPUs="20", MinMemoryNode="500M", Detail="")
    read = state(tmp_path, job)
    # n2 has 8 of the 20, n3 the other 12: gcd 4
    assert read.running.machine == [[(1, 2), (2, 3)]]
    assert "running job: nodes" in not_modelled(read)


def test_what_is_not_told_is_divided_over_what_other_jobs_leave_free(tmp_path: Path) -> None:
    where = "Nodes=n2 CPU_IDs=0-5 Mem=1000 GRES="
    job = running(5, "", NodeList="n[1-2]", NumNodes="2", NumCPUs="8", MinMemoryNode="500M", Detail="")
    read = state(tmp_path, running(4, where), job)
    assert read.occupancy.machine == [[(1, 1)], [(0, 1)], [(1, 1)]]
    assert read.occupancy.jobs.demand.tolist() == [[6, 1000, 0], [6, 500, 0], [2, 500, 0]]
    assert len(when(read)) == 0


def test_generic_resources_that_are_told_for_the_whole_job_are_divided_over_what_is_free(
    tmp_path: Path,
) -> None:
    nodes = "\n".join([a_node("n1"), a_node("n2", Gres="gpu:a100:1"), a_node("n3", Gres="gpu:a100:4")])
    job = running(
        5, "", NodeList="n[2-3]", NumNodes="2", NumCPUs="2", TRES="cpu=2,mem=200M,gres/gpu=4", Detail=""
    )
    other = running(4, "Nodes=n3 CPU_IDs=0 Mem=100 GRES=gpu:a100:1")
    read = state(tmp_path, other, job, scontrol_node=nodes)
    assert read.occupancy.machine == [[(2, 1)], [(1, 1)], [(2, 1)]]
    assert read.occupancy.jobs.demand[:, 2].tolist() == [1, 1, 3]
    assert len(when(read)) == 0


def test_jobs_that_share_processors_or_are_suspended_can_be_forecast_beside_others(tmp_path: Path) -> None:
    whole = "Nodes=n1 CPU_IDs=0-7 Mem=1000 GRES="
    read = state(
        tmp_path, running(4, whole, JobState="SUSPENDED"), running(5, whole), a_job(6, ReqNodeList="n1")
    )
    assert read.occupancy.jobs.demand.tolist() == [[0, 1000, 0], [8, 1000, 0]]
    assert when(read).expected.tolist() == [8600.0]


def test_running_jobs_can_be_adopted_and_waiting_ones_submitted(tmp_path: Path) -> None:
    read = state(
        tmp_path,
        running(5, "Nodes=n[1-2] CPU_IDs=0-7 Mem=4000 GRES="),
        a_job(6, NumCPUs="4", **{"CPUs__Task": "4"}, ReqNodeList="n1"),
    )
    scheduler = sc.OnlineScheduler("easy", read.machines)
    scheduler.adopt(read.running.jobs, read.running.machine, read.running.start_time, read.now)
    scheduler.submit(read.waiting.jobs, read.now)
    scheduler.advance(read.now)
    # Job 6 needs n1, of which all processors are taken until 5000 + 3600.
    assert scheduler.estimate_start([6]).tolist() == [8600]
