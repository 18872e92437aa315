"""The folder of Google's trace of 2011 as a workload: every run of a task is a job, on the machines of the cell.

A task that is evicted or fails is submitted again, and each of its runs held machines; so a run is a job, as a run of a
requeued job is one in `read_sacct`. The cell was observed for a while: what ran before, or still ran when the events
that are there end, counts with the part that was seen.
"""

import dataclasses
import functools
import os
from pathlib import Path
from typing import Any, Literal

import numpy as np

from schedcore.model import Instance, Machines
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.integers import checked_integer
from schedcore.workloads.google.part_file import OnBadRow
from schedcore.workloads.google.schema import TaskEvent
from schedcore.workloads.google.states import google_machines
from schedcore.workloads.google.tables import read_google_table, skipped_events
from schedcore.workloads.google.tasks import integer_column
from schedcore.workloads.logs.job_tasks import JobShapes
from schedcore.workloads.logs.log_rows import LogRows
from schedcore.workloads.logs.pool_of_log import PooledResource, instance_of_rows
from schedcore.workloads.logs.site_columns import SiteColumn, numbered_names, text_names
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.reading.machines_spec import MachineChoice, ResourceUnit, choose_machines
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.report import DataReport, make_report
from schedcore.workloads.reading.row_ledger import RowLedger
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["is_google_trace", "read_google_trace"]

_SECOND = 1_000_000  # microseconds
_TRACE_BEGINS = 600  # s; events before it have time 0
_UNITS = 1_000_000  # of the largest machine
_RESOURCES = ("cpu", "memory", "disk")
_REQUESTS = tuple(f"{name}_request" for name in ("cpu", "memory", "disk_space"))
_COLUMNS = ("time", "job_id", "task_index", "event_type", "user", "scheduling_class", "priority")
_ENDS = (TaskEvent.EVICT, TaskEvent.FAIL, TaskEvent.FINISH, TaskEvent.KILL, TaskEvent.LOST)
_NONE = -1
_AFTER_TRACE = 2**63 - 1  # the time of events after it


def is_google_trace(path: FilePath) -> bool:
    """Whether a folder has the folder of Google's table of task events in it."""
    return (Path(path) / "task_events").is_dir()


@checks_choices
def read_google_trace(
    path: FilePath,
    machines: MachineChoice | None = None,
    *,
    parts: int | None = None,
    censored: Literal["keep", "drop"] = "keep",
    on_bad_row: OnBadRow = "error",
) -> tuple[Instance, DataReport]:
    """Read a folder with the tables task_events and machine_events.

    Parameters
    ----------
    path : path-like
        The folder of the trace; see `read_google_table`.
    machines : Machines, str or int, optional
        Machines with amounts of cpu, memory and disk in millionths of the largest one, as
        ``"6000x500000,500000,1000000"``; a number means that many of the largest. Default: those of machine_events that
        are there when the trace begins.
    parts : int, optional
        Read the first so many parts of task_events that are there. Default: all.
    censored : {"keep", "drop"}
        Whether runs that began before the trace, or had not ended when its events end, count with the part of them that
        was seen, or are dropped.
    on_bad_row : {"error", "skip"}
        As for `read_google_table`.

    Returns
    -------
    instance : Instance
        Jobs by submission, ids 0, 1, 2, ... of the runs; resources ``cpu``, ``memory`` and ``disk`` in millionths of
        the largest machine, rounded down, at least 1 where anything is asked for. Times are whole seconds.
    report : DataReport
        Reasons for dropping: never_scheduled, outside_trace, no_end, censored, no_request, no_demand, too_big; a
        place is the identifier of a job of the trace.

    Raises
    ------
    InvalidInstanceError
        As `read_google_table` does, and if no run is left.
    ImportError
        If pyarrow is missing; names the extra.

    Notes
    -----
    O(n log n) in the number of events. A run demands what its SCHEDULE says, else its SUBMIT. What is not followed:
    requests that change while a task runs, constraints, and machines that fail or join later. Machines have all the
    disk that the largest request could need: nothing says how much they had.
    """
    numbers = None if parts is None else _first_parts(path, checked_integer("parts", parts, 1))
    columns = (*_COLUMNS, *_REQUESTS, "different_machines")
    events, table = read_google_table(path, "task_events", numbers, columns=columns, on_bad_row=on_bad_row)
    chosen, sentence = _machines(path, machines, on_bad_row)
    rows = _TaskRuns.of(os.fspath(path), events)
    demand = rows.demand()
    rows.drop_what_is_no_job(demand, censored)
    units = [PooledResource(ResourceUnit(name), f"units of {name}") for name in _RESOURCES]
    shapes = JobShapes(np.ones(len(demand)))
    instance, total, assumed, findings = instance_of_rows(
        rows, demand, units, chosen, "runtime", shapes, tasks="whole", columns=True
    )
    report = make_report(
        os.fspath(path),
        instance,
        ledger=rows.ledger,
        work=rows.work(total),
        line_word="job",
        units={"time": "s", **dict.fromkeys(_RESOURCES, "1/1,000,000 machine")},
        assumptions=(
            f"rows are runs of tasks, of {table.rows_read:,} events in {table.n_files} files, which end at second "
            f"{rows.last:,.0f}",
            *skipped_events(table.dropped),
            sentence,
            "what was there before the trace counts from its beginning on",
            "ids count the runs from 0",
            *assumed,
        ),
        findings=findings,
    )
    return instance, report


