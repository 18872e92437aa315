"""``schedcore calibrate``: what really happened against what policies would have done."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from schedcore.cli.compare import PoliciesOption, TauOption
from schedcore.cli.files import ForceOption, prepare_output_folder
from schedcore.cli.findings import agreed_problem, tell_findings
from schedcore.cli.option_groups import with_option_groups
from schedcore.cli.output import OutputOptions, tell
from schedcore.cli.variant_options import WorkersOption
from schedcore.cli.workload_choice import WorkloadArgument, WorkloadOptions, options_of_reader
from schedcore.comparisons.progress import progress_bars
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model.extras import import_extra
from schedcore.problems.calibration import CANDIDATES, calibration_of, presented_calibration
from schedcore.problems.comparison import draw_waits
from schedcore.problems.evaluation import Comparison
from schedcore.problems.parallel_runs import Run, evaluate_all, n_workers
from schedcore.problems.policy_choice import parse_policies
from schedcore.workloads.file_kind import kind_of_file

_DRAWN = 4  # of the closest policies
_DRAWING = "queuing_delay.png"

PlotOption = Annotated[
    Path | None,
    typer.Option(
        "--plot", metavar="DIR", help=f"Draw recorded and closest waits into this folder: {_DRAWING}."
    ),
]


@with_option_groups
def calibrate(
    workload: WorkloadArgument,
    policy: PoliciesOption = None,
    *,
    options: WorkloadOptions,
    workers: WorkersOption = None,
    tau: TauOption = 10.0,
    out: OutputOptions,
    plot: PlotOption = None,
    force: ForceOption = False,
) -> None:
    """Compare recorded waits with simulated ones: which policy and settings come closest to what really happened?

    The log has to say when its jobs started. Distance is the mean difference between the sorted waits; per job is the
    mean difference job by job. Then the closest policy stands beside what was recorded by shape of the jobs and by
    week, and what of the log's own schedule cannot have been so is told in figures. A log that tells processors in its
    header needs no options; memory counts where --missing-memory or --machines says how much there is.

    -p names the policies to try, in place of the usual dozen.
    """
    choices = parse_policies(policy or CANDIDATES)
    choices = [choice for choice in choices if not choice.is_recorded]
    if not choices:
        raise InvalidInstanceError("calibrate compares what was recorded with policies; name another one")
    if plot is not None:
        import_extra("matplotlib.figure", "plot")
        prepare_output_folder(plot, force, (_DRAWING,))
    read = _as_usual(options, workload).read_workload(workload)
    if read.incidents is not None:
        raise UnsupportedError(
            "--failures, --cancellations: what was recorded is compared with runs of the same jobs to their end"
        )
    problem, able = agreed_problem(read, choices)
    tell(problem.notes(able, read.report))

    with progress_bars() as step:
        found = calibration_of(
            problem.inst,
            read.report,
            able,
            lambda asked: evaluate_all(
                [Run(problem, choice) for choice in asked], step, tau=tau, workers=n_workers(workers)
            ),
            tau,
        )
    out.present(presented_calibration(found, read.report))
    if plot is not None:
        shown = [found.recorded, *found.simulated[:_DRAWN]]
        draw_waits(Comparison(problem.inst, read.report, shown, {}), plot / _DRAWING)
    raise typer.Exit(tell_findings([*found.simulated, *found.failed]))


def _as_usual(options: WorkloadOptions, source: str) -> WorkloadOptions:
    """Of an SWF log processors alone, where nobody says anything of memory: few logs tell how much of it there was."""
    said = (options.machines, options.missing_memory, options.memory_capacity)
    if not os.path.isfile(source) or kind_of_file(source) != "swf" or any(word is not None for word in said):
        return options
    if "n_resources" in options_of_reader(options.read):
        return options
    return replace(options, read=[*(options.read or []), "n_resources=1"])
