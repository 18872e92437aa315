"""The same job is the same, whatever command in whatever version tells of it."""

import dataclasses
import json
from typing import Any

import pytest

from schedcore import InvalidInstanceError
from schedcore.slurm import NodeShare, SlurmJob
from schedcore.slurm.jobs_of_json import jobs_of_json
from schedcore.slurm.jobs_of_scontrol import jobs_of_records
from schedcore.slurm.jobs_of_squeue import SQUEUE_FORMAT, jobs_of_squeue
from schedcore.slurm.json_output import read_json_list
from schedcore.slurm.records import read_records
from slurm.small_cluster import a_job, running


def of_text(line: str) -> SlurmJob:
    (job,) = jobs_of_records(read_records(line, "jobs.txt", "JobId"))
    return job


def of_json(**fields: Any) -> SlurmJob:
    text = json.dumps({"meta": {}, "errors": [], "jobs": [fields]})
    (job,) = jobs_of_json(read_json_list(text, "squeue.json", "jobs"))
    return job


def number(value: int) -> dict[str, object]:
    """A number as it is written from 23.02 on."""
    return {"set": True, "infinite": False, "number": value}


UNSET = {"set": False, "infinite": False, "number": 0}
WAITING = a_job(
    7, NumNodes="3-3", NumTasks="6", NtasksPerN="2:0:*:*", Features="thin|ssd", Dependency="afterok:5"
)
# The same as 22.05 writes it, and as 24.05 does.
OLD = {
    "job_id": 7, "job_state": "PENDING", "array_job_id": 0, "array_task_id": None, "array_task_string": "",
    "name": "j", "user_name": "ann", "account": "physics", "partition": "batch", "qos": "normal",
    "state_reason": "Resources", "dependency": "afterok:5", "features": "thin|ssd", "submit_time": 1000,
    "eligible_time": 1000, "start_time": 0, "end_time": 0, "time_limit": 60, "priority": 100, "nice": None,
    "node_count": 3, "max_nodes": 3, "tasks": 6, "tasks_per_node": 2, "cpus_per_task": 2, "cpus": 2,
    "minimum_cpus_per_node": 2,
    "memory_per_node": 1000, "memory_per_cpu": None, "tres_req_str": "cpu=2,mem=1000M,node=1", "shared": None,
    "requeue": True, "nodes": "", "het_job_id": 0, "het_job_offset": 0, "licenses": "",
}  # fmt: skip
NEW = OLD | {
    "job_state": ["PENDING"], "array_job_id": number(0), "array_task_id": UNSET, "submit_time": number(1000),
    "eligible_time": number(1000), "start_time": UNSET, "end_time": number(0), "time_limit": number(60),
    "priority": number(100), "node_count": number(3), "max_nodes": number(3), "tasks": number(6),
    "tasks_per_node": number(2), "cpus_per_task": number(2), "cpus": number(2), "memory_per_node": number(1000),
    "minimum_cpus_per_node": number(2),
    "memory_per_cpu": UNSET, "shared": [], "exclusive": [], "het_job_id": number(0), "het_job_offset": number(0),
}  # fmt: skip


@pytest.mark.parametrize("told", [OLD, NEW], ids=["22.05", "24.05"])
def test_a_waiting_job_is_the_same_as_text_and_as_json(told: dict[str, object]) -> None:
    assert dataclasses.replace(of_json(**told), place="") == dataclasses.replace(of_text(WAITING), place="")


def test_squeue_tells_the_same_as_far_as_it_goes() -> None:
    names = (
        "JOBID|JOBID|PARTITION|STATE|REASON|PRIORITY|TIME_LIMIT|START_TIME|END_TIME|SUBMIT_TIME|NODES|CPUS"
    )
    names += "|MIN_MEMORY|MIN_CPUS|FEATURES|OVER_SUBSCRIBE|NODELIST|DEPENDENCY|RESERVATION|USER|ACCOUNT|QOS"
    row = "7|7|batch|PENDING|Resources|100|1:00:00|N/A|N/A|1000|3|2|1000M|2|thin|ssd|OK||afterok:5||ann|physics|normal"
    (job,) = jobs_of_squeue(f"{names}\n{row}\n", "squeue.txt")
    whole = of_text(WAITING)
    for field in (
        "job_id",
        "state",
        "user",
        "account",
        "partition",
        "qos",
        "features",
        "dependency",
        "time_limit",
    ):
        assert getattr(job, field) == getattr(whole, field), field
    assert (job.min_nodes, job.cpus, job.memory_per_node, job.priority) == (3, 2, 1000, 100)
    assert SQUEUE_FORMAT.count("|") == 24


