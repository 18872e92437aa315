"""What happened between a file and an instance: rows dropped and repaired, units, assumptions, offered load.

Every reader returns a `DataReport` beside its instance, so that no row disappears silently. `RowLedger` is
how the readers keep the account: each row is dropped for one reason, the first that applies.
"""

import dataclasses
import logging
import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, MapReduceInstance, ParallelTaskInstance

from .offered_load import offered_load

__all__ = ["DataReport", "RowLedger", "TableReport", "make_report", "make_table_report"]

_logger = logging.getLogger("schedcore")

_N_EXAMPLES = 5


@dataclasses.dataclass(frozen=True)
class DataReport:
    """Account of one data source.

    Parameters
    ----------
    source : str
        File name or generator call.
    rows_read : int
        Rows of jobs in the source.
    n_jobs : int
        Jobs or tasks in the instance.
    dropped, repaired : Counter of str
        Number of rows per reason word; a dropped row counts once, a repaired one under every repair.
    meaning : dict
        Reason word -> sentence.
    lines : dict
        Reason word -> the first few places, in the source's own numbering (`line_word`).
    line_word : str
        What the places are: "line" of a text file (from 1), "vmId" of a database.
    job_word : str
        What is in the instance: "jobs", or "tasks" to colocate.
    units : dict
        "time" and each resource -> unit.
    capacity, load : dict
        Resource -> total capacity of the machines, and offered load (work that arrives per work that could be
        done, over the span of the release times; NaN where all jobs come at once).
    assumptions : tuple of str
        What the reader decided or was told, in sentences.
    warnings : tuple of str
        What a user should know before a run; also sent to the logger ``schedcore``.
    """

    source: str
    rows_read: int
    n_jobs: int
    dropped: Counter[str] = dataclasses.field(default_factory=Counter)
    repaired: Counter[str] = dataclasses.field(default_factory=Counter)
    meaning: dict[str, str] = dataclasses.field(default_factory=dict)
    lines: dict[str, tuple[int | str, ...]] = dataclasses.field(default_factory=dict)
    line_word: str = "line"
    job_word: str = "jobs"
    units: dict[str, str] = dataclasses.field(default_factory=dict)
    capacity: dict[str, int] = dataclasses.field(default_factory=dict)
    load: dict[str, float] = dataclasses.field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return dicts, lists, numbers and strings, ready for JSON; a load that is not finite is None."""
        content = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        content["dropped"] = dict(self.dropped)
        content["repaired"] = dict(self.repaired)
        content["lines"] = {reason: list(lines) for reason, lines in self.lines.items()}
        content["load"] = {name: load if math.isfinite(load) else None for name, load in self.load.items()}
        content["assumptions"] = list(self.assumptions)
        content["warnings"] = list(self.warnings)
        return content

    def __str__(self) -> str:
        text = [f"{self.source}: {self.rows_read:,} rows read, {self.n_jobs:,} {self.job_word}"]
        for verb, counts in (("dropped", self.dropped), ("repaired", self.repaired)):
            text += _account(verb, counts, self.meaning, self.lines, f"{self.line_word} ")
        text += [f"  time in {self.units['time']}"] if "time" in self.units else []
        for name, capacity in self.capacity.items():
            unit = f" {self.units[name]}" if name in self.units else ""
            text.append(f"  {name}: capacity {capacity:,}{unit}, offered load {_written(self.load[name])}")
        text += [f"  assumed: {sentence}" for sentence in self.assumptions]
        text += [f"  WARNING: {sentence}" for sentence in self.warnings]
        return "\n".join(text)


@dataclasses.dataclass(frozen=True)
class TableReport:
    """Account of a table that was read from several files.

    Parameters
    ----------
    source : str
        File or folder.
    n_files : int
        Files read.
    rows_read, n_rows : int
        Lines in the files, and rows in the table.
    dropped : Counter of str
        Number of rows per reason word.
    meaning : dict
        Reason word -> sentence.
    lines : dict
        Reason word -> the first few places, as ``"part-00000-of-00500.csv.gz:17"``.
    """

    source: str
    n_files: int
    rows_read: int
    n_rows: int
    dropped: Counter[str] = dataclasses.field(default_factory=Counter)
    meaning: dict[str, str] = dataclasses.field(default_factory=dict)
    lines: dict[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return dicts, lists, numbers and strings, ready for JSON."""
        content = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        content["dropped"] = dict(self.dropped)
        content["lines"] = {reason: list(lines) for reason, lines in self.lines.items()}
        return content

    def __str__(self) -> str:
        files = f"{self.n_files:,} file{'s' * (self.n_files != 1)}"
        text = [f"{self.source}: {self.rows_read:,} rows read from {files}, {self.n_rows:,} kept"]
        return "\n".join(text + _account("dropped", self.dropped, self.meaning, self.lines, ""))


