"""``schedcore convert``: a workload, and a schedule of it, in the formats of other programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from schedcore.cli.files import ForceOption, check_output_file
from schedcore.cli.schedule_file import PROCESSOR_UNITS, KnownJobsOption, read_schedule
from schedcore.cli.workload_choice import (
    AllowLossOption,
    CensoredOption,
    MachinesOption,
    MemoryCapacityOption,
    MissingMemoryOption,
    ReadOption,
    SeedOption,
    WorkloadArgument,
    jobs_of,
    read_workload,
    split_release,
)
from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance
from schedcore.workloads import DataReport, write_batsim_jobs, write_swf
from schedcore.workloads.generators import MODEL_UNITS
from schedcore.workloads.reading.instance_file import write_instance

# What other programs count in: resource 0, and in SWF resource 1.
_KNOWN_UNITS = (PROCESSOR_UNITS, ("KB",))


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
    machines: MachinesOption = None,
    missing_memory: MissingMemoryOption = None,
    memory_capacity: MemoryCapacityOption = None,
    censored: CensoredOption = None,
    read: ReadOption = None,
    seed: SeedOption = None,
    allow_loss: AllowLossOption = False,
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
    release, read = split_release(workload, schedule, read)
    given, report = read_workload(
        workload, machines, missing_memory, memory_capacity, censored, read, seed, allow_loss
    )
    inst = jobs_of(given, "convert")
    plan = None if schedule is None else read_schedule(schedule, inst, known_jobs_only, release)
    if output.suffix == ".parquet":
        write_instance(output, inst, report.units, overwrite=force)
    elif output.suffix == ".csv" and plan is not None:
        _refuse_other_units(output, inst, report, n_resources=1)
        write_batsim_jobs(output, inst, plan, overwrite=force)
    else:
        _refuse_other_units(output, inst, report, n_resources=2)
        write_swf(output, inst, plan, overwrite=force)
    print(f"wrote {inst!r} to {output}", file=sys.stderr)


def _refuse_other_units(output: Path, inst: Instance, report: DataReport, n_resources: int) -> None:
    """Refuse a workload that measures in other units than the format; units of a model and unknown ones pass."""
    known = {"time": ("s",)} | dict(
        zip(inst.machines.resource_names[:n_resources], _KNOWN_UNITS, strict=False)
    )
    for name, units in known.items():
        unit = report.units.get(name, units[0])
        if unit in MODEL_UNITS:
            print(f"{output}: {name} counts in {unit}, which the format calls {units[0]}", file=sys.stderr)
        elif unit not in units:
            raise InvalidInstanceError(f"{output}: {name} counts in {unit}, the format in {units[0]}")