def test_what_a_running_job_holds_is_told_in_every_version() -> None:
    text = running(
        7, "Nodes=n[1-2] CPU_IDs=0-3,8 Mem=500 GRES=gpu:a100:2(IDX:0-1)   Nodes=n4 CPU_IDs=1 Mem=600 GRES="
    )
    assert of_text(text).allocation == (
        NodeShare("n1", 5, 500, (("gpu", "a100", 2),)),
        NodeShare("n2", 5, 500, (("gpu", "a100", 2),)),
        NodeShare("n4", 1, 600),
    )
    cores = {"sockets": {"0": {"cores": {"0": "allocated", "1": "allocated", "2": "unallocated"}}}}
    old = {"allocated_nodes": [{"nodename": "n1", "memory_allocated": 500, **cores}]}
    new = {
        "nodes": {
            "list": "n1",
            "allocation": [{"name": "n1", "cpus": {"count": 2}, "memory": {"allocated": 500}}],
        }
    }
    listed = {"nodes": {"allocation": [{"name": "n1", "memory": {"allocated": 500}, "sockets": [
        {"index": 0, "cores": [{"index": 0, "status": ["ALLOCATED"]}, {"index": 1, "status": ["ALLOCATED"]}]}
    ]}]}}  # fmt: skip
    for held in (old, new, listed):
        told = of_json(**OLD | {"job_state": "RUNNING", "nodes": "n1", "job_resources": held})
        assert told.allocation == (NodeShare("n1", 2, 500),)


def test_tasks_of_arrays_and_their_throttle() -> None:
    text = of_text(a_job(31, ArrayJobId="31", ArrayTaskId="0-5%2", ArrayTaskThrottle="2"))
    assert (text.array_job_id, text.array_tasks, text.array_throttle) == (31, (0, 1, 2, 3, 4, 5), 2)
    told = of_json(**OLD | {"array_job_id": 31, "array_task_string": "0-5%2", "array_max_tasks": 2})
    assert (told.array_job_id, told.array_tasks, told.array_throttle) == (31, (0, 1, 2, 3, 4, 5), 2)
    one = of_json(**OLD | {"job_id": 40, "array_job_id": 31, "array_task_id": 3})
    assert (one.called, one.array_tasks) == ("31_3", (3,))
    (short,) = jobs_of_squeue("JOBID|PARTITION|STATE\n31_[0-5%2]|batch|PD\n", "squeue.txt")
    assert (short.array_job_id, short.array_tasks, short.array_throttle) == (31, (0, 1, 2, 3, 4, 5), 2)


@pytest.mark.parametrize(
    ("text", "gres"),
    [
        ("gres/gpu:a100:2", (("gpu", "a100", 2),)),
        ("gres:gpu:2", (("gpu", "", 2),)),
        ("gpu:2", (("gpu", "", 2),)),
        ("cpu=4,gres/gpu=1", (("gpu", "", 1),)),
        ("cpu:4,gres/gpu:1", (("gpu", "", 1),)),
        ("license/matlab=1", ()),
        ("gres/gpu", (("gpu", "", 1),)),
    ],
)
def test_generic_resources_of_a_task_are_told_from_other_ones(text: str, gres: object) -> None:
    assert of_text(a_job(1, TresPerTask=text)).gres_per_task == gres
    assert of_json(**OLD | {"tres_per_task": text}).gres_per_task == gres


def test_records_of_old_versions_are_read() -> None:
    old = (
        "JobId=7 JobName=a UserId=ann(7) GroupId=g(7) Priority=5 JobState=PENDING NumNodes=2-2 NumCPUs=4 CPUs/Task=1 "
        "MinMemoryCPU=500 Shared=0 PackJobId=6 PackJobOffset=1 Gres=gpu:1 TimeLimit=10 SubmitTime=5 Partition=p "
        "Licenses=(null)"
    )
    job = of_text(old)
    assert (job.memory_per_cpu, job.het_job_id, job.het_offset) == (500, 6, 1)
    assert job.gres_per_node == (("gpu", "", 1),)
    assert job.exclusive


def test_parts_of_heterogeneous_jobs_say_so() -> None:
    assert of_text(a_job(8, HetJobId="7", HetJobOffset="1")).called == "7+1"
    assert of_json(**OLD | {"job_id": 8, "het_job_id": 7, "het_job_offset": 1}).called == "7+1"


@pytest.mark.parametrize(
    ("word", "exclusive", "shares"),
    [
        ("NO", True, ""),
        ("OK", False, ""),
        ("YES", False, "YES"),
        ("USER", False, "USER"),
        ("MCS", False, "MCS"),
    ],
)
def test_words_of_sharing(word: str, exclusive: bool, shares: str) -> None:
    job = of_text(a_job(1, OverSubscribe=word))
    assert (job.exclusive, job.shares_nodes) == (exclusive, shares)


def test_words_of_sharing_in_json() -> None:
    assert of_json(**OLD | {"shared": "none"}).exclusive
    assert of_json(**OLD | {"shared": ["none"]}).exclusive
    assert of_json(**OLD | {"exclusive": ["true"]}).exclusive
    assert not of_json(**OLD | {"shared": ["user"]}).exclusive
    assert of_json(**OLD | {"shared": ["user"]}).shares_nodes == "USER"
    assert of_json(**OLD | {"shared": "shared"}).shares_nodes == "YES"
    assert of_json(**NEW | {"shared": ["oversubscribe"]}).shares_nodes == "YES"


