"""What kind of file is this? Decided by its first bytes, then its name, then its first line.

Parquet and SQLite begin with bytes of their own whatever they are called. A log has its kind from its ending, gzipped
or not, and everything else from the names of its columns. A few KB are read, however long the file is.
"""

import re
from pathlib import Path
from typing import Literal

from schedcore.workloads.logs.sacct_table import is_sacct_header
from schedcore.workloads.reading.csv_table import header_names
from schedcore.workloads.reading.source_file import FilePath, read_head

__all__ = ["FileKind", "kind_of_file", "kind_without_name"]

FileKind = Literal[
    "parquet", "sqlite", "swf", "sacct", "azure_v1", "openb", "openb_nodes", "itp", "batsim", "csv"
]

_HEAD_SIZE = 8192
_SWF_ROW = re.compile(r"\s*-?[\d.]+(\s+-?[\d.]+){10,}\s*$")
_MAGIC: dict[bytes, FileKind] = {b"PAR1": "parquet", b"SQLite format 3\x00": "sqlite"}
_ENDINGS: dict[str, FileKind] = {
    ".swf": "swf",
    ".sacct": "sacct",
    ".psv": "sacct",
    ".parquet": "parquet",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
}
_COLUMNS: dict[FileKind, set[str]] = {
    "azure_v1": {"arrival_s", "vcpus"},
    "openb": {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"},
    "openb_nodes": {"sn", "cpu_milli", "memory_mib", "gpu"},
    "itp": {"job_id", "submission_time", "duration", "num_gpu"},
    "batsim": {"job_id", "starting_time"},
}


def kind_of_file(path: FilePath) -> FileKind | None:
    """Return the kind of a file, None where nothing tells it.

    ``csv`` is a file that is called so, or ``tsv``, and has the columns of no other kind.

    Raises
    ------
    InvalidInstanceError
        If it is gzipped, has an ending that tells nothing, and its beginning is damaged.
    OSError
        If it cannot be opened.
    """
    with open(path, "rb") as file:
        first_bytes = file.read(max(map(len, _MAGIC)))
    name = Path(path).name.lower().removesuffix(".gz")
    for beginning, kind in _MAGIC.items():
        if first_bytes.startswith(beginning):
            return kind
    for ending, kind in _ENDINGS.items():
        if name.endswith(ending):
            return kind
    first_line = read_head(path, _HEAD_SIZE).partition(b"\n")[0].decode("latin-1")
    if is_sacct_header(first_line):
        return "sacct"
    columns = {name.strip() for name in header_names(first_line)}
    for kind, needed in _COLUMNS.items():
        if columns >= needed:
            return kind
    return "csv" if name.endswith((".csv", ".tsv")) else None


def kind_without_name(path: FilePath) -> FileKind:
    """Return the kind of what came without a name: as `kind_of_file`, but what else it may be is told by its lines.

    A first line of numbers between blanks, or of a comment, is an SWF log; any other text is a table.
    """
    known = kind_of_file(path)
    if known is not None:
        return known
    lines = read_head(path, _HEAD_SIZE).decode("latin-1").splitlines()
    first = next((line for line in lines if line.strip()), "")
    return "swf" if first.lstrip().startswith(";") or _SWF_ROW.match(first) else "csv"
