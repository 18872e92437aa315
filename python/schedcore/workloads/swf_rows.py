"""The rows of a log of a parallel machine on their way to jobs: which are dropped, what each one demands.

The reasons, in order: short_row, garbled_row, partial, no_runtime, no_processors, no_memory, no_usage,
too_big. `schedcore.workloads.swf` puts the steps together.
"""

import dataclasses
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import Jobs, Machines

from .report import RowLedger
from .swf_table import SWF_FIELDS, SwfLog

__all__ = ["MILLI", "FloatColumn", "MissingMemory", "SwfRows"]

MissingMemory = Literal["used", "skip"] | int | float
FloatColumn = NDArray[np.float64]
Mask = NDArray[np.bool_]

MILLI = 1000  # units of a processor where used processor time is the demand

_LAST_FIELD_READ = SWF_FIELDS.index("status") + 1


@dataclasses.dataclass(frozen=True)
class SwfRows:
    """The rows of one log on their way to jobs; the ledger knows which are left."""

    source: str
    log: SwfLog
    ledger: RowLedger

    def field(self, name: str) -> FloatColumn:
        """Return a field of all rows, -1 where unknown."""
        return self.log.table[name].to_numpy(dtype=np.float64)

    def processing_time(self) -> FloatColumn:
        """Return the run time in whole seconds, rounded up, at least 1."""
        longest: FloatColumn = np.maximum(np.ceil(self.field("run_time")), 1.0)
        return longest

    def refuse_bad_rows(self, on_bad_row: str) -> None:
        """Drop rows that cannot be read, or raise an error that names their lines."""
        short = self.log.n_fields < _LAST_FIELD_READ
        kinds = [("garbled_row", "a field is not a finite number", self.log.garbled)]
        if on_bad_row != "pad":
            kinds.insert(0, ("short_row", f"fewer than {_LAST_FIELD_READ} fields", short))
        for reason, meaning, bad in kinds:
            if bad.any() and on_bad_row != "skip":
                raise InvalidInstanceError(
                    f"{self.source}: {self.ledger.describe(bad)}: {meaning}; "
                    "on_bad_row='skip' leaves such rows out"
                )
            self.ledger.drop(reason, meaning, bad)
        padded = self.log.n_fields < len(SWF_FIELDS)
        self.ledger.repair("padded_row", "missing last fields count as unknown (-1)", padded)

    def apply_status_and_times(self, status_rule: str) -> None:
        """Drop rows that are no whole job or never ran."""
        run, submit, status = self.field("run_time"), self.field("submit_time"), self.field("status")
        without_runtime = (run < 0) | (submit < 0)
        if status_rule == "swf":
            self.ledger.drop(
                "partial", "part of a checkpointed job (status 2, 3, 4)", np.isin(status, (2, 3, 4))
            )
            without_runtime |= (run == 0) & (status == 5)
        self.ledger.drop(
            "no_runtime", "no run time or no submit time, or cancelled before it ran", without_runtime
        )
        fractional = (run != np.floor(run)) | (submit != np.floor(submit))
        self.ledger.repair(
            "fractional_time", "run time rounded up, submit time down, to whole seconds", fractional
        )
        self.ledger.repair("zero_runtime", "run time 0 (less than half a second) counts as 1 s", run == 0)

    def demand(
        self, mode: str, n_resources: int, missing_memory: MissingMemory | None
    ) -> tuple[FloatColumn, tuple[str, ...]]:
        """Return the demands of all rows, shape (n_rows, n_resources); those of dropped rows mean nothing."""
        if mode == "requested":
            return self._requested_demand(n_resources, missing_memory)
        return self._used_demand(n_resources), ("demands are what the jobs used, not what they requested",)

    def _requested_demand(
        self, n_resources: int, missing_memory: MissingMemory | None
    ) -> tuple[FloatColumn, tuple[str, ...]]:
        requested = self.field("requested_processors")
        processors = np.where(requested > 0, requested, self.field("allocated_processors"))
        self.ledger.drop("no_processors", "neither requested nor allocated processors known", processors <= 0)
        processors = np.ceil(processors)
        if n_resources == 1:
            return processors[:, np.newaxis], ("memory is ignored",)
        memory = self.field("requested_memory")
        assumptions: tuple[str, ...] = ()
        missing = (memory <= 0) & self.ledger.kept
        if missing.any():
            memory, choice = self._fill_memory(memory, missing, missing_memory)
            assumptions = (choice,)
        return np.stack([processors, np.ceil(memory * processors)], axis=1), assumptions

    def _fill_memory(
        self, memory: FloatColumn, missing: Mask, choice: MissingMemory | None
    ) -> tuple[FloatColumn, str]:
        count = f"{np.count_nonzero(missing):,} jobs without a memory request"
        if choice is None:
            raise InvalidInstanceError(
                f"{self.source}: {count}; choose missing_memory='used' (the memory they used), 'skip', "
                "or a number of KB per processor, or leave memory out with n_resources=1"
            )
        if choice == "skip":
            self.ledger.drop("no_memory", "no memory request", missing)
            return memory, f"{count} are dropped (missing_memory='skip')"
        if choice == "used":
            filled = np.where(missing, self.field("used_memory"), memory)
            self.ledger.drop("no_memory", "neither requested nor used memory known", filled < 0)
            self.ledger.repair("memory_from_usage", "no memory request; takes the memory it used", missing)
            return filled, f"{count} take the memory they used, where that is known (missing_memory='used')"
        amount = float(choice)
        self.ledger.repair("memory_assumed", f"no memory request; takes {amount:g} KB per processor", missing)
        return np.where(missing, amount, memory), f"{count} take {amount:g} KB per processor (missing_memory)"

    def _used_demand(self, n_resources: int) -> FloatColumn:
        allocated, cpu_time = self.field("allocated_processors"), self.field("average_cpu_time")
        no_processors = (allocated <= 0) | (cpu_time < 0)
        self.ledger.drop("no_processors", "no allocated processors or no CPU time known", no_processors)
        processors = _used_processors(allocated, cpu_time, self.processing_time())
        if n_resources == 1:
            self.ledger.drop("no_usage", "no processor time used", processors == 0)
            return processors[:, np.newaxis]
        used_memory = self.field("used_memory")
        self.ledger.drop("no_memory", "no used memory known", used_memory < 0)
        memory = np.ceil(used_memory * allocated)
        self.ledger.drop(
            "no_usage", "neither processor time nor memory used", (processors == 0) & (memory == 0)
        )
        return np.stack([processors, memory], axis=1)

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
        processing_time, requested_time = self.processing_time(), np.ceil(self.field("requested_time"))
        missing = (requested_time <= 0) & kept
        if missing.any() and missing_estimate == "error":
            raise InvalidInstanceError(
                f"{self.source}: {ledger.describe(missing)}: no requested time (field 9) to serve as the "
                f"estimate; missing_estimate='runtime' takes the run time"
            )
        ledger.repair("missing_estimate", "no requested time; the estimate is the run time", missing)
        raised = (requested_time > 0) & (requested_time < processing_time)
        ledger.repair(
            "estimate_raised", "ran longer than requested; the estimate is raised to the run time", raised
        )
        submit = self.field("submit_time")
        origin = submit[kept].min().item()
        jobs = Jobs(
            processing_time=processing_time[kept],
            demand=demand[kept].astype(np.int64),
            release_time=np.floor(submit[kept] - origin),
            estimated_processing_time=np.maximum(processing_time, requested_time)[kept],
            id=self._identifiers(),
        )
        return jobs, (f"time 0 is submit time {origin:,} of the log", "all weights are 1")

    def _identifiers(self) -> NDArray[np.int64] | None:
        number = self.field("job_number")[self.ledger.kept].astype(np.int64)
        if number.min() >= 0 and len(np.unique(number)) == len(number):
            return number
        meaning = "job numbers repeat or are missing; ids count the kept rows from 0"
        self.ledger.repair("job_number", meaning, self.ledger.kept)
        return None


def _used_processors(
    allocated: FloatColumn, cpu_time: FloatColumn, processing_time: FloatColumn
) -> FloatColumn:
    """Return ceil(1000 * allocated * min(1, cpu_time / processing_time)), thousandths of a processor.

    CPU times are decimal numbers of a few digits; counted in thousandths of a second they are integers, and
    the quotient is rounded up once, exactly.
    """
    milliseconds = np.ceil(cpu_time * MILLI - 1e-6)
    used = np.where(cpu_time > 0, -np.floor_divide(-(allocated * milliseconds), processing_time), 0.0)
    capped: FloatColumn = np.minimum(used, MILLI * allocated)
    return capped
