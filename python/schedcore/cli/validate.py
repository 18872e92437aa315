"""``schedcore validate``: is this schedule feasible?"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from schedcore.cli.colocation import read_assignment
from schedcore.cli.output import Format, FormatOption, print_csv, print_json
from schedcore.cli.piece_file import holds_pieces, read_pieces
from schedcore.cli.schedule_file import KnownJobsOption, check_schedule
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
    split_release,
)
from schedcore.errors import UnsupportedError
from schedcore.model import ColocationInstance, Instance, MapReduceInstance, ParallelTaskInstance
from schedcore.model import validate as check

_KINDS_IN_SLOTS = ("complete", "partial")

KindOption = Annotated[
    str | None,
    typer.Option(
        "--kind", metavar="migrate|preempt|nonpreempt|complete|partial", show_default=False,
        help="Jobs of parallel tasks: what a task may do: change its machine (the default), be interrupted on its one "
        "machine, or neither. Runs in slots: whether all jobs must be done (complete, the default).",
    ),
]  # fmt: skip


def validate(
    workload: WorkloadArgument,
    schedule: Annotated[
        Path,
        typer.Argument(
            metavar="SCHEDULE",
            help="Schedule as .parquet or .csv, as run writes it; or an SWF log, the output of sacct, or "
            "jobs.csv of Batsim.",
        ),
    ],
    machines: MachinesOption = None,
    missing_memory: MissingMemoryOption = None,
    memory_capacity: MemoryCapacityOption = None,
    censored: CensoredOption = None,
    read: ReadOption = None,
    seed: SeedOption = None,
    allow_loss: AllowLossOption = False,
    known_jobs_only: KnownJobsOption = False,
    kind: KindOption = None,
    output_format: FormatOption = Format.table,
) -> None:
    """Check a schedule exactly; exit code 1 and the first violation if it is not feasible.

    A file of run needs the columns start_time and machine, and id unless its rows are in the order of the jobs.

    Other programs' files are matched by job id; when a job started is the submit time
    plus the wait time in SWF, Start in sacct, starting_time in Batsim's jobs.csv. Submit and run
    times, where there are any, must be those of the workload, and the processors that Batsim names
    are checked one by one. Demands in the file are not compared.

    For tasks to colocate it is a file with the column machine, and task unless its rows are in their order.

    For jobs of parallel tasks it has a row a piece: job, task (its number within the job), machine, start_time
    and end_time; --kind says what tasks may do.

    A file of a run in slots has the same columns, task only for jobs that have tasks, and amount, the cores of the
    piece; --kind partial lets jobs be unfinished.
    """
    release, read = split_release(workload, schedule, read)
    inst, about = read_workload(
        workload, machines, missing_memory, memory_capacity, censored, read, seed, allow_loss
    )
    if not isinstance(inst, Instance):
        refuse_what_needs_jobs(inst, known_jobs_only=known_jobs_only or None)
    may_be_in_slots = isinstance(inst, Instance) and kind in (None, *_KINDS_IN_SLOTS)
    in_slots = isinstance(inst, MapReduceInstance) or (may_be_in_slots and holds_pieces(schedule))
    if kind is not None and not (isinstance(inst, ParallelTaskInstance) or in_slots):
        raise UnsupportedError(
            "--kind: that is about jobs of parallel tasks and about runs in slots (complete, partial)"
        )
    if in_slots and known_jobs_only:
        raise UnsupportedError("--known-jobs-only: that is about jobs that run in one piece")
    if isinstance(inst, ColocationInstance):
        report = check(inst, read_assignment(schedule, inst))
    elif isinstance(inst, (ParallelTaskInstance, MapReduceInstance)) or in_slots:
        has_tasks = not isinstance(inst, Instance)
        report = check(inst, read_pieces(schedule, with_task=has_tasks, with_amount=in_slots), kind=kind)
    else:
        unit = about.units.get(inst.machines.resource_names[0])
        report = check_schedule(schedule, inst, known_jobs_only, release, unit=unit)
    if output_format is Format.csv:
        print_csv([dataclasses.asdict(report)])
    elif output_format is Format.json:
        print_json(dataclasses.asdict(report))
    else:
        print(report.message)
    raise typer.Exit(0 if report.ok else 1)
