"""From the accounting of a Slurm cluster (``sacct -X -P``) to an instance with processors, memory and GPUs.

One pooled machine by default. What a job asks for, or what it was given, is its demand; its time limit is the
estimate, its elapsed time the processing time. Rows are dropped and repaired by the rules of the field that
`read_swf` follows, so that a site's own log and an archived one mean the same; the report says which, how often
and where. ``SACCT_COMMAND`` makes a file that has everything.
"""

import os
from collections import Counter
from typing import Literal

import numpy as np

from schedcore.model import Instance
from schedcore.model.arrays import FloatArray
from schedcore.workloads.logs.date_of_time_0 import sacct_origin
from schedcore.workloads.logs.job_tasks import JobShapes, Tasks
from schedcore.workloads.logs.log_rows import MissingEstimate, check_missing_memory
from schedcore.workloads.logs.pool_of_log import PooledResource, check_capacities, instance_of_rows
from schedcore.workloads.logs.sacct_columns import SITE_COLUMNS, SUBMITTERS
from schedcore.workloads.logs.sacct_rows import COLUMNS, SacctRows
from schedcore.workloads.logs.sacct_table import parse_sacct, sacct_header
from schedcore.workloads.logs.site_columns import text_names
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.reading.kept_columns import Keep, kept_columns
from schedcore.workloads.reading.machines_spec import MachineChoice, ResourceUnit
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.report import DataReport, make_report
from schedcore.workloads.reading.report_warnings import Finding
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["SACCT_COMMAND", "read_sacct"]

#: Lines for a shell that write a file with everything that `read_sacct` can use.
SACCT_COMMAND = """\
export SLURM_TIME_FORMAT=%s
F=JobIDRaw,JobID,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,State
F=$F,ReqCPUS,AllocCPUS,NNodes,ReqMem,ReqTRES,AllocTRES,Reason,Reservation
F=$F,Partition,User,Account,QOS,Priority,NodeList
sacct -X -P -a --noconvert --format=$F -S 2024-01-01 -E now > log.sacct"""


