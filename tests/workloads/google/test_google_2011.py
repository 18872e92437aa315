"""Tables of Google's trace of 2011: typed columns, every bad row named, and what the events add up to."""

import csv
import gzip
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data_folder import data_folder
from schedcore import InvalidInstanceError, _core
from schedcore.workloads import (
    GOOGLE_TABLES,
    colocation_tasks,
    google_machines,
    google_task_requests,
    read_google_table,
    sample_google_requests,
    sample_google_usage,
)
from schedcore.workloads.reading import source_file

pytest.importorskip("pyarrow")

NEVER = 2**63 - 1


def write_part(folder: Path, table: str, number: int, rows: Sequence[str], *, zipped: bool = True) -> Path:
    (folder / table).mkdir(exist_ok=True)
    text = "".join(row + "\n" for row in rows).encode()
    path = folder / table / f"part-{number:05}-of-00500.csv{'.gz' if zipped else ''}"
    path.write_bytes(gzip.compress(text) if zipped else text)
    return path


def task_event(
    time: object = 0, job: object = 1, index: object = 0, event: object = 0, cpu: object = 0.5,
    memory: object = 0.25, *, scheduling_class: object = 1, priority: object = 9,
) -> str:  # fmt: skip
    return f"{time},,{job},{index},,{event},hash=,{scheduling_class},{priority},{cpu},{memory},0.001,0"


def usage(cpu: object, memory: object) -> str:
    return f"600000000,900000000,3,4,5,{cpu},0.1,{memory},0,0,0.1,0,0,0.2,0,1.5,0.01,1,0,{cpu}"


GOOD = [task_event(time=time, job=time % 3) for time in range(5)]


def test_fields_are_typed_and_empty_ones_missing(tmp_path: Path) -> None:
    write_part(
        tmp_path,
        "task_events",
        0,
        ["0,2,3418309,0,4155527081,0,70s3v5qR/w+5=,3,9,,,,", f"{NEVER},,6,1,,5,,,11,0,1e-3,0.5,1"],
    )
    table, report = read_google_table(tmp_path, "task_events")
    assert table.to_pylist() == [
        {
            "time": 0, "missing_info": 2, "job_id": 3418309, "task_index": 0, "machine_id": 4155527081, "event_type": 0,
            "user": "70s3v5qR/w+5=", "scheduling_class": 3, "priority": 9, "cpu_request": None, "memory_request": None,
            "disk_space_request": None, "different_machines": None,
        },
        {
            "time": NEVER, "missing_info": None, "job_id": 6, "task_index": 1, "machine_id": None, "event_type": 5,
            "user": None, "scheduling_class": None, "priority": 11, "cpu_request": 0.0, "memory_request": 0.001,
            "disk_space_request": 0.5, "different_machines": 1,
        },
    ]  # fmt: skip
    assert {str(table.schema.field(name).type) for name in ("time", "scheduling_class")} == {"int64"}
    assert str(table.schema.field("cpu_request").type) == "double"
    assert (report.n_files, report.rows_read, report.n_rows, report.dropped) == (1, 2, 2, Counter())


def test_parts_are_joined_in_order_whatever_way_they_are_named(tmp_path: Path) -> None:
    for number in (3, 0, 10):
        write_part(tmp_path, "task_events", number, [task_event(job=number)] * 2, zipped=number != 3)
    (tmp_path / "task_events" / "README").write_text("not a part")
    for path in (tmp_path, tmp_path / "task_events"):
        table, report = read_google_table(path, "task_events", columns=["job_id"])
        assert table.to_pydict() == {"job_id": [0, 0, 3, 3, 10, 10]}
        assert report.n_files == 3
    assert read_google_table(tmp_path, "task_events", [10, 0], columns=["job_id"])[0].to_pydict() == {
        "job_id": [0, 0, 10, 10]
    }
    one = tmp_path / "task_events" / "part-00003-of-00500.csv"
    assert read_google_table(one, "task_events")[0]["job_id"].to_pylist() == [3, 3]


def test_texts_of_different_parts_are_told_apart(tmp_path: Path) -> None:
    for number, user in enumerate(("a", "b", "a")):
        write_part(tmp_path, "job_events", number, [f"1,,7,0,{user},2,name,logical"])
    assert read_google_table(tmp_path, "job_events")[0]["user"].to_pylist() == ["a", "b", "a"]


