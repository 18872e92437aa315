"""A state of a cluster becomes running and waiting jobs, outages and rules; one that contradicts itself is refused."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import schedcore as sc
from schedcore import InvalidInstanceError, Limit
from schedcore.slurm import SlurmState, read_state, when
from schedcore.slurm.waiting_jobs import ONE_YEAR
from slurm.small_cluster import NODES, PARTITIONS, a_job, a_node, running, saved


def state(folder: Path, *jobs: str, **files: str) -> SlurmState:
    return read_state(saved(folder, "\n".join(jobs), **files), timezone="UTC")


def settings(read: SlurmState) -> dict[str, int | None]:
    return {finding.setting: finding.n_jobs for finding in read.not_modelled}


ON_N1 = "Nodes=n1 CPU_IDs=0-3 Mem=4000 GRES="


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
    assert settings(read)["running job: past its end"] == 1


def test_unequal_shares_are_equal_tasks_that_hold_no_more_and_that_is_said(tmp_path: Path) -> None:
    where = "Nodes=n1 CPU_IDs=0-5 Mem=3000 GRES=   Nodes=n2 CPU_IDs=0-1 Mem=3000 GRES="
    read = state(tmp_path, running(5, where))
    # gcd(6, 2) = 2 processors a task: 3 tasks on n1 of 3000 // 3 MB, 1 on n2
    assert read.running.machine == [[(0, 3), (1, 1)]]
    assert read.running.jobs.demand.tolist() == [[2, 1000, 0]]
    assert settings(read) == {"running job: unequal nodes": 1}


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
    assert "running job: nodes" in settings(read)


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


def test_a_waiting_job_has_what_it_asks_for(tmp_path: Path) -> None:
    job = a_job(
        6, NumNodes="2-2", NumTasks="4", NtasksPerN="2:0:*:*", **{"CPUs__Task": "3"}, Features="thin|ssd",
        ExcNodeList="n2", OverSubscribe="NO", Priority="77", ArrayJobId="6", ArrayTaskId="4",
    )  # fmt: skip
    waiting = state(tmp_path, job).waiting
    jobs = waiting.jobs
    assert jobs.demand.tolist() == [[6, 1000, 0]]
    assert (jobs.n_tasks[0], jobs.max_tasks_per_machine[0], jobs.exclusive[0]) == (2, 1, True)
    assert jobs.constraint[0] == "(thin|ssd)&!node=n2"
    assert (jobs.user[0], jobs.account[0], jobs.partition[0], jobs.service_class[0]) == (
        "ann", "physics", "batch", "normal",
    )  # fmt: skip
    assert (jobs.priority[0], jobs.array[0], jobs.release_time[0]) == (77, 6, 1000)
    assert waiting.called == ("6_4",)
    assert waiting.reason == ("Resources",)


def test_constraints_are_over_labels_that_the_machines_have(tmp_path: Path) -> None:
    read = state(
        tmp_path,
        a_job(1, ExcNodeList="n2"),
        a_job(2, ReqNodeList="n3"),
        a_job(3, TresPerNode="gres/gpu:a100:1"),
    )
    allowed = [
        np.flatnonzero(sc.model.machines_that_satisfy(constraint, read.machines)).tolist()
        for constraint in read.waiting.jobs.constraint
    ]
    assert allowed == [[0, 2], [2], [2]]


def test_each_waiting_task_of_an_array_is_a_job_and_the_throttle_a_limit(tmp_path: Path) -> None:
    read = state(
        tmp_path,
        running(40, ON_N1, ArrayJobId="31", ArrayTaskId="0"),
        a_job(31, ArrayJobId="31", ArrayTaskId="1-3%2", ArrayTaskThrottle="2"),
        a_job(50, Dependency="afterany:31_*(unfulfilled)"),
        a_job(51, Dependency="afterok:31_2(unfulfilled)"),
        a_job(60, ArrayJobId="60", ArrayTaskId="1-2", Dependency="aftercorr:31_*(unfulfilled)"),
    )
    waiting = read.waiting
    assert waiting.called == ("31_1", "31_2", "31_3", "50", "51", "60_1", "60_2")
    assert waiting.jobs.id.tolist() == [61, 62, 63, 50, 51, 64, 65]
    assert waiting.jobs.array.tolist() == [31, 31, 31, -1, -1, 60, 60]
    assert waiting.jobs.after_any[3] == (40, 61, 62, 63)
    assert list(waiting.jobs.after_ok) == [(), (), (), (), (62,), (61,), (62,)]
    assert read.rules.limits == (Limit("array=31", "jobs", 2),)
    assert read.running.jobs.array.tolist() == [31]
    assert settings(read) == {}


@pytest.mark.parametrize(
    ("fields", "held"),
    [
        ({}, False),
        ({"Priority": "0", "Reason": "JobHeldUser"}, True),
        ({"Reason": "JobHeldAdmin"}, True),
        ({"Reason": "DependencyNeverSatisfied"}, True),
        ({"Reason": "launch_failed_requeued_held"}, True),
        ({"JobState": "REQUEUE_HOLD"}, True),
        ({"Reason": "Priority"}, False),
    ],
)
def test_held_jobs_are_known(tmp_path: Path, fields: dict[str, str], held: bool) -> None:
    assert state(tmp_path, a_job(6, **fields)).waiting.held.tolist() == [held]


def test_jobs_of_partitions_that_are_down_are_held_and_listed(tmp_path: Path) -> None:
    read = state(tmp_path, a_job(6), scontrol_partition=PARTITIONS.replace("State=UP", "State=DOWN"))
    assert read.waiting.held.tolist() == [True]
    assert settings(read) == {"partition: State": 1}


def test_jobs_are_released_when_they_are_eligible(tmp_path: Path) -> None:
    read = state(tmp_path, a_job(1, EligibleTime="9000"), a_job(2, EligibleTime="Unknown"))
    assert read.waiting.jobs.release_time.tolist() == [9000, 1000]


@pytest.mark.parametrize(
    ("limit", "partition", "estimate"),
    [
        ("01:00:00", "", 3600),
        ("UNLIMITED", "MaxTime=UNLIMITED", ONE_YEAR),
        ("UNLIMITED", "MaxTime=2:00:00", 7200),
        ("Partition_Limit", "MaxTime=2:00:00 DefaultTime=30", 1800),
        ("Partition_Limit", "MaxTime=2:00:00", 7200),
    ],
)
def test_estimates_are_limits_of_the_job_or_of_its_partition(
    tmp_path: Path, limit: str, partition: str, estimate: float
) -> None:
    words = PARTITIONS.replace("MaxTime=UNLIMITED", partition or "MaxTime=UNLIMITED")
    read = state(tmp_path, a_job(6, TimeLimit=limit), scontrol_partition=words)
    assert read.waiting.jobs.estimated_processing_time.tolist() == [estimate]
    assert ("job: no time limit" in settings(read)) == (estimate == ONE_YEAR)


def test_memory_of_which_squeue_does_not_tell_what_it_is_for_is_listed(tmp_path: Path) -> None:
    lines = "JOBID|PARTITION|STATE|CPUS|MIN_MEMORY|SUBMIT_TIME\n7|batch|PENDING|4|1000M|1000\n"
    folder = saved(tmp_path, "", **{"squeue.txt": lines})
    (folder / "scontrol_job_d.txt").unlink()
    absent = {"job: no time limit": 1, "job: column of squeue": 1}
    assert settings(read_state(folder)) == {"job: memory": 1, **absent}
    (folder / "squeue.txt").write_text(lines.replace("|4|", "|1|"))
    assert settings(read_state(folder)) == absent


def test_columns_that_squeue_was_not_asked_for_are_listed(tmp_path: Path) -> None:
    names = "JOBID|PARTITION|STATE|REASON|PRIORITY|TIME_LIMIT|START_TIME|END_TIME|SUBMIT_TIME|NODES|CPUS|MIN_MEMORY"
    names += "|FEATURES|SHARED|NODELIST|DEPENDENCY|RESERVATION|USER|ACCOUNT|QOS|GRES|EXC_NODES|REQ_NODES"
    values = ["{}|batch|PENDING|Priority|5|10|N/A|N/A|1000|1|1|100M|(null)|OK||(null)||ann|a|q|N/A||"]
    values.append("{}|batch|RUNNING|None|5|10|5900|6500|1000|1|1|100M|(null)|OK|n1|(null)||ann|a|q|N/A||")
    rows = [value.format(number) for number, value in enumerate(values, 1)]
    folder = saved(tmp_path, "")
    (folder / "scontrol_job_d.txt").unlink()
    (folder / "squeue.txt").write_text("\n".join([names, *rows]))
    assert read_state(folder).not_modelled == ()
    without = [line.rpartition("|")[0].rpartition("|")[0] for line in (names, *rows)]
    (folder / "squeue.txt").write_text("\n".join(without))
    found = read_state(folder).not_modelled
    assert [(each.setting, each.value, each.n_jobs) for each in found] == [
        ("job: column of squeue", "EXC_NODES", 2),
        ("job: column of squeue", "REQ_NODES", 2),
    ]


def test_defaults_of_memory_are_those_of_the_partition_before_those_of_the_site(tmp_path: Path) -> None:
    job = a_job(6, MinMemoryNode="0")
    conf = "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=100\n"
    read = state(tmp_path, job, **{"slurm.conf": conf})
    assert read.waiting.jobs.demand.tolist() == [[2, 32_000, 0]]  # 0 is all that a node has
    read = state(tmp_path, a_job(6, MinMemoryNode="", TRES="cpu=2"), **{"slurm.conf": conf})
    assert read.waiting.jobs.demand.tolist() == [[2, 200, 0]]
    words = f"{PARTITIONS} DefMemPerNode=700"
    read = state(
        tmp_path, a_job(6, MinMemoryNode="", TRES="cpu=2"), scontrol_partition=words, **{"slurm.conf": conf}
    )
    assert read.waiting.jobs.demand.tolist() == [[2, 700, 0]]


def test_exclusive_partitions_and_whole_nodes_make_jobs_exclusive(tmp_path: Path) -> None:
    words = f"{PARTITIONS} OverSubscribe=EXCLUSIVE"
    assert state(tmp_path, a_job(6), scontrol_partition=words).waiting.jobs.exclusive.tolist() == [True]
    linear = {"slurm.conf": "SelectType=select/linear\n"}
    assert state(tmp_path, a_job(6), **linear).waiting.jobs.exclusive.tolist() == [True]


@pytest.mark.parametrize(
    ("fields", "setting"),
    [
        ({"Licenses": "matlab:1"}, "job: licenses"),
        ({"Partition": "batch,urgent"}, "job: several partitions"),
        ({"Partition": "old"}, "job: partition"),
        ({"HetJobId": "6", "HetJobOffset": "0"}, "job: heterogeneous"),
        ({"OverSubscribe": "USER"}, "job: OverSubscribe"),
        ({"Dependency": "after:7+30(unfulfilled)"}, "job: dependency"),
        ({"Dependency": "afterok:7?afterany:7"}, "job: dependency"),
        ({"Dependency": "singleton(unfulfilled)", "JobName": "(null)"}, "job: dependency"),
        ({"TresPerNode": "gres:nosuch:1"}, "job: generic resource"),
        ({"Dependency": "afterok:99(unfulfilled)"}, "job: dependency"),
        ({"Features": "[a|b]"}, "job: features"),
        ({"ReqNodeList": "n1", "NumNodes": "2-2", "NumTasks": "2"}, "job: nodes that it names"),
        (
            {"NumNodes": "1-3", "NumTasks": "3", "MinMemoryNode": "", "MinMemoryCPU": "10M"},
            "job: -N with a range",
        ),
    ],
)
def test_what_of_jobs_cannot_be_modelled_is_counted(
    tmp_path: Path, fields: dict[str, str], setting: str
) -> None:
    found = settings(state(tmp_path, a_job(6, **fields), a_job(7)))
    # Generic resources are not known to the plan of a cycle either.
    assert {name: n_jobs for name, n_jobs in found.items() if name != f"planned_starts: {setting[5:]}s"} == {
        setting: 1
    }


def test_jobs_that_must_not_be_requeued_are_listed_where_preemption_requeues(tmp_path: Path) -> None:
    conf = {"slurm.conf": "PreemptType=preempt/qos\nPreemptMode=REQUEUE\n"}
    jobs = [a_job(6, Restarts="0").replace("JobName=", "Requeue=0 JobName="), a_job(7)]
    assert settings(state(tmp_path, *jobs, **conf))["job: --no-requeue"] == 1
    assert "job: --no-requeue" not in settings(state(tmp_path, *jobs))


def test_a_singleton_waits_for_jobs_of_its_name_and_user_that_came_before(tmp_path: Path) -> None:
    own = {"Dependency": "singleton(unfulfilled)", "JobName": "x"}
    read = state(
        tmp_path,
        running(3, ON_N1, JobName="x"),
        a_job(5, JobName="x"),
        a_job(6, **own),
        a_job(7, JobName="x"),
        a_job(8, JobName="x", UserId="bob(8)"),
        a_job(9, ArrayJobId="9", ArrayTaskId="1-3", **own),
        a_job(20, **own),
    )
    # 6 stands for all before it, and each task for those before it: ids are those of the jobs, of tasks 21 to 23
    assert list(zip(read.waiting.called, read.waiting.jobs.after_any, strict=True)) == [
        ("5", ()), ("6", (5, 3)), ("7", ()), ("8", ()),
        ("9_1", (7, 6)), ("9_2", (21,)), ("9_3", (22,)), ("20", (23,)),
    ]  # fmt: skip
    assert settings(read) == {}


def test_one_of_several_dependencies_is_all_of_them(tmp_path: Path) -> None:
    read = state(
        tmp_path, a_job(5), a_job(6), a_job(7, Dependency="afterok:5(unfulfilled)?afterok:6(unfulfilled)")
    )
    assert list(read.waiting.jobs.after_any) == [(), (), (5, 6)]
    assert (read.n_inexact, settings(read)) == (1, {"job: dependency": 1})


def test_tasks_that_wait_for_the_same_array_share_what_they_wait_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = state(
        tmp_path,
        a_job(5, ArrayJobId="5", ArrayTaskId="0-999"),
        a_job(6, ArrayJobId="6", ArrayTaskId="0-999", Dependency="afterok:5_*(unfulfilled)"),
    )
    awaited = {id(row.awaited["after_ok"]) for row in read._waiting_rows[0][1000:]}
    assert len(awaited) == 1
    monkeypatch.setattr("schedcore.slurm.awaited_jobs.MOST_AWAITED", 999_999)
    message = "line 2: with array 6, waiting jobs wait for 1,000,000 others, one by one; at most 999,999"
    with pytest.raises(InvalidInstanceError, match=message):
        state(tmp_path, *read_lines(tmp_path)).waiting  # noqa: B018


def read_lines(folder: Path) -> list[str]:
    return (folder / "scontrol_job_d.txt").read_text().splitlines()


def test_a_queue_of_too_many_tasks_is_refused_by_the_array(tmp_path: Path) -> None:
    jobs = [a_job(5, ArrayJobId="5", ArrayTaskId="0-4"), a_job(6, ArrayJobId="6", ArrayTaskId="0-999999")]
    with pytest.raises(
        InvalidInstanceError, match=r"line 2: with job 6, 1,000,005 jobs and tasks .* 1,000,000"
    ):
        state(tmp_path, *jobs)


def test_bad_dependencies_are_refused_where_they_are_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match=r"line 1: Dependency: 'later:5': 'later' is no kind"):
        state(tmp_path, a_job(6, Dependency="later:5"))


def test_tasks_of_an_array_count_one_by_one_in_what_is_listed(tmp_path: Path) -> None:
    read = state(tmp_path, a_job(6, ArrayJobId="6", ArrayTaskId="0-9", Licenses="x"), a_job(7, Licenses="x"))
    assert settings(read) == {"job: licenses": 11}


def test_settings_of_the_site_count_the_jobs_of_the_state(tmp_path: Path) -> None:
    conf = {"slurm.conf": "SchedulerParameters=bf_window_linear=60\nNoSuchKey=1\n"}
    read = state(tmp_path, running(5, ON_N1), a_job(6), a_job(7), **conf)
    assert settings(read) == {"SchedulerParameters: bf_window_linear": 3}
    assert [key for key, _ in read.site.unknown_settings] == ["NoSuchKey"]


def test_nodes_that_are_down_or_closed_are_known(tmp_path: Path) -> None:
    nodes = "\n".join(
        a_node(f"n{number}", State=word)
        for number, word in enumerate(
            ("DOWN*", "IDLE+DRAIN", "MIXED+PLANNED", "ALLOCATED*", "IDLE+POWERED_DOWN", "MAINT"), 1
        )
    )
    read = state(tmp_path, a_job(6), scontrol_node=nodes)
    assert read.down.tolist() == [0]
    assert read.closed.tolist() == [1, 3]


def test_a_node_that_is_down_and_has_jobs_is_closed(tmp_path: Path) -> None:
    nodes = NODES.replace("NodeName=n1", "NodeName=x1").replace("State=IDLE", "State=DOWN")
    read = state(
        tmp_path,
        running(5, ON_N1.replace("n1", "x1")),
        scontrol_node=nodes,
        scontrol_partition=PARTITIONS.replace("n[1-3]", "n[2-3]"),
    )
    assert (read.down.tolist(), read.closed.tolist()) == ([1, 2], [0])


def test_a_job_without_memory_takes_all_of_the_least_node_that_it_may_use(tmp_path: Path) -> None:
    nodes = NODES.replace("RealMemory=32000", "RealMemory=20000", 1)
    job = a_job(6, MinMemoryNode="0")
    read = state(tmp_path, job, scontrol_node=nodes)
    assert read.waiting.jobs.demand.tolist() == [[2, 20_000, 0]]
    assert settings(read) == {"job: memory of a whole node": 1}
    read = state(tmp_path, a_job(6, MinMemoryNode="0", ReqNodeList="n3"), scontrol_node=nodes)
    assert read.waiting.jobs.demand.tolist() == [[2, 64_000, 0]]
    assert settings(read) == {}


def test_maintenance_becomes_outages_and_other_reservations_are_listed(tmp_path: Path) -> None:
    reservations = "\n".join(
        [
            "ReservationName=a StartTime=7000 EndTime=9000 Nodes=n[1-2] CoreCnt=16 Flags=MAINT,SPEC_NODES",
            "ReservationName=b StartTime=3000 EndTime=8000 Nodes=n3 Flags=MAINT",
            "ReservationName=c StartTime=3000 EndTime=5000 Nodes=n3 Flags=MAINT",
            "ReservationName=team StartTime=7000 EndTime=9000 Nodes=n3 Flags=SPEC_NODES Users=ann",
        ]
    )
    read = state(tmp_path, a_job(6, Reservation="team"), scontrol_reservation=reservations)
    outages = read.outages()
    assert outages.machine.tolist() == [0, 1, 2]
    assert outages.start_time.tolist() == [7000, 7000, 6000]
    assert outages.end_time.tolist() == [9000, 9000, 8000]
    assert settings(read) == {"job: reservation": 1, "reservation": 1}
    assert read.reservations[3].users == ("ann",)


def test_ended_and_completing_jobs_are_neither_running_nor_waiting(tmp_path: Path) -> None:
    ended = [
        running(number, ON_N1, JobState=word)
        for number, word in enumerate(("COMPLETED", "FAILED", "TIMEOUT"), 1)
    ]
    read = state(tmp_path, *ended, running(9, ON_N1, JobState="COMPLETING"))
    assert (read.running.jobs.n_jobs, read.waiting.jobs.n_jobs) == (0, 0)
    assert settings(read) == {"job: COMPLETING": 1}


def test_the_order_of_a_state_is_that_of_slurms_own_priorities(tmp_path: Path) -> None:
    assert state(tmp_path, a_job(6)).rules.order == "priority"


@pytest.mark.parametrize(
    ("jobs", "message"),
    [
        ([running(5, "Nodes=n9 CPU_IDs=0 Mem=1 GRES=")], "job 5 is RUNNING on node n9, which does not exist"),
        (
            [running(5, "Nodes=n1 CPU_IDs=0-8 Mem=1 GRES=")],
            "with job 5, jobs hold 9 of cpu on node n1, which has 8",
        ),
        (
            [running(5, ON_N1), running(6, "Nodes=n1 CPU_IDs=0-5 Mem=1 GRES=")],
            "line 2: with job 6, jobs hold 10 of cpu on node n1, which has 8",
        ),
        (
            [running(5, "Nodes=n1 CPU_IDs=0 Mem=99000 GRES=")],
            "hold 99,000 of memory on node n1, which has 32,000",
        ),
        ([running(5, "Nodes=n3 CPU_IDs=0 Mem=1 GRES=gpu:9")], "hold 9 of gpu on node n3, which has 4"),
        ([running(5, ON_N1, StartTime="Unknown")], "job 5 is RUNNING, but has no start"),
        ([running(5, ON_N1, StartTime="7000")], "since 7000, which is after the instant of the state, 6000"),
        ([running(5, "")], "job 5 is RUNNING, but on no node"),
        ([a_job(5), a_job(5)], "line 2: job 5 stands at scontrol_job_d.txt: line 1 already"),
        (
            [
                running(4, "Nodes=n[1-2] CPU_IDs=0-5 Mem=1 GRES="),
                running(5, "", NodeList="n[1-2]", NumCPUs="5"),
            ],
            "line 2: with job 5, jobs hold 9 of cpu on node n1, which has 8",
        ),
        ([running(5, "", NodeList="n[1-2]", NumCPUs="20")], "job 5 holds 20 cpu, but its 2 nodes have 16"),
    ],
)
def test_a_state_that_contradicts_itself_is_refused_by_name(
    tmp_path: Path, jobs: list[str], message: str
) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        state(tmp_path, *jobs)


def test_a_reservation_of_a_node_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match="reservation r has node n9, which does not exist"):
        state(tmp_path, scontrol_reservation="ReservationName=r StartTime=1 EndTime=2 Nodes=n9 Flags=MAINT")
    with pytest.raises(InvalidInstanceError, match=r"line 1: reservation r is from 3.0 to 2.0"):
        state(tmp_path, scontrol_reservation="ReservationName=r StartTime=3 EndTime=2 Nodes=n1 Flags=MAINT")


def test_jobs_may_share_processors_where_the_partition_lets_them(tmp_path: Path) -> None:
    jobs = [running(5, "Nodes=n1 CPU_IDs=0-7 Mem=1 GRES="), running(6, "Nodes=n1 CPU_IDs=0-7 Mem=1 GRES=")]
    read = state(tmp_path, *jobs, scontrol_partition=f"{PARTITIONS} OverSubscribe=FORCE:2")
    assert settings(read) == {"partition: OverSubscribe": 2}
    with pytest.raises(InvalidInstanceError, match="hold 16 of cpu"):
        state(tmp_path, *jobs)


def test_an_instant_in_milliseconds_is_refused(tmp_path: Path) -> None:
    folder = saved(tmp_path, running(5, ON_N1), now="1700000000123000\n")
    with pytest.raises(InvalidInstanceError, match="is no date"):
        read_state(folder)
    (folder / "now.txt").write_text("999999999999999\n")
    with pytest.raises(InvalidInstanceError, match=r"now\.txt: .* is outside the years 1970 to 2499"):
        read_state(folder)


def test_the_instant_is_told_or_the_latest_that_is_known(tmp_path: Path) -> None:
    folder = saved(tmp_path, running(5, ON_N1))
    assert read_state(folder).now == 6000
    assert read_state(folder, now=6500).now == 6500
    (folder / "now.txt").write_text("4990\n")  # clocks of two machines differ by seconds
    assert read_state(folder).now == 5000
    (folder / "now.txt").write_text("soon\n")
    with pytest.raises(InvalidInstanceError, match=r"now.txt: 'soon' is no date"):
        read_state(folder)
    (folder / "now.txt").unlink()
    assert read_state(folder).now == 5000
    (folder / "scontrol_config.txt").write_text(
        "Configuration data as of 1970-01-01T03:00:00\nClusterName = x\n"
    )
    assert read_state(folder, timezone="Europe/Berlin").now == 7200
    (folder / "scontrol_config.txt").unlink()
    (folder / "scontrol_job_d.txt").write_text("No jobs in the system\n")
    with pytest.raises(InvalidInstanceError, match="nothing tells the instant of the state; give now="):
        read_state(folder)
    with pytest.raises(InvalidInstanceError, match="now = nan must be finite"):
        read_state(folder, now=float("nan"))


def test_two_instants_that_no_clock_explains_are_refused(tmp_path: Path) -> None:
    config = "Configuration data as of 1970-01-01T03:00:00\nClusterName = x\n"
    folder = saved(tmp_path, a_job(6), now="7500\n", scontrol_config=config)
    assert read_state(folder, timezone="Europe/Berlin").now == 7500
    message = r"scontrol_config.txt is of 1970-01-01T03:00:00, which is 10800, but now.txt says 7500: .*\(timezone=, "
    with pytest.raises(InvalidInstanceError, match=message):
        read_state(folder, timezone="UTC")
    (folder / "now.txt").write_text("1970-01-01T03:01:00\n")
    assert read_state(folder, timezone="Europe/Berlin").now == 7260


@pytest.mark.parametrize("moment", ["1795878625000", "2500-01-01T00:00:00+00:00", "0999-01-01T00:00:00"])
def test_instants_are_those_of_the_years_from_1970_on(tmp_path: Path, moment: str) -> None:
    folder = saved(tmp_path, a_job(6), now=moment)
    with pytest.raises(InvalidInstanceError, match=r"now.txt: .*outside the years 1970 to 2499"):
        read_state(folder, timezone="UTC")
    with pytest.raises(InvalidInstanceError, match=r"line 1: SubmitTime: .*outside the years"):
        read_state(saved(tmp_path, a_job(6, SubmitTime=moment)), timezone="UTC")
    saved(tmp_path, a_job(6))
    with pytest.raises(InvalidInstanceError, match=r"now: .*outside the years"):
        read_state(folder, now=1.8e12)
    (folder / "now.txt").write_text("6000")
    (folder / "scontrol_job_d.txt").unlink()
    job = {"job_id": 5, "job_state": "PENDING", "submit_time": 1795878625000}
    (folder / "squeue.json").write_text(json.dumps({"jobs": [job]}))
    with pytest.raises(InvalidInstanceError, match=r"jobs\[0\]: submit_time: .*outside the years"):
        read_state(folder)


@pytest.mark.parametrize(
    "name",
    [
        *("scontrol_job_d.txt", "scontrol_node.txt", "scontrol_partition.txt", "scontrol_reservation.txt"),
        *("slurm.conf", "scontrol_config.txt", "sacctmgr.txt", "sacctmgr_qos.txt", "now.txt"),
    ],
)
def test_an_empty_file_is_no_answer(tmp_path: Path, name: str) -> None:
    folder = saved(tmp_path, a_job(6))
    (folder / name).write_text(" \n")
    with pytest.raises(InvalidInstanceError, match=f"{name} is empty; save it anew"):
        read_state(folder)


def test_a_record_that_is_cut_is_refused_wherever_that_is(tmp_path: Path) -> None:
    whole = a_job(6, TimeLimit="02:00:00", NumNodes="2-2")
    for end in range(len("JobId=6"), whole.index("WorkDir=")):
        with pytest.raises(InvalidInstanceError, match="line 2: "):
            state(tmp_path, a_job(5), whole[:end])
    for end in range(len("JobId=6"), whole.index("Licenses=")):  # where nobody tells of folders
        with pytest.raises(InvalidInstanceError, match="line 1: "):
            state(tmp_path, whole[:end])
    with pytest.raises(
        InvalidInstanceError, match="line 1: job 6 has no NumCPUs, Licenses; the file may be cut"
    ):
        state(tmp_path, whole[: whole.index("NumCPUs=")])


@pytest.mark.parametrize(
    "line", ["slurm_load_jobs error: Unable to contact slurm controller", '[{"job_id": 5}]']
)
def test_what_is_no_list_of_jobs_is_quoted(tmp_path: Path, line: str) -> None:
    with pytest.raises(
        InvalidInstanceError, match=f"line 1: no JOBID, PARTITION, .* in '{re.escape(line)}'; save"
    ):
        state(tmp_path, line)


def test_names_of_nodes_that_there_are_not_are_quoted_in_short(tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match=r"line 1: Nodes: there is no node 'x+\.\.\.") as caught:
        state(tmp_path, scontrol_partition=PARTITIONS.replace("n[1-3]", "x" * 3000))
    assert len(str(caught.value)) < 200


def test_an_empty_cluster_has_no_jobs(tmp_path: Path) -> None:
    read = state(tmp_path)
    assert (read.running.jobs.n_jobs, read.waiting.jobs.n_jobs, len(read.outages().machine)) == (0, 0, 0)
    assert read.waiting.jobs.demand.shape == (0, 3)


def test_nodes_and_jobs_of_json_are_those_of_texts(tmp_path: Path) -> None:
    nodes = [
        {"name": "n1", "cpus": 8, "real_memory": 32000, "state": ["IDLE", "DRAIN"], "features": ["thin"],
         "active_features": ["thin"], "gres": "", "weight": 1, "threads": 1, "partitions": ["batch"]},
        {"name": "n2", "cpus": 8, "real_memory": 32000, "state": "idle", "state_flags": [], "features": "thin",
         "active_features": "thin", "gres": "", "weight": 1, "threads": 1, "partitions": ["batch"]},
        {"name": "n3", "cpus": 16, "real_memory": 64000, "state": "mixed", "state_flags": ["PLANNED"],
         "features": "thin", "active_features": "thin", "gres": "gpu:a100:4", "weight": 1, "threads": 1},
    ]  # fmt: skip
    folder = saved(tmp_path, a_job(6))
    of_text = read_state(folder).site.machines
    (folder / "scontrol_node.txt").unlink()
    (folder / "sinfo.json").write_text(json.dumps({"meta": {}, "errors": [], "nodes": nodes}))
    read = read_state(folder)
    assert read.site.machines == of_text
    assert read.closed.tolist() == [0]


def test_groups_of_sinfo_are_their_nodes_and_unequal_ones_are_refused(tmp_path: Path) -> None:
    def group(names: list[str], partition: str, most: int) -> dict[str, object]:
        return {
            "node": {"state": ["IDLE"]}, "nodes": {"nodes": names}, "cpus": {"minimum": 8, "maximum": most},
            "memory": {"minimum": 100, "maximum": 100}, "features": {"total": "thin", "active": "thin"},
            "gres": {"total": "gpu:2"}, "weight": {"minimum": 1, "maximum": 1}, "threads": {"minimum": 1, "maximum": 1},
            "partition": {"name": partition},
        }  # fmt: skip

    folder = saved(tmp_path, a_job(6))
    (folder / "scontrol_node.txt").unlink()
    (folder / "scontrol_partition.txt").unlink()
    groups = [group(["n1", "n2"], "batch", 8), group(["n2"], "urgent", 8)]
    (folder / "sinfo.json").write_text(json.dumps({"sinfo": groups}))
    machines = read_state(folder).machines
    assert machines.names == ("n1", "n2")
    assert machines.capacity.tolist() == [[8, 100, 2]] * 2
    assert machines.labels[1] == {"thin", "partition=batch", "partition=urgent"}
    (folder / "sinfo.json").write_text(json.dumps({"sinfo": [group(["n1", "n2"], "batch", 16)]}))
    with pytest.raises(
        InvalidInstanceError, match=r"cpus.minimum = 8, but cpus.maximum = 16.*scontrol -o show node"
    ):
        read_state(folder)


SINFO = """\
NODELIST|PARTITION|STATE|CPUS|MEMORY|WEIGHT|AVAIL_FEATURES|GRES
n1|batch*|drained*|8|32000|1|thin|(null)
n2|batch*|idle|8|32000|1|thin|(null)
n2|urgent|idle|8|32000|1|thin|(null)
n3|batch*|mixed|16|64000|1|thin|gpu:a100:4(S:0-1)
"""


def test_sinfo_as_text_tells_the_nodes_and_their_partitions(tmp_path: Path) -> None:
    folder = saved(tmp_path, a_job(6), **{"sinfo.txt": SINFO})
    of_scontrol = read_state(folder).machines
    for name in ("scontrol_node.txt", "scontrol_partition.txt"):
        (folder / name).unlink()
    read = read_state(folder)
    assert read.machines.capacity.tolist() == of_scontrol.capacity.tolist()
    assert read.machines.labels[1] == {"thin", "partition=batch", "partition=urgent"}
    assert read.closed.tolist() == [0]
    assert [partition.name for partition in read.site.partitions] == ["batch", "urgent"]
    for text, message in (
        ("NODELIST NODES PARTITION", r"sinfo.txt: line 1: .*does not begin with NodeName="),
        ("NODELIST|STATE\nn1|idle\n", r"sinfo.txt: no CPUS, MEMORY among names"),
        (
            SINFO.replace("n2|batch*|idle|8|", "n2|batch*|idle|8+|"),
            r"sinfo.txt: line 3: CPUS: '8\+' is no whole number",
        ),
        (SINFO.replace("|gpu:a100:4(S:0-1)", ""), r"sinfo.txt: line 5: 7 fields, but the first line names 8"),
    ):
        (folder / "sinfo.txt").write_text(text)
        with pytest.raises(InvalidInstanceError, match=message):
            read_state(folder)


def test_what_nodes_keep_for_themselves_is_not_handed_out(tmp_path: Path) -> None:
    nodes = a_node("n1", MemSpecLimit="2000", CPUEfctv="6")
    words = PARTITIONS.replace("n[1-3]", "n1")
    read = state(tmp_path, a_job(6), scontrol_node=nodes, scontrol_partition=words)
    assert read.machines.capacity.tolist() == [[6, 30_000]]


def test_jobs_of_a_partition_that_is_not_there_are_in_none_and_listed(tmp_path: Path) -> None:
    read = state(tmp_path, a_job(6, Partition="old"), a_job(7))
    assert read.waiting.jobs.partition.tolist() == [None, "batch"]
    assert settings(read) == {"job: partition": 1}


def test_partitions_and_reservations_of_json_are_those_of_texts(tmp_path: Path) -> None:
    words = (
        "PartitionName=batch AllowGroups=ALL AllowAccounts=a,b Default=YES DefaultTime=00:30:00 MaxNodes=2 "
    )
    words += (
        "MaxTime=1-00:00:00 Nodes=n[1-3] PriorityJobFactor=3 PriorityTier=5 OverSubscribe=EXCLUSIVE State=UP"
    )
    folder = saved(
        tmp_path,
        a_job(6),
        scontrol_partition=words,
        scontrol_reservation="ReservationName=r StartTime=7000 EndTime=9000 Nodes=n1 CoreCnt=8 Flags=MAINT Users=ann",
    )
    text = read_state(folder)

    def number(value: int) -> dict[str, object]:
        return {"set": True, "infinite": False, "number": value}

    partition = {
        "name": "batch", "nodes": {"configured": "n[1-3]"}, "accounts": {"allowed": "a,b", "deny": ""},
        "maximums": {"time": number(1440), "nodes": number(2), "oversubscribe": {"jobs": 0, "flags": []}},
        "defaults": {"time": number(30)}, "priority": {"job_factor": 3, "tier": 5}, "partition": {"state": ["UP"]},
        "minimums": {"nodes": 0}, "flags": ["DEFAULT"],
    }  # fmt: skip
    reservation = {
        "name": "r", "start_time": number(7000), "end_time": number(9000), "node_list": "n1", "core_count": 8,
        "flags": ["MAINT"], "users": "ann", "accounts": "", "partition": "", "licenses": "",
    }  # fmt: skip
    for name, content in (("partition", partition), ("reservation", reservation)):
        (folder / f"scontrol_{name}.txt").unlink()
        (folder / f"scontrol_{name}.json").write_text(json.dumps({f"{name}s": [content]}))
    told = read_state(folder)
    assert told.site.site == text.site.site
    assert told.outages() == text.outages()
    assert told.site.partitions[0].allow_accounts == ("a", "b")
    assert told.waiting.jobs == text.waiting.jobs


def test_what_a_job_holds_is_taken_from_json_where_text_does_not_tell(tmp_path: Path) -> None:
    job = running(5, "", NodeList="n[1-2]", NumNodes="2", NumCPUs="8", Detail="")
    folder = saved(tmp_path, job)
    held = {"allocated_nodes": [
        {"nodename": name, "memory_allocated": 1000, "cpus_used": cpus} for name, cpus in (("n1", 6), ("n2", 2))
    ]}  # fmt: skip
    told = {"job_id": 5, "job_state": "RUNNING", "nodes": "n[1-2]", "cpus": 8, "job_resources": held}
    (folder / "squeue.json").write_text(json.dumps({"jobs": [told]}))
    read = read_state(folder)
    assert read.running.machine == [[(0, 3), (1, 1)]]
    assert "running job: nodes" not in settings(read)


def test_dates_are_on_the_clock_of_the_cluster(tmp_path: Path) -> None:
    folder = saved(tmp_path, a_job(6, EligibleTime="1970-01-01T02:00:00"))
    assert read_state(folder, timezone="Europe/Berlin").waiting.jobs.release_time.tolist() == [3600]
    assert read_state(folder, timezone="UTC").waiting.jobs.release_time.tolist() == [7200]


def test_all_nodes_are_machines_in_their_order(tmp_path: Path) -> None:
    read = state(tmp_path, a_job(6))
    assert read.machines.names == ("n1", "n2", "n3")
    assert np.array_equal(read.machines.capacity, [[8, 32000, 0], [8, 32000, 0], [16, 64000, 4]])
    assert NODES.count("\n") == 2
