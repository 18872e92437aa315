"""The rows of a log of a parallel machine on their way to jobs: which are dropped, what each one demands.

The reasons, in order: short_row, garbled_row, huge_time, partial, no_runtime, no_processors, no_memory, no_usage,
huge_demand, too_big. `schedcore.workloads.swf` puts the steps together.
"""

import dataclasses
import os
from typing import Literal, Self

import numpy as np

from .log_rows import FloatColumn, LogRows, RecordedMemory
from .report import RowLedger
from .source_file import FilePath, refuse_nothing_but_bad_lines
from .swf_table import SWF_FIELDS, SwfLog, swf_parts

__all__ = ["MILLI", "MissingMemory", "SwfRows"]

MissingMemory = Literal["used", "skip"] | int | float

MILLI = 1000  # units of a processor where used processor time is the demand

_LAST_FIELD_READ = SWF_FIELDS.index("status") + 1


@dataclasses.dataclass(frozen=True)
class SwfRows(LogRows):
    """The rows of one SWF log on their way to jobs."""

    log: SwfLog

    @classmethod
    def read(cls, path: FilePath, status_rule: str, on_bad_row: str) -> Self:
        """Read a log; rows that are no whole job are dropped part by part, so that they take no memory."""
        source, header = os.fspath(path), dict[str, str]()
        parts: list[SwfLog] = []
        account = RowLedger(0, lambda rows: rows)
        for log in swf_parts(path, header):
            part = cls.of(source, log)
            part.refuse_bad_rows(on_bad_row)
            refuse_nothing_but_bad_lines(source, log.lines, np.count_nonzero(part.ledger.kept))
            part.apply_status_and_times(status_rule)
            parts.append(log.rows(part.ledger.kept))
            account.carry_over(part.ledger)
        rows = cls.of(source, SwfLog.joined(header, parts))
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
            log=log,
        )

    def refuse_bad_rows(self, on_bad_row: str) -> None:
        """Drop rows that cannot be read, or raise an error that names their lines."""
        if on_bad_row != "pad":
            short = self.log.n_fields < _LAST_FIELD_READ
            self.refuse("short_row", f"fewer than {_LAST_FIELD_READ} fields", short, on_bad_row)
        self.refuse("garbled_row", "a field is not a finite number", self.log.garbled, on_bad_row)
        self.refuse_huge_times(on_bad_row)
        padded = self.log.n_fields < len(SWF_FIELDS)
        self.ledger.repair("padded_row", "missing last fields count as unknown (-1)", padded)

    def apply_status_and_times(self, status_rule: str) -> None:
        """Drop rows that are no whole job or never ran."""
        run, submit, status = self.run_time, self.submit_time, self.log.field("status")
        without_runtime = (run < 0) | (submit < 0)
        if status_rule == "swf":
            self.ledger.drop(
                "partial", "part of a checkpointed job (status 2, 3, 4)", np.isin(status, (2, 3, 4))
            )
            without_runtime |= (run == 0) & (status == 5)
        self.ledger.drop(
            "no_runtime", "no run time or no submit time, or cancelled before it ran", without_runtime
        )
        self.count_repaired_times()

    def demand(
        self, mode: str, n_resources: int, missing_memory: MissingMemory | None
    ) -> tuple[FloatColumn, tuple[str, ...]]:
        """Return the demands of all rows, shape (n_rows, n_resources); those of dropped rows mean nothing."""
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # beyond the doubles is beyond `refuse_huge_demands`, too
            if mode == "requested":
                return self._requested_demand(n_resources, missing_memory)
            return self._used_demand(n_resources), (
                "demands are what the jobs used, not what they requested",
            )

    def _requested_demand(
        self, n_resources: int, missing_memory: MissingMemory | None
    ) -> tuple[FloatColumn, tuple[str, ...]]:
        requested = self.log.field("requested_processors")
        processors = np.where(requested > 0, requested, self.log.field("allocated_processors"))
        self.ledger.drop("no_processors", "neither requested nor allocated processors known", processors <= 0)
        fractional, processors = processors != np.floor(processors), np.ceil(processors)
        self.ledger.repair("fractional_processors", "processors rounded up to whole ones", fractional)
        if n_resources == 1:
            return processors[:, np.newaxis], ("memory is ignored",)
        used = RecordedMemory(
            "used",
            self.log.field("used_memory"),
            meaning="the memory it used",
            reason="memory_from_usage",
            way_out="n_resources=1",
        )
        memory, assumptions = self.fill_memory(self.log.field("requested_memory"), missing_memory, used)
        return np.stack([processors, np.ceil(memory * processors)], axis=1), assumptions

    def _used_demand(self, n_resources: int) -> FloatColumn:
        allocated, cpu_time = self.log.field("allocated_processors"), self.log.field("average_cpu_time")
        no_processors = (allocated <= 0) | (cpu_time < 0)
        self.ledger.drop("no_processors", "no allocated processors or no CPU time known", no_processors)
        processors = _used_processors(allocated, cpu_time, self.processing_time())
        if n_resources == 1:
            self.ledger.drop("no_usage", "no processor time used", processors == 0)
            return processors[:, np.newaxis]
        used_memory = self.log.field("used_memory")
        self.ledger.drop("no_memory", "no used memory known", used_memory < 0)
        memory = np.ceil(used_memory * allocated)
        self.ledger.drop(
            "no_usage", "neither processor time nor memory used", (processors == 0) & (memory == 0)
        )
        return np.stack([processors, memory], axis=1)


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
