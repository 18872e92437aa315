"""``schedcore compare``: several policies on one workload side by side, or two option sets of one policy."""

import math
from pathlib import Path
from typing import Annotated

import typer

from schedcore import registry
from schedcore.cli.files import ForceOption, prepare_output_folder
from schedcore.cli.findings import agreed_problem, run_policies, tell_findings
from schedcore.cli.help_by_problem import ProblemOption
from schedcore.cli.option_groups import with_option_groups
from schedcore.cli.output import OutputOptions, Telling
from schedcore.cli.report_file import ReportFile, ReportOption
from schedcore.cli.variant_options import VariantOptions
from schedcore.cli.varied_comparison import VARIANTS_DRAWING, VariedComparison
from schedcore.cli.workload_choice import WorkloadArgument, WorkloadOptions, as_typed
from schedcore.comparisons.what_if import refuse_beside_variants
from schedcore.model.extras import import_extra
from schedcore.problems import PROBLEMS, kind_named
from schedcore.problems.comparison import draw, presented
from schedcore.problems.difference import DEFAULTS, parse_option_sets, presented_difference
from schedcore.problems.job_classes import KINDS, check_classes
from schedcore.problems.policy_choice import RECORDED, parse_policies
from schedcore.reporting.content import of_comparison, of_difference
from schedcore.workloads.reading.option_spelling import spelling_options

DEFAULT_WORKLOAD = "azure_like:n_jobs=16000,n_machines=20"
#: All files that --plot may write.
DRAWINGS = (
    *dict.fromkeys(drawing.name for problem in PROBLEMS for drawing in problem.drawings),
    VARIANTS_DRAWING,
)


def _names_of_policies(incomplete: str) -> list[str]:
    """What a shell offers behind -p; options of policies are not completed."""
    names = (RECORDED, *(algorithm.name for algorithm in registry.algorithms()))
    return [name for name in names if name.startswith(incomplete)]


#: What comparisons can be about.
VIEWS = tuple(dict.fromkeys(view for problem in PROBLEMS for view in problem.views))

PoliciesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--policy", "-p", metavar="NAME[:OPTION=VALUE,...]", show_default=False, autocompletion=_names_of_policies,
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
        help="Draw into this folder.",
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
    problem: ProblemOption = None,
    *,
    options: WorkloadOptions,
    variants: VariantOptions,
    tau: TauOption = 10.0,
    classes: ClassesOption = None,
    objective: ObjectiveOption = None,
    out: OutputOptions,
    plot: PlotOption = None,
    report: ReportOption = None,
    force: ForceOption = False,
) -> None:
    """Compare policies on one workload: a table of results, drawings with --plot, and a page with --report."""
    kind = kind_named(problem)
    varied = VariedComparison.of(variants, options)
    asked = parse_policies(policy or ()) if against is None else parse_option_sets(policy, against)
    if classes is not None:
        check_classes(classes)
    if plot is not None:
        import_extra("matplotlib.figure", "plot")
        prepare_output_folder(plot, force, DRAWINGS)
    page = None if report is None else ReportFile.of(report, force)
    if varied is not None:
        with spelling_options(as_typed):
            refuse_beside_variants(against=against, classes=classes)
        raise typer.Exit(varied.run(workload, asked, kind, objective, tau, out, plot, page))
    read = options.read_workload(workload)
    told = Telling()
    asked_of, choices = agreed_problem(
        read, asked, kind, told, objective=objective, against=against, classes=classes
    )
    comparison = run_policies(asked_of, read.report, choices, tau, classes, told)
    shown = presented(asked_of, comparison) if against is None else presented_difference(comparison)
    out.present(shown)
    if plot is not None:
        draw(asked_of, comparison, plot)
    if page is not None:
        content = of_comparison if against is None else of_difference
        page.write(content(asked_of, comparison, told.sentences), workload, options)
    raise typer.Exit(tell_findings(comparison.evaluations))
