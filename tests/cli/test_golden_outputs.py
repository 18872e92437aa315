"""What commands print stays what it is: stdout, stderr, exit code, and the files that they write.

Each text in `golden/` is a session that is typed anew, line by line: what follows a `$` is run in an empty folder with
copies of `golden/inputs`, and what it prints must be what stands below it. `show FILE` prints what a command wrote: of
Parquet the rows, of a page the words, of an experiment the rows of the first job set, of another folder the names.

Floats are rounded to nine digits, as bounds from linear programs may differ in the last ones between versions of the
solver; the clock ticks once a look, so that rates and times taken are known; what tells of the machine is masked.

To add a command, write its line into a session. To record what the sessions print now, in one process:

    SCHEDCORE_RENEW_GOLDEN=1 pytest -p no:xdist tests/cli/test_golden_outputs.py
"""

import csv
import difflib
import io
import itertools
import os
import re
import shlex
import shutil
import time
from collections.abc import Callable, Iterable
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import schedcore
from schedcore import registry
from schedcore.experiments import VOLATILE, open_results

GOLDEN = Path(__file__).with_name("golden")
SESSIONS = sorted(path.name for path in GOLDEN.glob("*.txt"))
RENEW = os.environ.get("SCHEDCORE_RENEW_GOLDEN") == "1"
LONG_FLOAT = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?|-?\d+[eE][-+]?\d+")
OF_THE_RUN = {*VOLATILE, "cell", "schedcore_version", "schedcore_commit"}
OF_THE_RUN |= {"python_version", "numpy_version", "platform"}
FACTS_OF_THE_RUN = re.compile(
    "<dt>(first cell began|last cell ended|code|Python|NumPy|platform|host|worker processes|wall time of all cells"
    "|largest peak memory)</dt><dd>.*?</dd>"
)
TIMES_OF_POLICIES = re.compile(r"(peak memory</th></tr></thead>\s*)<tbody>.*?</tbody>", re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder with the inputs, a clock that ticks once a look, and the policies of the package alone."""
    shutil.copytree(GOLDEN / "inputs", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    ticks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(ticks)))
    own = {a.name: a for a in registry.algorithms() if a.run.__module__.startswith("schedcore.")}
    monkeypatch.setattr(registry, "_algorithms", own)
    return tmp_path


def test_there_are_sessions_to_repeat() -> None:
    assert SESSIONS


@pytest.mark.parametrize("session", SESSIONS)
def test_commands_print_what_is_recorded(session: str, cli: Callable[..., Any], folder: Path) -> None:
    path = GOLDEN / session
    recorded = path.read_text()
    printed = "".join(
        transcript(line, cli, folder) for line in recorded.splitlines() if line.startswith("$ ")
    )
    if RENEW:
        path.write_text(printed)
        return
    difference = difflib.unified_diff(
        recorded.splitlines(), printed.splitlines(), "recorded", "printed", lineterm=""
    )
    if recorded != printed:
        pytest.fail(f"{session} is not what is printed:\n" + "\n".join(difference), pytrace=False)


def transcript(line: str, cli: Callable[..., Any], folder: Path) -> str:
    """A line with all that came of it."""
    command, *words = shlex.split(line.removeprefix("$ "))
    if command == "show":
        return f"{line}\n{plain(shown(Path(words[0])), folder)}\n"
    assert command == "schedcore", f"{line}: neither schedcore nor show"
    outcome = cli(*words)
    told = f"[stderr]\n{outcome.stderr}" if outcome.stderr else ""
    return f"{line}\n{plain(outcome.stdout + told, folder)}[exit code {outcome.exit_code}]\n\n"


def shown(path: Path) -> str:
    if (path / "experiment.json").exists():
        return rows_of_results(path)
    if path.is_dir():
        return "".join(f"{item.relative_to(path)}\n" for item in sorted(path.rglob("*")) if item.is_file())
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        return csv_text([table.column_names, *(row.values() for row in table.to_pylist())])
    if path.suffix == ".html":
        return words_of_page(path.read_text())
    return path.read_text()


def rows_of_results(path: Path) -> str:
    """Cell by cell the columns that have values, but for those of the machine; long ones as digests."""
    cells = [row for row in open_results(path).rows if row["job_set"] == 1]
    cells.sort(
        key=lambda row: (row["workload"], row["workload_arguments"], row["policy"], row["policy_options"])
    )
    lines = []
    for row in cells:
        for name, value in row.items():
            if value is None or name in OF_THE_RUN:
                continue
            if name == "traceback":
                value = value.strip().rpartition("\n")[2]  # which modules it went through may change
            long = isinstance(value, list) or len(str(value)) > 200
            told = sha256(repr(value).encode()).hexdigest()[:12] if long else value
            lines.append(f"{name} {told}\n")
        lines.append("\n")
    return "".join(lines)


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def words_of_page(page: str) -> str:
    """The text between the tags, without drawings, styles and what tells of the machine, a line a piece."""
    page = TIMES_OF_POLICIES.sub(r"\1", FACTS_OF_THE_RUN.sub(r"<dt>\1</dt>", page))
    for tag in ("style", "script", "svg"):
        page = re.sub(rf"<{tag}\b.*?</{tag}>", "", page, flags=re.DOTALL)
    pieces = (unescape(piece).strip() for piece in re.split(r"<[^>]*>", page))
    return "".join(f"{piece}\n" for piece in pieces if piece)


def plain(text: str, folder: Path) -> str:
    """The same with rounded floats, without blanks at the ends of lines and what tells of the machine."""
    text = text.replace(str(folder), "FOLDER").replace(schedcore.__version__, "VERSION")
    lines = LONG_FLOAT.sub(rounded, text).splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def rounded(number: re.Match[str]) -> str:
    """Of numbers with more digits than nine, the nearest one with nine."""
    digits = re.sub(r"[eE].*|\D", "", number[0]).lstrip("0")
    return f"{float(number[0]):.9g}" if len(digits) > 9 else number[0]
