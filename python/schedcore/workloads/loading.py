"""One way in for every workload: a trace file of any known kind, a Parquet instance, or a generator's name.

`kind_of_file` tells the kind of a file by its first bytes, its name or its first line.
"""

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance
from schedcore.model.choices import check_choice

from .azure_packing import read_azure_packing
from .azure_v1 import read_azure_v1
from .catalogue import GENERATORS, generate_from_text
from .file_kind import FileKind, kind_of_file
from .instance_file import read_instance
from .machines_spec import MachineChoice, ResourceUnit, choose_machines
from .report import DataReport, make_report
from .sacct import read_sacct
from .source_file import FilePath
from .swf import read_swf

__all__ = ["load", "reader_options"]

Reader = Callable[..., tuple[Instance, DataReport]]


def load(
    source: FilePath, machines: MachineChoice | None = None, **options: Any
) -> tuple[Instance, DataReport]:
    """Return the workload of a file or a generator.

    Parameters
    ----------
    source : path-like or str
        A log (``.swf``, ``.swf.gz``), the output of Slurm's ``sacct -X -P`` (``.sacct``, ``.psv``, or known by its
        first line), the VM table of Azure 2017 (CSV), the packing trace of Azure 2020 (SQLite), an instance as
        Parquet, or a generator with its parameters, as
        ``"azure_like:seed=1,n_jobs=16000"``. A file goes before a generator of the same name.
    machines : Machines, str or int, optional
        The machines to use; see `parse_machines`. For an instance that brings its own, a number means that
        many of its first machine.
    **options
        Options of the reader of that kind of file.

    Raises
    ------
    InvalidInstanceError
        For a source that is neither file nor generator, an unknown option (with the close matches), and
        whatever the reader refuses.
    ImportError
        If a package is missing that the reader needs; names the extra.
    """
    if not Path(source).is_file():
        return _generated(os.fspath(source), machines, options)
    reader = _reader_of(source)
    known = [name for name in inspect.signature(reader).parameters if name not in ("path", "machines")]
    if options and not known:
        given = ", ".join(options)
        raise InvalidInstanceError(
            f"{os.fspath(source)}: an instance as Parquet is read without options ({given})"
        )
    for name in options:
        check_choice(f"option of {reader.__name__}", name, known)
    return reader(source, machines=machines, **options)


def reader_options() -> tuple[str, ...]:
    """Return the names of the options of all readers: what `load` may take for some file."""
    readers = dict.fromkeys(_READERS.values())
    names = (name for reader in readers for name in inspect.signature(reader).parameters)
    return tuple(dict.fromkeys(name for name in names if name not in ("path", "machines")))


def _reader_of(path: FilePath) -> Reader:
    reader = _READERS.get(kind_of_file(path))
    if reader is None:
        raise InvalidInstanceError(
            f"{os.fspath(path)}: not a known kind of workload; known are SWF logs (.swf, .swf.gz), the output of "
            f"sacct -X -P (.sacct, .psv), the VM table of Azure 2017 (CSV), the packing trace of Azure 2020 "
            f"(SQLite) and instances as Parquet"
        )
    return reader


def _read_parquet(path: FilePath, machines: MachineChoice | None = None) -> tuple[Instance, DataReport]:
    instance, units = read_instance(path)
    instance = _on_machines(instance, machines)
    return instance, make_report(os.fspath(path), instance, units=units)


_READERS: dict[FileKind | None, Reader] = {
    "swf": read_swf,
    "sacct": read_sacct,
    "parquet": _read_parquet,
    "sqlite": read_azure_packing,
    "azure_v1": read_azure_v1,
}


def _generated(
    text: str, machines: MachineChoice | None, options: dict[str, Any]
) -> tuple[Instance, DataReport]:
    name = text.partition(":")[0].strip()
    if Path(text).is_dir():
        raise InvalidInstanceError(f"{text}: no such file (it is a folder)")
    if name not in GENERATORS and (os.sep in text or Path(name).suffix):
        raise InvalidInstanceError(f"{text}: no such file (nor a generator: {', '.join(GENERATORS)})")
    if options:
        raise InvalidInstanceError(f"{text}: options of a reader ({', '.join(options)}) with a generator")
    instance = _on_machines(generate_from_text(text), machines)
    units = GENERATORS[name].units(instance)
    assumptions = ("synthetic, reproducible from its name",)
    return instance, make_report(text, instance, units=units, assumptions=assumptions)


def _on_machines(instance: Instance, machines: MachineChoice | None) -> Instance:
    if machines is None:
        return instance
    own = instance.machines
    units = [ResourceUnit(name) for name in own.resource_names]
    return Instance(instance.jobs, choose_machines(machines, units, own.capacity[0].tolist()))
