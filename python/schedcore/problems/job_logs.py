"""Jobs, and a schedule of them, in the formats of other programs: SWF logs and the jobs.csv of Batsim."""

from collections.abc import Callable
from pathlib import Path

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Schedule
from schedcore.problems.schedules.job_starts import PROCESSOR_UNITS
from schedcore.workloads.generators import MODEL_UNITS
from schedcore.workloads.logs.write_batsim import write_batsim_jobs
from schedcore.workloads.logs.write_swf import write_swf
from schedcore.workloads.reading.instance_file import write_instance
from schedcore.workloads.reading.report import DataReport

__all__ = ["write_jobs"]

# What other programs count in: resource 0, and in SWF resource 1.
_KNOWN_UNITS = (PROCESSOR_UNITS, ("KB",))


def write_jobs(
    output: Path,
    inst: Instance,
    report: DataReport,
    plan: Schedule | None,
    *,
    overwrite: bool,
    tell: Callable[[str], object],
) -> None:
    """Write jobs as their suffix says: as Parquet, as jobs.csv with the plan, else as SWF, with or without one.

    A workload that measures in other units than the format is refused. Units of a model and unknown ones pass, which
    `tell` is told.
    """
    if output.suffix == ".parquet":
        write_instance(output, inst, report.units, overwrite=overwrite)
    elif output.suffix == ".csv" and plan is not None:
        _check_units(output, inst, report, tell, n_resources=1)
        write_batsim_jobs(output, inst, plan, overwrite=overwrite)
    else:
        _check_units(output, inst, report, tell, n_resources=2)
        if plan is not None and plan.has_allocation:
            tell(
                f"{output}: SWF has no field for the machines of jobs of several tasks; Batsim's .csv tells them"
            )
        write_swf(output, inst, plan, overwrite=overwrite)


def _check_units(
    output: Path, inst: Instance, report: DataReport, tell: Callable[[str], object], n_resources: int
) -> None:
    known = {"time": ("s",)} | dict(
        zip(inst.machines.resource_names[:n_resources], _KNOWN_UNITS, strict=False)
    )
    for name, units in known.items():
        unit = report.units.get(name, units[0])
        if unit in MODEL_UNITS:
            tell(f"{output}: {name} counts in {unit}, which the format calls {units[0]}")
        elif unit not in units:
            raise InvalidInstanceError(f"{output}: {name} counts in {unit}, the format in {units[0]}")
