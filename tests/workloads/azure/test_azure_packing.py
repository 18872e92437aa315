"""The SQLite packing trace becomes an instance by the numbered steps of the experiment."""

import itertools
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reference import azure_packing as reference
from schedcore import Instance, InvalidInstanceError
from schedcore.workloads import downsample, load, read_azure_packing

DEFAULTS: dict[str, Any] = {
    "n_jobs": 4_096_000,
    "factor": 1,
    "offset": 0,
    "machine_type": "per_request",
    "weight": "priority_plus_one",
    "seed": 1,
    "n_resources": 4,
}

# id, vmTypeId, machineId, core, memory, hdd, ssd, nic
TYPES = [
    (0, 10, 0, 0.1, 0.2, 0.25, None, 0.05),
    (1, 10, 3, 0.3, 1 / 3, None, 0.125, 1e-9),
    (2, 11, 0, None, None, None, None, None),
    (3, 12, 0, 1.0, 0.5, 0.1, 0.2, None),
    (4, 12, 1, 0.7, 0.29, None, 0.6, 0.29),
    (5, 12, 2, 0.57, 0.5, None, 0.6, 0.3),
]
# vmId, vmTypeId, priority, starttime, endtime, by hand: one of each kind
BY_HAND = [
    (5, 12, 0, 0.5, 0.75),
    (1, 10, 1, 0.0, 1e-7),  # far below a second: p = 1
    (2, 10, 0, -0.25, 1.0),  # alive at the start
    (3, 10, 0, 0.25, None),  # still alive
    (4, 10, 0, 0.25, 0.25),  # no lifetime
    (6, 11, 0, 0.5, 1.0),  # no demand
    (7, 99, 0, 0.5, 1.0),  # unknown type
    (0, 10, 1, 0.5, 90.0),  # the same start as vm 5, lower id
]


def write(
    folder: Path, vm: list[tuple[Any, ...]], types: list[tuple[Any, ...]], name: str = "trace.sqlite"
) -> Path:
    path = folder / name
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE vm (vmId INTEGER, tenantId INTEGER, vmTypeId INTEGER, priority INTEGER, "
            "starttime REAL, endtime REAL)"
        )
        connection.execute(
            "CREATE TABLE vmType (id INTEGER, vmTypeId INTEGER, machineId INTEGER, core REAL, memory REAL, "
            "hdd REAL, ssd REAL, nic REAL)"
        )
        connection.executemany("INSERT INTO vm VALUES (?, 0, ?, ?, ?, ?)", vm)
        connection.executemany("INSERT INTO vmType VALUES (?, ?, ?, ?, ?, ?, ?, ?)", types)
        connection.commit()
    return path


def rows(path: Path, **options: Any) -> list[tuple[int, ...]]:
    instance, report = read_azure_packing(path, **options)
    assert report.rows_read == report.n_jobs + sum(report.dropped.values())
    jobs = instance.jobs
    columns = [jobs.processing_time, jobs.weight, jobs.release_time, *jobs.demand.T]
    table = zip(*(column.tolist() for column in columns), strict=True)
    return [tuple(int(value) for value in row) for row in table]


def many_requests(seed: int, count: int) -> list[tuple[Any, ...]]:
    source = random.Random(seed)
    requests = []
    for vm in range(count):
        start = source.choice([-0.5, 0.0, 0.25, source.uniform(0, 14)])
        end = source.choice([None, start, start + 1e-6, start + source.uniform(0, 3), 0.2])
        requests.append((vm, source.choice([10, 10, 11, 12, 12, 13]), source.randrange(2), start, end))
    source.shuffle(requests)
    return requests


