"""Who runs the cells: processes on this machine, a Dask cluster, or any executor of the caller.

Everything behind ``concurrent.futures.Executor``: the runner submits slices of cells and waits for futures.
"""

import asyncio
import concurrent.futures
import multiprocessing
import multiprocessing.connection
import multiprocessing.context
import multiprocessing.resource_tracker
import os
import re
import signal
import threading
from types import TracebackType
from typing import Any, Protocol, Self

from schedcore.errors import InvalidInstanceError, SchedcoreError
from schedcore.experiments.running.interrupts import noted_interrupts
from schedcore.experiments.running.provenance import code_identity, describe_code, is_other_code
from schedcore.model.extras import import_extra

__all__ = ["DaskCluster", "GivenExecutor", "LocalProcesses", "Workforce"]

_CONNECTION_SECONDS = 10
_GOODBYE_SECONDS = 5.0


class Workforce(Protocol):
    """An executor with a size, as a context manager."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    @property
    def executor(self) -> concurrent.futures.Executor:
        """Where to submit now."""

    def n_workers(self) -> int:
        """How many slices can run at once."""

    def renew(self) -> bool:
        """Replace an executor that broke; False where that is not possible."""


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
    Process = _WorkerProcess


class LocalProcesses:
    """Processes of this machine, each a fresh interpreter.

    They end with their parent, however that ends, and leave Ctrl-C to it.

    Parameters
    ----------
    n_workers : int, optional
        By default one for each processor that this process may use.
    """

    def __init__(self, n_workers: int | None = None) -> None:
        self._n_workers = len(os.sched_getaffinity(0)) if n_workers is None else n_workers
        # A fresh interpreter: a forked one would copy the threads' locks of a process that has threads.
        self._context = _WorkerContext()
        self._executor: concurrent.futures.ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        self._one_came_up = self._context.RawValue("b", 0)  # no lock that a killed worker could hold
        self._start()
        return self

    def _start(self) -> None:
        self._executor = concurrent.futures.ProcessPoolExecutor(
            self._n_workers, self._context, initializer=_become_worker, initargs=(self._one_came_up,)
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._executor is not None
        processes = list((self._executor._processes or {}).values())

        def kill() -> None:
            for process in processes:
                process.kill()

        with noted_interrupts():
            if kind is not None:  # nobody waits for what still runs
                kill()
            # Without an error, too, a thread that a policy left can keep its worker from ending.
            deadline = threading.Timer(_GOODBYE_SECONDS, kill)
            deadline.daemon = True
            deadline.start()
            self._executor.shutdown(cancel_futures=True)
            deadline.cancel()

    @property
    def executor(self) -> concurrent.futures.Executor:
        assert self._executor is not None
        return self._executor

    def n_workers(self) -> int:
        return self._n_workers

    def renew(self) -> bool:
        assert self._executor is not None
        if not self._one_came_up.value:
            raise SchedcoreError(
                "no worker process could start, as their messages on stderr tell; they import the main module: a "
                'script needs `if __name__ == "__main__":` around what it runs, and must be a file'
            )
        self._executor.shutdown(cancel_futures=True)
        self._start()
        return True


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


class DaskCluster:
    """The workers of a Dask scheduler.

    Parameters
    ----------
    address : str
        As ``"tcp://host:8786"``.

    Raises
    ------
    SchedcoreError
        On entering, if nothing answers there within ten seconds, the scheduler has no worker, or a worker has other
        code than this process.
    """

    def __init__(self, address: str) -> None:
        if not re.fullmatch(r"\w+://\S+", address):
            raise InvalidInstanceError(f"scheduler {address!r} is no address such as tcp://host:8786")
        self._address = address
        self._client: Any = None
        self._executor: concurrent.futures.Executor | None = None

    def __enter__(self) -> Self:
        distributed = import_extra("distributed", "distributed")
        try:
            self._connect(distributed)
            self._client = distributed.Client(
                self._address, timeout=_CONNECTION_SECONDS, set_as_default=False
            )
        except (OSError, ValueError, TypeError, TimeoutError) as error:  # TypeError: tls without keys
            raise SchedcoreError(
                f"the Dask scheduler {self._address} cannot be reached within {_CONNECTION_SECONDS} s: {error}"
            ) from error
        try:
            self._check_workers()
        except BaseException:
            self._client.close()
            raise
        self._executor = self._client.get_executor(pure=False, retries=0)
        return self

    def _connect(self, distributed: Any) -> None:
        """Find out whether somebody answers: a client that nobody answers leaves its thread and files open."""

        async def connect() -> None:
            options = distributed.Security().get_connection_args("client")
            stream = await distributed.comm.connect(self._address, timeout=_CONNECTION_SECONDS, **options)
            await stream.close()

        # In a thread, because the caller's may run an event loop already, as notebooks do.
        with concurrent.futures.ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, connect()).result()

    def _check_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=_CONNECTION_SECONDS)
        except TimeoutError as error:
            raise SchedcoreError(
                f"the Dask scheduler {self._address} has no worker after {_CONNECTION_SECONDS} s"
            ) from error
        ours = code_identity()
        try:
            codes = self._client.run(code_identity)
        except Exception as error:  # Dask passes on the text of a worker's error, not its type
            raise SchedcoreError(f"the workers of {self._address} cannot run schedcore: {error}") from error
        for worker, theirs in codes.items():
            if is_other_code(theirs, ours):
                raise SchedcoreError(
                    f"the worker {worker} has {describe_code(theirs)}, this is {describe_code(ours)}"
                )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=kind is None)
        self._client.close()

    @property
    def executor(self) -> concurrent.futures.Executor:
        assert self._executor is not None
        return self._executor

    def n_workers(self) -> int:
        return max(1, int(sum(self._client.nthreads().values())))

    def renew(self) -> bool:
        return False  # Dask replaces its workers itself


class GivenExecutor:
    """An executor that belongs to the caller, who shuts it down.

    Parameters
    ----------
    executor : concurrent.futures.Executor
    n_workers : int, optional
        Slices to have in flight; by default what the executor says its size is, else the number of processors.
    """

    def __init__(self, executor: concurrent.futures.Executor, n_workers: int | None = None) -> None:
        self.executor = executor
        self._n_workers = n_workers or getattr(executor, "_max_workers", None) or len(os.sched_getaffinity(0))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def n_workers(self) -> int:
        return self._n_workers

    def renew(self) -> bool:
        return False
