"""Damaged and malicious files end in one clear sentence: a seeded walk over mutations of small files of every kind."""

import gzip
import json
import os
import random
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from schedcore import (
    ColocationInstance,
    Instance,
    InvalidInstanceError,
    Jobs,
    Machines,
    MapReduceInstance,
    ParallelTaskInstance,
    SchedcoreError,
)
from schedcore.problems.schedules.job_starts import read_starts
from schedcore.workloads import (
    load,
    read_google_table,
    read_machines,
    read_openb_nodes,
    read_outages,
    recorded_schedule,
)
from schedcore.workloads.models.task_sample import TaskSample
from workloads.azure import test_azure_packing as packing
from workloads.reading.test_text_blocks import EVENTS, SACCT, SWF, VMS

N_MUTATIONS = int(os.environ.get("SCHEDCORE_MUTATIONS", "120"))  # a file
LONGEST_MESSAGE = 1000

#: What breaks into number columns, and into parsers.
TOKENS = (
    b"9" * 309,
    b"-" + b"9" * 5000,
    b"1e308",
    b"-1e308",
    b"1e-400",
    b"nan",
    b"inf",
    b"-0",
    b"1e19",
    b"9223372036854775808",
    b"18446744073709551616",
    b"4503599627370497.5",
    b"0x10",
    b"1_000",
    b"\xff\xfe",
    b"\x00",
    b'"',
    b"|",
    b",",
    b";",
    b"\r",
    b"\n\n",
    b" " * 100,
    b"\t",
    b"\xc2\xb2",
    b"True",
    b"None",
    b"1" * 20,
    b"-1",
    b"\xef\xbb\xbf",
    b"2024-13-45T99:99:99",
    b"99999999999999999K",
)

ONE = Instance(Jobs([1.0, 2.0], [[1], [2]], id=[1, 2]), Machines([[2]], ["cores"]))
COLOCATION = ColocationInstance([1, 2], [0, 1], [[1, 2], [3, 4]], n_machines=2)


def parallel_tasks() -> ParallelTaskInstance:
    return ParallelTaskInstance(
        task_job=[0, 1], demand=[[1], [2]], weight=[1.0, 1.0], release_time=[0, 0], machines=Machines([[4]]),
        placement_start=[0, 1, 2], placement_machine=[0, 0], placement_time=[3, 4],
    )  # fmt: skip


def map_reduce() -> MapReduceInstance:
    columns = {
        name: [1, 1]
        for name in ("map_tasks", "map_cores", "map_time", "reduce_tasks", "reduce_cores", "reduce_time")
    }
    return MapReduceInstance(release_time=[0, 1], machines=Machines([[4]]), **columns)


def text(content: bytes) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(content) and None


def sqlite(path: Path) -> None:
    packing.write(path.parent, packing.BY_HAND, packing.TYPES, path.name)


def load_both_ways(path: Path) -> None:
    """Read a file as it is, then without its bad rows."""
    try:
        load(path)
    except SchedcoreError:
        load(path, on_bad_row="skip")


def load_drawn(path: Path) -> None:
    load(path, cls=1, n_types=2, n_tasks=3, n_machines=2)


def read_schedule_of_one(path: Path) -> None:
    read_starts(path, ONE)


WAYS = (None, "cores", "nodes")


def load_on_nodes(path: Path, ways: Sequence[str | None] = WAYS) -> None:
    """Read a log as jobs of tasks over machines, each way."""
    for tasks in ways:
        try:
            load(path, machines=NODES[path.suffix], tasks=tasks, columns=True)
        except SchedcoreError:
            load(path, machines=NODES[path.suffix], tasks=tasks, on_bad_row="skip")


def load_pods(path: Path) -> None:
    """Read pods on the nodes beside them, as they are and then without the bad rows."""
    nodes = path.with_name("nodes.csv")
    nodes.write_bytes(PODS_NODES)
    try:
        load(path, machines=str(nodes))
    except SchedcoreError:
        load(path, machines=str(nodes), on_bad_row="skip")


def read_schedule_of_gangs(path: Path) -> None:
    read_starts(path, GANGS)


NODES = {
    ".swf": Machines([[4, 10**6]] * 3, ["processors", "memory"]),
    ".sacct": Machines([[8, 10**8, 4]] * 3, ["processors", "memory", "gpus"], labels=[["a100"], ["b"], []]),
}
GANGS = Instance(Jobs([1.0, 2.0], [[1], [2]], id=[1, 2], n_tasks=[3, 2]), Machines([[4], [4]], ["cores"]))
SACCT_SITE = (
    b"JobIDRaw|JobID|Submit|Start|ElapsedRaw|TimelimitRaw|State|NNodes|ReqTRES|Partition|User|Priority|Constraints\n"
    b"1|1|100|100|10|1|COMPLETED|2|cpu=8,mem=4G,node=2|batch|ann|50|b\n"
    b"2|2_1|100|100|10|1|COMPLETED|1|cpu=4,mem=1G,node=1,gres/gpu:a100=2|gpu|bob|90|a100&!b\n"
)
PODS = (
    b"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
    b"pod-0,4000,8192,1,460,T4|G2,LS,Running,100,700,100\n"
    b"pod-1,2000,4096,2,1000,,BE,Pending,110,410,110\n"
    b"pod-2,2000,4096,0,0,,BE,Pending,110,410,\n"
)
PODS_NODES = b"sn,cpu_milli,memory_mib,gpu,model\nnode-0,16000,65536,2,T4\nnode-1,16000,65536,0,\n"
GPU_JOBS = b"job_id,submission_time,duration,num_gpu\na-1,1000,600,1\na-2,1000,900,20\n"
GANG_SCHEDULE = b"id,start_time,machine,allocation\n1,0,0,0:1 1:2\n2,1.5,1,1:2\n"

