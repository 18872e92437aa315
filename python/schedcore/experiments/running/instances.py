"""The instance of a cell, made once in every worker and kept while its cells run.

A recorded workload is read once and downsampled from memory. What was made last stays: cells come grouped by
instance, so a worker makes each instance at most once in a run, unless very many fit between two cells of one. What a
command would not go on with (`DataReport.stops`) is refused here, so that no worker runs a cell on it.
"""

import json
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.experiments.description.workload import INPUT
from schedcore.experiments.description.workload_arguments import arguments_of_source, arguments_of_transforms
from schedcore.experiments.running.cells import Cell
from schedcore.model import AnyInstance
from schedcore.model.process_lock import ProcessLock
from schedcore.problems import problem_of
from schedcore.workloads.generators import GENERATORS, generate
from schedcore.workloads.loading import load
from schedcore.workloads.reading.option_spelling import spelling_options
from schedcore.workloads.reading.report import DataReport
from schedcore.workloads.reading.report_warnings import is_about_load
from schedcore.workloads.transforms.table import transformed

__all__ = ["InstanceCache", "WorkloadRefusedError"]


class WorkloadRefusedError(InvalidInstanceError):
    """Too much of the work of a workload is lost, or nobody knows its machine; the message says what to do."""


class InstanceCache:
    """Recently made instances by the key of their workload; safe with several threads.

    Threads that want the same instance wait for the first one to make it. At least one instance is kept for each
    thread that asks.
    """

    def __init__(self, max_instances: int = 3) -> None:
        self._max_instances = max_instances
        self._instances: OrderedDict[str, AnyInstance] = OrderedDict()
        self._sources: OrderedDict[str, AnyInstance] = OrderedDict()
        self._threads: set[int | None] = set()
        self._lock = ProcessLock()

    def get(self, cell: Cell, files: Mapping[str, str]) -> AnyInstance:
        """The instance of a cell; errors of the generator or reader pass through.

        Raises
        ------
        WorkloadRefusedError
            If the report of the reader stops a command, and the cell does not allow that.
        """
        version = _version(cell, files)
        with self._lock:
            self._threads.add(threading.get_ident())
            self._threads &= {thread.ident for thread in threading.enumerate()}
            return self._remembered(
                self._instances,
                f"{cell.workload_key} {version}",
                max(self._max_instances, len(self._threads)),
                lambda: self._make(cell, files, version),
            )

    def read(self, cell: Cell, files: Mapping[str, str]) -> None:
        """Read the source of a cell, and keep it for `get`, which raises the same."""
        if arguments_of_transforms(cell.arguments):
            with self._lock:
                self._full_list(cell, files, _version(cell, files))
        else:
            self.get(cell, files)

    def _make(self, cell: Cell, files: Mapping[str, str], version: str) -> AnyInstance:
        later = arguments_of_transforms(cell.arguments)
        if not later:
            return _accepted(cell, files)
        full = self._full_list(cell, files, version)
        try:
            return transformed(full, later, problem_of(full).title)
        except UnsupportedError as error:
            raise UnsupportedError(f"{cell.source}: {error}") from None

    def _full_list(self, cell: Cell, files: Mapping[str, str], version: str) -> AnyInstance:
        """What the source of a cell has; one at a time, as the full list of a recorded workload can be large."""
        key = f"{cell.source_key} {version}"
        return self._remembered(self._sources, key, 1, lambda: _accepted(cell, files))

    @staticmethod
    def _remembered(
        known: OrderedDict[str, AnyInstance], key: str, most: int, make: Callable[[], AnyInstance]
    ) -> AnyInstance:
        if key in known:
            known.move_to_end(key)
            return known[key]
        while len(known) >= most:  # before, so that the old and the new one need not fit together
            known.popitem(last=False)
        known[key] = make()
        return known[key]


def _version(cell: Cell, files: Mapping[str, str]) -> str:
    """Tells runs apart, for a worker may outlive one: in the next, a source may be another file or its loss refused."""
    path = files.get(cell.source)
    if path is None or not Path(path).is_file():
        return ""
    status = Path(path).stat()
    return f"{path} {status.st_mtime_ns} {status.st_size} {cell.allow_loss}"


_warned: set[str] = set()  # of this worker


def _accepted(cell: Cell, files: Mapping[str, str]) -> AnyInstance:
    """Read the source of a cell, print what the reader warns of to stderr, once a worker, and refuse what stops a run.

    Loads are not told: they are those of the whole log, not of a cell.
    """
    with spelling_options(_in_a_description):
        inst, report = _read(cell.source, arguments_of_source(cell.arguments), files)
        if report is None:
            return inst
        warnings, refusal = report.warnings_and_refusal(cell.allow_loss)
    for sentence in warnings:
        text = f"WARNING: {report.source}: {sentence}"
        if text not in _warned and not is_about_load(sentence):
            _warned.add(text)
            print(text, file=sys.stderr, flush=True)
    if refusal:
        raise WorkloadRefusedError(refusal)
    return inst


def _in_a_description(name: str, *value: object) -> str:
    """An option of a reader as it stands in the table of a workload, or its name."""
    # TOML writes texts, numbers, true and false as JSON does.
    written = f"{name} = {json.dumps(value[0], ensure_ascii=False)}" if value else name
    return f"{written} in the table of the workload, or --allow-loss," if name == "allow_loss" else written


def _read(
    source: str, arguments: Mapping[str, Any], files: Mapping[str, str]
) -> tuple[AnyInstance, DataReport | None]:
    """What a source has, with the report of its reader."""
    options = dict(arguments)
    machines = options.pop("machines", None)
    if source in GENERATORS and machines is None:
        return generate(source, **options), None
    if source in GENERATORS:
        text = f"{source}:{','.join(f'{name}={value}' for name, value in options.items())}"
        return load(text, machines)
    path = Path(files.get(source, source))
    if not path.is_file():
        raise FileNotFoundError(
            f"{path}: no such file" + (f" ({source})" if source.startswith(INPUT) else "")
        )
    return load(path, machines, **options)
