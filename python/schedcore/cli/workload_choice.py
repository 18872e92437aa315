"""The workload options that several commands share, and reading what they name.

A workload is a log (SWF, sacct, Azure), any table of jobs, an instance as Parquet, what is piped in, or a generator
such as ``azure_like:n_jobs=64000``.
Times count as seconds unless its data report names another unit.
"""

import inspect
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self

import typer

from schedcore.cli.option_groups import option_group
from schedcore.comparisons.agreement import ReadWorkload
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import AnyInstance
from schedcore.model.incidents import KILLED
from schedcore.problems import PROBLEMS
from schedcore.problems.policy_choice import parse_value
from schedcore.workloads.file_kind import kind_of_file
from schedcore.workloads.generators import with_seed
from schedcore.workloads.loading import STANDARD_INPUT, load
from schedcore.workloads.logs.sacct import read_sacct
from schedcore.workloads.outages.disturbances import Disturbances
from schedcore.workloads.reading.option_spelling import spelling_options
from schedcore.workloads.reading.report import DataReport

_ABOUT = next(iter(PROBLEMS)).help_on_workloads  # of the usual kind

WorkloadArgument = Annotated[str, typer.Argument(metavar="WORKLOAD", help=_ABOUT, show_default=False)]
MachinesOption = Annotated[
    str | None,
    typer.Option(
        "--machines", "-m", metavar="SPEC|FILE", show_default=False,
        help="Machines as COUNTxAMOUNT,AMOUNT,... such as 20x64,448GB, kinds joined by +; "
        "a COUNT alone means that many of the workload's usual hosts. Or a CSV file with the columns name, "
        "weight, labels and one for each resource.",
    ),
]  # fmt: skip
MissingMemoryOption = Annotated[
    str | None,
    typer.Option(
        "--missing-memory", metavar="skip|used|allocated|KB", show_default=False,
        help="SWF, sacct: what jobs without a memory request take: they are skipped, take what they used (SWF) "
        "or were allocated (sacct), or so many KB per processor.",
    ),
]  # fmt: skip
MemoryCapacityOption = Annotated[
    int | None,
    typer.Option("--memory-capacity", metavar="KB", show_default=False, help="SWF, sacct: memory of the system."),
]  # fmt: skip
ColumnsOption = Annotated[
    str | None,
    typer.Option(
        "--columns", metavar="ROLE=COLUMN[:UNIT],...", show_default=False,
        help="Tables of jobs: what columns mean, such as submit=created_at,runtime=secs,cpus=vcpu,memory=mem:MB, where "
        "their names do not say it; schedcore inspect shows what they say.",
    ),
]  # fmt: skip
TasksOption = Annotated[
    str | None,
    typer.Option(
        "--tasks", metavar="cores|nodes|recorded|whole", show_default=False,
        help="SWF, sacct, tables, on several machines: what a job is: a task for each processor, as few whole nodes as "
        "hold it, as many tasks as sacct says nodes, or one task inside one machine. Default: as the log says, else "
        "cores.",
    ),
]  # fmt: skip
CensoredOption = Annotated[
    str | None,
    typer.Option(
        "--censored", metavar="keep|drop", show_default=False,
        help="Azure VM table, Google: whether what still runs at the end counts with the lifetime seen so far.",
    ),
]  # fmt: skip
ReadOption = Annotated[
    list[str] | None,
    typer.Option(
        "--read", metavar="OPTION=VALUE", show_default=False,
        help="Any other option of the reader, such as n_resources=1 or status_rule=ignore; repeatable.",
    ),
]  # fmt: skip
KnownJobsOption = Annotated[
    bool,
    typer.Option(
        "--known-jobs-only",
        help="Leave out jobs of the schedule that the workload does not have, such as those that its reader dropped.",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, show_default=False, help="Seed of what is drawn (generators: 1)."),
]  # fmt: skip
OutageOption = Annotated[
    list[str] | None,
    typer.Option(
        "--outage", metavar="HOSTS START LENGTH|FILE", show_default=False,
        help="Maintenance that is known in advance, such as 'n[1-4] 2026-12-01T08:00 8h' or 'all 2d 6h': a hostlist or "
        "all, a date or the time since the start of the log, and how long or until which date; or a CSV file with the "
        "columns machine, start and end. Repeatable.",
    ),
]  # fmt: skip
FailuresOption = Annotated[
    str | None,
    typer.Option(
        "--failures", metavar="FILE|WORDS", show_default=False,
        help="Failures of machines, which kill what runs there: a CSV file with the columns machine, start and end, or "
        "words that draw them, 'mtbf=30d mttr=4h seed=1' (mean times between failures and to repair of a machine).",
    ),
]  # fmt: skip
CancellationsOption = Annotated[
    Path | None,
    typer.Option(
        "--cancellations", metavar="FILE", show_default=False,
        help="Jobs that are cancelled: a CSV file with the columns id and time.",
    ),
]  # fmt: skip
KilledOption = Annotated[
    str | None,
    typer.Option(
        "--killed", metavar="|".join(KILLED), show_default=False,
        help="What becomes of a job whose machine fails: it starts anew (the default), is gone, or goes on from its "
        "last checkpoint, as far as the workload says that it has some.",
    ),
]  # fmt: skip
AllowLossOption = Annotated[
    bool,
    typer.Option(
        "--allow-loss", help="Go on where more than 10 % of any resource's work is left out by the reader."
    ),
]

