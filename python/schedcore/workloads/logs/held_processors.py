"""Which processors did each job hold, by their numbers, and can that be?

The numbers of a machine follow those of the machine before, from 0 on. A job holds as many as its tasks demand of
resource 0, where they are, and nobody else has them meanwhile.
"""

import dataclasses
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from schedcore.model import Instance, Schedule, ValidationReport
from schedcore.model.arrays import BoolArray, IntArray
from schedcore.model.extras import import_extra
from schedcore.workloads.logs.overlapping_rectangles import overlapping_pair
from schedcore.workloads.reading.csv_table import CsvTable

__all__ = ["HeldProcessors"]

_INTERVALS = r"^(\d{1,15}(-\d{1,15})?( +\d{1,15}(-\d{1,15})?)*)?$"


@dataclasses.dataclass(frozen=True)
class HeldProcessors:
    """Intervals of processor numbers; those of row j are ``offset[j]`` to ``offset[j + 1]``, the latter excluded.

    Parameters
    ----------
    offset : (n_rows + 1,) int64
    first, last : (n_intervals,) int64
        Both included.
    """

    offset: IntArray
    first: IntArray
    last: IntArray

    @classmethod
    def of(cls, table: CsvTable, name: str) -> Self:
        """Read a column of texts such as ``0-3 7``; an `InvalidInstanceError` names the line that has another."""
        compute, pyarrow = import_extra("pyarrow.compute", "traces"), import_extra("pyarrow", "traces")
        texts = table.columns[name]
        table.refuse(
            name, ~table.matches(name, _INTERVALS), "not a list of numbers and intervals such as 0-3 7"
        )
        lists = compute.split_pattern_regex(texts, " +")
        empty = compute.equal(texts, "").to_numpy(zero_copy_only=False)
        counts = np.where(empty, 0, compute.list_value_length(lists).to_numpy())
        intervals = lists.flatten()
        intervals = intervals.filter(compute.not_equal(intervals, ""))
        ends = compute.extract_regex(intervals, r"^(?P<first>\d+)(?:-(?P<last>\d+))?$")
        first, last = ends.field("first"), ends.field("last")
        last = compute.if_else(compute.equal(last, ""), first, last)
        first, last = (column.cast(pyarrow.int64()).to_numpy() for column in (first, last))
        held = cls(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), first, last)
        backwards = np.zeros(len(counts), dtype=np.bool_)
        backwards[held.row_of_interval()[last < first]] = True
        table.refuse(name, backwards, "an interval that ends before it begins")
        return held

    def rows(self, chosen: NDArray[Any]) -> "HeldProcessors":
        """Return the rows that a mask or an array of indices chooses."""
        row = np.arange(len(self.offset) - 1)[chosen]
        counts = np.diff(self.offset)[row]
        offset = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        intervals = np.repeat(self.offset[row] - offset[:-1], counts) + np.arange(offset[-1])
        return HeldProcessors(offset, self.first[intervals], self.last[intervals])

    def row_of_interval(self) -> NDArray[np.intp]:
        """Return the row of each interval."""
        counts = np.diff(self.offset)
        return np.repeat(np.arange(len(counts)), counts)

    def machine(self, instance: Instance) -> tuple[IntArray, BoolArray]:
        """Return the machine that the lowest number of each row belongs to, and whether all the others do not.

        -1 where no number is listed, the number of machines for numbers beyond them all.
        """
        end_of_machine = np.cumsum(instance.machines.capacity[:, 0])
        row = self.row_of_interval()
        machine = np.full(len(self.offset) - 1, instance.n_machines, dtype=np.int64)
        highest = np.full(len(self.offset) - 1, -1, dtype=np.int64)
        np.minimum.at(machine, row, np.searchsorted(end_of_machine, self.first, side="right"))
        np.maximum.at(highest, row, np.searchsorted(end_of_machine, self.last, side="right"))
        machine[np.diff(self.offset) == 0] = -1
        return machine, machine != highest

    def check(
        self,
        instance: Instance,
        schedule: Schedule,
        expected: IntArray,
        *,
        demands_count_processors: bool = True,
    ) -> ValidationReport:
        """Say whether the jobs of a feasible schedule can have held these processors; the rows are the jobs.

        `expected` is how many each job should hold. Unless demands of resource 0 count processors, only that no two
        jobs hold one at the same time.

        Returns
        -------
        ValidationReport
            Of kind ``"wrong_processors"`` where a job has another number of them than it demands, or some beyond the
            machines, ``"shared_processor"`` where two jobs hold one at the same time, or one job twice. Jobs hold
            them for their processing time, as they hold all else.
        """
        row, count = self.row_of_interval(), np.zeros(instance.n_jobs, dtype=np.int64)
        np.add.at(count, row, self.last - self.first + 1)
        n_processors = int(instance.machines.capacity[:, 0].sum())
        beyond = np.zeros(instance.n_jobs, dtype=np.bool_)
        beyond[row[self.last >= n_processors]] = True
        wrong = beyond | (count != expected)
        if demands_count_processors and wrong.any():
            job = int(np.argmax(wrong))
            what = (
                f"holds processors beyond number {n_processors - 1}, the last of the machines"
                if beyond[job]
                else f"holds {count[job]} processors and demands {expected[job]}"
            )
            return _finding("wrong_processors", instance, schedule, job, what)
        start, end = schedule.start_time, schedule.start_time + instance.jobs.processing_time
        pair = overlapping_pair(self.first, self.last, start[row], end[row])
        if pair is None:
            return ValidationReport(True, "the schedule is feasible")
        other, job = (int(row[interval]) for interval in pair)
        shared = int(self.first[list(pair)].max())
        what = (
            f"holds processor {shared} twice"
            if job == other
            else (
                f"holds processor {shared}, which {_label(instance, other)} holds until {float(end[other])!r}"
            )
        )
        return _finding("shared_processor", instance, schedule, job, what)


def _finding(kind: str, instance: Instance, schedule: Schedule, job: int, what: str) -> ValidationReport:
    instant, machine = float(schedule.start_time[job]), int(schedule.machine[job])
    message = f"{_label(instance, job)} starts at {instant!r} on machine {machine}: it {what}"
    return ValidationReport(False, message, kind, job, machine, instant)


def _label(instance: Instance, job: int) -> str:
    identifier = instance.jobs.id[job]
    return f"job {job}" if identifier == job else f"job {job} (id {identifier})"
