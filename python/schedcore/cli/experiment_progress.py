"""The progress of an experiment: one bar with rate and time left, on stderr and only where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars
from rich.text import Text

if TYPE_CHECKING:
    from schedcore.experiments import Progress

_ESTIMATE_SECONDS = 60.0  # cells differ in length, so the rate is an average over some time


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("- cells/s" if speed is None else f"{speed:.2g} cells/s")


@contextmanager
def experiment_progress() -> Iterator[Callable[[Progress], None]]:
    """Show a bar while the body runs; yields what moves it."""
    bars = Bars(
        TextColumn("cells"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TextColumn("{task.fields[failed]}", style="red"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True), disable=not sys.stderr.isatty(), speed_estimate_period=_ESTIMATE_SECONDS,
    )  # fmt: skip
    with bars:
        task = None

        def move(progress: Progress) -> None:
            nonlocal task
            failed = f"{progress.failed} failed" if progress.failed else ""
            if task is None:
                task = bars.add_task("cells", total=progress.total, completed=progress.done, failed=failed)
            else:
                bars.update(task, completed=progress.done, failed=failed)

        yield move
