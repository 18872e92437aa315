"""``schedcore convert``: a log becomes an instance as Parquet, which loads at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from schedcore.cli.files import ForceOption, check_output_file
from schedcore.cli.workload_choice import (
    CensoredOption,
    MachinesOption,
    MemoryCapacityOption,
    MissingMemoryOption,
    ReadOption,
    SeedOption,
    WorkloadArgument,
    read_workload,
)


def convert(
    workload: WorkloadArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Write the instance here, as .parquet.")
    ],
    machines: MachinesOption = None,
    missing_memory: MissingMemoryOption = None,
    memory_capacity: MemoryCapacityOption = None,
    censored: CensoredOption = None,
    read: ReadOption = None,
    seed: SeedOption = None,
    force: ForceOption = False,
) -> None:
    """Read a log and write it, machines included, as Parquet; the data report goes to stderr."""
    check_output_file(output, force, (".parquet",))
    inst, _ = read_workload(workload, machines, missing_memory, memory_capacity, censored, read, seed)
    inst.to_parquet(output, overwrite=force)
    print(f"wrote {inst!r} to {output}", file=sys.stderr)
