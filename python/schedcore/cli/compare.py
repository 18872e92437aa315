"""``schedcore compare``: several policies on one workload side by side, or two option sets of one policy."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from schedcore.cli import parallel_tasks, preemptive
from schedcore.cli.class_table import (
    ClassesOption,
    check_classes,
    class_rows,
    job_classes,
    print_class_table,
)
from schedcore.cli.colocation import (
    DEFAULT_ALGORITHMS,
    evaluate_tasks,
    print_comparison,
)
from schedcore.cli.difference import DEFAULTS, parse_option_sets, print_difference
from schedcore.cli.drawings import (
    ASSIGNMENTS,
    CURVES,
    DRAWINGS,
    PIECES,
    check_drawing_is_possible,
    write_assignments,
    write_curves,
    write_drawings,
    write_pieces_drawing,
)
from schedcore.cli.evaluation import (
    FIGURE_OF,
    Bounds,
    Evaluation,
    evaluate,
    print_problems,
    proven_bounds,
    tell_who_uses_estimates,
)
from schedcore.cli.files import ForceOption, prepare_output_folder
from schedcore.cli.output import Column, Format, FormatOption, print_csv, print_json, print_table
from schedcore.cli.progress import progress_bars
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
    refuse_what_needs_jobs,
    refuse_what_needs_whole_jobs,
    unit_of,
)
from schedcore.experiments.policy_choice import PolicyChoice, parse_policies
from schedcore.model import ColocationInstance, Instance, MapReduceInstance, ParallelTaskInstance
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
AgainstOption = Annotated[
    str | None,
    typer.Option(
        "--against", metavar="OPTION=VALUE,...", show_default=False,
        help="Run the one --policy a second time with these options instead of its own, and print the difference; "
        f"{DEFAULTS} stands for no options.",
    ),
]  # fmt: skip


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not finite")
    return value


TauOption = Annotated[
    float,
    typer.Option("--tau", min=0, callback=_finite, help="Threshold of the bounded slowdown, in seconds."),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="DIR",
        help=f"Draw {', '.join(DRAWINGS)} into this folder; of tasks to colocate {ASSIGNMENTS}, of jobs of parallel "
        f"tasks {PIECES}, of runs in slots also {CURVES}.",
    ),
]


def compare(
    workload: WorkloadArgument = DEFAULT_WORKLOAD,
    policy: PoliciesOption = None,
    against: AgainstOption = None,
    machines: MachinesOption = None,
    missing_memory: MissingMemoryOption = None,
    memory_capacity: MemoryCapacityOption = None,
    censored: CensoredOption = None,
    read: ReadOption = None,
    seed: SeedOption = None,
    allow_loss: AllowLossOption = False,
    tau: TauOption = 10.0,
    classes: ClassesOption = None,
    output_format: FormatOption = Format.table,
    plot: PlotOption = None,
    force: ForceOption = False,
) -> None:
    """Compare policies on one workload: a table of results, and drawings with --plot.

    Without a workload the built-in azure_like (16000 jobs on 20 machines) is used. Every schedule is
    validated; exit code 1 tells that one is invalid or that a policy failed.

    With --against it is one policy under two sets of options, such as
    -p easy --against "selection=bb!,queue_depth=100": what changes, in each figure and for the jobs.

    A workload of tasks to colocate, such as colocation_grid:cls=3,n_types=4,n_tasks=200,n_machines=10,
    is compared by the largest cost of a task, and one of jobs of parallel tasks by the weighted average completion
    time, each by default with the policies of that problem. Policies that cut jobs into slots, such as -p ocorp
    -p srpt, are compared by norms of flow times; so are those of jobs of map and reduce tasks.
    """
    several = policy or DEFAULT_POLICIES
    choices = parse_policies(several) if against is None else parse_option_sets(policy, against)
    if classes is not None:
        check_classes(classes)
    if plot is not None:
        check_drawing_is_possible()
        prepare_output_folder(plot, force, (*DRAWINGS, ASSIGNMENTS, PIECES, CURVES))
    inst, report = read_workload(
        workload, machines, missing_memory, memory_capacity, censored, read, seed, allow_loss
    )  # fmt: skip
    if not isinstance(inst, Instance):
        refuse_what_needs_jobs(inst, against=against, classes=classes)
        evaluations = _compare_tasks(output_format, inst, report, policy, plot)
        raise typer.Exit(print_problems(evaluations))
    check_policies(inst, choices)
    if preemptive.runs_in_slots(inst, choices):
        refuse_what_needs_whole_jobs(against=against, classes=classes)
        raise typer.Exit(print_problems(_compare_in_slots(output_format, inst, report, choices, plot)))
    tell_who_uses_estimates(inst, choices, report)
    chosen = None if classes is None else job_classes(classes, inst, report)
    with progress_bars() as bars:
        bounds = proven_bounds(inst)
        evaluations = [evaluate(inst, choice, bars, tau, bounds) for choice in choices]
    by_class = None if chosen is None else class_rows(inst, evaluations, chosen, tau)
    if against is None:
        _print(output_format, inst, report, bounds, evaluations, by_class)
    else:
        first, second = evaluations
        print_difference(output_format, inst, report, first, second, by_class)
    if chosen is not None and by_class is not None and output_format is Format.table:
        print_class_table(by_class, chosen, report)
    if plot is not None:
        write_drawings(plot, inst, report, bounds, evaluations)
    raise typer.Exit(print_problems(evaluations))


def _compare_tasks(
    output_format: Format,
    inst: ColocationInstance | ParallelTaskInstance | MapReduceInstance,
    report: DataReport,
    policy: list[str] | None,
    plot: Path | None,
) -> list[Evaluation]:
    """Compare what is no list of jobs, in the figures of its kind."""
    if isinstance(inst, ColocationInstance):
        choices = parse_policies(policy or DEFAULT_ALGORITHMS)
        check_policies(inst, choices)
        with progress_bars() as bars:
            evaluations = evaluate_tasks(inst, choices, bars)
        print_comparison(output_format, inst, report, evaluations)
        if plot is not None:
            write_assignments(plot, inst, evaluations)
        return evaluations
    if isinstance(inst, MapReduceInstance):
        choices = parse_policies(policy or preemptive.DEFAULT_POLICIES)
        check_policies(inst, choices)
        return _compare_in_slots(output_format, inst, report, choices, plot)
    choices = parse_policies(policy or parallel_tasks.default_algorithms(inst))
    check_policies(inst, choices)
    with progress_bars() as bars:
        evaluations = parallel_tasks.evaluate_parallel_tasks(inst, choices, bars)
    parallel_tasks.print_comparison(output_format, inst, report, evaluations)
    parallel_tasks.tell_the_bound(evaluations)
    if plot is not None:
        write_pieces_drawing(plot, inst, report, evaluations)
    return evaluations


def _compare_in_slots(
    output_format: Format,
    inst: Instance | MapReduceInstance,
    report: DataReport,
    choices: list[PolicyChoice],
    plot: Path | None,
) -> list[Evaluation]:
    """Compare preemptive policies that cut jobs into slots."""
    with progress_bars() as bars:
        evaluations = preemptive.evaluate_in_slots(inst, choices, bars)
    preemptive.print_comparison(output_format, inst, report, evaluations)
    if plot is not None:
        write_pieces_drawing(plot, inst, report, evaluations)
        write_curves(plot, inst, report, evaluations)
    return evaluations


def _print(
    output_format: Format,
    inst: Instance,
    report: DataReport,
    bounds: Bounds,
    evaluations: list[Evaluation],
    by_class: list[dict[str, Any]] | None,
) -> None:
    rows = [evaluation.row() for evaluation in evaluations]
    if output_format is Format.csv:
        print_csv(rows if by_class is None else by_class)
    elif output_format is Format.json:
        classes = {} if by_class is None else {"classes": by_class}
        print_json({"workload": report.to_dict(), "lower_bounds": bounds, "policies": rows, **classes})
    else:
        machines = f"{inst.n_machines} machine{'s' * (inst.n_machines != 1)}"
        title = f"{report.source}: {inst.n_jobs:,} jobs on {machines}"
        print_table(rows, comparison_columns(rows, report, bounds), title, report.loss)


def comparison_columns(rows: list[dict[str, Any]], report: DataReport, bounds: Bounds) -> list[Column]:
    """The columns of the table; each kind of time in the unit that suits its largest value.

    An objective is shown for all policies, beside its own bound, where one of them is made for it (makespan: always).
    Where that is the response time, so are the longest wait and who was overtaken.
    """

    def time_columns(*columns: tuple[str, str]) -> list[Column]:
        unit = unit_of(report, max((row.get(key) or 0.0 for row in rows for key, _ in columns), default=0.0))
        return [
            Column(key, f"{heading}\n{unit.name}", lambda value: significant(value / unit.length))
            for key, heading in columns
        ]

    def objective_columns(objective: str, heading: str) -> list[Column]:
        if not any(row["objective"] == objective for row in rows):
            return []
        figure = FIGURE_OF[objective]
        gap = [Column(f"{figure}_gap", "above\nbound", percent)] if bounds[objective] else []
        return [*time_columns((figure, heading)), *gap]

    is_about_queues = any(row["objective"] == "average_response_time" for row in rows)
    return [
        Column("policy", "policy", is_text=True),
        *objective_columns("awct", "AWCT"),
        *objective_columns("average_response_time", "mean\nresponse"),
        *time_columns(
            ("avg_wait", "mean\nwait"),
            ("wait_p50", "wait\np50"),
            ("wait_p90", "wait\np90"),
            ("wait_p99", "wait\np99"),
        ),
        *(time_columns(("max_wait", "longest\nwait")) if is_about_queues else []),
        Column("avg_bounded_slowdown", "bounded\nslow-\ndown", significant),
        *([Column("overtaken_share", "over-\ntaken", percent)] if is_about_queues else []),
        *time_columns(("makespan", "make-\nspan")),
        Column("jobs_per_second", "jobs/s", rounded_count),
        Column("verdict", "check", is_text=True),
    ]
