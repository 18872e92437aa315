"""Files are read in blocks of lines: where blocks end changes nothing, lines have an end, and memory has a bound."""

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedcore import InvalidInstanceError
from schedcore.workloads import read_azure_v1, read_google_table, read_sacct, read_swf, read_swf_table
from schedcore.workloads.reading import source_file
from schedcore.workloads.reading.csv_table import read_csv_table
from schedcore.workloads.reading.source_file import LONGEST_LINE, text_blocks

SWF = b"""; MaxProcs: 8
  ; Note: first
1 0 0 10 2 -1 -1 2 20 100 1 1 1 1 1 1 -1 -1

2 5 0 10.5 2 -1 -1 2 20 100 1 1 1 1 1 1 -1 -1
  3 6 0 10 2 -1 -1 2 20
; Note: second
4 7 0 10 2 -1 -1 2 20 100 3 1 1 1 1 1 -1 -1
5 x 0 10 2 -1 -1 2 20 100 1 1 1 1 1 1 -1 -1
6 9 0 1e3 99 -1 -1 99 20 100 1 1 1 1 1 1 -1 -1
7 9 0 10 2 -1 -1 2 20 100 1 1 1 1 1
"""
SACCT = b"""JobIDRaw|Submit|State|ElapsedRaw|ReqCPUS
1|100|COMPLETED|10|1

1.batch|100|COMPLETED|10|1
2|101|FAILED|10
JobIDRaw|Submit|State|ElapsedRaw|ReqCPUS
3|103|PENDING|0|1
1|100|COMPLETED|10|1
4|103|TO|99999|7
|||||
||||
"""
VMS = b"""vm,arrival_s,batch,vcpus,mem_gb,dur_bin,dur_lo_s,dur_hi_s,censored
0,1800000,0,8,14,1,300,300,0
1,1800000,1,1,0.75,0,0,0,0
2,1800300,2,-2,3.5,13,3900,7200,1
3,18003x0,2,2,3.5,13,3900,7200,1
4,1800300,2,2,3.5,13,3900,7200,1
"""
TABLE = b"""start_time,machine,note
 1.5 ,0,a

2,1,"b"
\x20\x20
3,0,c
"""
EVENTS = b"0,,3418309,0,4155527081,0,u,3,9,0.125,0.07446,0.0004244,0\n"
EVENTS += b"0,,3418309,1,,0,u,3,9,x,0.07446,0.0004244,0\n\n1,2\n" + EVENTS.replace(
    b"0,,3418309,0", b"7,,3418310,0"
)


def of_swf(path: Path) -> Any:
    instance, report = read_swf(path, on_bad_row="skip")
    return instance, report.to_dict()


def of_sacct(path: Path) -> Any:
    instance, report = read_sacct(path, memory=False, on_bad_row="skip")
    return instance, report.to_dict()


def of_vms(path: Path) -> Any:
    instance, report = read_azure_v1(path, machines=2, on_bad_row="skip")
    return instance, report.to_dict()


def of_table(path: Path) -> Any:
    table = read_csv_table(path, ("start_time", "machine"))
    return table.numbers("start_time").tolist(), table.integers("machine").tolist(), table.lines.tolist()


def of_events(path: Path) -> Any:
    rows, report = read_google_table(path, "task_events", on_bad_row="skip")
    return rows.to_pylist(), report.to_dict()


READERS: dict[str, tuple[Callable[[Path], Any], bytes]] = {
    "log.swf": (of_swf, SWF),
    "log.sacct": (of_sacct, SACCT),
    "vms.csv": (of_vms, VMS),
    "table.csv": (of_table, TABLE),
    "events.csv": (of_events, EVENTS),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("is_gzipped", [False, True])
def test_where_blocks_end_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, line_end: bytes, is_gzipped: bool
) -> None:
    read, text = READERS[name]
    path = tmp_path / name
    path.write_bytes(text)
    expected = read(path)
    other = text.rstrip(b"\n").replace(b"\n", line_end)  # the last line has no end
    path.write_bytes(gzip.compress(other) if is_gzipped else other)
    for block_size, most_lines in ((1, 1), (7, 2), (64, 1000), (10**6, 3)):
        monkeypatch.setattr(source_file, "_BLOCK_SIZE", block_size)
        monkeypatch.setattr(source_file, "_MOST_LINES", most_lines)
        assert read(path) == expected, block_size


def test_what_a_column_holds_may_change_from_block_to_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = [
        [1, 300, 70_000, 2**40, 2**63 - 1],
        [-1, -129, -(2**15) - 1, -(2**31) - 1, -(2**63)],
        [1, 2, 3, 4.5, 5],
    ]
    lines = (" ".join(map(str, row)) for row in zip(*columns, strict=True))
    path = tmp_path / "log.swf"
    path.write_text("\n".join(lines))
    monkeypatch.setattr(source_file, "_MOST_LINES", 1)
    _, table = read_swf_table(path)
    assert [table[name].tolist() for name in table.columns[:3]] == columns
    assert [dtype.kind for dtype in table.dtypes[:3]] == ["i", "i", "f"]


