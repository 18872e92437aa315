"""What happened between a file and an instance: rows dropped and repaired, work lost, units, assumptions, offered load.

Every reader returns a `DataReport` beside its instance, so that no row and no work disappears silently. What is worth a
warning, and what a command should not go on with, is decided in `report_warnings`.
"""

import dataclasses
import logging
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from schedcore.model import Instance, MapReduceInstance, ParallelTaskInstance
from schedcore.model.amounts import exact_total
from schedcore.model.html_text import Html, clipped, counted, facts, folded, items, panel, table
from schedcore.workloads.reading.needed_choice import Choice
from schedcore.workloads.reading.offered_load import offered_load
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.report_warnings import (
    Finding,
    estimate_findings,
    load_findings,
    loss_findings,
    loss_in_words,
    unknown_findings,
    written_load,
    written_share,
)
from schedcore.workloads.reading.row_ledger import N_EXAMPLES, RowLedger, WorkColumns

__all__ = ["DataReport", "TableReport", "make_report", "make_table_report"]

_logger = logging.getLogger("schedcore")


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
    dropped, repaired, not_modelled : Counter of str
        Number of rows per reason word; a dropped row counts once, a repaired one under every repair. What is not
        modelled is something about jobs that the source says and an instance cannot express.
    dropped_work : dict
        Reason word -> resource -> share of all work (demand times processing time, summed) that is lost for that
        reason: of rows that were dropped, as far as their work is known, and of demands that were clipped. Rows that
        repeat others, or were left out because the caller asked for a part, are no loss.
    unknown_work : Counter of str
        Reason word -> rows dropped that ran, or may have, but of which the work is not known.
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
    stops : dict
        Those of the warnings with which the command line and experiments do not go on: "loss" (too much work is lost),
        "capacity" (nothing tells how large the machine is) -> the sentence.
    origin : str, optional
        The date of time 0, where the source has dates: ``"2026-12-01T08:00:00"``, with a time zone where the source
        says which.
    is_batch_log : bool
        Whether it is the log of a batch system, in which jobs wait for machines: its users ask how long.
    choices : dict
        Kind of stop -> an option and its value with which a command would go on. No part of `to_dict`.
    """

    source: str
    rows_read: int
    n_jobs: int
    dropped: Counter[str] = dataclasses.field(default_factory=Counter)
    repaired: Counter[str] = dataclasses.field(default_factory=Counter)
    not_modelled: Counter[str] = dataclasses.field(default_factory=Counter)
    dropped_work: dict[str, dict[str, float]] = dataclasses.field(default_factory=dict)
    unknown_work: Counter[str] = dataclasses.field(default_factory=Counter)
    meaning: dict[str, str] = dataclasses.field(default_factory=dict)
    lines: dict[str, tuple[int | str, ...]] = dataclasses.field(default_factory=dict)
    line_word: str = "line"
    job_word: str = "jobs"
    units: dict[str, str] = dataclasses.field(default_factory=dict)
    capacity: dict[str, int] = dataclasses.field(default_factory=dict)
    load: dict[str, float] = dataclasses.field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    stops: dict[str, str] = dataclasses.field(default_factory=dict)
    origin: str | None = None
    is_batch_log: bool = False
    choices: dict[str, Choice] = dataclasses.field(default_factory=dict)

    @property
    def work_lost(self) -> dict[str, float]:
        """Resource -> share of all work that is not in the instance; 0 where nothing is known to be lost."""
        shares = self.dropped_work.values()
        return {name: sum(by_resource[name] for by_resource in shares) for name in self.capacity}

    @property
    def estimates_missing(self) -> float:
        """Share of the jobs that had no estimate and got their processing time for it."""
        return self.repaired["missing_estimate"] / self.n_jobs if self.n_jobs else 0.0

    @property
    def loss(self) -> str:
        """The sentence for below a table of results, as "2.5 % of the work left out"; empty if no work is lost."""
        return loss_in_words(self.work_lost, self.unknown_work.total())

    def warnings_and_refusal(self, allow_loss: bool = False) -> tuple[tuple[str, ...], str]:
        """Return the warnings, and why not to go on: one text with the source and what to do, empty if nothing stops.

        With `allow_loss` lost work is a warning like others, else what stops is none. Options are spelled as the user
        of this moment writes them (`spelling_options`).
        """
        stops = {kind: sentence for kind, sentence in self.stops.items() if kind != "loss" or not allow_loss}
        warnings = tuple(sentence for sentence in self.warnings if sentence not in stops.values())
        if not stops:
            return warnings, ""
        ways_on = {"loss": f"; {spelled('allow_loss', True)} goes on without that work"}
        sentences = (f"{sentence}{ways_on.get(kind, '')}" for kind, sentence in stops.items())
        return warnings, f"{self.source}: {'. Also: '.join(sentences)}"

    def to_dict(self) -> dict[str, Any]:
        """Return dicts, lists, numbers and strings, ready for JSON; a load that is not finite is None.

        There is an `origin` only where the source has dates.
        """
        content = _content(self)
        del content["choices"]
        if self.origin is None:
            del content["origin"]
        return {
            **content,
            "work_lost": self.work_lost,
            "estimates_missing": self.estimates_missing,
            "load": {name: load if math.isfinite(load) else None for name, load in self.load.items()},
        }

    def __str__(self) -> str:
        lines = [self.account(), *(f"WARNING: {sentence}" for sentence in self.warnings)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What a notebook shows: warnings first, then rows, loss, capacities and loads, and what was assumed."""
        n_dropped = self.dropped.total()
        left_out = f"{counted(n_dropped, 'row')}; {self.loss or 'no work'}"
        pairs = [
            ("rows read", self.rows_read),
            (self.job_word, self.n_jobs),
            ("left out", left_out if n_dropped or self.dropped_work else ""),
            ("time in", self.units.get("time", "")),
            ("time 0", self.origin or ""),
        ]
        resources = [
            (
                clipped(name),
                capacity,
                clipped(self.units.get(name, "")),
                written_load(self.load.get(name, math.nan)),
            )
            for name, capacity in self.capacity.items()
        ]
        reasons = [
            (f"{verb} {clipped(reason)}", count, self.meaning.get(reason, reason))
            for verb, counts in (
                ("dropped:", self.dropped),
                ("repaired:", self.repaired),
                ("not modelled:", self.not_modelled),
            )
            for reason, count in counts.items()
        ]
        return panel(
            clipped(self.source),
            items(f"WARNING: {sentence}" for sentence in self.warnings),
            facts(pairs),
            table(["resource", "capacity", "unit", "offered load"], resources) if resources else Html(""),
            folded("rows by reason", table(["what", "rows", "meaning"], reasons)) if reasons else Html(""),
            folded("assumed", items(self.assumptions)) if self.assumptions else Html(""),
        )

    def account(self) -> str:
        """Return the text of the report without its warnings."""
        text = [f"{self.source}: {self.rows_read:,} rows read, {self.n_jobs:,} {self.job_word}"]
        n_dropped = self.dropped.total()
        if n_dropped or self.dropped_work:
            text.append(f"  left out: {n_dropped:,} row{'s' * (n_dropped != 1)}; {self.loss or 'no work'}")
        for verb, counts in (
            ("dropped", self.dropped),
            ("repaired", self.repaired),
            ("not modelled:", self.not_modelled),
        ):
            text += _account(verb, counts, self.meaning, self.lines, f"{self.line_word} ", self.dropped_work)
        text += [f"  time in {self.units['time']}"] if "time" in self.units else []
        for name, capacity in self.capacity.items():
            unit = f" {self.units[name]}" if name in self.units else ""
            text.append(
                f"  {name}: capacity {capacity:,}{unit}, offered load {written_load(self.load[name])}"
            )
        text += [f"  assumed: {sentence}" for sentence in self.assumptions]
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
        return _content(self)

    def __str__(self) -> str:
        files = f"{self.n_files:,} file{'s' * (self.n_files != 1)}"
        text = [f"{self.source}: {self.rows_read:,} rows read from {files}, {self.n_rows:,} kept"]
        return "\n".join(text + _account("dropped", self.dropped, self.meaning, self.lines, ""))