_OWN_OPTIONS = (
    "machines",
    "columns",
    "tasks",
    "missing_memory",
    "memory_capacity",
    "censored",
    "seed",
    "outage",
    "failures",
    "cancellations",
    "killed",
    "against",
    "against_machines",
    "classes",
    "estimates",
    "kind",
    "load",
    "objective",
    "problem",
    "slots",
    "sweep",
)  # the others: by --read
_FLAGS = ("known_jobs_only", "allow_loss")


@option_group
@dataclass(frozen=True)
class WorkloadOptions:
    """How a workload is read; an option that is not given is None, or False."""

    machines: MachinesOption = None
    columns: ColumnsOption = None
    tasks: TasksOption = None
    missing_memory: MissingMemoryOption = None
    memory_capacity: MemoryCapacityOption = None
    censored: CensoredOption = None
    read: ReadOption = None
    seed: SeedOption = None
    outage: OutageOption = None
    failures: FailuresOption = None
    cancellations: CancellationsOption = None
    killed: KilledOption = None
    allow_loss: AllowLossOption = False

    def read_workload(self, source: str, *, disturbed: bool = True) -> ReadWorkload:
        """Load the workload of that name, of whatever kind, and print its data report to stderr.

        Without what disturbs it unless `disturbed`: that depends on the machines, which may vary.

        Raises
        ------
        InvalidInstanceError
            As `load` does, with options as the command line writes them, and for a report that says that a command
            should not go on; a loss of work is such a reason unless `allow_loss` is given. Whatever outages, failures
            and cancellations do not say rightly.
        UnsupportedError
            For these where the workload has no jobs that run in one piece.
        """
        inst, report = self.read_undisturbed(source)
        with spelling_options(as_typed):
            warnings, reason = report.warnings_and_refusal(self.allow_loss)
            disturbances = self.disturbances if disturbed else Disturbances()
            inst, incidents = disturbances.of(inst, report.origin)
        _tell_report(report, warnings, reason)
        return ReadWorkload(inst, report, incidents)

    @property
    def disturbances(self) -> Disturbances:
        """What disturbs the workload."""
        return Disturbances(tuple(self.outage or ()), self.failures, self.cancellations, self.killed)

    def read_undisturbed(self, source: str) -> tuple[AnyInstance, DataReport]:
        """Load a workload without what disturbs it, and without telling of it."""
        named, options = self.source_and_reader_options(source)
        with spelling_options(as_typed):
            return load(named, **options)

    def source_and_reader_options(self, source: str) -> tuple[str, dict[str, Any]]:
        """Return the name of the workload for `load`, of a generator with its seed, and the options of its reader.

        Raises
        ------
        InvalidInstanceError
            For an option that is given twice, and a seed of what draws nothing.
        """
        is_file = os.path.exists(source) or source == STANDARD_INPUT
        own = {
            "columns": self.columns,
            "missing_memory": None if self.missing_memory is None else parse_value(self.missing_memory),
            "memory_capacity": self.memory_capacity,
            "tasks": self.tasks,
            "censored": self.censored,
            "machines": self.machines,
            "seed": self.seed if is_file else None,
        }
        options: dict[str, Any] = {name: value for name, value in own.items() if value is not None}
        for name, value in options_of_reader(self.read).items():
            if name in options:
                raise InvalidInstanceError(
                    f"--read {name} is given twice, as {as_typed(name, options[name])} too"
                )
            options[name] = value
        with spelling_options(as_typed):
            return source if is_file else with_seed(source, self.seed), options

    def read_plain(self, source: str, command: str) -> tuple[AnyInstance, DataReport]:
        """Load a workload for a command that runs no policy, to which what happens unannounced means nothing."""
        for name in ("failures", "cancellations", "killed"):
            if getattr(self, name) is not None:
                raise UnsupportedError(
                    f"{as_typed(name)}: that is for commands that run policies, and {command} runs none"
                )
        return self.read_workload(source)[:2]

    def split_release(self, workload: str, schedule: Path | None) -> tuple[Any, Self]:
        """When jobs of sacct count as released, None where nobody says it; and the options for the workload.

        They are the options for the schedule too where that comes from sacct and the workload does not.
        """
        release = options_of_reader(self.read).get("release")
        if os.path.isfile(workload) and kind_of_file(workload) == "sacct":
            return release or inspect.signature(read_sacct).parameters["release"].default, self
        if release is None or schedule is None or kind_of_file(schedule) != "sacct":
            return None, self
        others = [part for part in self.read or () if part.partition("=")[0].strip() != "release"]
        return release, replace(self, read=others)


