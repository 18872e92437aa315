"""``schedcore compare``: several policies on one workload, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from schedcore.cli.drawings import DRAWINGS, check_drawing_is_possible, write_drawings
from schedcore.cli.evaluation import Evaluation, average_lower_bound, evaluate, print_problems
from schedcore.cli.files import ForceOption, prepare_output_folder
from schedcore.cli.output import Column, Format, FormatOption, print_csv, print_json, print_table
from schedcore.cli.progress import progress_bars
from schedcore.cli.workload_choice import (
    CensoredOption,
    MachinesOption,
    MemoryCapacityOption,
    MissingMemoryOption,
    ReadOption,
    SeedOption,
    WorkloadArgument,
    read_workload,
    unit_of,
)
from schedcore.experiments.policy_choice import parse_policies
from schedcore.model import Instance
from schedcore.plotting.readable import percent, rounded_count, significant
from schedcore.workloads import DataReport

DEFAULT_WORKLOAD = "azure_like:n_jobs=16000,n_machines=20"
DEFAULT_POLICIES = ("mris", "mris:opportunistic=true,replan=always", "pq", "tetris", "bf_exec", "ca_pq")

PoliciesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--policy", "-p", metavar="NAME[:OPTION=VALUE,...]", show_default=" ".join(DEFAULT_POLICIES),
        help="A policy with its options, such as mris:knapsack=greedy,placement=list; repeatable.",
    ),
]  # fmt: skip
TauOption = Annotated[
    float, typer.Option("--tau", min=0, help="Threshold of the bounded slowdown, in seconds.")
]
PlotOption = Annotated[
    Path | None,
    typer.Option("--plot", metavar="DIR", help=f"Draw {', '.join(DRAWINGS)} into this folder."),
]


def compare(
    workload: WorkloadArgument = DEFAULT_WORKLOAD,
    policy: PoliciesOption = None,
    machines: MachinesOption = None,
    missing_memory: MissingMemoryOption = None,
    memory_capacity: MemoryCapacityOption = None,
    censored: CensoredOption = None,
    read: ReadOption = None,
    seed: SeedOption = None,
    tau: TauOption = 10.0,
    output_format: FormatOption = Format.table,
    plot: PlotOption = None,
    force: ForceOption = False,
) -> None:
    """Compare policies on one workload: a table of results, and drawings with --plot.

    Without a workload the built-in azure_like (16000 jobs on 20 machines) is used. Every schedule is
    validated; exit code 1 tells that one is invalid or that a policy failed.
    """
    choices = parse_policies(policy or DEFAULT_POLICIES)
    if plot is not None:
        check_drawing_is_possible()
        prepare_output_folder(plot, force, DRAWINGS)
    inst, report = read_workload(
        workload, machines, missing_memory, memory_capacity, censored, read, seed
    )  # fmt: skip
    with progress_bars() as bars:
        bound = average_lower_bound(inst)
        evaluations = [evaluate(inst, choice, bars, tau, bound) for choice in choices]
    _print(output_format, inst, report, bound, evaluations)
    if plot is not None:
        write_drawings(plot, inst, report, bound, evaluations)
    raise typer.Exit(print_problems(evaluations))


def _print(
    output_format: Format,
    inst: Instance,
    report: DataReport,
    bound: float | None,
    evaluations: list[Evaluation],
) -> None:
    rows = [evaluation.row() for evaluation in evaluations]
    if output_format is Format.csv:
        print_csv(rows)
    elif output_format is Format.json:
        print_json({"workload": report.to_dict(), "lower_bound": bound, "policies": rows})
    else:
        machines = f"{inst.n_machines} machine{'s' * (inst.n_machines != 1)}"
        title = f"{report.source}: {inst.n_jobs:,} jobs on {machines}"
        print_table(rows, comparison_columns(rows, report, bound), title)


def comparison_columns(rows: list[dict[str, Any]], report: DataReport, bound: float | None) -> list[Column]:
    """The columns of the table; each kind of time in the unit that suits its largest value."""

    def time_columns(*columns: tuple[str, str]) -> list[Column]:
        unit = unit_of(report, max((row.get(key) or 0.0 for row in rows for key, _ in columns), default=0.0))
        return [
            Column(key, f"{heading}\n{unit.name}", lambda value: significant(value / unit.length))
            for key, heading in columns
        ]

    return [
        Column("policy", "policy", is_text=True),
        *time_columns(("awct", "AWCT")),
        *([Column("gap", "above\nbound", percent)] if bound else []),
        *time_columns(
            ("avg_wait", "mean\nwait"),
            ("wait_p50", "wait\np50"),
            ("wait_p90", "wait\np90"),
            ("wait_p99", "wait\np99"),
        ),
        Column("avg_bounded_slowdown", "bounded\nslow-\ndown", significant),
        *time_columns(("makespan", "make-\nspan")),
        Column("jobs_per_second", "jobs/s", rounded_count),
        Column("verdict", "check", is_text=True),
    ]
