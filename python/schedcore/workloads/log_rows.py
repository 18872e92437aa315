"""What every log of a parallel machine has in common on its way to jobs: whole seconds, estimates, memory, the pool.

A reader says what its columns mean and drops what is no job; the rules here turn the rows that are left into
`Jobs`. Run times are rounded up to whole seconds and are at least 1 s, because 0 in a log means less than half a
second; submission times are rounded down and count from the first kept one. Estimates are raised to the run
time: the logged job did run that long.
"""

import dataclasses
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import Jobs, Machines
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.choices import check_choice

from .machines_spec import MachineChoice, ResourceUnit, choose_machines
from .report import RowLedger

__all__ = [
    "FloatColumn",
    "LogRows",
    "Mask",
    "MissingEstimate",
    "PooledResource",
    "RecordedMemory",
    "check_missing_memory",
    "pool_or_machines",
]

FloatColumn = NDArray[np.float64]
Mask = NDArray[np.bool_]
MissingEstimate = Literal["runtime", "error"]


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
    way_out : str
        The option that leaves memory out, as "n_resources=1".
    """

    choice: str
    amount: FloatColumn
    meaning: str
    reason: str
    way_out: str


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
    """

    source: str
    ledger: RowLedger
    submit_time: FloatColumn
    run_time: FloatColumn
    requested_time: FloatColumn
    job_number: FloatColumn
    requested_time_words: str

    def processing_time(self) -> FloatColumn:
        """Return the run time in whole seconds, rounded up, at least 1."""
        longest: FloatColumn = np.maximum(np.ceil(self.run_time), 1.0)
        return longest

    def refuse(self, reason: str, meaning: str, bad: Mask, on_bad_row: str) -> None:
        """Drop those `bad` rows that are left, or raise an error that names their lines."""
        bad = bad & self.ledger.kept
        if bad.any() and on_bad_row != "skip":
            raise InvalidInstanceError(
                f"{self.source}: {self.ledger.describe(bad)}: {meaning}; "
                "on_bad_row='skip' leaves such rows out"
            )
        self.ledger.drop(reason, meaning, bad)

    def refuse_huge_times(self, on_bad_row: str) -> None:
        """Drop rows with a time above 2**53 s, or raise an error that names their lines."""
        times = (self.submit_time, self.run_time, self.requested_time)
        huge = np.logical_or.reduce([time > EXACT_BOUND for time in times])
        self.refuse("huge_time", "a time above 2**53 s, where seconds cannot be told apart", huge, on_bad_row)

    def refuse_huge_demands(self, demand: FloatColumn, on_bad_row: str) -> None:
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
        memory: FloatColumn,
        choice: str | float | None,
        recorded: RecordedMemory,
        processors: FloatColumn | float = 1.0,
    ) -> tuple[FloatColumn, tuple[str, ...]]:
        """Return the memory of all rows where `choice` decides for those without a request, and what was assumed.

        `memory` counts KB per processor, or KB of the job where `processors` has its processors.
        """
        missing = (memory <= 0) & self.ledger.kept
        if not missing.any():
            return memory, ()
        count = f"{np.count_nonzero(missing):,} jobs without a memory request"
        if choice is None:
            raise InvalidInstanceError(
                f"{self.source}: {count}; choose missing_memory='{recorded.choice}' ({recorded.meaning}), "
                f"'skip', or a number of KB per processor, or leave memory out with {recorded.way_out}"
            )
        if choice == "skip":
            self.ledger.drop("no_memory", "no memory request", missing)
            return memory, (f"{count} are dropped (missing_memory='skip')",)
        if choice == recorded.choice:
            filled = np.where(missing, recorded.amount, memory)
            self.ledger.drop("no_memory", f"no memory request, nor {recorded.meaning} known", filled < 0)
            self.ledger.repair(recorded.reason, f"no memory request; takes {recorded.meaning}", missing)
            where = f"take {recorded.meaning}, where that is known"
            return filled, (f"{count} {where} (missing_memory='{choice}')",)
        amount = float(choice)
        self.ledger.repair("memory_assumed", f"no memory request; takes {amount:g} KB per processor", missing)
        assumed = np.where(missing, amount * processors, memory)
        return assumed, (f"{count} take {amount:g} KB per processor (missing_memory)",)

    def drop_too_big(self, demand: FloatColumn, machines: Machines) -> None:
        """Drop rows that fit on no machine, not even an empty one."""
        fits = np.zeros(len(demand), dtype=np.bool_)
        for capacity in np.unique(machines.capacity, axis=0):
            fits |= (demand <= capacity).all(axis=1)
        self.ledger.drop("too_big", "demand above the capacity", ~fits)

    def jobs(self, demand: FloatColumn, missing_estimate: str) -> tuple[Jobs, tuple[str, ...]]:
        """Return the rows that are left as jobs, and what was assumed; an error if none is."""
        kept, ledger = self.ledger.kept, self.ledger
        ledger.refuse_empty(self.source)
        processing_time, requested_time = self.processing_time(), np.ceil(self.requested_time)
        missing = (requested_time <= 0) & kept
        if missing.any() and missing_estimate == "error":
            raise InvalidInstanceError(
                f"{self.source}: {ledger.describe(missing)}: no {self.requested_time_words} to serve as the "
                f"estimate; missing_estimate='runtime' takes the run time"
            )
        ledger.repair("missing_estimate", "no requested time; the estimate is the run time", missing)
        raised = (requested_time > 0) & (requested_time < processing_time)
        ledger.repair(
            "estimate_raised", "ran longer than requested; the estimate is raised to the run time", raised
        )
        origin = self.submit_time[kept].min().item()
        jobs = Jobs(
            processing_time=processing_time[kept],
            demand=demand[kept].astype(np.int64),
            release_time=np.floor(self.submit_time[kept] - origin),
            estimated_processing_time=np.maximum(processing_time, requested_time)[kept],
            id=self._identifiers(),
        )
        return jobs, (f"time 0 is submit time {origin:,.15g} of the log", "all weights are 1")

    def _identifiers(self) -> NDArray[np.int64] | None:
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


