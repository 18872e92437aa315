"""``schedcore snapshot``: the present state of a Slurm cluster as one file."""

from pathlib import Path
from typing import Annotated

import typer

from schedcore.cli.cluster_state import TimeoutOption, TimezoneOption, about, losses, state_from
from schedcore.cli.files import ForceOption, check_output_file
from schedcore.cli.output import OutputOptions
from schedcore.problems.presentation import Presentation


def snapshot(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FOLDER]",
            show_default=False,
            help="Saved output of Slurm's commands. Without it they are called now.",
        ),
    ] = None,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Write the state here, as .parquet.")
    ],
    timeout: TimeoutOption = 30.0,
    timezone: TimezoneOption = None,
    force: ForceOption = False,
) -> None:
    """Write the present state of a Slurm cluster into a file, for when and what-if.

    It calls scontrol show config, node, partition, reservation and job, and sacctmgr
    where there is an accounting database. None of them changes anything. A folder
    holds what they printed, as

    scontrol show config > scontrol_config.txt
    scontrol -o show node > scontrol_node.txt
    scontrol -a -o show partition > scontrol_partition.txt
    scontrol -o show reservation > scontrol_reservation.txt
    scontrol -a -o -d show job > scontrol_job_d.txt
    date +%s > now.txt

    What of the site cannot be modelled is listed, with the number of jobs it touches.
    """
    from schedcore.slurm.values import clock_zone  # other commands need nothing of schedcore.slurm

    check_output_file(output, force, (".parquet",))
    if folder is not None and not folder.is_dir():
        raise FileNotFoundError(2, "there is no such folder", str(folder))
    zone = clock_zone(timezone)
    state = state_from(folder, timeout, timezone)
    state.save(output, overwrite=force)
    parts = (losses(state.not_modelled),) if state.not_modelled else ()
    OutputOptions().present(Presentation((), None, parts, (f"wrote {about(state, zone)}, to {output}",)))