SCHEDULE = b"id,start_time,machine\n1,0,0\n2,1.5,0\n"
BATSIM = b"job_id,submission_time,starting_time,execution_time,allocated_resources,success\n"
BATSIM += b"1,0,0,1,0,1\n2,0,1.5,2,0-1,1\n"
GANGS_HELD = BATSIM.replace(b"1,0,0,1,0,1", b"1,0,0,1,0-2,1").replace(b"0-1", b"2-5")
MACHINES = b'name,weight,labels,cores,memory\nn[01-04],0,cpu rack=1,64,256GB\nbig,-1,"cpu; ssd",8.0,0.5TB\n'
OUTAGES = b"machine,start,end\nn[1-2],2026-12-01,2026-12-02T08:00\nn3,0.5,\n2,1h,inf\n"
CLUSTER = Machines([[1]] * 3, names=["n1", "n2", "n3"])
#: File -> how it is written, and read.
FILES: dict[str, tuple[Callable[[Path], None], Callable[[Path], object]]] = {
    "log.swf": (text(SWF), load_both_ways),
    "log.swf.gz": (text(gzip.compress(SWF, mtime=0)), load_both_ways),
    "log.sacct": (text(SACCT), load_both_ways),
    "nodes.swf": (text(SWF), load_on_nodes),
    "nodes.sacct": (text(SACCT_SITE), load_on_nodes),
    "pods.csv": (text(PODS), load_pods),
    "pod_nodes.csv": (text(PODS_NODES), read_openb_nodes),
    "gpu_jobs.csv": (text(GPU_JOBS), load_both_ways),
    "gang_schedule.csv": (text(GANG_SCHEDULE), read_schedule_of_gangs),
    "vms.csv": (text(VMS), load_both_ways),
    "part-00000-of-00500.csv": (text(EVENTS), lambda path: read_google_table(path, "task_events", on_bad_row="skip")),
    "trace.sqlite": (sqlite, load),
    "schedule.csv": (text(SCHEDULE), read_schedule_of_one),
    "jobs.csv": (text(BATSIM), lambda path: recorded_schedule(path, ONE)),
    "gangs.csv": (text(GANGS_HELD), lambda path: recorded_schedule(path, GANGS)),
    "schedule.swf": (text(b"1 0 0 1 1\n2 0 1 2 2\n"), lambda path: recorded_schedule(path, ONE)),
    "machines.csv": (text(MACHINES), read_machines),
    "outages.csv": (text(OUTAGES), lambda path: read_outages(path, CLUSTER, "2026-12-01")),
    "jobs.parquet": (ONE.to_parquet, load),
    "colocation.parquet": (COLOCATION.to_parquet, load),
    "tasks.parquet": (parallel_tasks().to_parquet, load),
    "map_reduce.parquet": (map_reduce().to_parquet, load),
    "sample.parquet": (TaskSample([1, 2, 3], [0.5, 1.0, 2.0]).to_parquet, load_drawn),
}  # fmt: skip


