"""The VM table of Azure 2017 becomes an instance, with censored and zero lifetimes accounted for."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from schedcore import InvalidInstanceError
from schedcore.workloads import load, read_azure_v1
from schedcore.workloads.reading import source_file

HEADER = "vm,arrival_s,batch,vcpus,mem_gb,dur_bin,dur_lo_s,dur_hi_s,censored"
TABLE = f"""{HEADER}
0,1800000,0,8,14,1,300,300,0
1,1800000,1,1,0.75,0,0,0,0
2,1800300,2,2,3.5,13,3900,7200,1
"""


def write(folder: Path, text: str, name: str = "vms.csv") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def test_columns_become_times_and_demands(tmp_path: Path) -> None:
    instance, report = read_azure_v1(write(tmp_path, TABLE), machines=2)
    jobs = instance.jobs
    assert jobs.id.tolist() == [0, 1, 2]
    assert jobs.release_time.tolist() == [0, 0, 300]
    assert jobs.processing_time.tolist() == [300, 300, 7200]
    assert jobs.demand.tolist() == [[8, 56], [1, 3], [2, 14]]
    assert jobs.weight.tolist() == [1, 1, 1]
    assert instance.machines.capacity.tolist() == [[64, 1792], [64, 1792]]
    assert report.repaired == {"censored": 1, "short_duration": 1}
    assert report.lines == {"censored": (4,), "short_duration": (3,)}
    # 300 * 8 + 300 * 1 + 7200 * 2 = 17100 vCPU seconds; 2 hosts of 64 vCPUs do 38400 in 300 s.
    assert report.load["vcpus"] == pytest.approx(17100 / 38400)


def test_censored_rows_can_be_dropped(tmp_path: Path) -> None:
    instance, report = read_azure_v1(write(tmp_path, TABLE), machines=1, censored="drop")
    assert instance.n_jobs == 2
    assert report.dropped == {"censored": 1}


def test_the_default_is_the_fewest_hosts_that_keep_up(tmp_path: Path) -> None:
    # 300 s * 40 rows of 16 vCPUs arrive in 300 s: 640 vCPUs, that is 10 hosts.
    rows = "".join(f"{vm},{1_800_000 + 300 * (vm == 39)},0,16,28,1,300,300,0\n" for vm in range(40))
    instance, report = read_azure_v1(write(tmp_path, f"{HEADER}\n{rows}"))
    assert instance.n_machines == 10
    assert report.load["vcpus"] == 1.0
    assert report.warnings == ()


def test_other_hosts_are_read_from_the_text(tmp_path: Path) -> None:
    instance, _ = read_azure_v1(write(tmp_path, TABLE), machines="3x32,12.25GB")
    assert instance.machines.capacity.tolist() == [[32, 49]] * 3


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("3,1800300,2,,3.5,13,3900,7200,0", "missing or not a finite number"),
        ("3,1800300,2,nan,3.5,13,3900,7200,0", "missing or not a finite number"),
        ("3,1800300,2,2,inf,13,3900,7200,0", "missing or not a finite number"),
        ("3,1800300,2,2", "not as many fields as column names"),
        ("3,1800300,2,2,3.5,13,3900,7200,0,5", "not as many fields as column names"),
        ("3,1800300,2,2,3.5,13,3900,7200,True", "missing or not a finite number"),
        ("1,1800300,2,2,3.5,13,3900,7200,0", "the number of the VM is that of an earlier row"),
        ("3,oops,2,2,3.5,13,3900,7200,0", "missing or not a finite number"),
        ("3,1799999,2,2,3.5,13,3900,7200,0", "arrival_s below 1,800,000"),
        ("3,1800300,2,-2,3.5,13,3900,7200,0", "is negative"),
        ("3,1800300,2,2,3.5,13,3900,-5,0", "is negative"),
        ("3,1800300,2,1.5,3.5,13,3900,7200,0", "not an integer"),
        ("3,1800300,2,0,0,13,3900,7200,0", "neither vCPUs nor memory"),
    ],
)
def test_bad_rows_are_an_error_with_their_line_unless_skipped(tmp_path: Path, row: str, reason: str) -> None:
    path = write(tmp_path, f"{TABLE}{row}\n4,1800600,2,2,3.5,13,3900,7200,0\n")
    with pytest.raises(InvalidInstanceError, match=rf"1 row \(line 5\): .*{reason}"):
        read_azure_v1(path, machines=1)
    instance, report = read_azure_v1(path, machines=1, on_bad_row="skip")
    assert instance.jobs.id.tolist() == [0, 1, 2, 4]
    assert sum(report.dropped.values()) == 1
    assert next(iter(report.lines.values())) == (5,)


def test_memory_between_quarters_is_rounded_up_and_counted(tmp_path: Path) -> None:
    instance, report = read_azure_v1(write(tmp_path, TABLE.replace("0.75", "0.8")), machines=1)
    assert instance.jobs.demand[1].tolist() == [1, 4]
    assert report.repaired["memory_rounded_up"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a table of VMs"),
        (f"{HEADER}\n", "no job is left"),
        ("vm,arrival_s\n1,2\n", "lacks the columns vcpus, mem_gb, dur_hi_s, censored"),
    ],
)
def test_empty_and_other_tables_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        read_azure_v1(write(tmp_path, text))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"censored": "dropped"}, r"unknown censored 'dropped'; did you mean 'drop'\?"),
        ({"on_bad_row": "skipp"}, r"did you mean 'skip'\?"),
        ({"machines": "20x64,448"}, r"'448' needs a unit"),
        ({"machines": 0}, r"n_machines = 0"),
    ],
)
def test_unknown_options_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        read_azure_v1(write(tmp_path, TABLE), **options)


def test_a_truncated_gzip_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = write(tmp_path, TABLE, "vms.csv.gz")
    assert load(path, machines=1)[0] == read_azure_v1(write(tmp_path, TABLE), machines=1)[0]
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(InvalidInstanceError, match=r"vms\.csv\.gz: truncated or damaged"):
        read_azure_v1(path)
    with pytest.raises(InvalidInstanceError, match=r"vms\.csv\.gz: truncated or damaged"):
        load(path)


@pytest.mark.parametrize(
    ("column", "value"),
    [("vm", "1e19"), ("vm", "9" * 400), ("vcpus", "1e300"), ("mem_gb", "1e16"), ("dur_hi_s", "1e17")],
)
def test_numbers_beyond_2_to_the_53_are_refused_by_line_and_can_be_left_out(
    tmp_path: Path, column: str, value: str
) -> None:
    row = dict(
        zip(HEADER.split(","), ["1", "1800000", "1", "1", "0.75", "0", "0", "0", "0"], strict=True)
    ) | {column: value}
    path = write(tmp_path, f"{HEADER}\n0,1800000,0,8,14,1,300,300,0\n{','.join(row.values())}\n")
    with pytest.raises(InvalidInstanceError, match=r"1 row \(line 3\): a (number .* above 2\*\*53|field is)"):
        read_azure_v1(path)
    assert read_azure_v1(path, on_bad_row="skip")[0].n_jobs == 1


@pytest.mark.parametrize("most_lines", [1, 1000])
def test_what_is_read_does_not_depend_on_the_other_rows(
    tmp_path: Path, most_lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_file, "_MOST_LINES", most_lines)
    values = (
        "1 ",
        " 1",
        "+1",
        "01",
        "1e0",
        "True",
        "false",
        "0x1",
        "1_0",
        "nan",
        "inf",
        " ",
        "9" * 400,
        "1.5",
    )
    rows = [f"{vm},1800000,0,{value},1,0,300,300,0" for vm, value in enumerate(values)]
    instance, report = read_azure_v1(write(tmp_path, "\n".join([HEADER, *rows, ""])), on_bad_row="skip")
    assert instance.jobs.id.tolist() == [0, 1, 2, 3, 4]
    assert report.dropped == {"garbled_row": 8, "fractional_value": 1}


def test_blank_lines_are_no_rows(tmp_path: Path) -> None:
    first, *rows = TABLE.splitlines()
    instance, report = read_azure_v1(write(tmp_path, "\n\n \t\n".join([first, *rows, "", ""])), machines=1)
    assert (instance.n_jobs, report.rows_read) == (3, 3)
    assert report.lines["censored"] == (10,)
    with pytest.raises(InvalidInstanceError, match="no job is left"):
        read_azure_v1(write(tmp_path, f"{HEADER}\n\n\n"))


def test_a_column_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    text = "\n".join(f"{line},{line.split(',')[3]}" for line in TABLE.splitlines())
    with pytest.raises(InvalidInstanceError, match="has two columns named vcpus"):
        read_azure_v1(write(tmp_path, text))
    text = "\n".join(f"{line},{line.split(',')[2]}" for line in TABLE.splitlines())  # which nobody reads
    assert read_azure_v1(write(tmp_path, text))[0].n_jobs == 3


def test_many_rows_that_can_be_read_and_are_left_out_do_not_make_another_kind_of_file(tmp_path: Path) -> None:
    before = "".join(f"{vm},{vm},0,8,14,1,300,300,0\n" for vm in range(80_000))
    after = "".join(f"{vm},{1_800_000 + vm},0,8,14,1,300,300,0\n" for vm in range(80_000, 160_000))
    path = write(tmp_path, f"{HEADER}\n{before}{after}")
    instance, report = read_azure_v1(path, on_bad_row="skip")
    assert (instance.n_jobs, report.dropped) == (80_000, {"before_window": 80_000})
    unreadable = "x,1,2,3,4,5,6,7,8\n" * 80_000
    path = write(tmp_path, f"{HEADER}\n{unreadable}{after}")
    with pytest.raises(InvalidInstanceError, match="it is another kind of file"):
        read_azure_v1(path, on_bad_row="skip")


def test_hosts_that_nobody_can_count_are_refused_with_what_to_do(tmp_path: Path) -> None:
    rows = "".join(f"{vm},{1_800_000 + vm},0,{2**53},1,0,1,{2**53},0\n" for vm in range(2))
    path = write(tmp_path, f"{HEADER}\n{rows}")
    with pytest.raises(
        InvalidInstanceError, match=r"vms\.csv: it takes .* hosts .* name the hosts, as with machines="
    ):
        read_azure_v1(path)
    assert read_azure_v1(path, machines=f"1x{2**53},448GB")[0].n_jobs == 2