BAD_ROWS = [
    (task_event(cpu="x"), "garbled_row", "cpu_request"),
    (task_event(cpu="nan"), "garbled_row", "cpu_request"),
    (task_event(memory="inf"), "garbled_row", "memory_request"),
    (task_event(time="1.5"), "garbled_row", "time"),
    (task_event(time=2**63), "garbled_row", "time"),
    (task_event(job=""), "missing_value", "job_id"),
    (task_event(priority=""), "missing_value", "priority"),
    (task_event(cpu=-0.5), "impossible_value", "cpu_request"),
    (task_event(index=-1), "impossible_value", "task_index"),
    (task_event(event=9), "impossible_value", "event_type"),
    (task_event(scheduling_class=4), "impossible_value", "scheduling_class"),
    ("1,2,3", "ragged_row", "13 fields"),
    (task_event() + ",1", "ragged_row", "13 fields"),
    ("", "missing_value", "job_id"),
]


@pytest.mark.parametrize(("row", "reason", "column"), BAD_ROWS, ids=range(len(BAD_ROWS)))
def test_a_bad_row_is_an_error_with_its_line_or_left_out_on_request(
    tmp_path: Path, row: str, reason: str, column: str
) -> None:
    write_part(tmp_path, "task_events", 0, GOOD)
    write_part(tmp_path, "task_events", 7, [*GOOD[:3], row, *GOOD[3:]])
    with pytest.raises(
        InvalidInstanceError, match=rf"part-00007-of-00500\.csv\.gz: 1 row \(line 4\): .*{column}"
    ):
        read_google_table(tmp_path, "task_events")
    table, report = read_google_table(tmp_path, "task_events", on_bad_row="skip")
    clean, _ = read_google_table(tmp_path, "task_events", [0])
    assert table.to_pylist() == clean.to_pylist() * 2
    assert table.schema == clean.schema
    assert (report.rows_read, report.n_rows) == (11, 10)
    assert report.dropped == {reason: 1}
    assert report.lines == {reason: ("part-00007-of-00500.csv.gz:4",)}
    assert reason in str(report)
    assert "part-00007-of-00500.csv.gz:4" in str(report)
    assert report.to_dict()["dropped"] == {reason: 1}


def test_every_row_is_dropped_for_one_reason_and_all_are_counted(tmp_path: Path) -> None:
    rows = [row for row, _, _ in BAD_ROWS for _ in range(2)]
    write_part(tmp_path, "task_events", 0, [*rows, *GOOD])
    write_part(tmp_path, "task_events", 1, [*GOOD, *rows])
    table, report = read_google_table(tmp_path, "task_events", on_bad_row="skip")
    expected = Counter(reason for _, reason, _ in BAD_ROWS)
    assert report.dropped == {reason: 4 * count for reason, count in expected.items()}
    assert table["time"].to_pylist() == [0, 1, 2, 3, 4] * 2
    assert all(len(places) == min(5, report.dropped[reason]) for reason, places in report.lines.items())


FIELDS = (
    "5 ", " 5", "\t5", "5\t", "0x5", "0X5 ", " 0x5", "0xffffffffffffffff", "-0x5", "+5", "05", "-05", " ", "5\x0b",
    "1_0", "5.0", "1e3", "-0", "0" * 30 + "5", str(-(2**63)), str(-(2**63) + 1), str(2**63), ".5", "5.", "+.5 ",
    "5\xa0", "inf", "-inf", "nan ", "NaN", "Infinity", " 1E+5", "0x1p3", "1e", "1e400", "5.e3", "1e-400", "", "x",
)  # fmt: skip


