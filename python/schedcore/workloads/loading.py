"""One way in for every workload: a trace file of any known kind, a Parquet instance, or a generator's name.

`kind_of_file` tells the kind of a file by its first bytes, its name or its first line.
"""

import contextlib
import dataclasses
import functools
import inspect
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from schedcore.errors import InvalidInstanceError
from schedcore.model import AnyInstance, ColocationInstance, ParallelTaskInstance
from schedcore.model.choices import check_choice
from schedcore.workloads.azure.packing_trace import read_azure_packing
from schedcore.workloads.azure.vm_table import read_azure_v1
from schedcore.workloads.file_kind import FileKind, kind_of_file, kind_without_name
from schedcore.workloads.generators import GENERATORS, generate_from_text
from schedcore.workloads.google_workload import is_google_trace, read_google_trace
from schedcore.workloads.gpu_traces.itp import read_itp
from schedcore.workloads.gpu_traces.openb import read_openb
from schedcore.workloads.logs.sacct import read_sacct
from schedcore.workloads.logs.swf import read_swf
from schedcore.workloads.parquet_readers import (
    PARQUET_READERS,
    Reader,
    chosen_machines,
    draw_tasks,
    refuse_machines,
    task_report,
)
from schedcore.workloads.reading.annotated_arguments import check_reader_argument
from schedcore.workloads.reading.instance_file import content_of_parquet
from schedcore.workloads.reading.machines_spec import MachineChoice
from schedcore.workloads.reading.option_spelling import as_python, spelled, spelling_options
from schedcore.workloads.reading.report import DataReport, make_report
from schedcore.workloads.reading.source_file import FilePath
from schedcore.workloads.tables.job_table import read_table

__all__ = ["STANDARD_INPUT", "WorkloadFile", "load", "reader_options", "workload_file"]

#: The source that stands for what is piped in.
STANDARD_INPUT = "-"

_NAME_OF_INPUT = "standard input"


def load(
    source: FilePath, machines: MachineChoice | None = None, **options: Any
) -> tuple[AnyInstance, DataReport]:
    """Return the workload of a file or a generator.

    Parameters
    ----------
    source : path-like or str
        A log (``.swf``, ``.swf.gz``), the output of Slurm's ``sacct -X -P`` (``.sacct``, ``.psv``, or known by its
        first line), the VM table of Azure 2017 (CSV), the packing trace of Azure 2020 (SQLite), Alibaba's list of pods
        of 2023 (CSV), Microsoft's GPU jobs of 2021 (CSV), any other table of jobs (CSV or Parquet, see `read_table`),
        the folder of Google's trace of 2011, an instance as Parquet, of jobs, jobs of tasks or tasks to colocate, a
        sample of tasks as Parquet (`TaskSample.to_parquet`), or a generator with its parameters, as
        ``"azure_like:seed=1,n_jobs=16000"``. A file goes before a generator of the same name. ``"-"`` is what is piped
        into standard input, of any of these kinds of files.
    machines : Machines, str or int, optional
        The machines to use: a text for `parse_machines`, or the path of a table for `read_machines`, which goes before
        it. For an instance that brings its own, a number means that many of its one kind. Tasks to colocate have a
        number of identical machines and take none, nor do parallel tasks, which name theirs.
    **options
        Options of the reader of that kind of file. Of a sample of tasks: those of `grid_instance`, with `seed` (1) as
        the repetition. Of parallel tasks as Parquet: `placement`, `n_local`, `remote_penalty`, `n_remote`, `weights`
        and `seed`, of `draw_placements`, `restrict_machines` and `draw_weights`.

    Raises
    ------
    InvalidInstanceError
        For a source that is neither file nor generator, an unknown option (with the close matches), a value of another
        kind than the option takes, and whatever the reader refuses.
    ImportError
        If a package is missing that the reader needs; names the extra.
    """
    if source == STANDARD_INPUT:
        with workload_file(source) as piped:
            return piped.load(machines, **options)
    if os.path.isdir(source) and is_google_trace(source):
        return _read(source, read_google_trace, machines, options)
    if not os.path.isfile(source):
        return _generated(os.fspath(source), machines, options)
    return _read(source, _reader_of(source, kind_of_file(source)), machines, options)


def _read(
    source: FilePath, reader: Reader, machines: MachineChoice | None, options: dict[str, Any]
) -> tuple[AnyInstance, DataReport]:
    parameters = inspect.signature(reader).parameters
    known = [name for name in parameters if name not in ("path", "machines")]
    if options and not known:
        given = ", ".join(map(spelled, options))
        raise InvalidInstanceError(
            f"{os.fspath(source)}: jobs and tasks to colocate as Parquet are read without options ({given})"
        )
    if reader is not read_table:
        _refuse_roles(source, options)
    for name, value in options.items():
        check_choice(f"option for {os.fspath(source)}", spelled(name), map(spelled, known))
        check_reader_argument(reader, name, value)
    needed = [name for name in known if parameters[name].default is inspect.Parameter.empty]
    missing = [name for name in needed if name not in options]
    if missing:
        what = "drawing from a sample of tasks" if reader is draw_tasks else reader.__name__
        raise InvalidInstanceError(f"{os.fspath(source)}: {what} needs {', '.join(map(spelled, missing))}")
    return reader(source, machines=machines, **options)


@functools.cache
def reader_options() -> tuple[str, ...]:
    """Return the names of the options of all readers: what `load` may take for some file."""
    readers = dict.fromkeys((*_READERS.values(), read_google_trace, *PARQUET_READERS.values()))
    names = (name for reader in readers for name in inspect.signature(reader).parameters)
    return tuple(dict.fromkeys(name for name in names if name not in ("path", "machines")))


