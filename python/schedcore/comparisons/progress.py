"""How far are policies? Bars on stderr, a function of the caller, or nothing."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec

from schedcore.errors import InvalidInstanceError
from schedcore.problems.comparison import Steps

__all__ = ["Bars", "progress_bars", "shown_progress"]

ProgressCallback = Callable[[int, int], None]
#: What shows steps for a while.
Bars = Callable[[], AbstractContextManager[Steps]]

_BAR = 30  # letters


@contextmanager
def progress_bars() -> Iterator[Steps]:
    """Show bars on stderr while the body runs, where that is a terminal; needs rich."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty(),
    )  # fmt: skip

    @contextmanager
    def step(title: str, total: int) -> Iterator[ProgressCallback]:
        task = bars.add_task(title, total=total)

        def move(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total)

        yield move
        bars.update(task, completed=total)
        bars.stop_task(task)

    with bars:
        yield step


@contextmanager
def shown_progress(asked: object) -> Iterator[Steps]:
    """Yield what shows steps as somebody asked for it.

    Parameters
    ----------
    asked : None, bool or callable
        None and False: nothing. True: bars on stderr, of rich on a terminal, else of letters. A function is called
        as ``asked(title, done, total)``.

    Raises
    ------
    InvalidInstanceError
        For anything else.
    """
    if asked is None or asked is False:
        yield _told_to(lambda title, done, total: None)
    elif asked is True and find_spec("rich") is not None and sys.stderr.isatty():
        with progress_bars() as step:
            yield step
    elif asked is True:
        yield _told_to(_write_bar)
    elif callable(asked):
        yield _told_to(asked)
    else:
        raise InvalidInstanceError(
            f"progress must be None, True or a function of (title, done, total), not {asked!r}"
        )


def _told_to(tell: Callable[[str, int, int], object]) -> Steps:
    """Tell how far each step is, and once that it is done."""

    @contextmanager
    def step(title: str, total: int) -> Iterator[ProgressCallback]:
        told = -1

        def move(done: int, total: int) -> None:
            nonlocal told
            if done != told:
                told = done
                tell(title, done, total)

        yield move
        move(total, total)

    return step


def _write_bar(title: str, done: int, total: int) -> None:
    """A line of letters that is written over until all is done."""
    filled = _BAR * done // total if total else _BAR
    end = "\n" if done >= total else ""
    print(f"\r{title} [{'#' * filled:<{_BAR}}] {done:,}/{total:,}", end=end, file=sys.stderr, flush=True)