def test_each_kind_of_request_by_hand(tmp_path: Path) -> None:
    instance, report = read_azure_packing(write(tmp_path, BY_HAND, TYPES))
    assert instance.jobs.release_time.tolist() == [0, 43200, 43200]
    assert instance.jobs.processing_time.tolist() == [1, 89.5 * 86400, 0.25 * 86400]
    assert instance.jobs.weight.tolist() == [2, 2, 1]
    reasons = ["alive_at_start", "no_end", "no_lifetime", "no_demand", "unknown_type"]
    assert report.dropped == dict.fromkeys(reasons, 1)
    assert [report.lines[reason] for reason in reasons] == [(2,), (3,), (4,), (6,), (7,)]
    assert report.rows_read == 8
    assert instance.machines.capacity.tolist() == [[1_000_000] * 4] * 20
    assert instance.machines.resource_names == ("core", "memory", "storage", "nic")
    # A demand of 1e-9 machines is one unit, and 0.29 * 10**6 = 289999.99999999994 is 290000 units.
    assert set(map(tuple, instance.jobs.demand.tolist())) <= {
        (100_000, 200_000, 250_000, 50_000),
        (300_000, 333_333, 125_000, 1),
        (1_000_000, 500_000, 300_000, 0),
        (700_000, 290_000, 600_000, 290_000),
        (570_000, 500_000, 600_000, 300_000),
    }


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"seed": 7},
        {"machine_type": "per_type", "seed": 3, "n_resources": 6},
        {"weight": "two_minus_priority"},
        {"n_jobs": 50},
        {"factor": 4, "offset": 3},
        {"n_jobs": 60, "factor": 7, "offset": 2, "n_resources": 7},
        {"n_resources": 1},
        {"n_resources": 3},
        {"n_resources": 20, "seed": 2**64 - 1},
    ],
)
def test_reading_equals_the_steps_applied_request_by_request(tmp_path: Path, options: dict[str, Any]) -> None:
    vm = many_requests(5, 400)
    path = write(tmp_path, vm, TYPES)
    assert rows(path, **options) == reference.jobs(vm, TYPES, **{**DEFAULTS, **options})


def test_ten_thinned_job_sets_partition_the_list(tmp_path: Path) -> None:
    path = write(tmp_path, many_requests(6, 300), TYPES)
    parts = [rows(path, factor=10, offset=offset) for offset in range(10)]
    full = rows(path)
    assert sorted(itertools.chain(*parts)) == sorted(full)
    assert parts[3] == full[3::10]