class RowLedger:
    """Which rows of a source survive, and the account of those that do not.

    Parameters
    ----------
    n_rows : int
        Rows read; all survive at first.
    places : callable
        Maps row indices (intp array) to the source's own numbers, for the first few rows of each reason.
    more_follow : bool
        Whether these are the rows of one part of the source and not of the last: counts in messages say so.
    """

    def __init__(
        self,
        n_rows: int,
        places: Callable[[NDArray[np.intp]], NDArray[np.int64]],
        *,
        more_follow: bool = False,
    ) -> None:
        self.kept: NDArray[np.bool_] = np.ones(n_rows, dtype=np.bool_)
        self.n_read = n_rows
        self.dropped: Counter[str] = Counter()
        self.repaired: Counter[str] = Counter()
        self.meaning: dict[str, str] = {}
        self.lines: dict[str, tuple[int | str, ...]] = {}
        self._places = places
        self._more_follow = more_follow

    def carry_over(self, part: "RowLedger") -> None:
        """Take over the account of a part of the source, of whose rows only the kept ones are rows here."""
        self.n_read += part.n_read - int(np.count_nonzero(part.kept))
        self.dropped.update(part.dropped)
        self.repaired.update(part.repaired)
        self.meaning.update(part.meaning)
        for reason, places in part.lines.items():
            self.lines[reason] = (*self.lines.get(reason, ()), *places)[:_N_EXAMPLES]

    def drop(self, reason: str, meaning: str, rows: NDArray[np.bool_]) -> None:
        """Drop those of `rows` that survived so far."""
        self._count(self.dropped, reason, meaning, rows & self.kept)
        self.kept &= ~rows

    def repair(self, reason: str, meaning: str, rows: NDArray[np.bool_]) -> None:
        """Count those of `rows` that survived so far as repaired; the caller repairs them."""
        self._count(self.repaired, reason, meaning, rows & self.kept)

    def refuse_empty(self, source: str) -> None:
        """Raise an `InvalidInstanceError` with the counts of the reasons if no row is left."""
        if not self.kept.any():
            reasons = ", ".join(f"{reason} {count}" for reason, count in self.dropped.items())
            raise InvalidInstanceError(f"{source}: no job is left ({reasons or 'it has no rows'})")

    def describe(self, rows: NDArray[np.bool_], line_word: str = "line") -> str:
        """Return ``"3 rows (line 5, 9, 12)"`` for an error message."""
        places = self.first_places(rows)
        count = int(np.count_nonzero(rows))
        more = ", ..." if count > len(places) else ""
        at_least = "at least " if self._more_follow else ""
        return (
            f"{at_least}{count:,} row{'s' * (count != 1)} ({line_word} {', '.join(map(str, places))}{more})"
        )

    def first_places(self, rows: NDArray[np.bool_]) -> tuple[int | str, ...]:
        """Return the source's own numbers of the first few `rows`."""
        return tuple(self._places(np.flatnonzero(rows)[:_N_EXAMPLES]).tolist())

    def _count(self, account: Counter[str], reason: str, meaning: str, rows: NDArray[np.bool_]) -> None:
        count = int(np.count_nonzero(rows))
        if count:
            account[reason] += count
            self.meaning[reason] = meaning
            self.lines.setdefault(reason, self.first_places(rows))


def make_report(
    source: str,
    instance: Instance | ParallelTaskInstance | MapReduceInstance,
    *,
    rows_read: int | None = None,
    ledger: RowLedger | None = None,
    line_word: str = "line",
    units: Mapping[str, str] | None = None,
    assumptions: tuple[str, ...] = (),
) -> DataReport:
    """Build the report of `instance`, with its loads; warn where a queue cannot drain.

    A resource that is offered more work than the machines can do until the last release gets a warning, in
    the report and through the logger ``schedcore``.
    """
    names = instance.machines.resource_names
    load = dict(zip(names, map(float, offered_load(instance)), strict=True))
    capacity = dict(zip(names, map(int, instance.machines.capacity.sum(axis=0)), strict=True))
    warnings = tuple(
        f"offered load of {name} is {_written(value)} > 1: the queue cannot drain while jobs arrive"
        for name, value in load.items()
        if value > 1
    )
    for sentence in warnings:
        _logger.warning("%s: %s", source, sentence)
    return DataReport(
        source=source,
        rows_read=instance.n_jobs if rows_read is None else rows_read,
        n_jobs=instance.n_jobs,
        dropped=ledger.dropped if ledger else Counter(),
        repaired=ledger.repaired if ledger else Counter(),
        meaning=ledger.meaning if ledger else {},
        lines=ledger.lines if ledger else {},
        line_word=line_word,
        units={name: unit for name, unit in (units or {}).items() if name == "time" or name in names},
        capacity=capacity,
        load=load,
        assumptions=assumptions,
        warnings=warnings,
    )


def make_table_report(source: str, ledgers: Mapping[str, RowLedger]) -> TableReport:
    """Add up the ledgers of several files, by file name; each place says its file and line."""
    dropped: Counter[str] = Counter()
    meaning: dict[str, str] = {}
    lines: dict[str, tuple[str, ...]] = {}
    for name, ledger in ledgers.items():
        dropped.update(ledger.dropped)
        meaning.update(ledger.meaning)
        for reason, places in ledger.lines.items():
            named = (*lines.get(reason, ()), *(f"{name}:{place}" for place in places))
            lines[reason] = named[:_N_EXAMPLES]
    n_read = sum(ledger.n_read for ledger in ledgers.values())
    return TableReport(source, len(ledgers), n_read, n_read - dropped.total(), dropped, meaning, lines)


def _account(
    verb: str,
    counts: Mapping[str, int],
    meaning: Mapping[str, str],
    lines: Mapping[str, tuple[int | str, ...]],
    line_word: str,
) -> list[str]:
    text = []
    for reason, count in counts.items():
        places = lines.get(reason, ())
        more = ", ..." if count > len(places) else ""
        where = f" ({line_word}{', '.join(map(str, places))}{more})" if places else ""
        text.append(f"  {verb} {count:,} {reason}: {meaning.get(reason, reason)}{where}")
    return text


def _written(load: float) -> str:
    if math.isnan(load):
        return "-"
    return f"{load:.3f}" if load < 1e6 else f"{load:.4g}"