@pytest.mark.parametrize("column", ["time", "machine_id", "cpu_request"])
def test_what_is_read_does_not_depend_on_the_other_rows(
    tmp_path: Path, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = [named.name for named in GOOGLE_TABLES["task_events"]].index(column)
    rows = []
    for field in FIELDS:
        row = GOOD[0].split(",")
        rows.append(",".join([*row[:place], field, *row[place + 1 :]]))
    found = []
    for most_lines in (1, 1000):
        monkeypatch.setattr(source_file, "_MOST_LINES", most_lines)
        for more in ([], ["x"]):
            path = write_part(tmp_path, "task_events", 0, [*rows, *more])
            table, report = read_google_table(path, "task_events", on_bad_row="skip")
            report.dropped["ragged_row"] -= len(more)
            found.append((table.to_pylist(), +report.dropped))
    assert all(other == found[0] for other in found)
    good = {"5 ", " 5", "\t5", "5\t", "05", "-0", "0" * 30 + "5"}
    if column == "machine_id":
        assert [row["machine_id"] for row in found[0][0]] == [
            int(field) if field else None for field in FIELDS if field in good or not field
        ]


def test_hashes_that_look_like_hexadecimal_numbers_are_texts(tmp_path: Path) -> None:
    rows = [row.replace("hash=", "0xhash=") for row in GOOD]
    path = write_part(tmp_path, "task_events", 0, rows)
    assert read_google_table(path, "task_events")[0]["user"].to_pylist() == ["0xhash="] * 5


@pytest.mark.parametrize("most_lines", [1, 2, 1000])
def test_a_part_of_another_table_is_known_at_its_end(
    tmp_path: Path, most_lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_file, "_MOST_LINES", most_lines)
    path = write_part(tmp_path, "task_events", 0, GOOD)
    with pytest.raises(InvalidInstanceError, match="line 1 has 13 fields and no row has 8; is it a part of"):
        read_google_table(path, "job_events", on_bad_row="skip")
    path = write_part(tmp_path, "task_events", 0, [*GOOD, "0,,7,0,a,2,name,logical"])
    assert read_google_table(path, "job_events", on_bad_row="skip")[1].dropped == {"ragged_row": 5}


def test_columns_that_are_not_read_are_not_judged(tmp_path: Path) -> None:
    write_part(tmp_path, "task_events", 0, [task_event(cpu="nonsense", job=8)])
    assert read_google_table(tmp_path, "task_events", columns=["job_id"])[0].to_pydict() == {"job_id": [8]}


def test_files_that_are_no_parts_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match="unknown Google table 'task_event'; did you mean"):
        read_google_table(tmp_path, "task_event")
    with pytest.raises(InvalidInstanceError, match="unknown column 'cpu' of task_events"):
        read_google_table(tmp_path, "task_events", columns=["cpu"])
    with pytest.raises(InvalidInstanceError, match=r"task_events: columns = \[\] names none"):
        read_google_table(tmp_path, "task_events", columns=[])
    with pytest.raises(
        InvalidInstanceError, match=r"holds no part of task_events \(files such as part-00000"
    ):
        read_google_table(tmp_path, "task_events")
    with pytest.raises(FileNotFoundError):
        read_google_table(tmp_path / "absent", "task_events")
    path = write_part(tmp_path, "task_events", 0, GOOD)
    with pytest.raises(InvalidInstanceError, match=r"has no part 1, 2 \(parts = \[0, 1, 2\]; there are 0\)"):
        read_google_table(tmp_path, "task_events", range(3))
    with pytest.raises(InvalidInstanceError, match="every part once"):
        read_google_table(tmp_path, "task_events", [0, 0])
    with pytest.raises(InvalidInstanceError, match="one file, of which there are no parts"):
        read_google_table(path, "task_events", [0])
    with pytest.raises(
        InvalidInstanceError, match="line 1 has 13 fields and no row has 8; is it a part of another table"
    ):
        read_google_table(path, "job_events")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(
        InvalidInstanceError, match=r"part-00000-of-00500\.csv\.gz: truncated or damaged gzip"
    ):
        read_google_table(tmp_path, "task_events")
    path.write_bytes(gzip.compress(b""))
    with pytest.raises(InvalidInstanceError, match="is empty"):
        read_google_table(tmp_path, "task_events")
    path.write_bytes(
        gzip.compress(GOOD[0].encode() + b"\n" + GOOD[1].replace("hash", "h\xe9").encode("latin-1"))
    )
    with pytest.raises(InvalidInstanceError, match="line 2 is not UTF-8"):
        read_google_table(tmp_path, "task_events")
    write_part(tmp_path, "task_events", 0, GOOD, zipped=False)
    with pytest.raises(InvalidInstanceError, match="part 0 is there twice"):
        read_google_table(tmp_path, "task_events")


