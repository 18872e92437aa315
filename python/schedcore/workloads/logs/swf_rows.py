"""The rows of a log of a parallel machine on their way to jobs: which are dropped, what each one demands.

The reasons, in order: short_row, garbled_row, huge_time, partial, no_runtime, no_processors, no_memory, no_usage,
huge_demand, too_big. `read_swf` puts the steps together.
"""

import dataclasses
import os
from typing import Literal, Self

import numpy as np

from schedcore.model.arrays import BoolArray, FloatArray
from schedcore.workloads.logs.checkpointed_parts import CheckpointedParts
from schedcore.workloads.logs.log_rows import LogRows, RecordedMemory
from schedcore.workloads.logs.site_columns import SiteColumn, numbered_names
from schedcore.workloads.logs.swf_table import SWF_FIELDS, SwfLog, swf_parts
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.row_ledger import RowLedger
from schedcore.workloads.reading.source_file import FilePath, refuse_nothing_but_bad_lines

__all__ = ["MILLI", "MissingMemory", "SwfRows"]

MissingMemory = Literal["used", "skip"] | int | float

MILLI = 1000  # units of a processor where used processor time is the demand

_LAST_FIELD_READ = SWF_FIELDS.index("status") + 1
_N_RESOURCES = 2  # processors and memory
_PARTIAL = "partial"


