"""Where the state of a cluster comes from on the command line, and how its instants are written."""

from __future__ import annotations

import datetime
import math
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import schedcore
from schedcore.problems.presentation import Column, Table, quantity

if TYPE_CHECKING:  # other commands need nothing of schedcore.slurm
    from schedcore.slurm import NotModelled, SlurmState
    from schedcore.slurm.values import Zone

FromOption = Annotated[
    Path | None,
    typer.Option(
        "--from", metavar="FILE|FOLDER", show_default="asks Slurm",
        help="The state of the cluster: a file of schedcore snapshot, or a folder with saved output of scontrol.",
    ),
]  # fmt: skip
TimeoutOption = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", help="How long each command of Slurm may take.")
]
TimezoneOption = Annotated[
    str | None,
    typer.Option(
        "--timezone", metavar="NAME", show_default="that of this machine",
        help="Of the dates in a folder of saved output, and of those that are printed, such as Europe/Berlin.",
    ),
]  # fmt: skip


def state_from(source: Path | None, timeout: float = 30.0, timezone: str | None = None) -> SlurmState:
    """Return the state that a file or a folder holds, or that Slurm tells now."""
    if source is None:
        with tempfile.TemporaryDirectory(prefix="schedcore-slurm-") as folder:
            for message in schedcore.slurm.save_state(folder, timeout):
                print(f"schedcore: {message}; the state goes without it", file=sys.stderr)
            return schedcore.slurm.read_state(folder)
    if source.is_dir():
        return schedcore.slurm.read_state(source, timezone=timezone)
    return schedcore.slurm.SlurmState.load(source)


def date(instant: float | None, zone: Zone = None) -> str:
    """An instant on the clock of a zone (None: of this machine), to the second."""
    if instant is None:
        return "never"
    try:
        return f"{datetime.datetime.fromtimestamp(instant, zone):%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError, OSError):
        return "after 9999"


def duration(seconds: float | None) -> str:
    """Days, hours and minutes, as ``1-02:30``; seconds only below a minute."""
    if seconds is None:
        return "-"
    sign, rest = "-" if seconds < 0 else "", abs(round(seconds))
    if rest < 60:
        return f"{sign}{rest} s"
    minutes = math.floor(rest / 60)
    days, hours = divmod(minutes // 60, 24)
    return f"{sign}{f'{days}-' if days else ''}{hours:02}:{minutes % 60:02}"


def about(state: SlurmState, zone: Zone = None) -> str:
    """One sentence of what the state is, which also tells the zone of the dates."""
    moment = datetime.datetime.fromtimestamp(state.now, datetime.UTC).astimezone(zone)
    offset = f"{moment:%z}"
    clock = f"UTC{offset[:3]}:{offset[3:5]}"
    return (
        f"{quantity(state.waiting.jobs.n_jobs, 'job')} waiting and {len(state.running.called):,} running "
        f"on {quantity(state.machines.n_machines, 'node')}, as of {date(state.now, zone)} ({clock})"
    )


def exactness(state: SlurmState) -> tuple[str, ...]:
    """A sentence of how many jobs are not modelled exactly; none where all are."""
    if not state.n_inexact:
        return ()
    verb = "is" if state.n_inexact == 1 else "are"
    return (f"{quantity(state.n_inexact, 'job')} {verb} not modelled exactly; schedcore snapshot lists why",)


def losses(findings: Iterable[NotModelled]) -> Table:
    """What cannot be modelled, as a table."""
    rows = [
        {"setting": each.setting, "value": each.value, "jobs": each.n_jobs, "why": each.why}
        for each in findings
    ]
    columns = (
        Column("setting", "not modelled", is_text=True),
        Column("value", "value", is_text=True),
        Column("jobs", "jobs", lambda number: f"{number:,}"),
        Column("why", "what that means", is_text=True),
    )
    return Table(rows, columns)
