"""The rows of an output of sacct on their way to jobs: which are dropped, what each one demands.

The reasons, in order: ragged_row (counted by the parser), repeated_header, blank_row, job_step, repeated_row,
unfinished, no_runtime, garbled_row, huge_time, no_processors, no_memory, huge_demand, too_big.
`schedcore.workloads.sacct` puts the steps together.
"""

import dataclasses
from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError

from . import sacct_fields as fields
from .log_rows import FloatColumn, LogRows, Mask, RecordedMemory
from .option_spelling import spelled
from .row_ledger import RowLedger
from .sacct_table import SacctTable

__all__ = ["COLUMNS", "ELAPSED_COLUMNS", "SacctRows", "elapsed"]

# What a file must have: one column of each group, and the elapsed time or what it comes from.
_NEEDED = (
    ("JobIDRaw", "JobID"),
    ("Submit",),
    ("State",),
    ("ReqCPUS", "AllocCPUS", "NCPUS", "ReqTRES", "AllocTRES"),
)
_ELAPSED = ("ElapsedRaw", "Elapsed")
_OPTIONAL = ("Start", "End", "TimelimitRaw", "Timelimit", "ReqMem", "NNodes", "AllocNodes", "ReqNodes")
#: What the run time comes from.
ELAPSED_COLUMNS = (*_ELAPSED, "Start", "End")
COLUMNS = (*(name for group in _NEEDED for name in group), *_ELAPSED, *_OPTIONAL)


