"""``schedcore run``: one policy on one workload, with the schedule as a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from schedcore.cli import parallel_tasks, preemptive
from schedcore.cli.colocation import evaluate_tasks, write_assignment
from schedcore.cli.compare import TauOption
from schedcore.cli.evaluation import evaluate, print_problems, proven_bounds, tell_who_uses_estimates
from schedcore.cli.files import ForceOption, check_output_file
from schedcore.cli.output import Column, Format, FormatOption, print_csv, print_json, print_table
from schedcore.cli.piece_file import write_pieces
from schedcore.cli.progress import progress_bars
from schedcore.cli.schedule_file import SCHEDULE_SUFFIXES, write_schedule
from schedcore.cli.workload_choice import (
    AllowLossOption,
    CensoredOption,
    MachinesOption,
    MemoryCapacityOption,
    MissingMemoryOption,
    ReadOption,
    SeedOption,
    WorkloadArgument,
    check_policies,
    read_workload,
)
from schedcore.experiments.instance_kinds import works_in_slots
from schedcore.experiments.policy_choice import parse_policy
from schedcore.model import ColocationInstance, MapReduceInstance, ParallelTaskInstance

PolicyArgument = Annotated[
    str,
    typer.Argument(metavar="POLICY", help="NAME or NAME:OPTION=VALUE,... such as mris:placement=list."),
]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write the schedule here, as .parquet or .csv."),
]


def run(
    policy: PolicyArgument,
    workload: WorkloadArgument,
    output: OutputOption = None,
    machines: MachinesOption = None,
    missing_memory: MissingMemoryOption = None,
    memory_capacity: MemoryCapacityOption = None,
    censored: CensoredOption = None,
    read: ReadOption = None,
    seed: SeedOption = None,
    allow_loss: AllowLossOption = False,
    tau: TauOption = 10.0,
    output_format: FormatOption = Format.table,
    force: ForceOption = False,
) -> None:
    """Run one policy, print its figures and write its schedule.

    The file has the columns id, start_time, completion_time and machine, one row a job; validate reads it
    back. Times in the output are in the workload's unit, usually seconds. Of tasks to colocate it has
    the columns task and machine, of jobs of parallel tasks job, task, machine, start_time and end_time, one row
    a piece, and of runs in slots also amount, the cores that the piece holds.
    """
    choice = parse_policy(policy)
    if output is not None:
        check_output_file(output, force, SCHEDULE_SUFFIXES)
    inst, report = read_workload(
        workload, machines, missing_memory, memory_capacity, censored, read, seed, allow_loss
    )
    check_policies(inst, [choice])
    in_slots = works_in_slots(inst, choice.name)
    if isinstance(inst, ColocationInstance):
        with progress_bars() as bars:
            (evaluation,) = evaluate_tasks(inst, [choice], bars)
    elif isinstance(inst, ParallelTaskInstance):
        with progress_bars() as bars:
            (evaluation,) = parallel_tasks.evaluate_parallel_tasks(inst, [choice], bars)
    elif isinstance(inst, MapReduceInstance) or in_slots:
        with progress_bars() as bars:
            (evaluation,) = preemptive.evaluate_in_slots(inst, [choice], bars)
    else:
        tell_who_uses_estimates(inst, [choice], report)
        with progress_bars() as bars:
            evaluation = evaluate(inst, choice, bars, tau, proven_bounds(inst))
    row = evaluation.row()
    if output_format is Format.csv:
        print_csv([row])
    elif output_format is Format.json:
        print_json(row)
    else:
        figures = [{"figure": name, "value": value} for name, value in row.items() if value is not None]
        columns = [Column("figure", "figure", is_text=True), Column("value", "value", _written)]
        print_table(figures, columns, note=report.loss)
    if output is not None and evaluation.schedule is not None:
        if isinstance(inst, ColocationInstance):
            write_assignment(output, evaluation.schedule)
        elif isinstance(inst, (ParallelTaskInstance, MapReduceInstance)) or in_slots:
            write_pieces(output, evaluation.schedule)
        else:
            write_schedule(output, inst, evaluation.schedule)
        print(f"wrote {output}", file=sys.stderr)
    raise typer.Exit(print_problems([evaluation]))


def _written(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_written(entry)}" for name, entry in value.items())
    return (
        f"{value:,.6g}"
        if isinstance(value, float) and abs(value) < 1e6
        else f"{value:,}"
        if isinstance(value, (int, float))
        else str(value)
    )