def _first_parts(path: FilePath, number: int) -> list[int]:
    names = sorted(file.name for file in (Path(path) / "task_events").glob("part-*-of-*.csv*"))
    return [int(name.split("-")[1]) for name in names[:number]]


def _machines(path: FilePath, machines: MachineChoice | None, on_bad_row: OnBadRow) -> tuple[Machines, str]:
    resources = [ResourceUnit(name) for name in _RESOURCES]
    if machines is not None:
        chosen = choose_machines(machines, resources, (_UNITS,) * len(_RESOURCES))
        return chosen, f"amounts of machines are millionths of the largest ({spelled('machines')})"
    found, _ = google_machines(path, on_bad_row=on_bad_row)
    known = ~(np.isnan(found.cpu) | np.isnan(found.memory))
    shares = (found.cpu[known], found.memory[known], np.ones(int(np.count_nonzero(known))))
    capacity = np.column_stack([np.floor(share * _UNITS + 1e-6) for share in shares]).astype(np.int64)
    left_out = np.count_nonzero(~known)
    unknown = f"; {left_out:,} of unknown capacity are left out" if left_out else ""
    return Machines(capacity, _RESOURCES, names=found.machine_id[known].astype(str).tolist()), (
        f"machines are the {len(capacity):,} that are there when the trace begins, with as much disk as the "
        f"largest{unknown}"
    )


