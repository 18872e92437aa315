"""Running the cells of an experiment, in any order and on any number of workers, with the same rows.

Cells on one instance stay together, largest instances first. A worker gets a slice of such a group, works on it for a
second or two, and hands back the rows of what it has finished, which are written soon; the rest of the group goes out
again. So workers rarely make an instance twice, a group is shared as soon as another worker has nothing to do, and what
a kill can lose is a slice a worker and a hundredth of the run.
"""

import concurrent.futures
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from datetime import UTC, datetime

from schedcore.errors import SchedcoreError
from schedcore.experiments.columns import SOUND
from schedcore.experiments.running.cell_row import Row, Surroundings, failed_row, run_slice
from schedcore.experiments.running.cells import Cell
from schedcore.experiments.running.interrupts import noted_interrupts
from schedcore.experiments.running.local_processes import NoWorkerStartsError, WorkerDiedError
from schedcore.experiments.running.provenance import code_identity, describe_code, is_other_code
from schedcore.experiments.running.workforce import Workforce

__all__ = ["Progress", "run_cells"]

_SLICE_SECONDS = 2.0
# Rows wait for others to share a file with, at most so long or this share of the run: long runs get few files.
_WRITE_SECONDS = 0.5
_WRITE_SHARE = 0.01
_BROKE = "a worker process died and broke the executor; what had finished is kept"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    done : int
        Cells with a row, those of earlier runs included.
    total : int
    new : int
        Cells of this run.
    failed : int
        Cells of this run that failed or whose schedule is invalid.
    """

    done: int
    total: int
    new: int
    failed: int


class _Slice:
    """Cells on one instance; `alone` if they may have broken a worker, so that nothing else runs beside them."""

    __slots__ = ("alone", "cells")

    def __init__(self, cells: list[Cell], alone: bool = False) -> None:
        self.cells = cells
        self.alone = alone


def run_cells(
    cells: Iterable[Cell],
    surroundings: Surroundings,
    workforce: Workforce,
    append: Callable[[list[Row]], object],
    *,
    already_done: int = 0,
    progress: Callable[[Progress], object] | None = None,
) -> None:
    """Run the cells and hand their rows to `append`, in this thread and some at a time.

    A cell that kills its worker gets a row that says so, after a second attempt alone.
    """
    run = _Run(list(cells), surroundings, workforce, append, already_done, progress)
    with noted_interrupts() as obey_interrupt:
        try:
            run.finish(obey_interrupt)
        finally:
            run.write()


class _Run:
    def __init__(
        self,
        cells: list[Cell],
        surroundings: Surroundings,
        workforce: Workforce,
        append: Callable[[list[Row]], object],
        already_done: int,
        progress: Callable[[Progress], object] | None,
    ) -> None:
        self._surroundings = surroundings
        self._code = code_identity()
        self._append = append
        self._workforce = workforce
        self._waiting: deque[_Slice] = deque(_grouped(cells))
        self._in_flight: dict[concurrent.futures.Future[list[Row]], _Slice] = {}
        self._unwritten: list[Row] = []
        self._began = self._last_write = time.monotonic()
        self._already_done, self._total, self._new = already_done, already_done + len(cells), 0
        self._progress = progress
        self._failed = 0
        self._tell()

    def finish(self, obey_interrupt: Callable[[], None]) -> None:
        while self._waiting or self._in_flight:
            obey_interrupt()
            self._submit()
            done, _ = concurrent.futures.wait(
                self._in_flight, timeout=_WRITE_SECONDS, return_when=concurrent.futures.FIRST_COMPLETED
            )
            # Good ones first: what has finished is kept, though another one ends the run.
            for future in sorted(
                done, key=lambda future: future.cancelled() or future.exception() is not None
            ):
                self._collect(future, self._in_flight.pop(future))
            now = time.monotonic()
            if now - self._last_write >= max(_WRITE_SECONDS, _WRITE_SHARE * (now - self._began)):
                self.write()

    def write(self) -> None:
        """Put the rows that wait on the disk."""
        rows, self._unwritten = self._unwritten, []
        self._append(rows)
        self._last_write = time.monotonic()

    def _submit(self) -> None:
        if any(slice_.alone for slice_ in self._in_flight.values()):
            return
        free = self._workforce.n_workers() - len(self._in_flight)
        while self._waiting and free > 0:
            if self._waiting[0].alone and self._in_flight:
                return
            self._share_out(free)
            slice_ = self._waiting.popleft()
            try:
                future = self._workforce.executor.submit(
                    run_slice, slice_.cells, self._surroundings, _SLICE_SECONDS
                )
            except BrokenProcessPool as error:
                raise SchedcoreError(_BROKE) from error
            except RuntimeError as error:
                raise SchedcoreError(f"the executor takes no more cells: {error}") from error
            self._in_flight[future] = slice_
            free -= 1
            if slice_.alone:
                return

    def _share_out(self, free: int) -> None:
        """Halve the longest waiting slice as long as there are fewer of them than free workers."""
        while len(self._waiting) < free:
            longest = max(self._waiting, key=lambda slice_: len(slice_.cells))
            half = len(longest.cells) // 2
            if half == 0:
                return
            self._waiting.append(_Slice(longest.cells[half:], longest.alone))
            longest.cells = longest.cells[:half]

    def _collect(self, future: concurrent.futures.Future[list[Row]], slice_: _Slice) -> None:
        if future.cancelled():
            raise SchedcoreError(
                "the executor, or the connection to it, was closed before all cells had run; resume goes on"
            )
        error = future.exception()
        if error is not None:
            self._slice_failed(slice_, error)
            return
        rows = future.result()
        self._refuse_other_code(rows)
        rest = slice_.cells[len(rows) :]
        if rest:
            self._waiting.appendleft(_Slice(rest, slice_.alone))
        self._add(rows)

    def _refuse_other_code(self, rows: list[Row]) -> None:
        """A worker may join a cluster late."""
        for row in rows:
            theirs = {part: row[part] for part in self._code}
            if is_other_code(theirs, self._code):
                raise SchedcoreError(
                    f"the worker {row['worker']} on {row['host']} has {describe_code(theirs)}, this is "
                    f"{describe_code(self._code)}; its rows were not taken"
                )

    def _slice_failed(self, slice_: _Slice, error: BaseException) -> None:
        """The slice was lost on its way or with its worker: narrow it down to single cells, each alone."""
        if isinstance(error, NoWorkerStartsError):
            raise SchedcoreError(str(error)) from None
        if isinstance(error, BrokenProcessPool):
            raise SchedcoreError(_BROKE) from error
        if slice_.alone:
            died = (
                "its worker process died, perhaps for lack of memory: "
                if isinstance(error, WorkerDiedError)
                else ""
            )
            # Dask tells random names of tasks and workers: the same cell fails with the same row.
            detail = "" if type(error).__module__.startswith("distributed") else f": {error}"
            told = f"the cell did not come back from its worker: {died}{type(error).__name__}{detail}"
            self._add([failed_row(cell, told, "", datetime.now(UTC)) for cell in slice_.cells])
        else:
            self._waiting.extendleft(_Slice([cell], alone=True) for cell in reversed(slice_.cells))

    def _add(self, rows: list[Row]) -> None:
        self._unwritten += rows
        self._new += len(rows)
        self._failed += sum(row["status"] not in SOUND for row in rows)
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(Progress(self._already_done + self._new, self._total, self._new, self._failed))


def _grouped(cells: Iterable[Cell]) -> list[_Slice]:
    """Cells on one instance together, instances of one source together, those with the most jobs or tasks first.

    A long group at the end would run alone.
    """
    sources: dict[str, dict[str, list[Cell]]] = {}
    for cell in cells:
        sources.setdefault(cell.source_key, {}).setdefault(cell.workload_key, []).append(cell)
    largest_first = [sorted(groups.values(), key=_size, reverse=True) for groups in sources.values()]
    largest_first.sort(key=lambda groups: _size(groups[0]), reverse=True)
    return [_Slice(group) for groups in largest_first for group in groups]


def _size(group: list[Cell]) -> float:
    arguments = group[0].arguments
    n_jobs = arguments.get("n_jobs", arguments.get("n_tasks", 1))
    return float(n_jobs if isinstance(n_jobs, int) else 1) / float(arguments.get("factor", 1))
