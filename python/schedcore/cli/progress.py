"""A progress bar for each step, on stderr and only where that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

ProgressCallback = Callable[[int, int], None]


class ProgressBars:
    """Bars that stay on the screen until all steps are done."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars

    @contextmanager
    def step(self, title: str, total: int) -> Iterator[ProgressCallback]:
        """A bar of length `total`; yields the callback ``(done, total)`` that moves it."""
        task = self._bars.add_task(title, total=total)

        def move(done: int, total: int) -> None:
            self._bars.update(task, completed=done, total=total)

        yield move
        self._bars.update(task, completed=total)
        self._bars.stop_task(task)


@contextmanager
def progress_bars() -> Iterator[ProgressBars]:
    """Show bars on stderr while the body runs."""
    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty(),
    )  # fmt: skip
    with bars:
        yield ProgressBars(bars)
