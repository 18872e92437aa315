"""Jobs that are written as a table, under whatever names and in whatever units, are read back as the same jobs."""

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedcore import Instance, Jobs, Machines
from schedcore.workloads import read_table

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ORIGIN = datetime.datetime(2026, 5, 1, 7, 30)
EPOCH = int(ORIGIN.replace(tzinfo=datetime.UTC).timestamp())

# Name of the column, what to say of it, and how it writes a number of seconds since `ORIGIN`, or of seconds.
INSTANTS: list[tuple[str, str, Any]] = [
    ("created_at", "", lambda t: (ORIGIN + datetime.timedelta(seconds=t)).isoformat()),
    ("submitTime", "", lambda t: f"{ORIGIN + datetime.timedelta(seconds=t)}+00:00"),
    ("x", "submit=x", lambda t: (ORIGIN + datetime.timedelta(seconds=t)).strftime("%Y/%m/%d %H:%M:%S")),
    ("x", "submit=x:dmy", lambda t: (ORIGIN + datetime.timedelta(seconds=t)).strftime("%d/%m/%Y %H:%M:%S")),
    ("arrival", "", lambda t: EPOCH + t),
    ("submit_ms", "", lambda t: (EPOCH + t) * 1000),
    ("queued_at", "", lambda t: (EPOCH + t) * 10**9),
    ("when", "submit=when", lambda t: t),
]
DURATIONS: list[tuple[str, str, Any]] = [
    ("secs", "", int),
    ("runtime", "", float),
    ("duration_ms", "", lambda s: s * 1000),
    ("took (it)", 'runtime="took (it)":us', lambda s: s * 10**6),
    ("elapsed", "", lambda s: f"{s // 86_400}-{s % 86_400 // 3600:02}:{s % 3600 // 60:02}:{s % 60:02}"),
    ("run_time", "", lambda s: f"PT{s}S"),
    ("a", "runtime=a", lambda s: f"{s // 60}m{s % 60}s"),
]
MEMORY: list[tuple[str, str, Any]] = [
    ("mem_mb", "", int),
    ("memory", "", lambda m: f"{m}MB"),
    ("ram", "", lambda m: f"{m * 1024} KiB"),
    ("b", "memory=b:B", lambda m: m * 2**20),
    ("mem_gib", "", lambda m: m / 1024),
]


@settings(deadline=None)
@given(data=st.data())
def test_a_table_of_any_names_and_units_is_read_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, 12))

    def numbers(least: int, most: int) -> list[int]:
        return data.draw(st.lists(st.integers(least, most), min_size=n, max_size=n))

    release = numbers(0, 10**6)
    release[data.draw(st.integers(0, n - 1))] = 0
    run_time, cores = numbers(1, 10**6), numbers(1, 1000)
    memory, gpus = numbers(1, 10**6), numbers(0, 8)
    submit, runtime, mem = (data.draw(st.sampled_from(kinds)) for kinds in (INSTANTS, DURATIONS, MEMORY))
    columns = {
        submit[0]: list(map(submit[2], release)),
        runtime[0]: list(map(runtime[2], run_time)),
        mem[0]: list(map(mem[2], memory)),
        data.draw(st.sampled_from(["cpus", "vcpu", "num_cores", "nprocs"])): cores,
        data.draw(st.sampled_from(["gpus", "n_gpu"])): gpus,
        "job id": list(range(100, 100 + n)),
        "owner": [f"user {i % 3}" for i in range(n)],
        "remark, free": ['say "so"'] * n,
    }
    order = data.draw(st.permutations(list(columns)))
    table = {name: columns[name] for name in order}
    words = ",".join(filter(None, (submit[1], runtime[1], mem[1])))
    path = write(tmp_path_factory.mktemp("tables"), table, data.draw(st.sampled_from([",", ";", "\t", ""])))
    machines = Machines([[1000, 10**6, 8]], ["cores", "memory", "gpus"])
    instance, report = read_table(path, machines, columns=words or None)
    expected = Jobs(
        run_time,
        np.column_stack([cores, memory, gpus]),
        release_time=release,
        estimated_processing_time=run_time,
        id=columns["job id"],
        user=columns["owner"],
    )
    assert instance == Instance(expected, machines)
    assert not report.dropped
    if submit[0] != "when":
        assert report.origin is not None
        assert report.origin.startswith("2026-05-01T07:30:00")


def write(folder: Path, table: dict[str, list[Any]], delimiter: str) -> Path:
    if not delimiter:
        path = folder / "jobs.parquet"
        pq.write_table(pa.table(table), path)
        return path

    def quoted(value: object) -> str:
        text = str(value)
        return '"{}"'.format(text.replace('"', '""')) if any(sign in text for sign in ',;"\t') else text

    path = folder / "jobs.csv"
    lines = [list(table), *map(list, zip(*table.values(), strict=True))]
    path.write_text("".join(delimiter.join(map(quoted, line)) + "\n" for line in lines))
    return path
