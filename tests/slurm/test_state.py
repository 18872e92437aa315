"""A state of a cluster becomes waiting jobs, outages and rules; what is lost is listed."""

from pathlib import Path

import numpy as np
import pytest

import schedcore as sc
from schedcore import InvalidInstanceError, Limit
from schedcore.slurm import read_state
from schedcore.slurm.waiting_jobs import ONE_YEAR
from slurm.small_cluster import NODES, ON_N1, PARTITIONS, a_job, a_node, not_modelled, running, saved, state


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
    assert not_modelled(read) == {}


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
    assert not_modelled(read) == {"partition: State": 1}


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
    assert ("job: no time limit" in not_modelled(read)) == (estimate == ONE_YEAR)


def test_memory_of_which_squeue_does_not_tell_what_it_is_for_is_listed(tmp_path: Path) -> None:
    lines = "JOBID|PARTITION|STATE|CPUS|MIN_MEMORY|SUBMIT_TIME\n7|batch|PENDING|4|1000M|1000\n"
    folder = saved(tmp_path, "", **{"squeue.txt": lines})
    (folder / "scontrol_job_d.txt").unlink()
    absent = {"job: no time limit": 1, "job: column of squeue": 1}
    assert not_modelled(read_state(folder)) == {"job: memory": 1, **absent}
    (folder / "squeue.txt").write_text(lines.replace("|4|", "|1|"))
    assert not_modelled(read_state(folder)) == absent


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
    found = not_modelled(state(tmp_path, a_job(6, **fields), a_job(7)))
    # Generic resources are not known to the plan of a cycle either.
    assert {name: n_jobs for name, n_jobs in found.items() if name != f"planned_starts: {setting[5:]}s"} == {
        setting: 1
    }


def test_jobs_that_must_not_be_requeued_are_listed_where_preemption_requeues(tmp_path: Path) -> None:
    conf = {"slurm.conf": "PreemptType=preempt/qos\nPreemptMode=REQUEUE\n"}
    jobs = [a_job(6, Restarts="0").replace("JobName=", "Requeue=0 JobName="), a_job(7)]
    assert not_modelled(state(tmp_path, *jobs, **conf))["job: --no-requeue"] == 1
    assert "job: --no-requeue" not in not_modelled(state(tmp_path, *jobs))


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
    assert not_modelled(read) == {}


def test_one_of_several_dependencies_is_all_of_them(tmp_path: Path) -> None:
    read = state(
        tmp_path, a_job(5), a_job(6), a_job(7, Dependency="afterok:5(unfulfilled)?afterok:6(unfulfilled)")
    )
    assert list(read.waiting.jobs.after_any) == [(), (), (5, 6)]
    assert (read.n_inexact, not_modelled(read)) == (1, {"job: dependency": 1})


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
    assert not_modelled(read) == {"job: licenses": 11}


def test_settings_of_the_site_count_the_jobs_of_the_state(tmp_path: Path) -> None:
    conf = {"slurm.conf": "SchedulerParameters=bf_window_linear=60\nNoSuchKey=1\n"}
    read = state(tmp_path, running(5, ON_N1), a_job(6), a_job(7), **conf)
    assert not_modelled(read) == {"SchedulerParameters: bf_window_linear": 3}
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
    assert not_modelled(read) == {"job: memory of a whole node": 1}
    read = state(tmp_path, a_job(6, MinMemoryNode="0", ReqNodeList="n3"), scontrol_node=nodes)
    assert read.waiting.jobs.demand.tolist() == [[2, 64_000, 0]]
    assert not_modelled(read) == {}


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
    assert not_modelled(read) == {"job: reservation": 1, "reservation": 1}
    assert read.reservations[3].users == ("ann",)