def mutated(content: bytes, draw: random.Random) -> bytes:
    """The content with a few bytes changed, lost, doubled or put in."""
    data = bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        begin = draw.randrange(len(data) + 1)
        end = min(len(data), begin + draw.choice((1, 1, 2, 8, 50)))
        match draw.randrange(6):
            case 0 if begin < len(data):
                data[begin] ^= 1 << draw.randrange(8)
            case 1:
                del data[begin:end]
            case 2:
                data[begin:begin] = data[begin:end]
            case 3:
                data[begin:begin] = draw.choice(TOKENS)
            case 4:
                data[begin:end] = draw.choice(TOKENS)
            case _:
                del data[begin + (len(data) - begin) // 2 :]
    return bytes(data)


def ends_in_one_sentence(read: Callable[[], object], what: object) -> None:
    """Call `read`, which may work or be refused; anything else fails the test."""
    try:
        read()
    except (SchedcoreError, OSError) as error:
        message = str(error)
        assert message, what
        assert "\n" not in message, (what, message)
        assert len(message) <= LONGEST_MESSAGE, (what, message)
        written = isinstance(what, bytes) and b"-9223372036854775808" in what
        assert written or "-9223372036854775808" not in message, (what, message)  # a number that nobody wrote
    except Exception as error:
        raise AssertionError(f"{what!r}: {type(error).__name__}: {error}") from error


@pytest.mark.parametrize("name", FILES)
def test_mutations_of_a_file_are_read_or_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    write, read = FILES[name]
    path = tmp_path / name
    write(path)
    content = path.read_bytes()
    read(path)
    draw = random.Random(name)
    for _ in range(N_MUTATIONS):
        other = mutated(content, draw)
        path.write_bytes(other)
        ends_in_one_sentence(lambda: read(path), other)


@pytest.mark.parametrize(
    "name", [name for name in FILES if not name.endswith((".parquet", ".sqlite", ".gz"))]
)
def test_any_field_may_hold_any_token(tmp_path: Path, name: str) -> None:
    write, read = FILES[name]
    path = tmp_path / name
    write(path)
    (first, *lines) = path.read_bytes().split(b"\n")
    lines = [line for line in lines if line][-2:]
    separator = b"|" if b"|" in first else b"," if b"," in first else b" "
    fields = lines[0].split(separator)
    for place in range(len(fields)):
        for n, token in enumerate(TOKENS):
            row = separator.join((*fields[:place], token, *fields[place + 1 :]))
            path.write_bytes(b"\n".join((first, row, lines[-1])))
            if read is load_on_nodes:
                # The ways take turns: each meets every token, and at every place a third of them.
                way = WAYS[(place + n) % len(WAYS)]
                ends_in_one_sentence(lambda way=way: load_on_nodes(path, [way]), (place, token[:30], way))
            else:
                ends_in_one_sentence(lambda: read(path), (place, token[:30]))


VALUES: tuple[Any, ...] = (
    None, "x", [], {}, True, 1.5, -1, 10**400, [[1, 2], [3]], [["a"]], [[None]], [[True]], [[1e400]], [[10**400]],
    [1, [2]],
)  # fmt: skip


@pytest.mark.parametrize(
    "name", ["jobs.parquet", "colocation.parquet", "map_reduce.parquet", "tasks.parquet"]
)
def test_metadata_of_a_parquet_file_may_hold_anything(tmp_path: Path, name: str) -> None:
    write, read = FILES[name]
    path = tmp_path / name
    write(path)
    table = parquet.read_table(path)
    metadata = json.loads(table.schema.metadata[b"schedcore"])
    texts = [json.dumps({**metadata, key: value}).encode() for key in metadata for value in VALUES]
    for content in (*texts, b"\xff", b"[]", b"[" * 100_000, b"1" * 5000):
        parquet.write_table(table.replace_schema_metadata({b"schedcore": content}), path)
        ends_in_one_sentence(lambda: read(path), content[:200])


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".parquet")])
def test_columns_of_a_parquet_file_may_hold_anything(tmp_path: Path, name: str) -> None:
    write, read = FILES[name]
    path = tmp_path / name
    write(path)
    table = parquet.read_table(path)
    n = len(table)
    columns = (
        ["a"] * n, [b"\xff"] * n, [[1]] * n, [{"a": 1}] * n, [True] * n, [None] * n, [float("nan")] * n, [1e300] * n,
        pa.array([2**63] * n, pa.uint64()), pa.array([1] * n, pa.timestamp("s")), pa.array([-1] * n, pa.int8()),
    )  # fmt: skip
    for index, column in enumerate(table.column_names):
        for values in columns:
            parquet.write_table(table.set_column(index, column, pa.array(values)), path)
            ends_in_one_sentence(lambda: read(path), (column, values))


def test_a_column_name_that_is_no_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "jobs.parquet"
    ONE.to_parquet(path)
    path.write_bytes(path.read_bytes().replace(b"weight", b"\xff\xfeight"))
    with pytest.raises(InvalidInstanceError, match=r"jobs\.parquet is not a readable Parquet file"):
        load(path)


@pytest.mark.parametrize("mode", ["requested", "used"])
@pytest.mark.parametrize("field", range(11))
@pytest.mark.parametrize("number", ["9" * 309, "9" * 5000, "1e308", "1" + "0" * 18])
def test_numbers_beyond_float64_or_2_to_the_53_are_refused_in_logs(
    tmp_path: Path, mode: str, field: int, number: str
) -> None:
    row = ["1", "0", "0", "10", "2", "5", "100", "2", "20", "100", "1"]
    path = tmp_path / "log.swf"
    path.write_text(" ".join([*row[:field], number, *row[field + 1 :]]) + "\n" + " ".join(row))
    ends_in_one_sentence(lambda: load(path, mode=mode), number)
    if field == 9 and mode == "requested":
        with pytest.raises(
            InvalidInstanceError, match=r"log\.swf: 1 row \(line 1\): a (demand above|field is not)"
        ):
            load(path)
    instance, _ = load(path, mode=mode, on_bad_row="skip")
    assert instance.jobs.demand.max() <= 2**53
    assert np.isfinite(instance.jobs.processing_time).all()


def test_a_database_of_other_tables_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "trace.sqlite"
    sqlite(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('ALTER TABLE vm RENAME COLUMN priority TO "prio\nrity"')
        connection.commit()
    ends_in_one_sentence(lambda: load(path), "vm without priority")
    with pytest.raises(InvalidInstanceError, match="not the Azure packing trace"):
        load(path)