@pytest.mark.parametrize("text", [b"", b"\n", b"a", b"a\n\nb", b"\xef\xbb\xbfa\r", b"\r\r\n\n\r"])
def test_blocks_have_every_line_once_with_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes
) -> None:
    path = tmp_path / "text"
    path.write_bytes(text)
    lines = text.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    lines = lines[:-1] if not lines[-1] else lines
    for size in (1, 2, 3, 100):
        monkeypatch.setattr(source_file, "_BLOCK_SIZE", size)
        blocks = list(text_blocks(path))
        assert [line for block in blocks for line in block.split()] == lines
        assert [int(line) for block in blocks for line in block.lines] == list(range(1, len(lines) + 1))
        assert [block.is_last for block in blocks] == [False] * (len(blocks) - 1) + [True] * bool(blocks)
        assert all(np.array_equal(block.blank, [not line for line in block.split()]) for block in blocks)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("is_terminated", [False, True])
def test_a_line_beyond_the_limit_is_refused_by_number(tmp_path: Path, name: str, is_terminated: bool) -> None:
    read, text = READERS[name]
    path = tmp_path / name
    path.write_bytes(text + b" " * (LONGEST_LINE + 1) + b"\n1" * is_terminated)
    with pytest.raises(
        InvalidInstanceError, match=rf"{name}: line {text.count(10) + 1} is longer than 1,048,576 bytes"
    ):
        read(path)


def test_a_line_up_to_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    path.write_bytes(SWF.replace(b"  3 6", b" " * (LONGEST_LINE - len(b"3 6 0 10 2 -1 -1 2 20")) + b"3 6"))
    assert of_swf(path)[1]["n_jobs"] == 3


def test_comments_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.swf.gz"
    path.write_bytes(gzip.compress(b"; Note: all is well\n" * 1_000_000))
    with pytest.raises(InvalidInstanceError, match="more than 16,777,216 bytes of comments"):
        read_swf(path)


def test_a_file_of_nothing_but_bad_rows_is_refused_although_bad_rows_are_left_out(tmp_path: Path) -> None:
    for name, head, row in (
        ("log.swf", b"", b"1\n"),
        ("log.sacct", SACCT[:41], b"1\n"),
        ("vms.csv", VMS[:68], b"x\n"),
    ):
        path = tmp_path / name
        path.write_bytes(head + row * 100_000)
        with pytest.raises(InvalidInstanceError, match=r"rows from line . to line \d+ can be read"):
            READERS[name][0](path)


# Each file is read by a process of its own, which begins with what its parent has imported, some 120 MB. The peak of a
# forked process begins with what it holds at its birth.
_PEAKS = """
import os, resource, sys
from pathlib import Path
import pandas, pyarrow.csv, pyarrow.compute
from schedcore import SchedcoreError
from workloads.reading import test_text_blocks

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

for path in map(Path, sys.argv[1:]):
    if os.fork() == 0:
        name = path.name.removeprefix("bomb.").removesuffix(".gz")
        read, text = test_text_blocks.READERS[name]
        small = path.parent / name
        small.write_bytes(text)
        read(small)
        before, said = peak(), ""
        try:
            read(path)
        except SchedcoreError as error:
            said = str(error)
        print(peak() - before, said, flush=True)
        os._exit(0)
    if (status := os.wait()[1]) != 0:
        print(10**6, "MB, as reading ended with status", status, flush=True)
"""
_UNPACKED = 3 * 2**25
#: What a file is full of, and the most that reading it may take: about as much as without that, and a quarter of it.
_BOMBS = {
    "spaces": ("log.swf", b"", b" ", 40),
    "blank lines": ("log.swf", b"", b"\n", 90),
    "lines of spaces": ("log.swf", b"", b" " * 1000 + b"\n", 50),
    "parts of jobs": ("log.swf", SWF, b"1 0 0 10 1 -1 -1 1 10 -1 3 1 1 1 1 1 -1 -1\n", 70),
    "parts of a job without a whole": (
        "log.swf",
        SWF,
        b"99 0 0 10 1 -1 -1 1 10 -1 3 1 1 1 1 1 -1 -1\n",
        70,
    ),
    "steps": ("log.sacct", SACCT, b"1.batch|1|COMPLETED|10|1\n", 75),
    "short rows": ("log.sacct", SACCT, b"1\n", 50),
    "one long row": ("table.csv", TABLE, b",", 40),
    "blank rows": ("table.csv", TABLE, b"\n", 85),
    "bad events": ("events.csv", EVENTS, b"x,,3418309,0,4155527081,0,u,3,9,0.125,0.07446,0.0004244,0\n", 80),
    "bad machines": ("vms.csv", VMS, b"2,1800300,2,-2,3.5,13,3900,7200,1\n", 72),
}


@pytest.fixture(scope="module")
def peaks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """By how many MB reading each of the files raises the peak, and what was said of it."""
    n_members = 16
    paths = []
    for name, head, unit, _ in _BOMBS.values():
        paths.append(tmp_path_factory.mktemp("bomb") / f"bomb.{name}.gz")
        member = gzip.compress(unit * (_UNPACKED // n_members // len(unit)))
        paths[-1].write_bytes(gzip.compress(head) + member * n_members)
    told = subprocess.run(
        [sys.executable, "-c", _PEAKS, *paths], cwd=Path(__file__).parents[2], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    sys.stderr.write(told.stderr)  # why reading ended
    assert told.returncode == 0
    return dict(zip(_BOMBS, told.stdout.splitlines(), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("bomb", _BOMBS)
def test_memory_does_not_grow_with_what_is_not_kept(peaks: dict[str, str], bomb: str) -> None:
    peak, _, said = peaks[bomb].partition(" ")
    assert int(peak) < _BOMBS[bomb][-1], said  # MB, of 96 that are unpacked
