"""``schedcore inspect``: what is in a file, and the command for it."""

from schedcore.cli.option_groups import with_option_groups
from schedcore.cli.output import OutputOptions
from schedcore.cli.workload_choice import WorkloadArgument, WorkloadOptions, as_typed
from schedcore.errors import UnsupportedError
from schedcore.inspection import inspect_workload

_OF_RUNS = ("outage", "failures", "cancellations", "killed")


@with_option_groups
def inspect(workload: WorkloadArgument, *, options: WorkloadOptions, out: OutputOptions) -> None:
    """Show what a workload holds and how it is read, and the command that compares policies on it.

    Of a table: rows and columns, what each looks like, and what it is taken for. Of all: jobs, times, demands and the
    offered load over time, with what the reader assumed and warns of. Where somebody has to choose first, it says what,
    with a command for each choice.
    """
    for name in _OF_RUNS:
        if getattr(options, name):
            raise UnsupportedError(
                f"{as_typed(name)}: that is for commands that run policies, and inspect runs none"
            )
    source, given = options.source_and_reader_options(workload)
    out.present(inspect_workload(source, given, as_typed))
