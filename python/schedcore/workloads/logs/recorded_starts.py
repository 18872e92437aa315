"""What a log says of the jobs that started: ids and times, machines and processors where it has them.

`batsim_jobs` reads the same from the output of Batsim.
"""

import dataclasses
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.integer_lists import IntegerLists
from schedcore.workloads.logs.held_processors import HeldProcessors
from schedcore.workloads.logs.sacct_table import SacctTable, parse_sacct
from schedcore.workloads.logs.sacct_times import TIME_COLUMNS, elapsed, release_at_eligible
from schedcore.workloads.logs.site_columns import text_names
from schedcore.workloads.logs.swf_table import SwfLog, parse_swf
from schedcore.workloads.reading.machine_names import MachineNames
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["RecordedStarts", "sacct_starts", "swf_starts"]


@dataclasses.dataclass(frozen=True)
class RecordedStarts:
    """Rows of jobs that started.

    Parameters
    ----------
    id : (n_rows,) int64
        Job ids.
    start : (n_rows,) float64
        On the clock of the log.
    submit : (n_rows,) float64, optional
        On the same clock, which is the instance's where there are none.
    run_time : (n_rows,) float64, optional
        How long the jobs ran; negative where the log does not say it.
    machine : (n_rows,) int64, optional
        Machines of the instance.
    hosts : IntegerLists, optional
        All machines of each job, where the log names them.
    held : HeldProcessors, optional
        The numbers of the processors.
    eligible : (n_rows,) float64, optional
        When jobs could start, on the clock of `submit`: either may be what the instance calls their release. NaN where
        it cannot be read.
    """

    id: IntArray
    start: FloatArray
    submit: FloatArray | None = None
    run_time: FloatArray | None = None
    machine: IntArray | None = None
    held: HeldProcessors | None = None
    eligible: FloatArray | None = None
    hosts: IntegerLists | None = None

    def rows(self, chosen: NDArray[Any]) -> "RecordedStarts":
        """Return the rows that a mask or an array of indices chooses."""
        return RecordedStarts(
            self.id[chosen],
            self.start[chosen],
            None if self.submit is None else self.submit[chosen],
            None if self.run_time is None else self.run_time[chosen],
            None if self.machine is None else self.machine[chosen],
            None if self.held is None else self.held.rows(chosen),
            None if self.eligible is None else self.eligible[chosen],
            None if self.hosts is None else self.hosts.take(chosen),
        )


def swf_starts(path: FilePath, instance: Instance, known_jobs_only: bool) -> RecordedStarts:
    """Return the rows of an SWF log of jobs that started; the partition is the machine where there are several.

    With `known_jobs_only` rows of jobs that the instance does not have are not looked at. An `InvalidInstanceError`
    names the line of a job or partition that is no number.
    """
    log = parse_swf(path)
    wait_time, run_time = log.field("wait_time"), log.field("run_time")
    started = (wait_time >= 0) & (run_time >= 0)
    if known_jobs_only:
        started &= np.isin(log.field("job_number"), instance.jobs.id)
    submit = log.field("submit_time")
    rows = RecordedStarts(
        _whole_numbers(log, "job_number", started, path), submit + wait_time, submit, run_time
    ).rows(started)
    if instance.n_machines == 1:
        return rows
    partition = _whole_numbers(log, "partition", started, path)[started]
    return dataclasses.replace(rows, machine=partition - 1) if (partition > 0).all() else rows


def sacct_starts(path: FilePath, instance: Instance, known_jobs_only: bool) -> RecordedStarts:
    """Return the rows of an output of sacct of jobs that started.

    With `known_jobs_only` rows of jobs that the instance does not have are not looked at. An `InvalidInstanceError`
    names the line of a time that cannot be read.
    """
    wanted = ("NodeList",) if instance.n_machines > 1 and instance.machines.has_names else ()
    table = parse_sacct(path, ("JobIDRaw", "JobID", *TIME_COLUMNS, *wanted))
    if "Start" not in table:
        raise InvalidInstanceError(f"{os.fspath(path)}: the output of sacct lacks Start")
    number, start, run_time = _ids(table, instance), table.instants("Start"), elapsed(table)
    submit = table.instants("Submit") if "Submit" in table else None
    eligible = None
    if submit is not None and "Eligible" in table:
        recorded = table.instants("Eligible")
        eligible = np.where(np.isnan(recorded), np.nan, release_at_eligible(submit, recorded, start))
    started = (number >= 0) & ~(start < 0) & ~table.repeats()
    if known_jobs_only:
        started &= np.isin(number, instance.jobs.id)
    for name, column in (("Start", start), ("Submit", submit), ("the run time", run_time)):
        if column is not None and not np.isfinite(column[started]).all():
            row = np.flatnonzero(started & ~np.isfinite(column))[:1]
            raise InvalidInstanceError(
                f"{os.fspath(path)}: {name} of line {table.line_numbers(row)[0]} cannot be read"
            )
    rows = RecordedStarts(number.astype(np.int64), start, submit, run_time, eligible=eligible).rows(started)
    return dataclasses.replace(rows, hosts=_hosts(table, started, instance, os.fspath(path)))


def _ids(table: SacctTable, instance: Instance) -> FloatArray:
    """Return the id of the job of each row: by its name, such as ``123_4``, where jobs have some, else its number."""
    number = table.identifiers(table.id_column)
    names = instance.jobs.coded("name")
    if not names.names:
        return number
    named = np.flatnonzero(names.codes >= 0)
    id_of = dict(zip(instance.jobs.name[named].tolist(), instance.jobs.id[named].tolist(), strict=True))
    texts = text_names(table.columns["JobID" if "JobID" in table else table.id_column])
    by_name = np.array([*(id_of.get(text, -1) for text in texts.names), -1], dtype=np.float64)[texts.codes]
    return np.where(by_name >= 0, by_name, number)


def _hosts(table: SacctTable, rows: BoolArray, instance: Instance, source: str) -> IntegerLists | None:
    """Return the machines that NodeList names in some rows; None without it, or where one of them names none."""
    if "NodeList" not in table:
        return None
    chosen = np.flatnonzero(rows)
    encoded = table.columns["NodeList"].take(chosen).dictionary_encode()
    texts, codes = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
    if any(text.strip() in ("", "None assigned", "None", "Unknown") for text in texts):
        return None
    names, machines = MachineNames(instance.machines), []
    for code, text in enumerate(texts):
        try:
            machines.append(names.indices(text))
        except InvalidInstanceError as error:
            line = table.line_numbers(chosen[np.argmax(codes == code)][np.newaxis])[0]
            raise InvalidInstanceError(f"{source}: line {line}: NodeList: {error}") from None
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in machines])])
    return IntegerLists(offsets, np.concatenate([np.empty(0, np.int64), *machines])).take(codes)


def _whole_numbers(log: SwfLog, name: str, rows: BoolArray, path: FilePath) -> IntArray:
    """Return a field as int64, or raise an error that names the first of `rows` where it is no whole number."""
    column = log.columns[name]
    if column.dtype.kind == "i":
        return column.astype(np.int64)
    other = rows & ((column != np.trunc(column)) | (np.abs(column) >= 2**53))
    if other.any():
        row = np.flatnonzero(other)[:1]
        raise InvalidInstanceError(
            f"{os.fspath(path)}: line {log.line_numbers(row)[0]}: {name} {column[row[0]]:.17g} is no whole number "
            "below 2**53"
        )
    return np.where(rows, column, -1).astype(np.int64)