@pytest.mark.parametrize("options", [{}, {"machine_type": "per_type", "n_jobs": 90, "n_resources": 3}])
def test_thinning_out_while_reading_is_downsampling_what_was_read(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    path = write(tmp_path, many_requests(9, 300), TYPES)
    full, _ = read_azure_packing(path, **options)
    for offset in range(7):
        thinned, _ = read_azure_packing(path, factor=7, offset=offset, **options)
        expected = downsample(full, 7, offset)
        # The reader numbers the jobs that it keeps; `downsample` keeps the numbers of the list.
        assert expected.jobs.id.tolist() == list(range(offset, full.n_jobs, 7))
        assert thinned == Instance(expected.jobs.replace(id=None), full.machines)


def test_machine_types_are_drawn_per_request_or_per_type(tmp_path: Path) -> None:
    vm = [(index, 12, 0, 0.0, 1.0) for index in range(200)]
    path = write(tmp_path, vm, TYPES)

    def distinct(machine_type: Any) -> int:
        return len(np.unique(read_azure_packing(path, machine_type=machine_type)[0].jobs.demand, axis=0))

    assert distinct("per_request") == 3
    assert distinct("per_type") == 1


def test_demands_above_a_machine_count_as_one_machine(tmp_path: Path) -> None:
    types = [(0, 10, 0, 1.5, 0.5, None, None, None)]
    instance, report = read_azure_packing(write(tmp_path, [(0, 10, 0, 0.0, 1.0)], types))
    assert instance.jobs.demand.tolist() == [[1_000_000, 500_000, 0, 0]]
    assert report.repaired == {"above_machine": 1}
    assert report.work_lost == {"core": pytest.approx(1 / 3), "memory": 0, "storage": 0, "nic": 0}
    assert report.dropped_work.keys() == {"above_machine"}


def test_a_part_chosen_by_number_is_no_lost_work(tmp_path: Path) -> None:
    vm = [(index, 12, 0, 0.0, 1.0) for index in range(20)]
    _, report = read_azure_packing(write(tmp_path, vm, TYPES), n_jobs=10, factor=2)
    assert report.dropped == {"beyond_n_jobs": 10, "thinned_out": 5}
    assert not any(report.work_lost.values())


def test_what_a_request_of_unknown_type_asked_for_is_not_known(tmp_path: Path) -> None:
    vm = [(0, 12, 0, 0.0, 1.0), (1, 99, 0, 0.0, 1.0)]
    _, report = read_azure_packing(write(tmp_path, vm, TYPES))
    assert report.unknown_work == {"unknown_type": 1}
    assert not any(report.work_lost.values())


@pytest.mark.parametrize("machine_type", ["per_request", "per_type"])
def test_requests_that_are_dropped_lose_the_work_that_they_did(tmp_path: Path, machine_type: Any) -> None:
    vm = [
        (0, 12, 0, 0.0, 1.0),
        (1, 12, None, 0.25, 50.25),  # 50 times as long
        (2, 12, 0, -5.0, 10.0),  # 10 days of the trace
        (3, 12, 0, 90.0, None),  # and 9 until the last time
        (4, 12, 0, -5.0, None),  # 99 days
        (5, 12, 0, 98.0, 99.0),
        (6, 12, 0, None, 1.0),
    ]
    types = [(0, 12, 0, 0.5, 0.25, None, None, None)]
    _, report = read_azure_packing(write(tmp_path, vm, types), machine_type=machine_type)
    total = 2 + 50 + 10 + 9 + 99
    assert report.dropped_work == {
        reason: {
            "core": pytest.approx(days / total),
            "memory": pytest.approx(days / total),
            "storage": 0,
            "nic": 0,
        }
        for reason, days in (("no_priority", 50), ("alive_at_start", 109), ("no_end", 9))
    }
    assert report.unknown_work == {"no_start": 1}
    assert "mostly as alive_at_start" in report.stops["loss"]


@pytest.mark.parametrize("options", [{}, {"machine_type": "per_type", "n_resources": 6}])
def test_dropped_requests_change_no_draw_of_the_others(tmp_path: Path, options: dict[str, Any]) -> None:
    vm = many_requests(8, 200)
    dropped = [(1000 + row[0], 11 + row[0] % 5, None, *row[3:]) for row in many_requests(9, 300)]
    dropped += [(2000 + vm, 14, 0, -1.0, 5.0) for vm in range(50)] + [(3000, 15, 0, 1.0, None)]
    plain, both = (write(tmp_path, rows, TYPES, f"{len(rows)}.sqlite") for rows in (vm, vm + dropped))
    assert rows(both, **options) == rows(plain, **options)


@pytest.mark.parametrize("machine_type", ["per_request", "per_type"])
def test_no_type_is_a_type_that_none_has(tmp_path: Path, machine_type: Any) -> None:
    vm: list[Any] = [(index, None, 0, 0.0, 1.0) for index in range(3)]
    types = [*TYPES, (9, 0, 0, 0.5, 0.5, None, None, None)]
    with pytest.raises(InvalidInstanceError, match=r"no job is left \(unknown_type 3\)"):
        read_azure_packing(write(tmp_path, vm, types), machine_type=machine_type)
    some = write(tmp_path, [*vm, (3, 0, 0, 0.0, 1.0)], types, "some.sqlite")
    instance, report = read_azure_packing(some, machine_type=machine_type)
    assert instance.jobs.demand.tolist() == [[500_000, 500_000, 0, 0]]
    assert report.unknown_work == {"unknown_type": 3}


def test_the_file_is_recognised_by_its_content(tmp_path: Path) -> None:
    path = write(tmp_path, BY_HAND, TYPES, "trace.bin")
    instance, report = load(
        path, machines="2x500000,1000000,1000000,1000000", seed=2, weight="two_minus_priority"
    )
    assert instance.machines.capacity[:, 0].tolist() == [500_000, 500_000]
    assert instance.jobs.weight.tolist() == [1, 1, 2]
    assert load(path, machines=3)[0].n_machines == 3
    assert "vmId 2" in str(report)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"machine_type": "per_typ"}, r"did you mean 'per_type'"),
        ({"weight": "priority"}, r"unknown weight 'priority'; did you mean 'priority_plus_one'"),
        ({"factor": 0}, r"factor = 0 must be at least 1"),
        ({"offset": 1}, r"offset = 1 is outside \[0, factor = 1\)"),
        ({"n_jobs": 0}, r"n_jobs = 0 must be at least 1"),
        ({"factor": 9, "offset": 8}, r"no job is left \(.*thinned_out 3\)"),
        ({"seed": -1}, r"seed = -1"),
    ],
)
def test_unknown_options_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        read_azure_packing(write(tmp_path, BY_HAND, TYPES), **options)


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"absent\.sqlite"):
        read_azure_packing(tmp_path / "absent.sqlite")
    assert not (tmp_path / "absent.sqlite").exists()
    text = tmp_path / "text.sqlite"
    text.write_text("no database, but long enough to hold a header of one hundred bytes" * 5)
    with pytest.raises(InvalidInstanceError, match=r"text\.sqlite: not the Azure packing trace"):
        read_azure_packing(text)
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE vm (vmId INTEGER)")
    with pytest.raises(InvalidInstanceError, match="no such column"):
        read_azure_packing(other)


