"""``schedcore validate``: is this schedule feasible?"""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from schedcore.cli.option_groups import with_option_groups
from schedcore.cli.output import OutputOptions
from schedcore.cli.workload_choice import (
    KnownJobsOption,
    WorkloadArgument,
    WorkloadOptions,
    as_typed,
)
from schedcore.comparisons.agreement import refuse_options
from schedcore.problems import PROBLEMS, problem_of_schedule
from schedcore.problems.presentation import Presentation
from schedcore.workloads.reading.option_spelling import spelling_options

_SCHEDULE_KINDS = dict.fromkeys(kind for problem in PROBLEMS for kind in problem.schedule_kinds)

KindOption = Annotated[
    str | None,
    typer.Option(
        "--kind", metavar="|".join(_SCHEDULE_KINDS), show_default=False,
        help="Jobs of parallel tasks: what a task may do: change its machine (the default), be interrupted on its one "
        "machine, or neither. Runs in slots: whether all jobs must be done (complete, the default).",
    ),
]  # fmt: skip


@with_option_groups
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
    *,
    options: WorkloadOptions,
    known_jobs_only: KnownJobsOption = False,
    kind: KindOption = None,
    out: OutputOptions,
) -> None:
    """Check a schedule exactly, and print what it is worth; exit code 1 and the first violation if it is infeasible.

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
    release, options = options.split_release(workload, schedule)
    inst, about = options.read_plain(workload, "validate")
    problem = problem_of_schedule(inst, schedule, kind)
    with spelling_options(as_typed):
        refuse_options(problem, known_jobs_only=known_jobs_only, kind=kind)
        found, checked = problem.check_file(
            schedule, about, kind=kind, known_jobs_only=known_jobs_only, release=release
        )
    row = dataclasses.asdict(found)
    del row["run"]  # no file of these holds runs
    figures, tables = problem.figures_of_file(
        checked, about, schedule.name, "feasible" if found.ok else "INFEASIBLE"
    )
    row |= figures
    out.present(Presentation([row], row, (found.message, *tables)))
    raise typer.Exit(0 if found.ok else 1)