def make_report(
    source: str,
    instance: Instance | ParallelTaskInstance | MapReduceInstance,
    *,
    ledger: RowLedger | None = None,
    work: WorkColumns | None = None,
    clipped: Mapping[str, WorkColumns] | None = None,
    line_word: str = "line",
    units: Mapping[str, str] | None = None,
    assumptions: tuple[str, ...] = (),
    findings: tuple[Finding, ...] = (),
    origin: str | None = None,
    is_batch_log: bool = False,
) -> DataReport:
    """Build the report of `instance`, with its loads, what was lost on the way, and what to warn of.

    Parameters
    ----------
    work, clipped
        As `RowLedger.lost_shares` takes them, for the first resources of the instance or all; without `work` nothing is
        known of what dropped rows had, and they count as unknown.
    findings : tuple of Finding
        What the reader itself warns of.
    origin : str, optional
        The date of time 0.
    is_batch_log : bool
        Whether it is the log of a batch system.

    Notes
    -----
    Every warning also goes to the logger ``schedcore``.
    """
    names = instance.machines.resource_names
    n_read = instance.n_jobs if ledger is None else ledger.n_read
    ledger = RowLedger(0, lambda rows: rows) if ledger is None else ledger
    units = {name: unit for name, unit in (units or {}).items() if name == "time" or name in names}
    load = dict(zip(names, map(float, offered_load(instance)), strict=True))
    if work is None:
        work = np.full((len(ledger.kept), len(names)), np.nan)
    lost, unknown = ledger.lost_shares(work, clipped)
    report = DataReport(
        source=source,
        rows_read=n_read,
        n_jobs=instance.n_jobs,
        dropped=ledger.dropped,
        repaired=ledger.repaired,
        not_modelled=ledger.not_modelled,
        dropped_work={
            reason: dict.fromkeys(names, 0.0) | dict(zip(names, map(float, shares), strict=False))
            for reason, shares in lost.items()
        },
        unknown_work=unknown,
        meaning=ledger.meaning,
        lines=ledger.lines,
        line_word=line_word,
        units=units,
        capacity=dict(zip(names, map(exact_total, instance.machines.capacity.T), strict=True)),
        load=load,
        assumptions=assumptions,
        origin=origin,
        is_batch_log=is_batch_log,
    )
    found = (
        *loss_findings(report.dropped_work, report.work_lost, ledger),
        *unknown_findings(unknown, *_rows_kept(instance), ledger),
        *findings,
        *estimate_findings(report.repaired["missing_estimate"], report.n_jobs),
        *load_findings(load, units),
    )
    for finding in found:
        _logger.warning("%s: %s", source, finding.sentence)
    return dataclasses.replace(
        report,
        warnings=tuple(finding.sentence for finding in found),
        stops={finding.stop: finding.sentence for finding in found if finding.stop},
        choices={finding.stop: finding.choice for finding in found if finding.stop and finding.choice},
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
            lines[reason] = named[:N_EXAMPLES]
    n_read = sum(ledger.n_read for ledger in ledgers.values())
    return TableReport(source, len(ledgers), n_read, n_read - dropped.total(), dropped, meaning, lines)


def _content(report: DataReport | TableReport) -> dict[str, Any]:
    """What a report holds, with dicts for counters and lists for tuples."""

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: plain(entry) for key, entry in value.items()}
        return list(value) if isinstance(value, tuple) else value

    return {field.name: plain(getattr(report, field.name)) for field in dataclasses.fields(report)}


def _rows_kept(instance: Instance | ParallelTaskInstance | MapReduceInstance) -> tuple[int, str]:
    """Return how many rows of the source are in the instance, and what each of them became."""
    if isinstance(instance, ParallelTaskInstance):
        return instance.n_tasks, "tasks"
    return instance.n_jobs, "jobs"


def _account(
    verb: str,
    counts: Mapping[str, int],
    meaning: Mapping[str, str],
    lines: Mapping[str, tuple[int | str, ...]],
    line_word: str,
    dropped_work: Mapping[str, Mapping[str, float]] | None = None,
) -> list[str]:
    text = []
    for reason, count in counts.items():
        places = lines.get(reason, ())
        more = ", ..." if count > len(places) else ""
        where = f" ({line_word}{', '.join(map(str, places))}{more})" if places else ""
        shares = (dropped_work or {}).get(reason, {})
        of_work = ", ".join(
            f"{written_share(share)} of {name}" for name, share in shares.items() if share > 0
        )
        text.append(
            f"  {verb} {count:,} {reason}: {meaning.get(reason, reason)}{where}{of_work and f'; {of_work}'}"
        )
    return text
