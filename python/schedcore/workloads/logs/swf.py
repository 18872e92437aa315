"""From a log of a parallel machine (Standard Workload Format) to an instance with processors and memory.

One pooled machine by default: a job takes its processors, and its memory per processor times its processors,
as requested or as used. Rows are dropped and repaired by the rules that the field uses for its archive logs;
the report says which, how often and where. Times are whole seconds from the first kept submission on; run
times are rounded up and are at least 1 s, because 0 in a log means less than half a second.
"""

import os
from typing import Literal

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance
from schedcore.workloads.logs.date_of_time_0 import swf_origin
from schedcore.workloads.logs.job_tasks import JobShapes
from schedcore.workloads.logs.log_rows import check_missing_memory
from schedcore.workloads.logs.pool_of_log import PooledResource, check_capacities, instance_of_rows
from schedcore.workloads.logs.site_columns import numbered_names
from schedcore.workloads.logs.swf_rows import MILLI, MissingMemory, SwfRows
from schedcore.workloads.logs.swf_shapes import header_number, swf_shapes
from schedcore.workloads.logs.swf_table import SWF_FIELDS
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.reading.kept_columns import Keep, kept_columns
from schedcore.workloads.reading.machines_spec import MachineChoice, ResourceUnit
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.report import DataReport, make_report
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["read_swf"]


