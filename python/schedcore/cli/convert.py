"""``schedcore convert``: a workload, and a schedule of it, in the formats of other programs."""

from pathlib import Path
from typing import Annotated

import typer

from schedcore.cli.files import ForceOption, check_output_file
from schedcore.cli.option_groups import with_option_groups
from schedcore.cli.output import tell
from schedcore.cli.workload_choice import (
    KnownJobsOption,
    WorkloadArgument,
    WorkloadOptions,
    as_typed,
)
from schedcore.errors import InvalidInstanceError
from schedcore.problems import problem_of
from schedcore.workloads.reading.option_spelling import spelling_options


@with_option_groups
def convert(
    workload: WorkloadArgument,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write here: the instance as .parquet, a log as .swf or .swf.gz, or, with --schedule, the "
            "jobs.csv of Batsim as .csv.",
        ),
    ],
    schedule: Annotated[
        Path | None,
        typer.Option(
            "--schedule",
            metavar="FILE",
            show_default=False,
            help="A schedule of the workload, in any form that validate reads: its wait times go into the SWF "
            "log, and Batsim's jobs.csv is all about it.",
        ),
    ] = None,
    *,
    options: WorkloadOptions,
    known_jobs_only: KnownJobsOption = False,
    force: ForceOption = False,
) -> None:
    """Read a log and write it as Parquet, as SWF, or with a schedule as Batsim's jobs.csv.

    The data report goes to stderr. Parquet keeps everything, machines and units
    included, and loads at once. SWF and jobs.csv count seconds, processors and
    KB: a log that measures in other units is refused, a synthetic one is written
    as if its units were these.

    A log of a Slurm cluster comes from

    export SLURM_TIME_FORMAT=%s
    F=JobIDRaw,JobID,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,State
    F=$F,ReqCPUS,AllocCPUS,NNodes,ReqMem,ReqTRES,AllocTRES,Reason,Reservation
    F=$F,Partition,User,Account,QOS,Priority,NodeList
    sacct -X -P -a --noconvert --format=$F -S 2024-01-01 -E now > log.sacct
    """
    check_output_file(output, force, (".parquet", ".swf", ".swf.gz", ".csv"))
    for source in (workload, schedule):
        if output.exists() and source is not None and Path(source).exists() and output.samefile(source):
            raise InvalidInstanceError(f"{output} is what is read; what was dropped from it would be lost")
    if output.suffix == ".parquet" and schedule is not None:
        raise InvalidInstanceError(
            f"{output}: an instance has no schedule; --schedule goes with .swf and .csv"
        )
    if output.suffix == ".csv" and schedule is None:
        raise InvalidInstanceError(f"{output}: Batsim's jobs.csv needs --schedule")
    release, options = options.split_release(workload, schedule)
    inst, report = options.read_plain(workload, "convert")
    with spelling_options(as_typed):
        problem_of(inst).convert(
            output, report, schedule=schedule, known_jobs_only=known_jobs_only, release=release, overwrite=force,
            tell=lambda note: tell([note]),
        )  # fmt: skip
    tell([f"wrote {inst!r} to {output}"])