@dataclasses.dataclass(frozen=True)
class _TaskRuns(LogRows):
    """Runs of tasks, and submissions of which no run came."""

    start: FloatArray  # seconds, NaN where there was none
    last: float  # second of the last event
    is_cut: BoolArray  # began before the trace, or had not ended
    is_outside: BoolArray  # ended before the trace, or began after it
    events: Any  # the table, with a row an event
    schedule: IntArray  # the event that began each run, -1 for none
    submit: IntArray  # the event that it was submitted with, -1 for none

    @classmethod
    def of(cls, source: str, events: Any) -> "_TaskRuns":
        """Find the runs in the events of all tasks."""
        time, job, index, kind = (integer_column(events[name]) for name in _COLUMNS[:4])
        order = np.lexsort((index, job))  # stable: events of a task as they stand in the files
        is_first = np.ones(len(order), dtype=np.bool_)
        is_first[1:] = (np.diff(job[order]) != 0) | (np.diff(index[order]) != 0)
        kind = kind[order]
        place = np.arange(len(order))
        first = np.maximum.accumulate(np.where(is_first, place, 0))
        is_submit, is_schedule, is_end = (
            kind == TaskEvent.SUBMIT,
            kind == TaskEvent.SCHEDULE,
            np.isin(kind, _ENDS),
        )

        def last_of(wanted: BoolArray) -> IntArray:
            """The last such event of the task up to each event, -1 for none."""
            last = np.maximum.accumulate(np.where(wanted, place, _NONE))
            return np.where(last >= first, last, _NONE)

        def next_of(wanted: BoolArray) -> IntArray:
            """The next such event of the same task after each event, -1 for none."""
            after = np.append(np.where(wanted, place, len(place))[1:], len(place))
            nearest = np.minimum.accumulate(after[::-1])[::-1]
            same = np.append(first, _NONE)[nearest] == first
            return np.where(same, nearest, _NONE)

        last_submit, last_end = last_of(is_submit), last_of(is_end)
        next_end, next_begin = next_of(is_end), next_of(is_schedule)
        runs = np.flatnonzero(is_schedule)
        # A submission leads to a run if the task is scheduled before it ends or is submitted anew.
        following = next_of(is_schedule | is_end | is_submit)
        leads = (following >= 0) & is_schedule[following]
        waiting = np.flatnonzero(is_submit & ~leads)
        end, again = next_end[runs], next_begin[runs]
        has_end = (end >= 0) & ((again < 0) | (end < again))
        submit = np.where(last_submit[runs] > last_end[runs], last_submit[runs], _NONE)
        is_before, is_after = time[order] == 0, time[order] == _AFTER_TRACE
        seconds = np.maximum(time[order] / _SECOND, _TRACE_BEGINS)
        last = float(seconds.max(initial=_TRACE_BEGINS, where=~is_after))
        seconds = np.minimum(seconds, last)
        begun = seconds[runs]
        # Who is scheduled again has ended in between, at a time that no event tells.
        ended = np.where(has_end, seconds[end], np.where(again >= 0, np.nan, last))
        is_cut = is_before[runs] | np.where(has_end, is_after[end], again < 0)
        is_outside = is_after[runs] | (has_end & is_before[end])
        submitted = np.where(submit >= 0, seconds[submit], begun)
        n_waiting = len(waiting)
        columns = {
            "submit": np.concatenate([submitted, seconds[waiting]]),
            "run": np.concatenate([ended - begun, np.zeros(n_waiting)]),
            "start": np.concatenate([begun, np.full(n_waiting, np.nan)]),
            "is_cut": np.concatenate([is_cut, np.zeros(n_waiting, np.bool_)]),
            "is_outside": np.concatenate([is_outside, np.zeros(n_waiting, np.bool_)]),
            "schedule": np.concatenate([order[runs], np.full(n_waiting, _NONE)]),
            "asked": np.concatenate([np.where(submit >= 0, order[submit], _NONE), order[waiting]]),
        }
        by_time = np.argsort(columns["submit"], kind="stable")
        sorted_columns = {name: column[by_time] for name, column in columns.items()}
        of_job = job[
            np.where(sorted_columns["schedule"] >= 0, sorted_columns["schedule"], sorted_columns["asked"])
        ]
        n_rows = len(of_job)
        return cls(
            source,
            RowLedger(n_rows, of_job.__getitem__),
            submit_time=sorted_columns["submit"],
            run_time=sorted_columns["run"],
            requested_time=np.full(n_rows, -1.0),
            job_number=np.arange(n_rows, dtype=np.float64),
            requested_time_words="estimate",
            release_words="second",
            start=sorted_columns["start"],
            last=last,
            is_cut=sorted_columns["is_cut"],
            is_outside=sorted_columns["is_outside"],
            events=events,
            schedule=sorted_columns["schedule"],
            submit=sorted_columns["asked"],
        )

    @functools.cached_property
    def event(self) -> IntArray:
        """(n_rows,) The event that tells of each row."""
        return np.where(self.schedule >= 0, self.schedule, self.submit)

    def recorded_start(self) -> FloatArray:
        return np.where(np.isnan(self.start), -1.0, self.start)

    def demand(self) -> FloatArray:
        """Return millionths of the largest machine, NaN where nobody asked for anything; (n_rows, 3)."""
        columns = []
        for name in _REQUESTS:
            request = np.append(self.events[name].to_numpy(), np.nan)  # the last one stands for no event
            share = np.where(np.isnan(request[self.schedule]), request[self.submit], request[self.schedule])
            units = np.floor(share * _UNITS + 1e-6)
            columns.append(np.where(share > 0, np.maximum(units, 1.0), units))
        return np.column_stack(columns)

    def drop_what_is_no_job(self, demand: FloatArray, censored: str) -> None:
        """Drop what never ran, or asked for nothing; and runs of which only a part was seen, if so chosen."""
        ledger = self.ledger
        ledger.drop("never_scheduled", "no run came of this submission", np.isnan(self.start), lost=False)
        ledger.drop("outside_trace", "ended before the trace, or began after it", self.is_outside, lost=False)
        ledger.drop("no_end", "scheduled again, and no event says when it ended", np.isnan(self.run_time))
        if censored == "drop":
            remedy = f"{spelled('censored', 'keep')} counts what was seen"
            ledger.drop("censored", "ran before the trace, or when it ended", self.is_cut, remedy=remedy)
        else:
            ledger.repair(
                "censored", "ran before the trace, or when it ended; what was seen counts", self.is_cut
            )
        unknown: BoolArray = np.asarray(np.isnan(demand).any(axis=1))
        ledger.drop("no_request", "nothing says what it asked for", unknown)
        ledger.drop("no_demand", "it asked for nothing", np.asarray((demand == 0).all(axis=1)), lost=False)
        self.count_repaired_times()

    def note_what_is_not_modelled(self) -> None:
        apart = integer_column(self.events["different_machines"])[self.event] == 1
        self.ledger.note(
            "different_machines", "tasks of its job may not share a machine; here they may", apart
        )

    def submitter_columns(self) -> dict[str, SiteColumn]:
        return {
            "user": text_names(
                self.events["user"].take(self.event).combine_chunks().cast("string").fill_null("")
            )
        }

    def site_columns(self, machines: Machines) -> dict[str, SiteColumn]:
        scheduling_class = integer_column(self.events["scheduling_class"])[self.event]
        priority = integer_column(self.events["priority"])[self.event]
        return {
            "service_class": numbered_names(scheduling_class.astype(np.float64)),
            "priority": priority.astype(np.float64),
        }
