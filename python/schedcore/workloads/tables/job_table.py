"""From a table of jobs, whatever its columns are called, to an instance.

The names of the columns, or `columns`, say what each means; what was guessed stands in the report. Rows go the way of
those of a log: times in whole seconds from the first submission on, estimates that are no less than run times, and one
pool of unknown size unless the machines are given.
"""

from typing import Literal

import numpy as np

from schedcore.model import Instance
from schedcore.model.arrays import FloatArray
from schedcore.workloads.logs.job_tasks import JobShapes, Tasks
from schedcore.workloads.logs.pool_of_log import instance_of_rows
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.reading.kept_columns import Keep, kept_columns
from schedcore.workloads.reading.machines_spec import MachineChoice
from schedcore.workloads.reading.report import DataReport, make_report
from schedcore.workloads.reading.source_file import FilePath
from schedcore.workloads.tables.column_choice import ColumnWords, choose_columns
from schedcore.workloads.tables.job_demands import read_demands
from schedcore.workloads.tables.job_times import read_times
from schedcore.workloads.tables.role_values import RoleValues
from schedcore.workloads.tables.table_file import TableFile
from schedcore.workloads.tables.table_rows import TableRows

__all__ = ["read_table"]


@checks_choices
def read_table(
    path: FilePath,
    machines: MachineChoice | None = None,
    *,
    columns: ColumnWords | None = None,
    missing_estimate: Literal["runtime", "error"] = "runtime",
    tasks: Tasks | None = None,
    keep: Keep = (),
    on_bad_row: Literal["error", "skip"] = "error",
) -> tuple[Instance, DataReport]:
    """Read a table of jobs: CSV, gzipped or not, with names of columns in its first line, or Parquet.

    Parameters
    ----------
    path : path-like
        The file. Fields of a CSV file stand between commas, semicolons or tabs.
    machines : Machines or str, optional
        The machines, as ``"120x64,256GB,4"``: amounts in the order of the resources. Default: one pool; nothing says
        how much there was, so the largest demand has to, and the report warns of it.
    columns : str or mapping, optional
        Which column means what, as ``"submit=created_at,memory=mem:MB"``: roles submit, start, end, runtime, estimate,
        wait, cpus, memory, gpus, disk, nodes, tasks, user, account, partition, service_class, priority, weight, id,
        name, and ``resource:NAME`` for anything else that jobs demand. Behind a column there may be a unit, and
        ``/task``, ``/node`` or ``/cpu`` where the amount is for each of these. Default, and for all other roles: what
        the names of the columns say. ``user=`` leaves a role without a column.
    missing_estimate : {"runtime", "error"}
        A job without an estimate gets its run time for it, or is an error.
    tasks : {"cores", "nodes", "recorded", "whole"}, optional
        What a job is on several machines, as `read_sacct` says it.
    keep : str or sequence of str
        Further columns of the table that become `notes` of the jobs, for group-bys, such as
        ``"application,queue"``.
    on_bad_row : {"error", "skip"}
        What happens to a row with another number of fields than the first line, with a cell that cannot be read, with a
        negative time or amount, or with a time above 2**53 s or a demand above 2**53.

    Returns
    -------
    instance : Instance
        Jobs in the order of the rows, with ids of their own where these are whole numbers, else the numbers of their
        rows from 0 and names; resources ``cores``, ``memory``, ``gpus``, ``disk`` and further ones, as far as there are
        columns.
    report : DataReport
        How each column was read stands in its assumptions. Reasons for dropping, each row for the first that applies:
        ragged_row, garbled_row, never_started, no_submit, no_runtime, impossible_value, huge_time, unknown_demand,
        no_demand, huge_demand, too_big.

    Raises
    ------
    InvalidInstanceError
        For a damaged file, bad rows, columns or cells that can be read in two ways (says what to write), a table
        without run times or demands, and one of which no job is left.
    ImportError
        If pyarrow or pandas is missing; names the extra.

    Notes
    -----
    A run time is the time from start to end where no column has it. A cell that is empty, or holds nan, null, none,
    unknown, - or -1 says nothing. Empty cells of gpus, disk and further resources count as 0. Memory counts in powers
    of 1024. O(file size) with whole columns at a time; a million rows of ten columns take a few seconds.
    """
    table = TableFile.open(path)
    choice = choose_columns(table.source, table.names, columns)
    further = kept_columns(keep, table.names)
    wanted = dict.fromkeys([*(column.column for column in choice.chosen.values()), *further])
    read = table.read(list(wanted), on_bad_row)
    values = RoleValues(choice, read.cells, read.ledger, read.line_word)
    times = read_times(values)
    demands = read_demands(values)
    rows = TableRows.of(values, times)
    rows.drop_what_is_no_job(demands, on_bad_row)
    shapes = JobShapes(demands.processors, None if demands.nodes is None else _at_least_one(demands.nodes))
    instance, total, assumed, findings = instance_of_rows(
        rows,
        demands.amounts,
        demands.resources,
        machines,
        missing_estimate,
        shapes,
        tasks=tasks,
        columns=True,
        keep={name: values.texts(name) for name in further},
    )
    unused = [*choice.unused(), *(choice.chosen[role].column for role in ("name",) if role in choice)]
    unused = [name for name in unused if name not in further]
    report = make_report(
        table.source,
        instance,
        ledger=rows.ledger,
        work=rows.work(total),
        line_word=read.line_word,
        units={"time": "s", **demands.units},
        assumptions=(
            *values.sentences.values(),
            *((f"not used: {', '.join(unused)}",) if unused else ()),
            *times.sentences,
            *demands.sentences,
            *rows.sentences,
            *assumed,
        ),
        findings=(*times.findings, *findings),
        origin=rows.origin(),
    )
    return instance, report


def _at_least_one(nodes: FloatArray) -> FloatArray:
    return np.maximum(np.where(np.isnan(nodes), 1.0, np.ceil(nodes)), 1.0)