def test_numbers_without_a_limit_are_infinite() -> None:
    assert of_json(**OLD | {"time_limit": {"set": True, "infinite": True, "number": 0}}).time_limit == float(
        "inf"
    )
    assert of_json(**OLD | {"time_limit": 4294967295}).time_limit == float("inf")
    assert of_json(**OLD | {"time_limit": 4294967294}).time_limit is None


def test_all_memory_of_a_node_is_null_in_json_of_22_05() -> None:
    assert of_json(**OLD | {"memory_per_node": None, "memory_per_cpu": None}).memory_per_node == 0
    assert of_json(**OLD | {"memory_per_node": None, "memory_per_cpu": 500}).memory_per_node is None
    assert of_json(**NEW | {"memory_per_node": UNSET, "memory_per_cpu": number(500)}).memory_per_node is None


def test_a_running_job_has_what_it_was_given() -> None:
    has = (("cpu", 16), ("mem", 9000))
    given = "cpu=16,mem=9000M"
    old = of_json(
        **OLD | {"job_state": "RUNNING", "tres_req_str": "cpu=2,mem=9000M", "tres_alloc_str": given}
    )
    assert old.tres == has
    assert of_json(**OLD | {"tres_alloc_str": given}).tres[0] == ("cpu", 2)  # it waits
    text = running(
        5, "Nodes=n1 CPU_IDs=0-15 Mem=9000 GRES=", TRES="", ReqTRES="cpu=2,mem=9000M", AllocTRES=given
    )
    assert of_text(text).tres == has


def test_reasons_are_told_in_the_words_of_scontrol() -> None:
    told = {"state_reason": "ReqNodeNotAvail", "state_description": "ReqNodeNotAvail, UnavailableNodes:n8"}
    assert of_json(**OLD | told).reason == "ReqNodeNotAvail,_UnavailableNodes:n8"
    lines = "JOBID|PARTITION|STATE|REASON\n7|batch|PENDING|ReqNodeNotAvail, UnavailableNodes:n8\n"
    (job,) = jobs_of_squeue(lines, "squeue.txt")
    assert job.reason == "ReqNodeNotAvail,_UnavailableNodes:n8"
    lines = "JOBID|PARTITION|STATE|REASON\n7|batch|PENDING|launch failed requeued held\n"
    (job,) = jobs_of_squeue(lines, "squeue.txt")
    assert job.is_held


def test_nice_values_count_from_0() -> None:
    assert of_text(a_job(1, Nice="-50")).nice == -50
    assert of_json(**OLD | {"nice": 2147483648 + 100}).nice == 100
    assert of_json(**OLD | {"nice": -50}).nice == -50


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            a_job(1, NumNodes="many"),
            "jobs.txt: line 1: NumNodes = .* is no number of nodes",
        ),
        (a_job(1, TimeLimit="soon"), "jobs.txt: line 1: TimeLimit: 'soon' is no time"),
        (a_job(1, SubmitTime="today"), "jobs.txt: line 1: SubmitTime: 'today' is no date"),
        (a_job(1, ReqNodeList="n[1"), "jobs.txt: line 1: ReqNodeList: .*malformed"),
        (a_job(1, ArrayTaskId="x"), "jobs.txt: line 1: ArrayTaskId: 'x' is no list of tasks"),
        (a_job(1).replace("JobState=PENDING ", ""), "jobs.txt: line 1: JobState is missing"),
    ],
)
def test_fields_that_cannot_be_read_are_refused_with_their_place(line: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        of_text(line)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not json", "squeue.json is no JSON"),
        (
            '{"errors": [{"error": "slurmdbd is down"}], "jobs": []}',
            "tells an error of Slurm: .*slurmdbd is down",
        ),
        ('{"nodes": []}', "squeue.json has no list 'jobs'"),
        ('{"jobs": [3]}', r"squeue.json: jobs\[0\] is no object"),
        ('{"jobs": [{}]}', r"squeue.json: jobs\[0\]: job_id is missing"),
        (
            '{"jobs": [{"job_id": 1, "job_state": "PENDING", "cpus": "x"}]}',
            r"jobs\[0\]: cpus = 'x' is not a number",
        ),
        (
            '{"jobs": [{"job_id": 1, "job_state": "PENDING", "tasks": -2}]}',
            r"tasks = -2.0 is not a whole number",
        ),
        (
            '{"jobs": [{"job_id": 1, "job_state": "PENDING", "nodes": "n["}]}',
            r"squeue.json: jobs\[0\]: .*malformed",
        ),
    ],
)
def test_json_that_cannot_be_read_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        jobs_of_json(read_json_list(text, "squeue.json", "jobs"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  JOBID PARTITION STATE\n", "squeue.txt: line 1: no JOBID, PARTITION, STATE"),
        ("JOBID|PARTITION|STATE\n1|batch\n", "squeue.txt: line 2: 2 fields, but the first line names 3"),
        ("JOBID|PARTITION|STATE\nx|batch|R\n", "squeue.txt: line 2: JOBID = 'x' is no job"),
        ("JOBID|PARTITION|STATE\n1|batch|NOWHERE\n", "squeue.txt: line 2: STATE = 'NOWHERE' is no state"),
    ],
)
def test_squeue_that_cannot_be_read_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        jobs_of_squeue(text, "squeue.txt")
