"""``schedcore bounds``: what no schedule of this workload can beat."""

from __future__ import annotations

from typing import Annotated

import typer

from schedcore.bounds import average_response_time_lower_bound, lower_bounds, makespan_lower_bound
from schedcore.bounds.rounding import mean_up_to
from schedcore.cli import parallel_tasks, preemptive
from schedcore.cli.colocation import print_bounds
from schedcore.cli.output import Column, Format, FormatOption, print_csv, print_json, print_table
from schedcore.cli.workload_choice import (
    AllowLossOption,
    CensoredOption,
    MachinesOption,
    MemoryCapacityOption,
    MissingMemoryOption,
    ReadOption,
    SeedOption,
    WorkloadArgument,
    read_workload,
    refuse_what_needs_jobs,
    unit_of,
)
from schedcore.model import ColocationInstance, MapReduceInstance, ParallelTaskInstance
from schedcore.plotting import readable_time

SlotsOption = Annotated[
    bool,
    typer.Option(
        "--slots",
        help="Jobs: bounds on flow times for schedules that interrupt, split and slow down jobs, slot by slot.",
    ),
]


def bounds(
    workload: WorkloadArgument,
    machines: MachinesOption = None,
    missing_memory: MissingMemoryOption = None,
    memory_capacity: MemoryCapacityOption = None,
    censored: CensoredOption = None,
    read: ReadOption = None,
    seed: SeedOption = None,
    allow_loss: AllowLossOption = False,
    slots: SlotsOption = False,
    output_format: FormatOption = Format.table,
) -> None:
    """Print proven lower bounds on weighted completion time, average response time and makespan.

    Of tasks to colocate: on the largest cost. Of jobs of parallel tasks: on the weighted completion time, from linear
    programs. Of jobs of map and reduce tasks, and of others with --slots: on the sum and the l2 norm of flow times; of
    the others also on the fractional flow time, from a linear program.
    """
    inst, report = read_workload(
        workload, machines, missing_memory, memory_capacity, censored, read, seed, allow_loss
    )
    if isinstance(inst, ColocationInstance | ParallelTaskInstance):
        refuse_what_needs_jobs(inst, slots=slots or None)
    if isinstance(inst, ColocationInstance):
        print_bounds(output_format, inst)
        return
    if isinstance(inst, ParallelTaskInstance):
        parallel_tasks.print_bounds(output_format, inst, report)
        return
    if slots or isinstance(inst, MapReduceInstance):
        preemptive.print_bounds(output_format, inst, report)
        return
    rows = [
        {
            "bound": name,
            "objective": "weighted_completion",
            "value": float(value),
            "value_per_job": mean_up_to(value, inst.n_jobs),
        }
        for name, value in lower_bounds(inst).items()
    ]
    response_time = float(average_response_time_lower_bound(inst))
    rows.append({"bound": "response", "objective": "average_response_time", "value": response_time})
    rows.append({"bound": "makespan", "objective": "makespan", "value": float(makespan_lower_bound(inst))})
    if output_format is Format.csv:
        print_csv(rows)
    elif output_format is Format.json:
        print_json(rows)
    else:
        for row in rows:
            readable = float(str(row.get("value_per_job", row["value"])))
            row["readable"] = readable_time(readable, unit_of(report, readable))
        columns = [
            Column("bound", "bound", is_text=True),
            Column("objective", "objective", is_text=True),
            Column("value", "value", lambda value: f"{value:,.6g}"),
            Column("readable", "per job (AWCT),\nresponse or\nmakespan"),
        ]
        print_table(rows, columns, note=report.loss)
