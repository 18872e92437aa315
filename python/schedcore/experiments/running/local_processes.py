"""Processes of this machine that run the cells, and what ends them in every case.

`concurrent.futures.ProcessPoolExecutor` is not to be relied on once a process has died. One that was starting just
then is not stopped, but waited for, for ever; and a death may pass unnoticed, so that its future never ends. So the
processes are known here as well, and are killed before anybody waits for the executor.
"""

import concurrent.futures
import contextlib
import multiprocessing
import multiprocessing.connection
import multiprocessing.context
import multiprocessing.resource_tracker
import os
import signal
import threading
import time
from collections.abc import Iterable
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import Any, Self

from schedcore.errors import SchedcoreError
from schedcore.experiments.running.interrupts import noted_interrupts

__all__ = ["LocalProcesses"]

_GOODBYE_SECONDS = 5.0


class _WorkerProcess(multiprocessing.context.SpawnProcess):
    """A fresh interpreter to which Ctrl-C means nothing from its first instruction on.

    It could not say so itself before it has imported what it needs, and would end with a traceback until then.
    """

    def start(self) -> None:
        # What the start of the first process starts beside it unblocks the signal.
        multiprocessing.resource_tracker.ensure_running()
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


class _WorkerContext(multiprocessing.context.SpawnContext):
    """A fresh interpreter each: a forked one would copy the threads' locks of a process that has threads."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[_WorkerProcess] = []

    def Process(self, *arguments: Any, **named: Any) -> _WorkerProcess:  # type: ignore[override]
        process = _WorkerProcess(*arguments, **named)
        self.processes.append(process)
        return process


class LocalProcesses:
    """A `Workforce` of processes of this machine, each a fresh interpreter.

    They end with their parent, however that ends, and leave Ctrl-C to it.

    Parameters
    ----------
    n_workers : int, optional
        By default one for each processor that this process may use.
    """

    def __init__(self, n_workers: int | None = None) -> None:
        self._n_workers = len(os.sched_getaffinity(0)) if n_workers is None else n_workers
        self._executor: concurrent.futures.ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        self._one_came_up = _WorkerContext().RawValue("b", 0)  # no lock that a killed worker could hold
        self._start()
        return self

    def _start(self) -> None:
        self._context = _WorkerContext()
        self._dead_since: float | None = None
        self._executor = concurrent.futures.ProcessPoolExecutor(
            self._n_workers, self._context, initializer=_become_worker, initargs=(self._one_came_up,)
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with noted_interrupts():
            if kind is not None:  # nobody waits for what still runs
                self._kill()
            # Without an error, too, a thread that a policy left can keep its worker from ending.
            deadline = threading.Timer(_GOODBYE_SECONDS, self._kill)
            deadline.daemon = True
            deadline.start()
            self.executor.shutdown(cancel_futures=True)
            deadline.cancel()

    def _kill(self) -> None:
        for process in self._context.processes:
            if process.pid is not None:
                process.kill()

    @property
    def executor(self) -> concurrent.futures.Executor:
        assert self._executor is not None
        return self._executor

    def n_workers(self) -> int:
        return self._n_workers

    def renew(self) -> bool:
        if not self._one_came_up.value:
            raise SchedcoreError(
                "no worker process could start, as their messages on stderr tell; they import the main module: a "
                'script needs `if __name__ == "__main__":` around what it runs, and must be a file'
            )
        self._kill()
        self.executor.shutdown(cancel_futures=True)
        self._start()
        return True

    def give_up_lost(self, futures: Iterable[concurrent.futures.Future[Any]]) -> None:
        """None of these processes ends by itself, and the executor has had its time to notice that one has."""
        if all(process.exitcode is None for process in self._context.processes):
            return
        now = time.monotonic()
        if self._dead_since is None:
            self._dead_since = now
        if now - self._dead_since < _GOODBYE_SECONDS:
            return
        for future in futures:
            with contextlib.suppress(concurrent.futures.InvalidStateError):  # it has ended after all
                future.set_exception(
                    BrokenProcessPool("a worker process ended, and the pool did not notice it")
                )


def _become_worker(one_came_up: Any) -> None:
    """Leave Ctrl-C to the parent, and end when it ends: a pool's workers would wait for ever after its SIGKILL."""
    one_came_up.value = 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # for what it starts itself
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True, name="end-with-parent").start()