def test_a_task_asks_for_what_its_first_or_last_submission_says(tmp_path: Path) -> None:
    write_part(
        tmp_path,
        "task_events",
        0,
        [
            task_event(time=0, job=9, index=1, cpu="", memory=""),  # the request is missing
            task_event(time=5, job=9, index=1, event=1, cpu=0.9),  # no submission
            task_event(time=6, job=9, index=1, cpu=0.1, scheduling_class=""),
            task_event(time=7, job=9, index=0, cpu=0.2, memory=0),
            task_event(time=7, job=2, index=3, cpu="", memory=0.5),  # never known
        ],
    )
    write_part(
        tmp_path,
        "task_events",
        1,
        [
            task_event(time=8, job=9, index=1, cpu=0.3, priority=2),
            task_event(time=9, job=9, index=1, cpu="", memory=""),
            task_event(time=7, job=9, index=0, cpu=0.4),  # at one time, the order of the files
        ],
    )
    first, report = google_task_requests(tmp_path)
    assert report.rows_read == 8
    assert (first.n_tasks, first.n_without_request) == (2, 1)
    assert (first.job_id.tolist(), first.task_index.tolist()) == ([9, 9], [0, 1])
    assert (first.cpu.tolist(), first.memory.tolist()) == ([0.2, 0.1], [0, 0.25])
    assert (first.submit_time.tolist(), first.priority.tolist()) == ([7, 6], [9, 9])
    assert first.scheduling_class.tolist() == [1, -1]
    last, _ = google_task_requests(tmp_path, which="last")
    assert (last.cpu.tolist(), last.submit_time.tolist(), last.priority.tolist()) == (
        [0.4, 0.3],
        [7, 8],
        [9, 2],
    )
    with pytest.raises(InvalidInstanceError, match="unknown which 'any'"):
        google_task_requests(tmp_path, which="any")  # type: ignore[arg-type]


def test_the_first_submission_is_the_earliest_wherever_it_stands(tmp_path: Path) -> None:
    write_part(tmp_path, "task_events", 0, [task_event(time=8, cpu=0.3), task_event(time=2, cpu=0.1)])
    first, _ = google_task_requests(tmp_path)
    last, _ = google_task_requests(tmp_path, which="last")
    assert (first.cpu.tolist(), last.cpu.tolist()) == ([0.1], [0.3])


def test_without_any_request_there_is_no_table_of_requests(tmp_path: Path) -> None:
    write_part(tmp_path, "task_events", 0, [task_event(cpu=""), task_event(event=1)])
    with pytest.raises(InvalidInstanceError, match="no submission says"):
        google_task_requests(tmp_path)


def test_machines_are_those_left_after_the_events_until_then(tmp_path: Path) -> None:
    rows = [
        "0,5,0,A,0.5,0.25", "0,7,0,,1,1", "0,6,0,B,0.25,0.5",
        "10,5,1,A,0.5,0.25",  # removed
        "10,8,0,A,,",  # capacity unknown
        "11,8,2,A,0.5,0.125",  # ... until now
        "20,5,0,A,,",  # back, with what it had
        "30,6,2,B,0.75,0.5",
    ]  # fmt: skip
    (tmp_path / "machine_events").mkdir()
    path = tmp_path / "machine_events" / "part-00000-of-00001.csv.gz"
    path.write_bytes(gzip.compress("\n".join(rows).encode()))

    def at(time: int) -> list[tuple[Any, ...]]:
        machines, _ = google_machines(tmp_path, time)
        columns = (machines.machine_id, machines.platform, machines.cpu, machines.memory)
        return list(zip(*(column.tolist() for column in columns), strict=True))

    assert at(0) == [(5, "A", 0.5, 0.25), (6, "B", 0.25, 0.5), (7, "", 1, 1)]
    before = at(10)
    assert [row[0] for row in before] == [6, 7, 8]
    assert math.isnan(before[2][2])
    assert math.isnan(before[2][3])
    assert at(11)[2] == (8, "A", 0.5, 0.125)
    assert at(20)[0] == (5, "A", 0.5, 0.25)
    assert at(10**9)[1] == (6, "B", 0.75, 0.5)
    assert google_machines(tmp_path, -1)[0].n_machines == 0


def test_a_sample_of_requests_is_a_function_of_its_seed(tmp_path: Path) -> None:
    rows = [task_event(job=job, index=job % 4, cpu=job / 100, memory=(100 - job) / 200) for job in range(101)]
    write_part(tmp_path, "task_events", 0, rows[50:])
    write_part(tmp_path, "task_events", 1, rows[:50])
    sample, report = sample_google_requests(tmp_path, seed=4, n=20)
    chosen = _core.workloads.distinct_indices(4, 101, 20)
    assert sample == colocation_tasks(chosen / 100, (100 - chosen) / 200)
    assert sample == sample_google_requests(tmp_path, seed=4, n=20)[0]
    assert sample != sample_google_requests(tmp_path, seed=5, n=20)[0]
    assert report.rows_read == 101
    with pytest.raises(
        InvalidInstanceError, match="n = 102 is not between 1 and the 101 tasks with a request"
    ):
        sample_google_requests(tmp_path, seed=4, n=102)
    with pytest.raises(InvalidInstanceError, match="seed = -1"):
        sample_google_requests(tmp_path, seed=-1, n=5)


