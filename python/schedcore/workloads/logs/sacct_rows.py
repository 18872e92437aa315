"""The rows of an output of sacct on their way to jobs: which are dropped, what each one demands.

The reasons, in order: ragged_row (counted by the parser), repeated_header, blank_row, job_step, repeated_row,
unfinished, no_runtime, garbled_row, huge_time, no_processors, no_memory, huge_demand, too_big.
`read_sacct` puts the steps together.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Self

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import Jobs, Machines
from schedcore.model.arrays import BoolArray, FloatArray
from schedcore.model.coded_texts import CodedTexts
from schedcore.workloads.logs import sacct_fields as fields
from schedcore.workloads.logs.log_rows import LogRows, RecordedMemory
from schedcore.workloads.logs.sacct_columns import (
    SITE_COLUMNS,
    priorities,
    sacct_site_columns,
    sacct_submitters,
)
from schedcore.workloads.logs.sacct_table import SacctTable
from schedcore.workloads.logs.sacct_times import ELAPSED_COLUMNS, elapsed, first_known, release_at_eligible
from schedcore.workloads.logs.site_columns import NO_COLUMNS, SiteColumn, text_names
from schedcore.workloads.reading.row_ledger import RowLedger, listed_rows, way_past_bad_rows

__all__ = ["COLUMNS", "SacctRows"]

# What a file must have: one column of each group, and the elapsed time or what it comes from.
_NEEDED = (
    ("JobIDRaw", "JobID"),
    ("Submit",),
    ("State",),
    ("ReqCPUS", "AllocCPUS", "NCPUS", "ReqTRES", "AllocTRES"),
)
_OPTIONAL = (
    *("Eligible", "Start", "End", "TimelimitRaw", "Timelimit", "ReqMem", "NNodes", "AllocNodes", "ReqNodes"),
    *("Reason", "Dependency", "Reservation"),
)
_SAYS_NOTHING = r"^\s*(|None|Unknown|N/A|\(null\))\s*$"
COLUMNS = (*(name for group in _NEEDED for name in group), *ELAPSED_COLUMNS, *_OPTIONAL)


@dataclasses.dataclass(frozen=True)
class SacctRows(LogRows):
    """The rows of one output of sacct on their way to jobs.

    Parameters
    ----------
    table : SacctTable
        The fields.
    start_time, end_time, eligible_time : (n_rows,) float64
        Seconds since 1970; -1 where there is none, NaN where it cannot be read.
    release : str
        Whether jobs are released when they are "eligible", or at "submit".
    mode : str
        Whether demands are those "requested" or "allocated".
    state : (n_rows,) str
        Full names of the states.
    garbled : dict
        What cannot be read -> rows; grows with every column that is read.
    """

    table: SacctTable
    start_time: FloatArray
    end_time: FloatArray
    eligible_time: FloatArray
    release: str
    mode: str
    state: NDArray[np.str_]
    garbled: dict[str, BoolArray]

    @classmethod
    def of(cls, source: str, table: SacctTable, release: str, mode: str = "requested") -> Self:
        """Return all rows of a file; an error that names the columns it lacks."""
        absent = [" or ".join(group) for group in _NEEDED if not any(name in table for name in group)]
        if not any(name in table for name in ELAPSED_COLUMNS) and not ("Start" in table and "End" in table):
            absent.append(f"{' or '.join(ELAPSED_COLUMNS)} or both Start and End")
        if absent:
            raise InvalidInstanceError(f"{source}: the output of sacct lacks {'; '.join(absent)}")
        submit, eligible, start, end = (
            table.instants(name) for name in ("Submit", "Eligible", "Start", "End")
        )
        run_time = elapsed(table)
        limit = first_known(
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
            release_words="release time" if release == "eligible" and "Eligible" in table else "submit time",
            table=table,
            start_time=start,
            end_time=end,
            eligible_time=eligible,
            release=release,
            mode=mode,
            state=table.words("State", fields.state),
            garbled={
                "submit time": np.isnan(submit),
                "run time": np.isnan(run_time),
                "time limit": np.isnan(limit),
                **({"Eligible": np.isnan(eligible)} if release == "eligible" else {}),
                **({"Priority": np.isnan(priorities(table))} if "Priority" in table else {}),
            },
        )

    def recorded_start(self) -> FloatArray:
        start: FloatArray = np.where(self.start_time >= 0, self.start_time, -1.0)
        return start

    def drop_what_is_no_job(self, on_bad_row: str) -> None:
        """Drop rows that are no whole job, that never ran, or that have not ended."""
        ledger, table = self.ledger, self.table
        self._refuse_ragged_rows(on_bad_row)
        self._leave_out("repeated_header", "the column names again, as in files joined together", lost=False)
        self._leave_out("blank_row", "no job id and no state", lost=False)
        self._leave_out("job_step", "a step of a job, not the job (sacct without -X)", lost=False)
        ledger.drop("repeated_row", "equal to an earlier row", table.repeats(SITE_COLUMNS), lost=False)
        unfinished = np.isin(self.state, fields.UNFINISHED)
        ledger.drop(
            "unfinished",
            "waits or still runs",
            unfinished,
            lost=self._tells_most(unfinished),
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

    def _tells_most(self, unfinished: BoolArray) -> BoolArray:
        """Return rows without an equal start of the same job in another row that has ended, or had run for longer.

        A job that runs in one of the files joined here may be there again in a later one.
        """
        most, known = np.ones(self.table.n_rows, dtype=np.bool_), self.ledger.kept & (self.start_time >= 0)
        rows = np.flatnonzero(known)
        job, start = self.table.job_codes()[rows], self.start_time[rows]
        order = np.lexsort((np.nan_to_num(self.run_time[rows], nan=-1.0), ~unfinished[rows], start, job))
        again = (np.diff(job[order]) == 0) & (np.diff(start[order]) == 0)
        most[rows[order[:-1][again]]] = False
        return most

    def _refuse_ragged_rows(self, on_bad_row: str) -> None:
        reason, meaning = "ragged_row", "not as many fields as column names"
        if reason in self.table.left_out and on_bad_row != "skip":
            rows = listed_rows(*self.table.left_out[reason])
            raise InvalidInstanceError(f"{self.source}: {rows}: {meaning}; {way_past_bad_rows()}")
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

    def release_time(self) -> FloatArray:
        if self.release == "submit":
            return self.submit_time
        return release_at_eligible(self.submit_time, self.eligible_time, self.start_time)

    def jobs(
        self, demand: FloatArray, missing_estimate: str, columns: Mapping[str, SiteColumn] = NO_COLUMNS
    ) -> tuple[Jobs, tuple[str, ...]]:
        """Return the rows that are left as jobs, and what was assumed, also of their releases; an error if none is."""
        assumed_release = self._count_releases()
        jobs, assumptions = super().jobs(demand, missing_estimate, columns)
        return jobs, (assumed_release, *assumptions)

    def _count_releases(self) -> str:
        """Count the rows of which Eligible is not taken as it stands; return what was assumed."""
        submit, eligible = self.submit_time, self.eligible_time
        if self.release == "submit":
            return "jobs are released when they were submitted"
        if "Eligible" not in self.table:
            return "jobs are released when they were submitted: there is no column Eligible"
        self.ledger.repair("eligible_unknown", "no Eligible; released at Submit", eligible == fields.UNKNOWN)
        known = eligible >= 0
        self.ledger.repair(
            "eligible_early", "Eligible before Submit; released at Submit", known & (eligible < submit)
        )
        late = known & (self.start_time >= 0) & (eligible > np.maximum(self.start_time, submit))
        self.ledger.repair("eligible_late", "Eligible after Start; released at Start", late)
        later = np.count_nonzero((self.release_time() > submit) & self.ledger.kept)
        return f"jobs are released when they became eligible, {later:,} of them later than submitted"

    def note_what_is_not_modelled(self) -> None:
        """Count what the file says of jobs and an instance cannot express."""
        table = self.table
        depends = np.zeros(table.n_rows, dtype=np.bool_)
        if "Reason" in table:  # the last reason for which a job had to wait stays in the accounting
            depends |= table.matches("Reason", "^Dependency")
        if "Dependency" in table:
            depends |= ~table.matches("Dependency", _SAYS_NOTHING)
        self.ledger.note(
            "dependency", "waited for other jobs; not bound to them here, only to its release time", depends
        )
        if "JobID" in table:
            self.ledger.note(
                "het_component",
                "a part of a heterogeneous job; a job of its own here, which may start without the others",
                table.matches("JobID", r"^\d+\+\d+$"),
            )
        if "Reservation" in table:
            self.ledger.note(
                "reservation",
                "ran in a reservation; waits in the queue of all jobs here",
                ~table.matches("Reservation", _SAYS_NOTHING),
            )

    def processors(self, mode: str) -> FloatArray:
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

    def memory(self, mode: str, processors: FloatArray) -> tuple[FloatArray, RecordedMemory]:
        """Return KB of memory of all rows, not positive where there is none, and what was allocated."""
        amount = self._read("ReqMem", fields.memory)
        if "ReqMem" in self.table:
            basis = self.table.words("ReqMem", fields.memory_basis)
            amount = amount * np.select(
                [basis == "c", basis == "n"], [processors, np.maximum(self.nodes(), 1.0)], 1.0
            )
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

    def gpus(self, mode: str) -> FloatArray:
        """Return the GPUs of all rows."""
        asked, held = (self._read(name, fields.tres_gpus) for name in ("ReqTRES", "AllocTRES"))
        listed = first_known(asked, held) if mode == "requested" else first_known(held, asked)
        gpus: FloatArray = np.maximum(listed, 0.0)
        return gpus

    def nodes(self) -> FloatArray:
        """Return nodes: what the job ran on, before what it asked for at least; not positive where that is unknown."""
        counts = (self._read(name, fields.count) for name in ("NNodes", "AllocNodes"))
        allocated, asked = (self._read(name, fields.tres_nodes) for name in ("AllocTRES", "ReqTRES"))
        return _first_positive(*counts, allocated, self._read("ReqNodes", fields.count), asked)

    def submitter_columns(self) -> dict[str, SiteColumn]:
        return sacct_submitters(self.table)

    def names(self) -> CodedTexts:
        """JobID says which task of an array, or part of a heterogeneous job, a row is: ``123_4``, ``123+1``."""
        return text_names(self.table.columns["JobID" if "JobID" in self.table else self.table.id_column])

    def site_columns(self, machines: Machines) -> dict[str, SiteColumn]:
        return sacct_site_columns(self.table, self.ledger, self.mode, machines)

    def _read(self, name: str, value_of: Callable[[str], float]) -> FloatArray:
        """Return a column of numbers, -1 where it says nothing or cannot be read; the latter is noted."""
        values = self.table.values(name, value_of)
        unreadable = np.isnan(values)
        self.garbled[name] = self.garbled.get(name, unreadable) | unreadable
        return np.where(unreadable, fields.UNKNOWN, values)


def _first_positive(first: FloatArray, *others: FloatArray) -> FloatArray:
    for other in others:
        first = np.where(first > 0, first, other)
    return first
