"""Whatever a file holds, it is read or refused as invalid input; nothing else is raised."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from schedcore import InvalidInstanceError
from schedcore.slurm import read_site, read_state
from schedcore.slurm.accounting import read_associations, read_qos
from schedcore.slurm.array_tasks import array_tasks
from schedcore.slurm.dependencies import read_dependencies
from schedcore.slurm.feature_requests import constraint_of_features
from schedcore.slurm.jobs_of_json import jobs_of_json
from schedcore.slurm.jobs_of_scontrol import jobs_of_records
from schedcore.slurm.jobs_of_squeue import jobs_of_squeue
from schedcore.slurm.json_output import read_json_list
from schedcore.slurm.nodes import nodes_of_json, nodes_of_records
from schedcore.slurm.nodes_of_sinfo import nodes_of_sinfo
from schedcore.slurm.partitions import partitions_of_json, partitions_of_records
from schedcore.slurm.records import read_records
from schedcore.slurm.reservations import reservations_of_json, reservations_of_records
from schedcore.slurm.values import gres_amounts, instant, megabytes, seconds, tres_amounts
from slurm.small_cluster import CONFIGURATION, NODES, a_job, running, saved

WORDS = st.text("0123456789abnKMGT-+:,.=/_[]()|%*#'\" \\", max_size=12)
VALUES = WORDS | st.sampled_from(
    ["UNLIMITED", "(null)", "N/A", "0", "1", "n[1-2]", "99999999999999999999", "1-1"]
)
NUMBERS = st.none() | st.booleans() | st.integers(-5, 2**64) | st.floats() | WORDS
PLAIN = NUMBERS | st.builds(lambda number: {"set": True, "infinite": False, "number": number}, NUMBERS)
JSON = PLAIN | st.lists(PLAIN, max_size=2) | st.dictionaries(WORDS, PLAIN, max_size=2)


@pytest.mark.parametrize(
    "reader",
    [
        *(
            seconds,
            megabytes,
            tres_amounts,
            gres_amounts,
            array_tasks,
            read_dependencies,
            constraint_of_features,
        ),
        lambda text: instant(text, None),
        lambda text: read_associations(text, "f"),
        lambda text: read_qos(text, "f"),
    ],
    ids=[
        "seconds",
        "megabytes",
        "tres",
        "gres",
        "arrays",
        "dependencies",
        "features",
        "instant",
        "accounts",
        "qos",
    ],
)
@given(text=st.text(max_size=20) | WORDS | VALUES)
def test_single_texts_are_read_or_refused(reader: Callable[[str], object], text: str) -> None:
    with contextlib.suppress(InvalidInstanceError):
        reader(text)


def changed(line: str, changes: list[tuple[int, str]]) -> str:
    """Replace what stands behind some of the ``=`` of a line."""
    words = line.split(" ")
    for place, value in changes:
        key, equals, _ = words[place % len(words)].partition("=")
        words[place % len(words)] = f"{key}{equals}{value}"
    return " ".join(words)


CHANGES = st.lists(st.tuples(st.integers(0, 60), VALUES), min_size=1, max_size=3)


@given(CHANGES, st.sampled_from(["waiting", "running", "node", "partition", "reservation"]))
def test_changed_records_are_read_or_refused(changes: list[tuple[int, str]], kind: str) -> None:
    lines: dict[str, tuple[str, str, Callable[..., object]]] = {
        "waiting": ("JobId", a_job(5, ArrayJobId="5", ArrayTaskId="1-2"), jobs_of_records),
        "running": ("JobId", running(5, "Nodes=n1 CPU_IDs=0-3 Mem=4000 GRES="), jobs_of_records),
        "node": ("NodeName", NODES.splitlines()[2], nodes_of_records),
        "partition": (
            "PartitionName",
            "PartitionName=p Nodes=n1 MaxTime=1 MaxNodes=1 PriorityTier=1 DefMemPerCPU=1",
            lambda records: partitions_of_records(records, ["n1"], {}),
        ),
        "reservation": (
            "ReservationName",
            "ReservationName=r StartTime=1 EndTime=2 Nodes=n1 CoreCnt=1 Flags=MAINT",
            reservations_of_records,
        ),
    }
    first, line, reader = lines[kind]
    with contextlib.suppress(InvalidInstanceError):
        reader(read_records(changed(line, changes), "f", first))


JOB_FIELDS = (
    *(
        "job_id",
        "job_state",
        "array_job_id",
        "array_task_id",
        "array_task_string",
        "time_limit",
        "priority",
        "nice",
    ),
    *(
        "node_count",
        "max_nodes",
        "tasks",
        "cpus",
        "memory_per_node",
        "shared",
        "exclusive",
        "nodes",
        "dependency",
    ),
    *("tres_req_str", "tres_per_node", "submit_time", "job_resources", "het_job_id", "required_nodes"),
)


@given(st.dictionaries(st.sampled_from(JOB_FIELDS), JSON, max_size=6))
@example({"job_id": 1, "job_state": "RUNNING", "job_resources": {"allocated_nodes": [3]}})
@example(
    {
        "job_id": 1,
        "job_state": "RUNNING",
        "job_resources": {"nodes": {"allocation": [{"name": "n", "cpus": 3}]}},
    }
)
def test_changed_jobs_of_json_are_read_or_refused(fields: dict[str, object]) -> None:
    text = json.dumps({"jobs": [{"job_id": 7, "job_state": "PENDING", **fields}]})
    with contextlib.suppress(InvalidInstanceError):
        jobs_of_json(read_json_list(text, "f", "jobs"))


OTHER_FIELDS = (
    *(
        "name",
        "cpus",
        "real_memory",
        "gres",
        "features",
        "state",
        "weight",
        "threads",
        "nodes",
        "partition",
        "node",
    ),
    *(
        "maximums",
        "minimums",
        "priority",
        "defaults",
        "accounts",
        "memory",
        "start_time",
        "end_time",
        "node_list",
    ),
    *("flags", "core_count", "users"),
)


@given(
    st.dictionaries(
        st.sampled_from(OTHER_FIELDS), JSON | st.dictionaries(WORDS, JSON, max_size=2), max_size=6
    )
)
def test_other_objects_of_json_are_read_or_refused(fields: dict[str, object]) -> None:
    readers: list[Callable[..., object]] = [nodes_of_json, nodes_of_sinfo, reservations_of_json]
    readers.append(lambda objects: partitions_of_json(objects, ["n1"], {}))
    text = json.dumps({"list": [{"name": "x", **fields}]})
    for reader in readers:
        with contextlib.suppress(InvalidInstanceError):
            reader(read_json_list(text, "f", "list"))


@given(
    st.lists(st.tuples(st.sampled_from(["JOBID", "PARTITION", "STATE", "NODES", "CPUS", "FEATURES"]), VALUES))
)
def test_changed_tables_of_squeue_are_read_or_refused(columns: list[tuple[str, str]]) -> None:
    told = {"JOBID": "3_[1-2]", "PARTITION": "p", "STATE": "PENDING", **dict(columns)}
    with contextlib.suppress(InvalidInstanceError):
        jobs_of_squeue(f"{'|'.join(told)}\n{'|'.join(told.values())}\n", "f")


@given(CHANGES, st.integers(0, 8), st.text(max_size=20))
def test_changed_configurations_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, str]], line: int, more: str
) -> None:
    folder: Path = tmp_path_factory.mktemp("site")
    lines = [
        *CONFIGURATION.splitlines(),
        "SchedulerParameters=bf_window=5,bf_interval=3",
        "PriorityMaxAge=7-0",
    ]
    lines[line] = changed(lines[line], changes)
    (folder / "slurm.conf").write_text("\n".join([*lines, more]), encoding="utf-8", errors="replace")
    with contextlib.suppress(
        InvalidInstanceError, FileNotFoundError
    ):  # it may include a file that is not there
        read_site(folder)


@given(CHANGES, st.integers(0, 1))
def test_changed_states_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, str]], line: int
) -> None:
    lines = [
        running(5, "Nodes=n[1-2] CPU_IDs=0-3 Mem=4000 GRES="),
        a_job(6, ArrayJobId="6", ArrayTaskId="1-2%1"),
    ]
    lines[line] = changed(lines[line], changes)
    folder = saved(tmp_path_factory.mktemp("state"), "\n".join(lines))
    with contextlib.suppress(InvalidInstanceError):
        state = read_state(folder)
        assert state.waiting.jobs.n_jobs + state.running.jobs.n_jobs <= 1000
        assert state.not_modelled is not None
