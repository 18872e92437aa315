"""``schedcore inspect``: what a file holds, how it was read, its load over time, and the command for it.

Where it cannot be read as jobs before somebody chooses, that is said, with the command of each choice; what can be
shown without, such as the columns of a table, is shown all the same.
"""

import dataclasses
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.inspection.jobs_shown import document_of_jobs, parts_of_jobs, rows_of_jobs
from schedcore.inspection.looks_of_columns import columns_table, looks_of_columns
from schedcore.model import AnyInstance, Instance
from schedcore.problems.presentation import Presentation, Row, Table, Verbatim
from schedcore.workloads.loading import STANDARD_INPUT, load, workload_file
from schedcore.workloads.reading.needed_choice import Choice, ChoiceNeededError
from schedcore.workloads.reading.option_spelling import spelling_options
from schedcore.workloads.reading.report import DataReport

__all__ = ["inspect_workload"]

Loaded = tuple[AnyInstance, DataReport]

_MOST_CHOICES = 5  # one after the other
_MOST_READ = 16  # times that the file is read


@dataclasses.dataclass(eq=False)
class _Found:
    """What was found out about a workload.

    Parameters
    ----------
    name : str
    table : dict, optional
        Rows and looks of the columns, of a table.
    loaded : tuple, optional
        Instance and report, where it could be read.
    told : str
        Why it cannot be read, or only after a choice.
    chosen : tuple
        The choices with which it was read all the same.
    ways_on : list
        Options to add for a command that goes on, of each command.
    n_read : int
        How often it was read, with whatever choices.
    is_piped : bool
        Whether it came from standard input.
    """

    name: str
    table: dict[str, Any] | None = None
    loaded: Loaded | None = None
    told: str = ""
    chosen: tuple[Choice, ...] = ()
    ways_on: list[tuple[Choice, ...]] = dataclasses.field(default_factory=list)
    n_read: int = 0
    is_piped: bool = False


def inspect_workload(source: str, options: Mapping[str, Any], spelling: Callable[..., str]) -> Presentation:
    """Return what a workload is, of whatever kind.

    Parameters
    ----------
    source : str
        As `load` takes it.
    options : mapping
        Options of its reader that were given.
    spelling : callable
        Writes an option with its value as it is typed in a shell.

    Raises
    ------
    InvalidInstanceError
        For what is no workload, and for a file that no choice makes readable, unless it is a table.
    """
    with spelling_options(spelling):
        found = _inspected(source, options)
        commands = [_command(source, [*options.items(), *more], spelling) for more in found.ways_on]
        parts = _parts(found, commands, spelling)
    rows: list[Row] = [{"part": "column", **row} for row in found.table["columns"]] if found.table else []
    document: dict[str, Any] = {"source": found.name}
    if found.table is not None:
        document |= {"rows": found.table["rows"], "columns": found.table["columns"]}
    if found.loaded is not None:
        inst, report = found.loaded
        if isinstance(inst, Instance):
            document |= document_of_jobs(inst, report)
            rows += rows_of_jobs(inst, report)
        document["report"] = report.to_dict()
    document |= {"needs": found.told or None, "commands": commands}
    return Presentation(rows, document, parts)


def _inspected(source: str, options: Mapping[str, Any]) -> _Found:
    if source != STANDARD_INPUT and not os.path.isfile(source):  # a generator, or a folder
        found = _Found(source)
        _read(found, lambda **more: load(source, **{**options, **more}))
        return found
    with workload_file(source) as file:
        found = _Found(file.name, is_piped=source == STANDARD_INPUT)
        if file.is_table:
            found.table = looks_of_columns(file.path, options)
        try:
            _read(found, lambda **more: file.load(**{**options, **more}))
        except InvalidInstanceError as error:
            if found.table is None:
                raise
            found.told = str(error)
        found.told = found.told.replace(os.fspath(file.path), file.name)
    return found


def _read(found: _Found, read: Callable[..., Loaded], chosen: tuple[Choice, ...] = ()) -> bool:
    """Load the workload, if need be with the first choices that make it readable; notes what else one may choose.

    Every choice is tried, so that its command has all that it needs, and one that fails is none. Returns whether any
    led to jobs.
    """
    found.n_read += 1
    try:
        loaded = read(**dict(chosen))
    except ChoiceNeededError as error:
        told = found.told
        if found.loaded is None:
            found.told += f"{told and ' Then: '}{error}"
        is_read = [_choose(found, read, (*chosen, choice)) for choice in error.choices]
        if chosen and not any(is_read) and found.loaded is None:
            found.told = told
            raise
        return any(is_read)
    if found.loaded is None:
        found.loaded, found.chosen = loaded, chosen
    found.ways_on.append((*chosen, *loaded[1].choices.values()))
    return True


def _choose(found: _Found, read: Callable[..., Loaded], chosen: tuple[Choice, ...]) -> bool:
    """Read with choices; notes those that somebody has to fill in, and those of which there are too many to try."""
    if len(chosen) > _MOST_CHOICES or found.n_read >= _MOST_READ:
        found.ways_on.append(chosen)
        return True
    n_ways = len(found.ways_on)
    try:
        return _read(found, read, chosen)
    except InvalidInstanceError:
        del found.ways_on[n_ways:]
        name, value = chosen[-1]
        if name == "columns" and str(value).endswith("=COLUMN"):
            found.ways_on.append(chosen)
            return True
        return False


def _command(source: str, options: Sequence[Choice], spelling: Callable[..., str]) -> str:
    """Return the command that compares policies with these options; of two values of one the last counts."""
    return " ".join(["schedcore compare", shlex.quote(source), *_typed(options, spelling)])


def _typed(options: Sequence[Choice], spelling: Callable[..., str]) -> list[str]:
    return [spelling(name, value) for name, value in dict(options).items()]


def _parts(found: _Found, commands: Sequence[str], spelling: Callable[..., str]) -> tuple[Table | str, ...]:
    """Return all of it for people."""
    parts: list[Table | str] = []
    if found.table is not None:
        parts += [columns_table(found.name, found.table), ""]
    if found.told:
        what = "A choice is needed." if found.ways_on else "So this cannot be read as jobs."
        parts += [f"{what} {found.told}", ""]
    if found.chosen:
        parts.append(f"What follows is read with {' '.join(_typed(found.chosen, spelling))}.\n")
    if found.loaded is not None:
        inst, report = found.loaded
        if isinstance(inst, Instance):
            parts += [*parts_of_jobs(inst, report), ""]
        else:
            parts += [repr(inst), ""]
        parts += [str(report), ""]
    if commands:
        again = ", pipe it in again" if found.is_piped else ""
        one_of = (" into one of" if found.is_piped else ", one of") if len(commands) > 1 else ""
        parts.append(f"To compare policies on it{again}{one_of}:")
        parts.append(Verbatim("\n".join(f"  {command}" for command in commands)))
    return tuple(parts)
