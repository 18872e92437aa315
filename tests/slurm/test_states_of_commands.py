"""The same state from other commands: JSON, sinfo, and texts that tell less."""

import json
from pathlib import Path

import numpy as np
import pytest

from schedcore import InvalidInstanceError
from schedcore.slurm import read_state
from slurm.small_cluster import NODES, PARTITIONS, a_job, a_node, not_modelled, running, saved, state


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
    assert not_modelled(read) == {"job: partition": 1}


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
    assert "running job: nodes" not in not_modelled(read)


def test_dates_are_on_the_clock_of_the_cluster(tmp_path: Path) -> None:
    folder = saved(tmp_path, a_job(6, EligibleTime="1970-01-01T02:00:00"))
    assert read_state(folder, timezone="Europe/Berlin").waiting.jobs.release_time.tolist() == [3600]
    assert read_state(folder, timezone="UTC").waiting.jobs.release_time.tolist() == [7200]


def test_all_nodes_are_machines_in_their_order(tmp_path: Path) -> None:
    read = state(tmp_path, a_job(6))
    assert read.machines.names == ("n1", "n2", "n3")
    assert np.array_equal(read.machines.capacity, [[8, 32000, 0], [8, 32000, 0], [16, 64000, 4]])
    assert NODES.count("\n") == 2