@pytest.mark.parametrize("core", [-0.5, float("inf")])
def test_negative_and_infinite_demands_are_refused(tmp_path: Path, core: float) -> None:
    path = write(tmp_path, BY_HAND, [*TYPES, (9, 10, 9, core, 0.5, None, None, None)])
    with pytest.raises(InvalidInstanceError, match="negative or not finite"):
        read_azure_packing(path)


@pytest.mark.parametrize("amount", [1e15, 1e308, 2**63 - 1])
@pytest.mark.parametrize("resource", range(5))
def test_demands_beyond_all_units_are_refused(tmp_path: Path, resource: int, amount: float) -> None:
    demand: list[float | None] = [0.5, 0.5, None, None, None]
    demand[resource] = amount
    path = write(tmp_path, BY_HAND, [*TYPES, (9, 10, 9, *demand)])
    name = ("core", "memory", "storage", "storage", "nic")[resource]
    with pytest.raises(
        InvalidInstanceError, match=rf"{name} = \S+ in row 7 of vmType .* 9,007,199,254 machines"
    ):
        read_azure_packing(path)


@pytest.mark.parametrize("value", ["many", "0.5x", b"\x00", b""])
@pytest.mark.parametrize("column", [0, 1, 2, 3, 4])
def test_texts_and_blobs_among_requests_are_refused(tmp_path: Path, column: int, value: str | bytes) -> None:
    row: list[Any] = [6, 11, 0, 0.5, 1.0]
    row[column] = value
    kind = "text" if isinstance(value, str) else "blob"
    with pytest.raises(
        InvalidInstanceError, match=rf"in row 3 of vm is of type {kind}, not an? (integer|number)$"
    ):
        read_azure_packing(write(tmp_path, [*BY_HAND[:2], tuple(row)], TYPES))


@pytest.mark.parametrize("value", ["many", "0.5x", b"\x00"])
@pytest.mark.parametrize("column", [0, 1, 3, 4, 5, 6, 7])
def test_texts_and_blobs_among_types_are_refused(tmp_path: Path, column: int, value: str | bytes) -> None:
    row: list[Any] = [9, 10, 9, 0.5, 0.5, 0.5, 0.5, 0.5]
    row[column] = value
    with pytest.raises(InvalidInstanceError, match=r"in row 7 of vmType is of type (text|blob), not an? "):
        read_azure_packing(write(tmp_path, BY_HAND, [*TYPES, tuple(row)]))


@pytest.mark.parametrize("instant", [1e300, float("inf"), 2**63 - 1])
def test_times_beyond_whole_seconds_are_refused(tmp_path: Path, instant: float) -> None:
    with pytest.raises(InvalidInstanceError, match=r"vmId 7 has a time beyond 2\*\*53 s"):
        read_azure_packing(write(tmp_path, [*BY_HAND[:2], (7, 10, 0, 0.5, instant)], TYPES))


def test_a_priority_that_gives_no_weight_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, [(0, 10, 2, 0.0, 1.0)], TYPES)
    with pytest.raises(InvalidInstanceError, match=r"priority 2 of vmId 0 gives weight 0"):
        read_azure_packing(path, weight="two_minus_priority")