def test_a_sample_of_usage_takes_records_with_cpu_and_memory(tmp_path: Path) -> None:
    values = [(0.5, 0.25), ("", 0.5), (0.001, 0.0005), (0.25, ""), (0.125, 0.5), (0.25, 0.5)]
    write_part(tmp_path, "task_usage", 0, [usage(*value) for value in values])
    sample, report = sample_google_usage(tmp_path, seed=1, n=4)
    known = np.array([values[k] for k in (0, 2, 4, 5)], dtype=np.float64)
    order = _core.workloads.distinct_indices(1, 4, 4)
    assert sample == colocation_tasks(known[order, 0], known[order, 1])
    assert (sample.n_records, sample.n_dropped, report.rows_read) == (4, 1, 6)
    with pytest.raises(InvalidInstanceError, match="n = 5 is not between 1 and the 4 records"):
        sample_google_usage(tmp_path, seed=1, n=5)
    write_part(tmp_path, "task_usage", 1, [usage("?", 1)])
    with pytest.raises(InvalidInstanceError, match=r"1 row \(line 1\): .*\(cpu_rate\)"):
        sample_google_usage(tmp_path, seed=1, n=4)
    assert sample_google_usage(tmp_path, seed=1, n=4, on_bad_row="skip")[0] == sample


# Recorded data


def test_the_tables_are_those_of_the_schema_of_the_trace() -> None:
    kinds = {"INTEGER": "integer", "FLOAT": "number", "BOOLEAN": "integer"}
    published: dict[str, list[tuple[str, bool]]] = {}
    with open(data_folder("google-2011", "schema.csv"), newline="") as file:
        for row in csv.DictReader(file):
            table = row["file pattern"].partition("/")[0]
            column = (kinds.get(row["format"], "text"), row["mandatory"] == "YES")
            published.setdefault(table, []).append(column)
    ours = {
        table: [(column.kind, column.is_needed) for column in columns]
        for table, columns in GOOGLE_TABLES.items()
    }
    assert ours == published


def test_the_recorded_parts_have_the_documented_counts() -> None:
    folder = data_folder("google-2011")
    table, report = read_google_table(folder, "task_events", [0], columns=["event_type", "job_id", "time"])
    assert (report.rows_read, report.n_rows) == (450_146, 450_146)
    events = np.bincount(table["event_type"].to_numpy()).tolist()
    assert events == [201491, 189994, 4338, 581, 43237, 10505]
    assert (len(table["job_id"].unique()), max(table["time"].to_pylist()) // 10**6) == (4895, 5611)
    jobs, _ = read_google_table(folder, "job_events")
    assert jobs.num_rows == 10_704 + 3_099 + 3_360 + 4_179 + 4_095 + 3_033


def test_the_recorded_machines_have_the_documented_capacities() -> None:
    machines, report = google_machines(data_folder("google-2011"))
    assert (report.rows_read, machines.n_machines) == (37_780, 12_477)
    count = Counter(zip(machines.cpu.tolist(), machines.memory.tolist(), strict=True))
    assert [n for _, n in count.most_common(6)] == [6672, 3835, 992, 788, 123, 54]
    assert count[1.0, 1.0] == 788


@pytest.mark.slow
def test_shares_of_the_recorded_requests() -> None:
    folder = data_folder("google-2011")
    requests, _ = google_task_requests(folder)
    assert (requests.n_tasks, requests.n_without_request) == (345_303, 259)
    sample, _ = sample_google_requests(folder, seed=1)
    assert (sample.n_tasks, sample.n_dropped, int(sample.size.sum())) == (9982, 18, 163_339)
    assert [round(share, 3) for share in sample.type_shares(4)] == [0.056, 0.512, 0.387, 0.045]
    everything = colocation_tasks(requests.cpu, requests.memory)
    assert [round(share, 3) for share in everything.type_shares(4)] == [0.01, 0.143, 0.557, 0.29]