@dataclasses.dataclass(frozen=True)
class WorkloadFile:
    """A file of a known kind, or what was piped in, which is one for a while.

    Parameters
    ----------
    path : path-like
    kind : str or None
        As `kind_of_file` tells it.
    name : str
        What reports and errors call it.
    """

    path: FilePath
    kind: FileKind | None
    name: str

    @property
    def is_table(self) -> bool:
        """Whether it is a table of whatever columns, as `read_table` reads it."""
        return _reader_of(self.path, self.kind) is read_table

    def load(self, machines: MachineChoice | None = None, **options: Any) -> tuple[AnyInstance, DataReport]:
        """Return the workload, as `load` does."""
        instance, report = _read(self.path, _reader_of(self.path, self.kind), machines, options)
        return instance, dataclasses.replace(report, source=self.name)


@contextlib.contextmanager
def workload_file(source: FilePath) -> Iterator[WorkloadFile]:
    """Give a file its kind; what is piped in is a file as long as the block runs.

    Raises
    ------
    InvalidInstanceError
        Where standard input is a terminal, and as `kind_of_file` does.
    """
    if source != STANDARD_INPUT:
        yield WorkloadFile(source, kind_of_file(source), os.fspath(source))
        return
    if sys.stdin is None or sys.stdin.isatty():
        raise InvalidInstanceError(f"{STANDARD_INPUT}: standard input is a terminal; pipe a file into it")
    with tempfile.TemporaryDirectory(prefix="schedcore-") as folder:
        path = os.path.join(folder, "input")
        Path(path).write_bytes(_input_of(sys.stdin))
        try:
            yield WorkloadFile(path, kind_without_name(path), _NAME_OF_INPUT)
        except InvalidInstanceError as error:
            error.args = (str(error).replace(path, _NAME_OF_INPUT),)
            raise


@functools.lru_cache(maxsize=1)
def _input_of(stream: TextIO) -> bytes:
    """Return what is piped in; it can be read once, and a command may ask for it again, on other machines."""
    return stream.buffer.read()


def _refuse_roles(source: FilePath, options: dict[str, Any]) -> None:
    """Refuse to be told which column means what, as no table is; logs have a flag of the same name."""
    words = options.get("columns")
    if isinstance(words, (str, Mapping)):
        text = words if isinstance(words, str) else ",".join(f"{role}={name}" for role, name in words.items())
        raise InvalidInstanceError(
            f"{os.fspath(source)}: {spelled('columns', text)} says what the columns of a table of jobs mean, and this "
            f"is a workload of a kind that needs no telling"
        )


def _reader_of(path: FilePath, kind: FileKind | None) -> Reader:
    if kind == "parquet":
        content = content_of_parquet(path)
        return read_table if content == "table" else PARQUET_READERS[content]
    if kind == "openb_nodes":
        raise InvalidInstanceError(
            f"{os.fspath(path)}: a list of nodes is no workload; name the list of pods, and this one with "
            f"{spelled('machines')}"
        )
    reader = _READERS.get(kind)
    if reader is None:
        raise InvalidInstanceError(
            f"{os.fspath(path)}: not a known kind of workload; known are SWF logs (.swf, .swf.gz), the output of "
            f"sacct -X -P (.sacct, .psv), the VM table of Azure 2017 (CSV), the packing trace of Azure 2020 "
            f"(SQLite), Alibaba's list of pods of 2023 (CSV), Microsoft's GPU jobs of 2021 (CSV), other tables of "
            f"jobs (.csv, .tsv, Parquet), instances and samples of tasks as Parquet"
        )
    return reader


_READERS: dict[FileKind | None, Reader] = {
    "swf": read_swf,
    "sacct": read_sacct,
    "sqlite": read_azure_packing,
    "azure_v1": read_azure_v1,
    "openb": read_openb,
    "itp": read_itp,
    "csv": read_table,
}


def _generated(
    text: str, machines: MachineChoice | None, options: dict[str, Any]
) -> tuple[AnyInstance, DataReport]:
    name = text.partition(":")[0].strip()
    if os.path.isdir(text):
        raise InvalidInstanceError(
            f"{text}: no such file (it is a folder, and has no task_events of Google's trace in it)"
        )
    if name not in GENERATORS and (os.sep in text or Path(name).suffix):
        raise InvalidInstanceError(f"{text}: no such file (nor a generator: {', '.join(GENERATORS)})")
    _refuse_roles(text, options)
    if options:
        raise InvalidInstanceError(
            f"{text}: options of a reader ({', '.join(map(spelled, options))}) with a generator"
        )
    with spelling_options(as_python):  # its parameters are in the text, whoever wrote that
        generated = generate_from_text(text)
    assumptions = ("synthetic, reproducible from its name",)
    if isinstance(generated, ColocationInstance):
        refuse_machines(text, machines)
        return generated, task_report(text, generated.n_tasks, generated, *assumptions)
    if isinstance(generated, ParallelTaskInstance) and machines is not None:
        raise InvalidInstanceError(
            f"{text}: {spelled('machines', machines)}: tasks name their machines; use n_machines"
        )
    if machines is not None:
        generated = generated.replace(machines=chosen_machines(generated.machines, machines))
    units = GENERATORS[name].units(generated)
    return generated, make_report(text, generated, units=units, assumptions=assumptions)
