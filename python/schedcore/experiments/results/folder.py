"""A results folder: the description of an experiment, and one Parquet data set with a row a cell.

::

    experiment.json           description, code and files that it was begun with
    rows/part-000001.parquet  finished cells, a few per file; each file carries its checksum
    rows/failed-<cell>.parquet  one file for each failed cell, taken away when it is tried again
    lock                      held by the process that writes

Every file is written under a name that readers ignore, forced to the disk and renamed, so at any moment, also after
SIGKILL or a power cut, the folder holds whole files only and every finished cell once.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import logging
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from schedcore.errors import InvalidInstanceError, one_line
from schedcore.experiments.columns import COLUMNS, arrow_schema
from schedcore.experiments.description.document import from_document, to_document
from schedcore.experiments.description.experiment import Experiment
from schedcore.experiments.results.rows_file import read_rows_file, write_rows_file
from schedcore.experiments.running.cell_row import Row
from schedcore.experiments.running.cells import unique_cells
from schedcore.experiments.running.provenance import code_identity, describe_code, is_other_code
from schedcore.model.extras import import_extra
from schedcore.model.whole_file import UNFINISHED, remove_unfinished, write_whole

__all__ = ["ResultsFolder"]

_logger = logging.getLogger("schedcore")

_FORMAT = 2
_WITHOUT_CHECKSUMS = 1  # the format of before: read as well
_DESCRIPTION = "experiment.json"
_ROWS = "rows"
_LOCK = "lock"


class ResultsFolder:
    """The folder of one experiment; made by `create` or `open`.

    Attributes
    ----------
    path : Path
    experiment : Experiment
    files : dict
        Source -> path of the files that the run reads.
    """

    def __init__(self, path: Path, experiment: Experiment, record: Mapping[str, Any]) -> None:
        self.path = path
        self.experiment = experiment
        self._record = dict(record)
        self._is_without_checksums = record["format"] == _WITHOUT_CHECKSUMS
        self._last_part: int | None = None  # number of the newest part, once this process has written
        self.files: dict[str, str] = {source: entry["path"] for source, entry in record["files"].items()}

    @property
    def file_hashes(self) -> dict[str, str]:
        """Source -> SHA-256 of the files when the run began."""
        return {source: entry["sha256"] for source, entry in self._record["files"].items()}

    @classmethod
    def create(cls, path: Path, experiment: Experiment, files: Mapping[str, str]) -> ResultsFolder:
        """Begin a folder.

        Raises
        ------
        InvalidInstanceError
            If it holds results already, or something else.
        OSError
            If it cannot be written.
        """
        import_extra("pyarrow", "traces")
        cls.check_free(path)
        (path / _ROWS).mkdir(parents=True, exist_ok=True)
        with _locked(path):
            cls.check_free(path)  # still
            record = {
                "format": _FORMAT,
                "code": code_identity(),
                "begun_at": datetime.now(UTC).isoformat(timespec="seconds"),
                "folder": None if experiment.folder is None else str(experiment.folder.resolve()),
                "files": {
                    source: {"path": file, "sha256": _file_hash(file)} for source, file in files.items()
                },
                "modules": dict(experiment.module_hashes),
                "description": to_document(experiment),
            }
            write_whole(path / _DESCRIPTION, json.dumps(record, indent=2).encode())
        return cls(path, experiment, record)

    @classmethod
    def check_free(cls, path: Path) -> None:
        """Refuse a path where no folder can be begun, as it holds results already, or something else."""
        if path.exists() and not path.is_dir():
            raise InvalidInstanceError(f"{path} exists and is not a folder")
        if (path / _DESCRIPTION).exists():
            name = cls.open(path).experiment.name
            raise InvalidInstanceError(f"{path} holds results of {name!r} already; resume goes on with them")
        if path.is_dir() and any(not _is_leftover(entry) for entry in path.iterdir()):
            raise InvalidInstanceError(
                f"the folder {path} holds other files and no results; name an empty or a new one"
            )

    @classmethod
    def open(cls, path: Path) -> ResultsFolder:
        """Open a folder for reading.

        Raises
        ------
        InvalidInstanceError
            If it is no results folder, or one of a format that this version does not read.
        """
        try:
            record = json.loads((path / _DESCRIPTION).read_bytes())
            written_in = record["format"]
        except (FileNotFoundError, NotADirectoryError):
            raise InvalidInstanceError(f"{path} is no results folder: it has no {_DESCRIPTION}") from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InvalidInstanceError(f"{path / _DESCRIPTION} is damaged: {one_line(error)}") from error
        if written_in not in (_FORMAT, _WITHOUT_CHECKSUMS) or isinstance(written_in, (bool, float)):
            raise InvalidInstanceError(
                f"{path} has format {written_in!r}; {describe_code(code_identity())} reads {_WITHOUT_CHECKSUMS} and "
                f"{_FORMAT}"
            )
        wrong = [key for key, is_right in _IN_A_RECORD.items() if not is_right(record.get(key, 0))]
        if wrong:
            raise InvalidInstanceError(f"{path / _DESCRIPTION} is damaged: it has no {', '.join(wrong)}")
        if written_in == _WITHOUT_CHECKSUMS:
            _logger.warning(
                "%s was begun by a version that wrote no checksums: changes of its rows cannot be noticed",
                path,
            )
        folder = None if record["folder"] is None else Path(record["folder"])
        try:
            experiment = from_document(record["description"], folder)
        except InvalidInstanceError as error:
            raise InvalidInstanceError(
                f"{path / _DESCRIPTION}, of {describe_code(record['code'])}, cannot be read: {error}"
            ) from error
        return cls(path, experiment, record)

    def continue_with(self, experiment: Experiment | None, files: Mapping[str, str]) -> None:
        """Prepare going on: with the same code, the same files, and a description that has at least these cells.

        Raises
        ------
        InvalidInstanceError
            If the folder belongs to another experiment, another version or other files; says which and why.
        """
        began, now = self._record["code"], code_identity()
        if is_other_code(began, now):
            raise InvalidInstanceError(
                f"{self.path} was begun with {describe_code(began)}, this is {describe_code(now)}: "
                "rows of different code are not mixed; go on with that version, or begin a new folder"
            )
        described = self.experiment if experiment is None else experiment
        for module, contents in described.module_hashes.items():
            if self._record["modules"].setdefault(module, contents) != contents:
                raise InvalidInstanceError(
                    f"module {module!r} differs from the one that {self.path} was begun with: rows of different code "
                    "are not mixed; begin a new folder"
                )
        if experiment is not None:
            self._replace_description(experiment)
        for source, file in files.items():
            known = self._record["files"].get(source)
            if known is None:
                self._record["files"][source] = {"path": file, "sha256": _file_hash(file)}
            else:
                known["path"] = file
        for source, entry in self._record["files"].items():
            if not Path(entry["path"]).is_file():
                raise InvalidInstanceError(
                    f"{source}: {entry['path']} is not there any more; say where it is"
                )
            if _file_hash(entry["path"]) != entry["sha256"]:
                raise InvalidInstanceError(
                    f"{source}: {entry['path']} differs from the file that {self.path} was begun with"
                )
        self.files = {source: entry["path"] for source, entry in self._record["files"].items()}
        write_whole(self.path / _DESCRIPTION, json.dumps(self._record, indent=2).encode())

    def _replace_description(self, experiment: Experiment) -> None:
        if experiment.name != self.experiment.name:
            raise InvalidInstanceError(
                f"{self.path} holds results of the experiment {self.experiment.name!r}, not of {experiment.name!r}"
            )
        before, after = unique_cells(self.experiment), unique_cells(experiment)
        gone = sum(key not in after for key in before)
        changed = sum(key in after and after[key].keep != cell.keep for key, cell in before.items())
        if gone or changed:
            raise InvalidInstanceError(
                f"{self.path} was begun with another description of {experiment.name!r}: {gone} of its {len(before)} "
                f"cells are not in the new one, {changed} keep other columns; a description may grow, for anything "
                "else begin a new folder"
            )
        self.experiment = experiment
        self._record["description"] = to_document(experiment)
        self._record["folder"] = None if experiment.folder is None else str(experiment.folder.resolve())

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the folder for writing, and take away what a killed process left half-written.

        Raises
        ------
        InvalidInstanceError
            If another process holds it.
        """
        with _locked(self.path):
            (self.path / _ROWS).mkdir(exist_ok=True)
            remove_unfinished(self.path, _DESCRIPTION)
            remove_unfinished(self.path / _ROWS, "*")
            yield

    def append(self, rows: Sequence[Row]) -> None:
        """Add rows of finished and failed cells; all of one call's finished cells become visible together."""
        finished = [row for row in rows if row["status"] != "failed"]
        for row in rows:
            if row["status"] == "failed":
                write_rows_file(self.path / _ROWS / f"failed-{row['cell']}.parquet", [row])
        if finished:
            if self._last_part is None:
                numbers = (int(path.stem.removeprefix("part-")) for path in self._parts())
                self._last_part = max(numbers, default=0)
            write_rows_file(self.path / _ROWS / f"part-{self._last_part + 1:06d}.parquet", finished)
            self._last_part += 1

    def take_back_failures(self, cells: Iterable[str]) -> None:
        """Remove the rows of those of the cells that failed, so that they count as not run."""
        for cell in cells:
            (self.path / _ROWS / f"failed-{cell}.parquet").unlink(missing_ok=True)

    def table(self, columns: Iterable[str] | None = None) -> Any:
        """Return the rows as a ``pyarrow.Table`` sorted by cell key, or some columns of them; O(rows).

        Raises
        ------
        InvalidInstanceError
            If a file of rows was changed after it was written; names it.
        """
        pa = import_extra("pyarrow", "traces")
        names = list(COLUMNS) if columns is None else list(columns)
        schema = pa.schema([arrow_schema().field(name) for name in names])
        paths = [*self._parts(), *sorted((self.path / _ROWS).glob("failed-*.parquet"))]
        tables = [schema.empty_table()]
        for path in paths:
            try:
                tables.append(read_rows_file(path, names, may_lack_checksum=self._is_without_checksums))
            except FileNotFoundError:  # of a failed cell that another process tries again
                continue
        table = pa.concat_tables(tables)
        return table.sort_by("cell") if "cell" in names else table

    def statuses(self) -> dict[str, str]:
        """Cell key -> status of the cells that have a row."""
        table = self.table(("cell", "status"))
        return dict(zip(table["cell"].to_pylist(), table["status"].to_pylist(), strict=True))

    def _parts(self) -> list[Path]:
        paths = (self.path / _ROWS).glob("part-*.parquet")
        return sorted(path for path in paths if path.stem.removeprefix("part-").isdecimal())


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(path / _LOCK, "a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise InvalidInstanceError(
                f"{path} is being written by {lock.read() or 'another process'}"
            ) from None
        try:
            lock.truncate(0)
            lock.write(f"process {os.getpid()} on {socket.gethostname()}")
            lock.flush()
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)  # closing leaves it to processes that were forked meanwhile


def _is_text_by_name(value: object, *names: str) -> bool:
    """Whether it is a table of texts that has at least these names."""
    return (
        isinstance(value, dict)
        and all(isinstance(text, str) for text in value.values())
        and value.keys() >= set(names)
    )


#: Key of `experiment.json` -> whether a value can be what belongs there.
_IN_A_RECORD: dict[str, Callable[[Any], bool]] = {
    "code": lambda code: _is_text_by_name(code, "schedcore_version", "schedcore_commit"),
    "folder": lambda folder: folder is None or (isinstance(folder, str) and "\0" not in folder),
    "files": lambda files: (
        isinstance(files, dict) and all(_is_text_by_name(entry, "path", "sha256") for entry in files.values())
    ),
    "modules": lambda modules: _is_text_by_name(modules),
    "description": lambda description: isinstance(description, dict),
}


def _is_leftover(entry: Path) -> bool:
    """What a run that was killed at its very beginning leaves."""
    return (
        entry.name == _LOCK
        or entry.name.startswith(UNFINISHED)
        or (entry.name == _ROWS and entry.is_dir() and not any(entry.iterdir()))
    )


def _file_hash(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
