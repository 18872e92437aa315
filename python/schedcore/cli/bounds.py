"""``schedcore bounds``: what no schedule of this workload can beat."""

from typing import Annotated

import typer

from schedcore.cli.option_groups import with_option_groups
from schedcore.cli.output import OutputOptions
from schedcore.cli.workload_choice import (
    WorkloadArgument,
    WorkloadOptions,
    as_typed,
)
from schedcore.comparisons.agreement import refuse_options
from schedcore.problems import problem_of
from schedcore.problems.comparison import bounds_of
from schedcore.workloads.reading.option_spelling import spelling_options

SlotsOption = Annotated[
    bool,
    typer.Option(
        "--slots",
        help="Jobs: bounds on flow times for schedules that interrupt, split and slow down jobs, slot by slot.",
    ),
]


@with_option_groups
def bounds(
    workload: WorkloadArgument,
    *,
    options: WorkloadOptions,
    slots: SlotsOption = False,
    out: OutputOptions,
) -> None:
    """Print proven lower bounds on weighted completion time, average response time and makespan.

    Of tasks to colocate: on the largest cost. Of jobs of parallel tasks: on the weighted completion time, from linear
    programs. Of jobs of map and reduce tasks, and of others with --slots: on the sum and the l2 norm of flow times; of
    the others also on the fractional flow time, from a linear program.
    """
    inst, report = options.read_plain(workload, "bounds")
    problem = problem_of(inst, in_slots=slots)
    with spelling_options(as_typed):
        refuse_options(problem, slots=slots)
    out.present(bounds_of(problem, report))
