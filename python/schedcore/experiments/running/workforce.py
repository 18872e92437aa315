"""Who runs the cells: processes on this machine (`LocalProcesses`), a Dask cluster, or any executor of the caller.

Everything behind ``concurrent.futures.Executor``: the runner submits slices of cells and waits for futures.
"""

import concurrent.futures
import os
import re
from types import TracebackType
from typing import Any, Protocol, Self

from schedcore.errors import InvalidInstanceError, SchedcoreError
from schedcore.experiments.running.provenance import code_identity, describe_code, is_other_code
from schedcore.model.extras import import_extra

__all__ = ["DaskCluster", "GivenExecutor", "Workforce"]

_CONNECTION_SECONDS = 10


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

        import asyncio  # which loads much, and nobody else needs it

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
