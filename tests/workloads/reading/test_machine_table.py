"""A table of machines is read exactly, or refused with the line and the column."""

import gzip
from pathlib import Path

import pytest

from schedcore import InvalidInstanceError, Machines
from schedcore.workloads import ResourceUnit, read_machines
from schedcore.workloads.reading.machines_spec import choose_machines

KB = (ResourceUnit("processors", units_per_one=1000), ResourceUnit("memory", bytes_per_unit=1024))
TABLE = """name,weight,labels,processors,memory
n1,0,cpu rack=1,64,256GB

big,1,"cpu, rack=2;ssd",64,0.5TB
"g[01-02,4]",-3,,0.5,1MB
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "nodes.csv"
    path.write_text(TABLE)
    return path


def test_every_column_is_read(path: Path) -> None:
    gib = 2**20
    assert read_machines(path, KB) == Machines(
        [[64_000, 256 * gib], [64_000, 512 * gib], *[[500, 1024]] * 3],
        ["processors", "memory"],
        names=["n1", "big", "g01", "g02", "g4"],
        labels=[["cpu", "rack=1"], ["cpu", "rack=2", "ssd"], [], [], []],
        weight=[0, 1, -3, -3, -3],
    )


def test_resources_come_in_the_order_of_the_workload(path: Path) -> None:
    swapped = read_machines(path, KB[::-1])
    assert swapped.resource_names == ("memory", "processors")
    assert (swapped.capacity == read_machines(path, KB).capacity[:, ::-1]).all()


def test_without_a_workload_amounts_count_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "nodes.csv.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbfcores, mem,name\r\n64,2 GiB,a\r\n 8,1024 B, b\r\n"))
    assert read_machines(path) == Machines([[64, 2 * 2**20], [8, 1]], ["cores", "mem"], names=["a", "b"])


def test_weights_and_labels_may_be_left_out_row_by_row(tmp_path: Path) -> None:
    path = tmp_path / "nodes.csv"
    path.write_text("name,cores,weight,labels\na,1,,\nb,1,2,x\n")
    machines = read_machines(path)
    assert machines.weight.tolist() == [0, 2]
    assert machines.labels == (frozenset(), frozenset({"x"}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot be read: it is empty"),
        ("\n\n", "cannot be read: it is empty"),
        ("name,processors,memory\n", "has no row, but there must be a machine"),
        ("weight,processors,memory\n0,1,1GB\n", "has no column name (it has: weight, processors, memory)"),
        ("name,processors\na,1\n", "has no column memory"),
        ("name,processors,memory,memory\na,1,1GB,1GB\n", "two columns named memory"),
        ("name,processors,memory,gpus\na,1,1GB,1\n", "unknown column 'gpus' for"),
        ("name,processors,memory,wieght\na,1,1GB,1\n", "'wieght' for"),
        ("name,processors,memory\na,1\n", "1 row (line 2): not as many fields as column names"),
        (
            "name,processors,memory\na,1,1GB\nb,-1,1GB\n",
            "line 3: processors: '-1' is not an amount of processors",
        ),
        ("name,processors,memory\na,1,1GB\nb,,1GB\n", "line 3: processors is missing"),
        ("name,processors,memory\na,1,1XB\n", "line 2: memory: '1XB' is not an amount of memory"),
        ("name,processors,memory\na,1,16\n", "line 2: memory: '16' needs a unit, as in 16GB"),
        ("name,processors,memory\na,1GB,1GB\n", "line 2: processors: '1GB' has a unit of memory"),
        ("name,processors,memory\na,0.0001,1GB\n", "line 2: processors: '0.0001' is 0.1 units of processors"),
        (
            f"name,processors,memory\na,{'9' * 300},1GB\n",
            "line 2: processors: '999999999999... (300 characters)'",
        ),
        ("name,processors,memory\na,1,1GB\n\na,1,1GB\n", "line 4: name 'a' stands on line 2 already"),
        ('name,processors,memory\n"n[1-3]",1,1GB\nn2,1,1GB\n', "line 3: name 'n2' stands on line 2 already"),
        ("name,processors,memory\n,1,1GB\n", "line 2: name is missing"),
        ("name,processors,memory\na b,1,1GB\n", "line 2: name: 'a b' is malformed: at position 1"),
        ("name,processors,memory\nn[1-,1,1GB\n", "line 2: name: 'n[1-' is malformed"),
        (
            "name,processors,memory\nn[1-99999999],1,1GB\n",
            "line 2: name: 'n[1-99999999]' names 99999999 machines",
        ),
        ("name,weight,processors,memory\na,high,1,1GB\n", "line 2: weight: 'high' is not an integer"),
        ("name,weight,processors,memory\na,1.5,1,1GB\n", "line 2: weight: '1.5' is not an integer"),
        (f"name,weight,processors,memory\na,{'9' * 5000},1,1GB\n", "line 2: weight: '999999999999... (5000"),
        ("name,labels,processors,memory\na,x rack*,1,1GB\n", "line 2: labels: 'rack*' is no label"),
        ('name,processors,memory\n"a,1,1GB\n', "line 2: a quote is not closed"),
    ],
)
def test_other_tables_are_refused_with_the_line_and_the_column(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "nodes.csv"
    path.write_text(text)
    with pytest.raises(InvalidInstanceError) as error:
        read_machines(path, KB)
    assert message in str(error.value)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\na\n", r"has no column of a resource \(it has: name\)"),
        ("name,weight,labels\na,1,\n", "has no column of a resource"),
        ("name,cores,\na,1,\n", "line 1: column 3 has no name"),
        ("name,mem\na,1GB\nb,64\n", "line 3: mem: '64' needs a unit"),
    ],
)
def test_without_a_workload_there_must_be_resources_of_one_kind_each(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "nodes.csv"
    path.write_text(text)
    with pytest.raises(InvalidInstanceError, match=message):
        read_machines(path)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"nodes\.csv"):
        read_machines("nodes.csv")
    with pytest.raises(InvalidInstanceError, match=r"machines 'nodes\.csv': no such file"):
        choose_machines("nodes.csv", KB)


def test_a_chosen_file_is_a_table_and_goes_before_a_text(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_machines(str(path), KB) == read_machines(path, KB)
    monkeypatch.chdir(path.parent)
    path.rename("2x64,1GB")
    assert choose_machines("2x64,1GB", KB).n_machines == 5
    assert choose_machines("3x64,1GB", KB).n_machines == 3