def test_ended_and_completing_jobs_are_neither_running_nor_waiting(tmp_path: Path) -> None:
    ended = [
        running(number, ON_N1, JobState=word)
        for number, word in enumerate(("COMPLETED", "FAILED", "TIMEOUT"), 1)
    ]
    read = state(tmp_path, *ended, running(9, ON_N1, JobState="COMPLETING"))
    assert (read.running.jobs.n_jobs, read.waiting.jobs.n_jobs) == (0, 0)
    assert not_modelled(read) == {"job: COMPLETING": 1}


def test_the_order_of_a_state_is_that_of_slurms_own_priorities(tmp_path: Path) -> None:
    assert state(tmp_path, a_job(6)).rules.order == "priority"


def test_states_of_jobs_that_nobody_knows_are_listed(tmp_path: Path) -> None:
    read = state(tmp_path, a_job(1, JobState="DREAMING"), a_job(2))
    assert read.waiting.jobs.id.tolist() == [1, 2]
    assert not_modelled(read) == {"job: JobState": 1}


@pytest.mark.parametrize(
    ("job", "n1", "n2", "hidden"),
    [
        (running(1, ON_N1), "4", "0", ""),
        (running(1, ON_N1), "4", "8", "n2"),
        (running(1, ON_N1), "5", "0", "n1"),  # beside a job that is shown
        (running(1, ON_N1, JobState="COMPLETED", EndTime="5900"), "4", "0", "n1"),
        # The nodes were asked for before it ended.
        (running(1, ON_N1, JobState="COMPLETED", EndTime="5990"), "4", "0", ""),
        (running(1, ON_N1, JobState="COMPLETING", EndTime="5900"), "4", "0", ""),
        # By scontrol suspend, or in turn with others: its processors are handed out to others, or not.
        (running(1, ON_N1, JobState="SUSPENDED"), "4", "0", ""),
        (running(1, ON_N1, JobState="SUSPENDED"), "0", "1", "n2"),
    ],
)
def test_nodes_on_which_hidden_jobs_run_are_listed(
    tmp_path: Path, job: str, n1: str, n2: str, hidden: str
) -> None:
    nodes = [a_node("n1", CPUAlloc=n1), a_node("n2", CPUAlloc=n2), a_node("n3", CPUTot="16")]
    read = state(tmp_path, job, a_job(2), scontrol_node="\n".join(nodes))
    found = [each.value for each in read.not_modelled if each.setting == "nodes: jobs not shown"]
    assert found == [hidden] * bool(hidden)


@pytest.mark.parametrize(
    ("columns", "row", "hidden"),
    [
        ("CPUS|NODELIST", "COMPLETING|5900|2|n1", ""),
        ("CPUS|NODELIST", "RUNNING|5900|2|n1", "n1"),
        ("NODES|NODELIST", "RUNNING|5900|1|n1", ""),  # of how many processors?
        ("CPUS|NODELIST", "PENDING|5900|2|", "n1"),
    ],
)
def test_what_squeue_leaves_open_is_not_taken_for_hidden_jobs(
    tmp_path: Path, columns: str, row: str, hidden: str
) -> None:
    rows = f"JOBID|PARTITION|STATE|START_TIME|{columns}\n7|batch|{row}\n"
    nodes = [a_node("n1", CPUAlloc="4"), a_node("n2"), a_node("n3", CPUTot="16")]
    folder = saved(tmp_path, "", scontrol_node="\n".join(nodes), **{"squeue.txt": rows})
    (folder / "scontrol_job_d.txt").unlink()
    read = read_state(folder, timezone="UTC")
    found = [each.value for each in read.not_modelled if each.setting == "nodes: jobs not shown"]
    assert found == [hidden] * bool(hidden)


def test_a_state_without_a_configuration_says_so(tmp_path: Path) -> None:
    folder = saved(tmp_path, a_job(1))
    (folder / "slurm.conf").unlink()
    read = read_state(folder, timezone="UTC")
    assert not_modelled(read) == {"slurm.conf": 1}
    assert read.machines.resource_names == ("cpu", "gpu")