def _tell_report(report: DataReport, warnings: Sequence[str], reason: str) -> None:
    """Print a data report to stderr; raise an `InvalidInstanceError` where a command should not go on."""
    print(report.account(), file=sys.stderr)
    for sentence in warnings:
        print(f"WARNING: {sentence}", file=sys.stderr)
    if reason:
        raise InvalidInstanceError(reason)


def options_of_reader(read: Sequence[str] | None) -> dict[str, Any]:
    """What the options --read say.

    Raises
    ------
    InvalidInstanceError
        For one that is not option=value, and one that is given twice.
    """
    options: dict[str, Any] = {}
    for part in read or ():
        name, equals, value = (piece.strip() for piece in part.partition("="))
        name = name.replace("-", "_")
        if not equals or not value:
            raise InvalidInstanceError(f"--read {part!r} is not option=value")
        if name == "source":  # a parameter of `load`, but not of a reader
            raise InvalidInstanceError("--read source: the workload is named without an option")
        if name in options:
            raise InvalidInstanceError(f"--read {name} is given twice")
        options[name] = value if name == "machines" else parse_value(value)
    return options


def as_typed(name: str, *value: object) -> str:
    """An option with its value as it is typed in a shell, or the option alone."""
    option = f"--{name.replace('_', '-')}"
    if name in _FLAGS:
        return option
    given = "".join(str(one).lower() if isinstance(one, bool) else str(one) for one in value)
    if name == "columns" and all(isinstance(one, bool) for one in value):
        return f"--read columns={given}" if value else "--read columns"  # the flag of logs
    if name == "columns":
        given = shlex.quote(given)
    if name in _OWN_OPTIONS:
        return f"{option} {given}".strip()
    return f"--read {name}={given}" if value else f"--read {name}"
