"""What every log of a parallel machine has in common on its way to jobs: whole seconds, estimates, memory, the pool.

A reader says what its columns mean and drops what is no job; the rules here turn the rows that are left into
`Jobs`. Run times are rounded up to whole seconds and are at least 1 s, because 0 in a log means less than half a
second; submission times are rounded down and count from the first kept one. Estimates are raised to the run
time: the logged job did run that long.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Jobs, Machines
from schedcore.model.arrays import EXACT_BOUND, BoolArray, FloatArray, IntArray
from schedcore.model.coded_texts import CodedTexts
from schedcore.model.real_numbers import shown
from schedcore.workloads.logs.site_columns import NO_COLUMNS, SiteColumn, taken
from schedcore.workloads.reading.machines_spec import ResourceUnit, one_machine
from schedcore.workloads.reading.needed_choice import ChoiceNeededError
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.report_warnings import Finding
from schedcore.workloads.reading.row_ledger import RowLedger

__all__ = [
    "LogRows",
    "MissingEstimate",
    "RecordedMemory",
    "check_missing_memory",
]

MissingEstimate = Literal["runtime", "error"]

_KB_EXAMPLE = 1_048_576
_DIGITS = 15  # of a number that is certainly below 2**53
_MOST_MEMORY = 64 * 2**30  # KB


@dataclasses.dataclass(frozen=True)
class RecordedMemory:
    """What a log knows about the memory of jobs that did not request any.

    Parameters
    ----------
    choice : str
        The word of `missing_memory` that takes it.
    amount : (n_rows,) float64
        In the unit of the requests; negative where unknown.
    meaning : str
        As "the memory it used".
    reason : str
        Repair word.
    way_out : tuple of str and value
        The option that leaves memory out, as ("n_resources", 1).
    """

    choice: str
    amount: FloatArray
    meaning: str
    reason: str
    way_out: tuple[str, object]


@dataclasses.dataclass(frozen=True)
class LogRows:
    """The rows of one log on their way to jobs; the ledger knows which are left.

    Parameters
    ----------
    source : str
        File name.
    ledger : RowLedger
        The account of the rows.
    submit_time, run_time, requested_time : (n_rows,) float64
        Seconds; a requested time that is not positive is none. Values of dropped rows mean nothing.
    job_number : (n_rows,) float64
        Negative where the log has none.
    requested_time_words : str
        How the log calls the requested time.
    release_words : str
        How the log calls when a job is released.
    """

    source: str
    ledger: RowLedger
    submit_time: FloatArray
    run_time: FloatArray
    requested_time: FloatArray
    job_number: FloatArray
    requested_time_words: str
    release_words: str

    def release_time(self) -> FloatArray:
        """Return when each job may start, on the clock of `submit_time`."""
        return self.submit_time

    def first_release(self) -> float:
        """Return the instant that becomes time 0, on the clock of `submit_time`; some row must be left."""
        return float(self.release_time()[self.ledger.kept].min())

    def recorded_start(self) -> FloatArray:
        """Return when each job started on the clock of `submit_time`; -1 where the log does not say it."""
        return np.full_like(self.submit_time, -1.0)

    def processing_time(self) -> FloatArray:
        """Return the run time in whole seconds, rounded up, at least 1."""
        longest: FloatArray = np.maximum(np.ceil(self.run_time), 1.0)
        return longest

    def refuse(self, reason: str, meaning: str, bad: BoolArray, on_bad_row: str) -> None:
        """Drop those `bad` rows that are left, or raise an error that names their lines."""
        self.ledger.drop_bad(self.source, reason, meaning, bad, on_bad_row, remedy="mend these rows")

    def refuse_huge_times(self, on_bad_row: str) -> None:
        """Drop rows with a time above 2**53 s, or raise an error that names their lines."""
        times = (self.submit_time, self.run_time, self.requested_time)
        huge = np.logical_or.reduce([time > EXACT_BOUND for time in times])
        self.refuse("huge_time", "a time above 2**53 s, where seconds cannot be told apart", huge, on_bad_row)

    def refuse_huge_demands(self, demand: FloatArray, on_bad_row: str) -> None:
        """Drop rows that demand more than 2**53 of anything, or raise an error that names their lines."""
        huge = np.asarray(~(demand <= EXACT_BOUND).all(axis=1))
        self.refuse("huge_demand", "a demand above 2**53 units", huge, on_bad_row)

    def count_repaired_times(self) -> None:
        """Count the times that `processing_time` and `jobs` round."""
        run, submit = self.run_time, self.submit_time
        fractional = (run != np.floor(run)) | (submit != np.floor(submit))
        self.ledger.repair(
            "fractional_time", "run time rounded up, submit time down, to whole seconds", fractional
        )
        self.ledger.repair("zero_runtime", "run time 0 (less than half a second) counts as 1 s", run == 0)

    def fill_memory(
        self,
        memory: FloatArray,
        choice: str | float | None,
        recorded: RecordedMemory,
        processors: FloatArray | float = 1.0,
    ) -> tuple[FloatArray, tuple[str, ...]]:
        """Return the memory of all rows where `choice` decides for those without a request, and what was assumed.

        `memory` counts KB per processor, or KB of the job where `processors` has its processors.
        """
        missing = (memory <= 0) & self.ledger.kept
        if not missing.any():
            return memory, ()
        count = f"{np.count_nonzero(missing):,} jobs without a memory request"
        if choice is None:
            raise ChoiceNeededError(
                f"{self.source}: {count}; choose {spelled('missing_memory', recorded.choice)} "
                f"({recorded.meaning}), {spelled('missing_memory', 'skip')}, or a number of KB per processor, or leave "
                f"memory out with {spelled(*recorded.way_out)}",
                (("missing_memory", recorded.choice), ("missing_memory", "skip"), recorded.way_out),
            )
        remedy = (
            f"give them memory with {spelled('missing_memory', _KB_EXAMPLE)} (KB per processor), or leave memory out "
            f"with {spelled(*recorded.way_out)}"
        )
        if choice == "skip":
            self.ledger.drop("no_memory", "no memory request", missing, remedy=remedy)
            return memory, (f"{count} are dropped ({spelled('missing_memory', 'skip')})",)
        if choice == recorded.choice:
            filled = np.where(missing, recorded.amount, memory)
            self.ledger.drop(
                "no_memory", f"no memory request, nor {recorded.meaning} known", filled < 0, remedy=remedy
            )
            self.ledger.repair(recorded.reason, f"no memory request; takes {recorded.meaning}", missing)
            where = f"take {recorded.meaning}, where that is known"
            return filled, (f"{count} {where} ({spelled('missing_memory', choice)})",)
        amount = float(choice)
        self.ledger.repair("memory_assumed", f"no memory request; takes {amount:g} KB per processor", missing)
        assumed = np.where(missing, amount * processors, memory)
        return assumed, (f"{count} take {amount:g} KB per processor ({spelled('missing_memory', choice)})",)

    def without_memory_requests(self, memory: FloatArray) -> bool:
        """Whether there are rows left and none of them asks for memory."""
        return bool(self.ledger.kept.any() and not (memory[self.ledger.kept] > 0).any())

    def drop_too_big(self, demand: FloatArray, machines: Machines, resources: Sequence[ResourceUnit]) -> None:
        """Drop rows that fit on no machine, not even an empty one."""
        fits = np.zeros(len(demand), dtype=np.bool_)
        for capacity in np.unique(machines.capacity, axis=0):
            fits |= (demand <= capacity).all(axis=1)
        too_big = ~fits & self.ledger.kept
        largest = demand[too_big].max(axis=0, initial=0.0)
        if machines.are_identical:
            together = machines.capacity.sum(axis=0, dtype=np.float64)
            shape = one_machine(np.maximum(largest, together), resources)
            way_out = f"describe the whole as one, {spelled('machines', shape)}"
        else:
            way_out = f"a machine such as {one_machine(largest, resources)} would hold each of these"
        self.ledger.drop(
            "too_big",
            "demand above the capacity",
            too_big,
            remedy=f"a job runs inside one machine: {way_out}",
        )

    def doubtful_memory(self, per_processor: FloatArray, how_read: str) -> tuple[Finding, ...]:
        """Return the finding about rows left with more KB of memory per processor than any machine has."""
        huge = (per_processor > _MOST_MEMORY) & self.ledger.kept
        if not huge.any():
            return ()
        return (
            Finding(
                f"more than 64 TB of memory per processor in {self.ledger.describe(huge)}: {how_read}; are they in "
                "another unit?"
            ),
        )

    def work(self, demand: FloatArray) -> FloatArray:
        """Return demand times processing time of all rows: 0 for those that never ran, NaN where it is unknown."""
        time = np.where(self.ledger.kept, self.processing_time(), np.ceil(self.run_time))
        time = np.where(time > EXACT_BOUND, np.nan, np.maximum(time, 0.0))[:, np.newaxis]
        known_demand = np.where((demand >= 0) & (demand <= EXACT_BOUND), demand, np.nan)
        work: FloatArray = np.where(time == 0, 0.0, known_demand * time)
        return work

    def note_what_is_not_modelled(self) -> None:
        """Count what the log says of jobs and an instance cannot express."""

    def submitter_columns(self) -> dict[str, SiteColumn]:
        """Return who submitted all rows, and where: columns of `Jobs` by their names, which change no schedule."""
        return {}

    def names(self) -> CodedTexts | None:
        """Return what the log calls the jobs of all rows, where it has more than numbers for some."""
        return None

    def site_columns(self, machines: Machines) -> dict[str, SiteColumn]:
        """Return what else the log says of all rows for a site on these machines."""
        return {}

    def jobs(
        self, demand: FloatArray, missing_estimate: str, columns: Mapping[str, SiteColumn] = NO_COLUMNS
    ) -> tuple[Jobs, tuple[str, ...]]:
        """Return the rows that are left as jobs, and what was assumed; an error if none is.

        `columns` are further ones of `Jobs`, with all rows.
        """
        kept, ledger = self.ledger.kept, self.ledger
        ledger.refuse_empty(self.source)
        processing_time, requested_time = self.processing_time(), np.ceil(self.requested_time)
        missing = (requested_time <= 0) & kept
        if missing.any() and missing_estimate == "error":
            raise InvalidInstanceError(
                f"{self.source}: {ledger.describe(missing)}: no {self.requested_time_words} to serve as the "
                f"estimate; {spelled('missing_estimate', 'runtime')} takes the run time"
            )
        ledger.repair("missing_estimate", "no requested time; the estimate is the run time", missing)
        raised = (requested_time > 0) & (requested_time < processing_time)
        ledger.repair(
            "estimate_raised", "ran longer than requested; the estimate is raised to the run time", raised
        )
        release_time, origin = self.release_time(), self.first_release()
        ids = self._identifiers()
        jobs = Jobs(
            processing_time=processing_time[kept],
            demand=demand[kept].astype(np.int64),
            release_time=np.floor(release_time[kept] - origin),
            estimated_processing_time=np.maximum(processing_time, requested_time)[kept],
            id=ids,
            name=self._names_beside(ids),
            recorded_start_time=self._start_since(origin)[kept],
            **{name: taken(column, kept) for name, column in columns.items()},
        )
        return jobs, (f"time 0 is {self.release_words} {origin:,.15g} of the log", "all weights are 1")

    def _start_since(self, origin: float) -> FloatArray:
        """Return when each job started, counted from `origin`; NaN where nobody says it, or doubles cannot.

        Releases are rounded down, so a job that started at once is made to have done so.
        """
        start, release = self.recorded_start(), self.release_time()
        at_once = start == release
        since = np.where(at_once, np.floor(start - origin), start - origin)
        known = (start >= 0) & (start <= EXACT_BOUND)
        told: FloatArray = np.where(known, since, np.nan)
        return told

    def _names_beside(self, ids: IntArray | None) -> CodedTexts | None:
        """Return the names of the rows that are left, without those that say no more than their ids."""
        names = self.names()
        if names is None:
            return None
        kept = names.take(self.ledger.kept)
        if ids is None:
            return kept
        number = [int(name) if name.isdecimal() and len(name) <= _DIGITS else -1 for name in kept.names]
        says_no_more = np.array([*number, -1], dtype=np.int64)[kept.codes] == ids
        return CodedTexts(np.where(says_no_more, -1, kept.codes), kept.names)

    def _identifiers(self) -> IntArray | None:
        """Return the job numbers if each is one, else None, and count those that are not."""
        number, kept = self.job_number, self.ledger.kept
        wrong = (number < 0) | (number >= EXACT_BOUND) | (number != np.floor(number))
        usable = np.flatnonzero(kept & ~wrong)
        _, place, count = np.unique(number[usable], return_inverse=True, return_counts=True)
        wrong[usable] = count[place] > 1
        if not (wrong & kept).any():
            return number[kept].astype(np.int64)
        meaning = (
            "the job number is missing, no whole number below 2**53, or not this job's alone; "
            "the ids of all jobs count the kept rows from 0"
        )
        self.ledger.repair("job_number", meaning, wrong)
        return None


def check_missing_memory(missing_memory: str | float | None) -> None:
    """Raise an `InvalidInstanceError` unless it is a word, a possible number of KB, or None."""
    if isinstance(missing_memory, str) or missing_memory is None:
        return
    if isinstance(missing_memory, bool) or not 0 <= missing_memory < EXACT_BOUND:
        raise InvalidInstanceError(
            f"{spelled('missing_memory')} = {shown(missing_memory)} KB per processor is outside [0, 2**53)"
        )