@dataclasses.dataclass(frozen=True)
class SacctRows(LogRows):
    """The rows of one output of sacct on their way to jobs.

    Parameters
    ----------
    table : SacctTable
        The fields.
    start_time, end_time : (n_rows,) float64
        Seconds since 1970; -1 where there is none, NaN where it cannot be read.
    state : (n_rows,) str
        Full names of the states.
    garbled : dict
        What cannot be read -> rows; grows with every column that is read.
    """

    table: SacctTable
    start_time: FloatColumn
    end_time: FloatColumn
    state: NDArray[np.str_]
    garbled: dict[str, Mask]

    @classmethod
    def of(cls, source: str, table: SacctTable) -> Self:
        """Return all rows of a file; an error that names the columns it lacks."""
        absent = [" or ".join(group) for group in _NEEDED if not any(name in table for name in group)]
        if not any(name in table for name in _ELAPSED) and not ("Start" in table and "End" in table):
            absent.append(f"{' or '.join(_ELAPSED)} or both Start and End")
        if absent:
            raise InvalidInstanceError(f"{source}: the output of sacct lacks {'; '.join(absent)}")
        submit, start, end = (table.instants(name) for name in ("Submit", "Start", "End"))
        run_time = elapsed(table)
        limit = _first_known(
            table.values("TimelimitRaw", fields.time_limit), table.values("Timelimit", fields.time_limit)
        )
        return cls(
            source,
            RowLedger(table.n_rows, table.line_numbers),
            submit_time=submit,
            run_time=run_time,
            requested_time=limit,
            job_number=table.identifiers(table.id_column),
            requested_time_words="time limit",
            table=table,
            start_time=start,
            end_time=end,
            state=table.words("State", fields.state),
            garbled={
                "submit time": np.isnan(submit),
                "run time": np.isnan(run_time),
                "time limit": np.isnan(limit),
            },
        )

    def recorded_start(self) -> FloatColumn:
        start: FloatColumn = np.where(self.start_time >= 0, self.start_time, -1.0)
        return start

    def drop_what_is_no_job(self, on_bad_row: str) -> None:
        """Drop rows that are no whole job, that never ran, or that have not ended."""
        ledger, table = self.ledger, self.table
        self._refuse_ragged_rows(on_bad_row)
        self._leave_out("repeated_header", "the column names again, as in files joined together", lost=False)
        self._leave_out("blank_row", "no job id and no state", lost=False)
        self._leave_out("job_step", "a step of a job, not the job (sacct without -X)", lost=False)
        ledger.drop("repeated_row", "equal to an earlier row", table.repeats(), lost=False)
        ledger.drop(
            "unfinished",
            "waits or still runs",
            np.isin(self.state, fields.UNFINISHED),
            remedy="read it when these jobs have ended, or an earlier span",
        )
        never_ran = np.isin(self.state, fields.NEVER_RAN)
        if "Start" in table:
            never_ran |= self.start_time == fields.UNKNOWN
        ledger.drop(
            "no_runtime",
            "no run time or no submit time, or cancelled before it ran",
            (self.run_time < 0) | (self.submit_time < 0) | ((self.run_time == 0) & never_ran),
        )

    def _refuse_ragged_rows(self, on_bad_row: str) -> None:
        reason, meaning = "ragged_row", "not as many fields as column names"
        if reason in self.table.left_out and on_bad_row != "skip":
            count, first = self.table.left_out[reason]
            more = ", ..." * (count > len(first))
            raise InvalidInstanceError(
                f"{self.source}: {count:,} rows (line {', '.join(map(str, first))}{more}): {meaning}; "
                f"{spelled('on_bad_row', 'skip')} leaves such rows out"
            )
        self._leave_out(reason, meaning, lost=True)

    def _leave_out(self, reason: str, meaning: str, *, lost: bool) -> None:
        """Enter into the account what the parser left out."""
        if reason in self.table.left_out:
            self.ledger.leave_out(reason, meaning, *self.table.left_out[reason], lost=lost)

    def refuse_garbled_rows(self, on_bad_row: str) -> None:
        """Drop rows with a field that cannot be read, or raise an error that names their lines."""
        bad = {name: rows & self.ledger.kept for name, rows in self.garbled.items()}
        columns = [name for name, rows in bad.items() if rows.any()]
        meaning = f"a field cannot be read ({', '.join(columns)})"
        self.refuse("garbled_row", meaning, np.logical_or.reduce(list(bad.values())), on_bad_row)

    def count_clock_changes(self) -> None:
        """Count the rows of which End - Start is not the elapsed time."""
        known = (self.start_time >= 0) & (self.end_time >= 0)
        self.ledger.repair(
            "clock_change",
            "End - Start is not the elapsed time, which counts (suspended, or the clock was changed)",
            known & (self.end_time - self.start_time != self.run_time),
        )

    def processors(self, mode: str) -> FloatColumn:
        """Return the processors of all rows, not positive where there is none."""
        asked = _first_positive(
            self._read("ReqCPUS", fields.count), self._read("ReqTRES", fields.tres_processors)
        )
        held = _first_positive(
            self._read("AllocCPUS", fields.count),
            self._read("NCPUS", fields.count),
            self._read("AllocTRES", fields.tres_processors),
        )
        return _first_positive(asked, held) if mode == "requested" else _first_positive(held, asked)

    def memory(self, mode: str, processors: FloatColumn) -> tuple[FloatColumn, RecordedMemory]:
        """Return KB of memory of all rows, not positive where there is none, and what was allocated."""
        amount = self._read("ReqMem", fields.memory)
        if "ReqMem" in self.table:
            basis = self.table.words("ReqMem", fields.memory_basis)
            amount = amount * np.select([basis == "c", basis == "n"], [processors, self._nodes()], 1.0)
        asked = np.ceil(_first_positive(amount, self._read("ReqTRES", fields.tres_memory)))
        held = np.ceil(self._read("AllocTRES", fields.tres_memory))
        allocated = RecordedMemory(
            "allocated",
            np.where(held > 0, held, fields.UNKNOWN),
            meaning="the memory it was allocated",
            reason="memory_from_allocation",
            way_out=("memory", False),
        )
        return (asked if mode == "requested" else _first_positive(held, asked)), allocated

    def gpus(self, mode: str) -> FloatColumn:
        """Return the GPUs of all rows."""
        asked, held = (self._read(name, fields.tres_gpus) for name in ("ReqTRES", "AllocTRES"))
        listed = _first_known(asked, held) if mode == "requested" else _first_known(held, asked)
        gpus: FloatColumn = np.maximum(listed, 0.0)
        return gpus

    def _nodes(self) -> FloatColumn:
        """Return nodes: what the job ran on, before what it asked for at least; a job that ran has one."""
        nodes = _first_positive(
            self._read("NNodes", fields.count),
            self._read("AllocNodes", fields.count),
            self._read("AllocTRES", fields.tres_nodes),
            self._read("ReqNodes", fields.count),
            self._read("ReqTRES", fields.tres_nodes),
        )
        at_least_one: FloatColumn = np.maximum(nodes, 1.0)
        return at_least_one

    def _read(self, name: str, value_of: Callable[[str], float]) -> FloatColumn:
        """Return a column of numbers, -1 where it says nothing or cannot be read; the latter is noted."""
        values = self.table.values(name, value_of)
        unreadable = np.isnan(values)
        self.garbled[name] = self.garbled.get(name, unreadable) | unreadable
        return np.where(unreadable, fields.UNKNOWN, values)


def elapsed(table: SacctTable) -> FloatColumn:
    """Return run times: ElapsedRaw, else Elapsed, else End - Start; -1 where unknown, NaN where unreadable."""
    start, end = table.instants("Start"), table.instants("End")
    by_clock = np.where(end < start, np.nan, end - start)
    by_clock[(start == fields.UNKNOWN) | (end == fields.UNKNOWN)] = fields.UNKNOWN
    return _first_known(
        table.values("ElapsedRaw", fields.count), table.values("Elapsed", fields.duration), by_clock
    )


def _first_known(first: FloatColumn, *others: FloatColumn) -> FloatColumn:
    """Return the first column that is not -1, row by row; NaN, a field that cannot be read, counts as known."""
    for other in others:
        first = np.where(first == fields.UNKNOWN, other, first)
    return first


def _first_positive(first: FloatColumn, *others: FloatColumn) -> FloatColumn:
    for other in others:
        first = np.where(first > 0, first, other)
    return first