@dataclasses.dataclass(frozen=True)
class SwfRows(LogRows):
    """The rows of one SWF log on their way to jobs."""

    log: SwfLog

    @classmethod
    def read(cls, path: FilePath, status_rule: str, on_bad_row: str, mode: str) -> Self:
        """Read a log; rows that are no whole job are dropped part by part, so that they take no memory.

        Of their work, in the demands of `mode`, the ledger keeps the sum.
        """
        source, header = os.fspath(path), dict[str, str]()
        parts: list[SwfLog] = []
        account, checkpointed = RowLedger(0, lambda rows: rows), CheckpointedParts(_N_RESOURCES)
        for log in swf_parts(path, header):
            part = cls.of(source, log)
            part.refuse_bad_rows(on_bad_row)
            refuse_nothing_but_bad_lines(source, log.lines, int(np.count_nonzero(part.ledger.kept)))
            partial = part.apply_status_and_times(status_rule)
            work = part.work(part.known_demand(mode))
            if partial.any():
                checkpointed.add(part.job_number[partial], work[partial])
            lost = ~part.ledger.kept & ~part.is_part(status_rule) & (work > 0).any(axis=1)
            checkpointed.add_lost_whole(part.job_number[lost])
            parts.append(log.rows(part.ledger.kept))
            account.carry_over(part.ledger, work)
        rows = cls.of(source, SwfLog.joined(header, parts))
        account.lose(_PARTIAL, checkpointed.without(rows.job_number))
        rows.ledger.carry_over(account)
        return rows

    @classmethod
    def of(cls, source: str, log: SwfLog) -> Self:
        """Return all rows of a log."""
        return cls(
            source,
            RowLedger(len(log), log.line_numbers, more_follow=not log.is_last),
            submit_time=log.field("submit_time"),
            run_time=log.field("run_time"),
            requested_time=log.field("requested_time"),
            job_number=log.field("job_number"),
            requested_time_words="requested time (field 9)",
            release_words="submit time",
            log=log,
        )

    def recorded_start(self) -> FloatArray:
        wait_time = self.log.field("wait_time")
        start: FloatArray = np.where(wait_time >= 0, self.submit_time + wait_time, -1.0)
        return start

    def refuse_bad_rows(self, on_bad_row: str) -> None:
        """Drop rows that cannot be read, or raise an error that names their lines."""
        if on_bad_row != "pad":
            short = self.log.n_fields < _LAST_FIELD_READ
            self.refuse("short_row", f"fewer than {_LAST_FIELD_READ} fields", short, on_bad_row)
        self.refuse("garbled_row", "a field is not a finite number", self.log.garbled, on_bad_row)
        self.refuse_huge_times(on_bad_row)
        padded = self.log.n_fields < len(SWF_FIELDS)
        self.ledger.repair("padded_row", "missing last fields count as unknown (-1)", padded)

    def apply_status_and_times(self, status_rule: str) -> BoolArray:
        """Drop rows that are no whole job or never ran; return the parts of checkpointed jobs among them.

        The work of a part counts as lost only once it is known that the whole job has no row, see `CheckpointedParts`.
        """
        run, submit = self.run_time, self.submit_time
        without_runtime, partial = (run < 0) | (submit < 0), np.zeros(len(run), dtype=np.bool_)
        if status_rule == "swf":
            partial = self.is_part(status_rule) & self.ledger.kept
            self.ledger.drop(
                _PARTIAL,
                "part of a checkpointed job (status 2, 3, 4)",
                partial,
                lost=False,
                remedy=f"{spelled('status_rule', 'ignore')} is for logs that keep something else in that field",
            )
            without_runtime |= (run == 0) & (self.log.field("status") == 5)
        self.ledger.drop(
            "no_runtime", "no run time or no submit time, or cancelled before it ran", without_runtime
        )
        self.count_repaired_times()
        return partial

    def is_part(self, status_rule: str) -> BoolArray:
        """Return which rows are parts of checkpointed jobs."""
        return np.isin(self.log.field("status"), (2, 3, 4)) & (status_rule == "swf")

    def work(self, demand: FloatArray) -> FloatArray:
        unreadable = self.log.garbled | (self.log.n_fields <= SWF_FIELDS.index("run_time"))
        work: FloatArray = super().work(demand)
        work[unreadable & (self.run_time < 0)] = np.nan  # the log does not say that such a job never ran
        return work

    def known_demand(self, mode: str) -> FloatArray:
        """Return processors and memory of all rows as far as the log says them, NaN where not, shape (n_rows, 2)."""
        with np.errstate(over="ignore", invalid="ignore"):  # of rows that nobody has judged yet
            if mode == "requested":
                processors = np.ceil(self._requested_processors())
                return np.stack(
                    [processors, np.ceil(self.log.field("requested_memory") * processors)], axis=1
                )
            allocated, cpu_time = self.log.field("allocated_processors"), self.log.field("average_cpu_time")
            used = _used_processors(allocated, cpu_time, self.processing_time())
            memory = np.where(allocated > 0, np.ceil(self.log.field("used_memory") * allocated), np.nan)
            return np.stack([np.where((allocated <= 0) | (cpu_time < 0), np.nan, used), memory], axis=1)

    def note_what_is_not_modelled(self) -> None:
        """Count jobs that waited for others: their recorded submit time is all that an instance keeps of it."""
        self.ledger.note(
            "preceding_job",
            "names a job to wait for (field 17); released when it was submitted, whenever that one ends here",
            self.log.field("preceding_job") > 0,
        )
        self.ledger.note(
            "think_time",
            "was submitted some time after the preceding job (field 18); that moment stays as recorded",
            self.log.field("think_time") > 0,
        )

    def submitter_columns(self) -> dict[str, SiteColumn]:
        fields = {"user": "user", "account": "group", "partition": "partition"}
        return {column: numbered_names(self.log.field(field)) for column, field in fields.items()}

    def counted_processors(self, mode: str) -> FloatArray:
        """Return the processors of each row, whatever its demand counts; NaN where there are none."""
        if mode == "requested":
            return np.ceil(self._requested_processors())
        allocated = self.log.field("allocated_processors")
        return np.where(allocated > 0, np.ceil(allocated), np.nan)

    def demand(
        self, mode: str, n_resources: int | None, missing_memory: MissingMemory | None
    ) -> tuple[FloatArray, tuple[str, ...]]:
        """Return the demands of all rows, shape (n_rows, n_resources), of dropped rows what is known; what was assumed.

        Without `n_resources` memory is one where any job asks for it or `missing_memory` gives it some.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # `refuse_huge_demands` refuses these
            if mode == "requested":
                return self._requested_demand(n_resources, missing_memory)
            demand = self._used_demand(n_resources)
        without_memory = ("memory is ignored",) if demand.shape[1] == 1 else ()
        return demand, ("demands are what the jobs used, not what they requested", *without_memory)

    def _requested_demand(
        self, n_resources: int | None, missing_memory: MissingMemory | None
    ) -> tuple[FloatArray, tuple[str, ...]]:
        processors = self._requested_processors()
        meaning = "neither requested nor allocated processors known"
        self.ledger.drop("no_processors", meaning, np.isnan(processors))
        fractional, processors = processors != np.floor(processors), np.ceil(processors)
        self.ledger.repair("fractional_processors", "processors rounded up to whole ones", fractional)
        if n_resources == 1:
            return processors[:, np.newaxis], ("memory is ignored",)
        requested_memory, used_memory = self.log.field("requested_memory"), self.log.field("used_memory")
        if n_resources is None and self.without_memory_requests(requested_memory):
            known = missing_memory == "used" and (used_memory[self.ledger.kept] >= 0).any()
            if not (known or isinstance(missing_memory, (int, float))):
                return processors[:, np.newaxis], (
                    f"memory is ignored: no job asks for any ({spelled('n_resources', 2)} insists on it)",
                )
        used = RecordedMemory(
            "used",
            used_memory,
            meaning="the memory it used",
            reason="memory_from_usage",
            way_out=("n_resources", 1),
        )
        memory, assumptions = self.fill_memory(requested_memory, missing_memory, used)
        return np.stack([processors, np.ceil(memory * processors)], axis=1), assumptions

    def memory_per_processor(self, mode: str) -> tuple[FloatArray, str]:
        """Return KB of memory per processor of all rows as the log has them, and how they were read."""
        field, number = ("requested_memory", 10) if mode == "requested" else ("used_memory", 7)
        return self.log.field(field), f"field {number} was read as KB per processor"

    def _requested_processors(self) -> FloatArray:
        """Return the processors that each row asks for, else has; NaN where there are none."""
        requested, allocated = self.log.field("requested_processors"), self.log.field("allocated_processors")
        processors: FloatArray = np.where(
            requested > 0, requested, np.where(allocated > 0, allocated, np.nan)
        )
        return processors

    def _used_demand(self, n_resources: int | None) -> FloatArray:
        demand = self.known_demand("used")
        processors, memory = demand[:, 0], demand[:, 1]
        meaning = "no allocated processors or no CPU time known"
        self.ledger.drop("no_processors", meaning, np.isnan(processors))
        used_memory = self.log.field("used_memory")
        if n_resources == 1 or (n_resources is None and not (used_memory[self.ledger.kept] >= 0).any()):
            self.ledger.drop("no_usage", "no processor time used", processors == 0)
            return demand[:, :1]
        self.ledger.drop("no_memory", "no used memory known", used_memory < 0)
        self.ledger.drop(
            "no_usage", "neither processor time nor memory used", (processors == 0) & (memory == 0)
        )
        return demand


def _used_processors(allocated: FloatArray, cpu_time: FloatArray, processing_time: FloatArray) -> FloatArray:
    """Return ceil(1000 * allocated * min(1, cpu_time / processing_time)), thousandths of a processor.

    CPU times are decimal numbers of a few digits; counted in thousandths of a second they are integers, and
    the quotient is rounded up once, exactly.
    """
    milliseconds = np.ceil(cpu_time * MILLI - 1e-6)
    used = np.where(cpu_time > 0, -np.floor_divide(-(allocated * milliseconds), processing_time), 0.0)
    capped: FloatArray = np.minimum(used, MILLI * allocated)
    return capped
