"""``schedcore compare``: several policies on one workload side by side, or two option sets of one policy."""

import math
from pathlib import Path
from typing import Annotated

import typer

from schedcore.cli.files import ForceOption, prepare_output_folder
from schedcore.cli.findings import agreed_problem, run_policies, tell_findings
from schedcore.cli.option_groups import with_option_groups
from schedcore.cli.output import OutputOptions
from schedcore.cli.workload_choice import (
    WorkloadArgument,
    WorkloadOptions,
)
from schedcore.model.extras import import_extra
from schedcore.problems import DEFAULT_POLICIES, PROBLEMS
from schedcore.problems.comparison import draw, presented
from schedcore.problems.difference import DEFAULTS, parse_option_sets, presented_difference
from schedcore.problems.job_classes import KINDS, check_classes
from schedcore.problems.policy_choice import parse_policies

DEFAULT_WORKLOAD = "azure_like:n_jobs=16000,n_machines=20"
_DRAWN = {problem.title: ", ".join(drawing.name for drawing in problem.drawings) for problem in PROBLEMS}
#: All files that --plot may write.
DRAWINGS = tuple(dict.fromkeys(drawing.name for problem in PROBLEMS for drawing in problem.drawings))

#: What comparisons can be about.
VIEWS = tuple(dict.fromkeys(view for problem in PROBLEMS for view in problem.views))

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
        help=f"Draw into this folder: {'; '.join(f'of {title} {names}' for title, names in _DRAWN.items())}.",
    ),
]
ObjectiveOption = Annotated[
    str | None,
    typer.Option(
        "--objective", metavar="|".join(VIEWS), show_default="wait for logs of batch systems",
        help="What the comparison is about: waits, or an objective with its lower bound.",
    ),
]  # fmt: skip
ClassesOption = Annotated[
    str | None,
    typer.Option(
        "--classes", metavar="|".join(KINDS), show_default=False,
        help="Show waits by class of jobs, too: by demand for a resource (size, size:RESOURCE), by the largest share "
        "of a machine, by processing time, narrow and wide, short and long (shape, shape:RESOURCE), or by who "
        "submitted them.",
    ),
]  # fmt: skip


@with_option_groups
def compare(
    workload: WorkloadArgument = DEFAULT_WORKLOAD,
    policy: PoliciesOption = None,
    against: AgainstOption = None,
    *,
    options: WorkloadOptions,
    tau: TauOption = 10.0,
    classes: ClassesOption = None,
    objective: ObjectiveOption = None,
    out: OutputOptions,
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
    asked = parse_policies(policy or ()) if against is None else parse_option_sets(policy, against)
    if classes is not None:
        check_classes(classes)
    if plot is not None:
        import_extra("matplotlib.figure", "plot")
        prepare_output_folder(plot, force, DRAWINGS)
    read = options.read_workload(workload)
    problem, choices = agreed_problem(read, asked, objective=objective, against=against, classes=classes)
    comparison = run_policies(problem, read.report, choices, tau, classes)
    shown = presented(problem, comparison) if against is None else presented_difference(comparison)
    out.present(shown)
    if plot is not None:
        draw(problem, comparison, plot)
    raise typer.Exit(tell_findings(comparison.evaluations))
