"""``schedcore run``: one policy on one workload, with the schedule as a file."""

from pathlib import Path
from typing import Annotated

import typer

from schedcore.cli.compare import TauOption
from schedcore.cli.files import ForceOption, check_output_file
from schedcore.cli.findings import agreed_problem, run_policies, tell_findings
from schedcore.cli.option_groups import with_option_groups
from schedcore.cli.output import OutputOptions, tell
from schedcore.cli.workload_choice import (
    WorkloadArgument,
    WorkloadOptions,
)
from schedcore.problems.policy_choice import parse_policy
from schedcore.problems.presentation import Column, Presentation, Table
from schedcore.problems.schedules.table_file import SCHEDULE_SUFFIXES, write_table

PolicyArgument = Annotated[
    str,
    typer.Argument(metavar="POLICY", help="NAME or NAME:OPTION=VALUE,... such as mris:placement=list."),
]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write the schedule here, as .parquet or .csv."),
]


@with_option_groups
def run(
    policy: PolicyArgument,
    workload: WorkloadArgument,
    output: OutputOption = None,
    *,
    options: WorkloadOptions,
    tau: TauOption = 10.0,
    out: OutputOptions,
    force: ForceOption = False,
) -> None:
    """Run one policy, print its figures and write its schedule.

    The file has the columns id, start_time, completion_time and machine, one row a job, and allocation where jobs have
    several tasks; validate reads it back. With --failures or --cancellations it has one row a run: id, attempt,
    start_time, end_time, outcome, machine and allocation. Times in the output are in the workload's unit, usually
    seconds. Of tasks to colocate it has the columns task and machine, of jobs of parallel tasks job, task, machine,
    start_time and end_time, one row a piece, and of runs in slots also amount, the cores that the piece holds.
    """
    choice = parse_policy(policy)
    if output is not None:
        check_output_file(output, force, SCHEDULE_SUFFIXES)
    read = options.read_workload(workload)
    problem, choices = agreed_problem(read, [choice])
    (evaluation,) = run_policies(problem, read.report, choices, tau).evaluations
    row = evaluation.row()
    figures = [{"figure": name, "value": value} for name, value in row.items() if value is not None]
    columns = [Column("figure", "figure", is_text=True), Column("value", "value", _written)]
    out.present(Presentation([row], row, (Table(figures, columns, note=read.report.loss),)))
    if output is not None and evaluation.schedule is not None:
        write_table(output, problem.table_of(evaluation))
        tell([f"wrote {output}"])
    raise typer.Exit(tell_findings([evaluation]))


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