@checks_choices
def read_swf(
    path: FilePath,
    mode: Literal["requested", "used"] = "requested",
    n_resources: Literal[1, 2] | None = None,
    memory_capacity: int | None = None,
    missing_estimate: Literal["runtime", "error"] = "runtime",
    missing_memory: MissingMemory | None = None,
    *,
    processors: int | None = None,
    machines: MachineChoice | None = None,
    tasks: Literal["cores", "nodes", "whole"] | None = None,
    columns: bool | None = None,
    keep: Keep = (),
    status_rule: Literal["swf", "ignore"] = "swf",
    on_bad_row: Literal["error", "skip", "pad"] = "error",
) -> tuple[Instance, DataReport]:
    """Read an SWF log, gzipped or not.

    Parameters
    ----------
    path : path-like
        The log.
    mode : {"requested", "used"}
        Demands as requested (fields 8 and 10, field 5 where 8 is unknown), in processors and KB, or as
        measured (fields 5, 6 and 7), in thousandths of a processor and KB.
    n_resources : {1, 2}, optional
        1: processors alone; the rules about memory do not apply. 2: processors and memory. Default: 2, unless no job
        asks for memory and `missing_memory` does not give it any either.
    memory_capacity : int, optional
        KB of memory of the whole system; default: the largest demand of a job that fits the processors. (The
        header's MaxMemory is not used: its meaning differs between logs.)
    missing_estimate : {"runtime", "error"}
        A job without a requested time gets its run time as the estimate, or is an error.
    missing_memory : {"used", "skip"} or number of KB per processor
        What a job without a memory request takes, in mode "requested" with two resources: the memory it used,
        nothing (it is dropped), or that number. No default; mode "used" drops jobs without a measurement.
    processors : int, optional
        Processors of the system; default: MaxProcs of the header, else MaxNodes, else the largest demand.
    machines : Machines or str, optional
        Several machines (or one) instead of the pool, as ``"120x2,1GB"``. Excludes `processors` and
        `memory_capacity`.
    tasks : {"cores", "nodes", "whole"}, optional
        What a job is on these machines. "cores": as many tasks of one processor, with its memory, as it has
        processors. "nodes": as few whole nodes as hold its processors and their memory, for itself alone. "whole": one
        task inside one machine. Default: whole on one machine; on several nodes if the header says that jobs get them,
        else cores.
    columns : bool, optional
        Whether jobs keep their user, account (the group) and partition, as numbers. Default: yes.
    keep : str or sequence of str
        Further fields of the log by their names that become `notes` of the jobs, for group-bys, such as
        ``"executable,queue"``.
    status_rule : {"swf", "ignore"}
        "swf" drops the parts of checkpointed jobs (status 2, 3, 4) and cancelled jobs (5) of run time 0;
        "ignore" is for logs that keep something else in that field.
    on_bad_row : {"error", "skip", "pad"}
        What happens to a row with fewer than the 11 fields that are read, with a field that is no finite number, or
        with a time above 2**53 s or a demand above 2**53. "pad" takes missing fields for unknown and still refuses the
        others. A row that only lacks fields 12 to 18 is repaired.

    Returns
    -------
    instance : Instance
        Jobs in log order, weight 1, ids the job numbers of the log where all have one
        of their own, else 0, 1, 2, ...; resources ``processors`` and ``memory``.
    report : DataReport
        Reasons for dropping, each row for the first that applies: short_row, garbled_row, huge_time, partial,
        no_runtime, no_processors, no_memory, no_usage, huge_demand, too_big.

    Raises
    ------
    InvalidInstanceError
        For a damaged file, bad rows, an unknown option, a missing choice of `missing_memory` (says how many
        jobs need it), `tasks` that the machines cannot give, and a log of which no job is left.
    TypeError
        For a capacity that is no integer.
    ImportError
        If pandas is missing; names the extra.

    Notes
    -----
    O(file size); whole columns at a time. Some 100 bytes a row that is kept, none for one that is dropped because it is
    no whole job, but some 40 for each job of which parts are dropped, and 8 for a bad row of known work; a line of more
    than 1 MiB is refused.
    """
    if isinstance(n_resources, bool) or n_resources not in (1, 2, None):
        raise InvalidInstanceError(
            f"n_resources = {n_resources}; an SWF log has 1 (processors) or 2 (and memory)"
        )
    check_missing_memory(missing_memory)
    capacities = {"processors": processors, "memory_capacity": memory_capacity}
    check_capacities(machines, capacities, 1 if mode == "requested" else MILLI)
    if tasks == "nodes" and mode == "used":
        raise InvalidInstanceError(
            f"{spelled('tasks', tasks)} gives whole nodes, and {spelled('mode', mode)} what jobs used of them"
        )
    further = kept_columns(keep, SWF_FIELDS)
    rows = SwfRows.read(path, status_rule, on_bad_row, mode)
    demand, assumptions = rows.demand(mode, n_resources, missing_memory)
    rows.refuse_huge_demands(demand, on_bad_row)
    resources = _resources(rows, mode, processors, memory_capacity)[: demand.shape[1]]
    doubt = rows.doubtful_memory(*rows.memory_per_processor(mode)) if len(resources) == 2 else ()
    shapes = swf_shapes(rows.source, rows.log.header, rows.counted_processors(mode))
    if mode == "used":  # measured amounts are no whole nodes
        shapes = JobShapes(shapes.processors)
    instance, total, assumed, findings = instance_of_rows(
        rows,
        demand,
        resources,
        machines,
        missing_estimate,
        shapes,
        tasks=tasks,
        columns=columns,
        keep={name: numbered_names(rows.log.field(name)) for name in further},
    )
    processor_unit = "processors" if mode == "requested" else "thousandths of a processor"
    report = make_report(
        os.fspath(path),
        instance,
        ledger=rows.ledger,
        work=rows.work(total),
        units={"time": "s", "processors": processor_unit, "memory": "KB"},
        assumptions=(*assumptions, *assumed),
        findings=(*findings, *doubt),
        origin=swf_origin(rows, rows.log.header),
        is_batch_log=True,
    )
    return instance, report


def _resources(
    rows: SwfRows, mode: str, processors: int | None, memory_capacity: int | None
) -> tuple[PooledResource, PooledResource]:
    origin = "the caller"
    if processors is None:
        processors, origin = _header_processors(rows.source, rows.log.header)
    unit = ResourceUnit("processors", units_per_one=1 if mode == "requested" else MILLI)
    memory = ResourceUnit("memory", bytes_per_unit=1024)
    return (
        PooledResource(unit, "processors", processors, origin),
        PooledResource(memory, "KB of memory", memory_capacity),
    )


def _header_processors(source: str, header: dict[str, str]) -> tuple[int | None, str]:
    for key in ("MaxProcs", "MaxNodes"):
        number = header_number(source, header, key)
        if number is not None:
            return number, f"{key} of the header"
    return None, ""