@checks_choices
def read_sacct(
    path: FilePath,
    mode: Literal["requested", "allocated"] = "requested",
    memory_capacity: int | None = None,
    missing_estimate: MissingEstimate = "runtime",
    missing_memory: Literal["allocated", "skip"] | int | float | None = None,
    *,
    memory: bool | None = None,
    gpus: bool | None = None,
    processors: int | None = None,
    gpu_capacity: int | None = None,
    machines: MachineChoice | None = None,
    tasks: Tasks | None = None,
    columns: bool | None = None,
    keep: Keep = (),
    on_bad_row: Literal["error", "skip"] = "error",
    release: Literal["eligible", "submit"] = "eligible",
) -> tuple[Instance, DataReport]:
    """Read the output of Slurm's ``sacct``, gzipped or not.

    A file with all columns comes from::

        export SLURM_TIME_FORMAT=%s
        F=JobIDRaw,JobID,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,State
        F=$F,ReqCPUS,AllocCPUS,NNodes,ReqMem,ReqTRES,AllocTRES,Reason,Reservation
        F=$F,Partition,User,Account,QOS,Priority,NodeList
        sacct -X -P -a --noconvert --format=$F -S 2024-01-01 -E now > log.sacct

    The names in the first line decide, other columns are ignored. Needed are JobIDRaw or JobID; Submit; State;
    ElapsedRaw, Elapsed, or Start and End; and the processors: ReqCPUS, AllocCPUS, NCPUS, ReqTRES or AllocTRES.

    Parameters
    ----------
    path : path-like
        The file.
    mode : {"requested", "allocated"}
        Which is the demand: what jobs asked for (what they were given where that is unknown), or the other way
        round. They differ where nodes are given whole.
    memory_capacity : int, optional
        KB of memory of the whole system; default: the largest demand of a job that fits the processors.
    missing_estimate : {"runtime", "error"}
        A job without a time limit gets its run time as the estimate, or is an error.
    missing_memory : {"allocated", "skip"} or number of KB per processor
        What a job takes that asked for no memory, or for all of a node (0): the memory it was allocated, nothing
        (it is dropped), or that number. No default.
    memory, gpus : bool, optional
        Whether memory and GPUs are resources; default: where any job asks for them.
    processors, gpu_capacity : int, optional
        Processors and GPUs of the system; default: the largest demand, because the file does not tell.
    machines : Machines or str, optional
        Several machines (or one) instead of the pool, as ``"120x64,256GB"`` or, with GPUs,
        ``"10x64,256GB,4"``. Excludes the three capacities.
    tasks : {"recorded", "cores", "nodes", "whole"}, optional
        What a job is on these machines. "recorded": as many tasks as it had nodes (NNodes, AllocNodes, node= of
        AllocTRES, ReqNodes), each on a machine of its own, with its share of everything. "cores": as many equal tasks
        as its processors and GPUs divide into. "nodes": as few whole nodes as hold it, for itself alone. "whole": one
        task inside one machine. Default: whole on one machine; on several recorded if the file has nodes, else cores.
    columns : bool, optional
        Whether jobs keep Partition, User, Account, QOS (as `service_class`), Priority, the number of their array, and
        Constraints and the type of their GPUs as a `constraint`. Default: all of these on several machines, on
        one the first four.
    keep : str or sequence of str
        Further columns of the file that become `notes` of the jobs, for group-bys, such as
        ``"JobName,Cluster"``.
    on_bad_row : {"error", "skip"}
        What happens to a row with another number of fields than the first line, with a field that cannot be read, or
        with a time above 2**53 s or a demand above 2**53.
    release : {"eligible", "submit"}
        When jobs are released: when they became eligible (after their begin time, the jobs they depend on, and holds),
        or when they were submitted. A job of which Eligible is unknown is released at Submit. Where Eligible is before
        Submit, Submit counts, and where it is after Start, Start.

    Returns
    -------
    instance : Instance
        Jobs in the order of the file, weight 1, ids the job numbers (array tasks and parts of heterogeneous jobs
        have their own in JobIDRaw) where they are unique, else 0, 1, 2, ...; names such as ``123_4`` and ``123+1``
        from JobID; resources ``processors``, ``memory`` and ``gpus``.
    report : DataReport
        Reasons for dropping, each row for the first that applies: ragged_row, repeated_header, blank_row,
        job_step, repeated_row, unfinished, no_runtime, garbled_row, huge_time, no_processors, no_memory, huge_demand,
        too_big, constraint.

    Raises
    ------
    InvalidInstanceError
        For a damaged file, absent columns (by name), bad rows, an unknown option, a missing choice of
        `missing_memory` (says how many jobs need it), and a file of which no job is left.
    TypeError
        For a capacity that is no integer.
    ImportError
        If pyarrow or pandas is missing; names the extra.

    Notes
    -----
    - Failed, cancelled and preempted jobs that ran are jobs, because they held resources; the report counts the
      states. Runs of a requeued job (``sacct -D``) are jobs of their own, and the ids count rows then.
    - Memory: ``4000Mc`` is per processor and ``16Gn`` per node, as Slurm wrote until 20.11; without such a letter,
      since 21.08, ReqMem is the sum over the job, which ReqTRES has too. A number without a unit is in MB.
    - Times without ``SLURM_TIME_FORMAT=%s`` are local clock times, in which an hour is missing or doubled where the
      clock is changed: run times are safe, they come from the elapsed time, but release times and recorded
      starts jump by the hour.
    - Not modelled, but counted in the report: dependencies (Reason; Eligible has the moment at which they were
      fulfilled, whenever the other jobs end in a schedule), parts of heterogeneous jobs (JobID as ``123+1``), which
      need not start together here, and reservations.
    - Constraints is read where the file has it. A constraint with a ``|`` makes a row that cannot be read, because
      ``sacct -P`` puts nothing in quotes.
    - GPUs of all types are one resource: ``gres/gpu``, else the sum of ``gres/gpu:TYPE``. A TYPE that is a label of
      some machine is a constraint.

    O(file size); each distinct text is read once.
    """
    check_missing_memory(missing_memory)
    capacities = {"processors": processors, "memory_capacity": memory_capacity, "gpu_capacity": gpu_capacity}
    check_capacities(machines, capacities)
    source = os.fspath(path)
    whole_site = columns or (columns is None and machines is not None)
    site = SITE_COLUMNS if whole_site else () if columns is False else SUBMITTERS
    further = kept_columns(keep, sacct_header(path)) if keep else ()
    table = parse_sacct(path, (*COLUMNS, *site, *further))
    rows = SacctRows.of(source, table, release, mode)
    rows.drop_what_is_no_job(on_bad_row)

    processor_demand = rows.processors(mode)
    of_memory = None if memory is not None and not memory else rows.memory(mode, processor_demand)
    of_gpus = None if gpus is not None and not gpus else rows.gpus(mode)
    # What cannot be read of nodes is a bad row only where nodes count.
    nodes = rows.nodes() if machines is not None and tasks in (None, "recorded") else None
    rows.refuse_garbled_rows(on_bad_row)
    rows.refuse_huge_times(on_bad_row)
    rows.ledger.drop(
        "no_processors", "neither requested nor allocated processors known", processor_demand <= 0
    )
    rows.count_repaired_times()
    rows.count_clock_changes()

    demand = [np.where(processor_demand > 0, processor_demand, np.nan)]
    resources = [PooledResource(ResourceUnit("processors"), "processors", processors)]
    assumptions: tuple[str, ...] = ()
    doubt: tuple[Finding, ...] = ()
    if of_memory is not None and memory is None and rows.without_memory_requests(of_memory[0]):
        assumptions = (f"memory is ignored: no job asks for any ({spelled('memory', True)} insists on it)",)
    elif of_memory is not None:
        requested, allocated = of_memory
        how_read = (
            "a number without a unit counts MB, and ReqMem without a letter c or n is the sum over the job"
        )
        doubt = rows.doubtful_memory(requested / np.maximum(processor_demand, 1), how_read)
        filled, assumptions = rows.fill_memory(requested, missing_memory, allocated, processor_demand)
        demand.append(np.ceil(filled))
        unit = ResourceUnit("memory", bytes_per_unit=1024)
        resources.append(PooledResource(unit, "KB of memory", memory_capacity))
    if of_gpus is not None and (gpus or (of_gpus[rows.ledger.kept] > 0).any()):
        demand.append(of_gpus)
        resources.append(PooledResource(ResourceUnit("gpus"), "GPUs", gpu_capacity))
    demands: FloatArray = np.stack(demand, axis=1)
    rows.refuse_huge_demands(demands, on_bad_row)
    if nodes is not None and not (nodes[rows.ledger.kept] > 0).any():
        nodes = None  # the file has them of no job that is left
    shapes = JobShapes(demands[:, 0], None if nodes is None else np.maximum(nodes, 1.0))
    instance, total, assumed, findings = instance_of_rows(
        rows,
        demands,
        resources,
        machines,
        missing_estimate,
        shapes,
        tasks=tasks,
        columns=columns,
        keep={name: text_names(table.columns[name]) for name in further},
    )
    report = make_report(
        source,
        instance,
        ledger=rows.ledger,
        work=rows.work(total),
        units={"time": "s", "processors": "processors", "memory": "KB", "gpus": "GPUs"},
        assumptions=(
            f"demands are {mode}",
            _states(rows),
            *assumptions,
            *assumed,
        ),
        findings=(*findings, *doubt),
        origin=sacct_origin(rows),
        is_batch_log=True,
    )
    return instance, report


def _states(rows: SacctRows) -> str:
    counts = Counter(rows.state[rows.ledger.kept].tolist())
    return "states of the jobs: " + ", ".join(f"{state} {n:,}" for state, n in counts.most_common())
