"""The rows of a table on their way to jobs: which are dropped, and what they keep of their names and ids."""

import dataclasses
from collections.abc import Mapping
from typing import Self

import numpy as np

from schedcore.model import Jobs, Machines
from schedcore.model.arrays import BoolArray, FloatArray
from schedcore.model.coded_texts import CodedTexts
from schedcore.workloads.logs.date_of_time_0 import iso_date
from schedcore.workloads.logs.log_rows import LogRows
from schedcore.workloads.logs.site_columns import NO_COLUMNS, SiteColumn
from schedcore.workloads.tables.cells import Cells
from schedcore.workloads.tables.job_demands import JobDemands
from schedcore.workloads.tables.job_times import JobTimes
from schedcore.workloads.tables.role_values import RoleValues

__all__ = ["TableRows"]

_SUBMITTERS = ("user", "account", "partition")


@dataclasses.dataclass(frozen=True)
class TableRows(LogRows):
    """The rows of one table."""

    times: JobTimes
    values: RoleValues
    columns: dict[str, SiteColumn]
    sentences: tuple[str, ...]
    has_named_ids: bool

    @classmethod
    def of(cls, values: RoleValues, times: JobTimes) -> Self:
        """Return all rows of a table, with the columns that say whose jobs they are."""
        columns: dict[str, SiteColumn] = {}
        for role in (*_SUBMITTERS, "service_class"):
            names = values.names(role)
            if names is not None:
                columns[role] = names
        for role in ("priority", "weight"):
            numbers = values.numbers(role)
            if numbers is not None:
                columns[role] = np.where(np.isnan(numbers), float(role == "weight"), numbers)
        number, sentence = _identifiers(values)
        has_named_ids = bool(sentence) and "id" in values
        return cls(
            values.choice.source,
            values.ledger,
            submit_time=times.submit,
            run_time=times.run_time,
            requested_time=np.where(np.isnan(times.estimate), -1.0, times.estimate),
            job_number=number,
            requested_time_words="estimate",
            release_words="second",
            times=times,
            values=values,
            columns=columns,
            sentences=(sentence,) if sentence else (),
            has_named_ids=has_named_ids,
        )

    def recorded_start(self) -> FloatArray:
        if not self.times.has_submissions:  # nobody knows how long jobs waited, and it was not 0
            return np.full_like(self.submit_time, -1.0)
        start = self.times.start
        start = np.where(np.isnan(start) | (start < 0), -1.0, start)
        return np.where(start < self.submit_time, -1.0, start)

    def origin(self) -> str | None:
        """Return the date of time 0, None where the table has none."""
        if self.times.clock == "relative":
            return None
        date = iso_date(self.first_release())
        return date.removesuffix("+00:00") if date is not None and self.times.clock == "local" else date

    def drop_what_is_no_job(self, demands: JobDemands, on_bad_row: str) -> None:
        """Drop rows that cannot be read, never ran, or demand nothing; the reasons in the order of `read_table`."""
        run, amounts = self.run_time, demands.amounts
        for _, meaning, bad in self.values.unreadable:
            self.refuse("garbled_row", meaning, bad, on_bad_row)
        if self.times.has_starts:
            never = np.isnan(self.times.start) & ~(run > 0)
            self.ledger.drop("never_started", "no start: it never ran", never, lost=False)
        self.ledger.drop("no_submit", "nothing says when it was submitted", np.isnan(self.submit_time))
        meaning = "no run time" if "runtime" in self.values else "no end: how long it ran is unknown"
        self.ledger.drop("no_runtime", meaning, np.isnan(run))
        negative: BoolArray = np.asarray((run < 0) | (amounts < 0).any(axis=1))
        if self.times.clock == "relative":  # a date may be before 1970
            negative |= self.submit_time < 0
        self.refuse("impossible_value", "a time or an amount below 0", negative, on_bad_row)
        if "weight" in self.columns:
            self.refuse(
                "impossible_value", "a weight below 0", np.asarray(self.columns["weight"]) < 0, on_bad_row
            )
        self.refuse_huge_times(on_bad_row)
        unknown: BoolArray = np.asarray(np.isnan(amounts).any(axis=1))
        self.ledger.drop("unknown_demand", "an empty cell where its demand should be", unknown)
        self.ledger.drop("no_demand", "it demands nothing", (amounts == 0).all(axis=1), lost=False)
        self.refuse_huge_demands(amounts, on_bad_row)
        self.ledger.repair("empty_amount", "an empty cell of a resource counts as 0", demands.filled)
        if self.times.has_submissions:
            with np.errstate(invalid="ignore"):
                before: BoolArray = np.asarray(self.times.start < self.submit_time)
            self.ledger.repair(
                "start_before_submit", "started before it was submitted; the start counts as unknown", before
            )
        self.count_repaired_times()

    def submitter_columns(self) -> dict[str, SiteColumn]:
        return {name: self.columns[name] for name in _SUBMITTERS if name in self.columns}

    def names(self) -> CodedTexts | None:
        return self.values.names("id") if self.has_named_ids else None

    def site_columns(self, machines: Machines) -> dict[str, SiteColumn]:
        return {name: column for name, column in self.columns.items() if name not in _SUBMITTERS}

    def jobs(
        self, demand: FloatArray, missing_estimate: str, columns: Mapping[str, SiteColumn] = NO_COLUMNS
    ) -> tuple[Jobs, tuple[str, ...]]:
        jobs, _ = super().jobs(demand, missing_estimate, columns)
        first = self.origin() or f"second {self.first_release():,.15g} of the table"
        weights = () if "weight" in columns else ("all weights are 1",)
        return jobs, (f"time 0 is {first}", *weights)


def _identifiers(values: RoleValues) -> tuple[FloatArray, str]:
    """Return a number a row: that of its own, or that of the row where these are texts; and what to say of it."""
    counted = np.arange(values.n_rows, dtype=np.float64)
    if "id" not in values:
        return counted, "ids count the rows from 0, as no column has any"
    column = values.column("id").column
    cells: Cells = values.cells[column]
    numbers = cells.numbers
    own = numbers.values
    bad = numbers.bad | (own != np.floor(own))
    if (bad & ~numbers.missing).any():
        example = cells.example(bad & ~numbers.missing)
        return counted, f"ids count the rows from 0, names are those of column {column}, such as {example}"
    values.sentences["id"] = f"id is column {column}"
    return np.where(numbers.missing, -1.0, own)[cells.codes], ""