@dataclasses.dataclass(frozen=True)
class PooledResource:
    """A resource of the pool that a log ran on.

    Parameters
    ----------
    unit : ResourceUnit
        Its name, and how machines are written.
    counted : str
        What a capacity counts, as "processors" or "KB of memory".
    given : int, optional
        Its capacity, in what `counted` says; default: the largest demand of a job that fits the resources before
        it.
    origin : str
        Who said `given`.
    """

    unit: ResourceUnit
    counted: str
    given: int | None = None
    origin: str = "the caller"


def pool_or_machines(
    resources: Sequence[PooledResource], machines: MachineChoice | None, demand: FloatColumn
) -> tuple[Machines, tuple[str, ...]]:
    """Return `machines` if there are any, else one pool of `resources`, and what was assumed of it.

    `demand` has the rows that are left, shape (n_rows, n_resources).
    """
    if machines is not None:
        return choose_machines(machines, [resource.unit for resource in resources]), ()
    capacity: list[int] = []
    sentences: list[str] = []
    for k, resource in enumerate(resources):
        number, origin, per_one = resource.given, resource.origin, resource.unit.units_per_one
        if number is None:
            fits = (demand[:, :k] <= np.array(capacity)).all(axis=1)
            number = -(-int(demand[fits, k].max(initial=0)) // per_one)
            origin = "the largest demand" if k == 0 else "the largest demand of a job that fits"
        capacity.append(number * per_one)
        sentences.append(f"{'' if k else 'one pool of '}{number:,} {resource.counted} ({origin})")
    names = [resource.unit.name for resource in resources]
    return Machines.identical(1, capacity, names), tuple(sentences)


def check_missing_memory(missing_memory: str | float | None, recorded_choice: str) -> None:
    """Raise an `InvalidInstanceError` unless it is the word, "skip", a possible number of KB, or None."""
    if isinstance(missing_memory, str):
        check_choice("missing_memory", missing_memory, (recorded_choice, "skip"))
    elif missing_memory is not None and not 0 <= missing_memory < 2**53:
        raise InvalidInstanceError(
            f"missing_memory = {missing_memory} KB per processor is outside [0, 2**53)"
        )
