"""Processes of this machine that run the cells: a thread and a pipe for each, so that the death of one is its own.

`concurrent.futures.ProcessPoolExecutor` does not fit: its processes share pipes, so that one that dies breaks the pool,
and in some moments, as when another is starting just then, the pool waits for ever.
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
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.reduction import ForkingPickler
from types import TracebackType
from typing import Any, Self

from schedcore.errors import SchedcoreError
from schedcore.experiments.running.interrupts import noted_interrupts

__all__ = ["LocalProcesses", "NoWorkerStartsError", "WorkerDiedError"]

_GOODBYE_SECONDS = 5.0
_LOOK_SECONDS = 1.0  # between two looks at whether a process is alive that does not answer


class WorkerDiedError(SchedcoreError):
    """A process ended without an answer."""


class NoWorkerStartsError(SchedcoreError):
    """No process can be started, or the first ended before it could do anything."""


class _WorkerProcess(multiprocessing.context.SpawnProcess):
    """A fresh interpreter to which Ctrl-C means nothing from its first instruction on.

    It could not say so itself before it has imported what it needs, and would end with a traceback until then. It is
    fresh because a forked one would copy the locks of a process that has threads.
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


class _Worker:
    """A process and the pipe to it, for one thread at a time."""

    def __init__(self) -> None:
        self._pipe, theirs = multiprocessing.Pipe()
        self.process = _WorkerProcess(target=_work, args=(theirs,))
        self.process.start()
        theirs.close()  # or its death would not end the pipe
        self.is_up = False

    def answer(self, task: bytes) -> bytes:
        """Hand over a task and wait; raises `WorkerDiedError`."""
        try:
            if not self.is_up:
                self._receive()
                self.is_up = True
            self._pipe.send_bytes(task)
            return self._receive()
        except (EOFError, OSError) as error:
            self.close()
            if not self.has_ended(time.monotonic() + _GOODBYE_SECONDS):
                self.kill()
                raise WorkerDiedError("it did not answer any more") from error
            code = self.process.exitcode or 0
            how = f"it ended with exit code {code}" if code >= 0 else f"signal {-code} ended it"
            raise WorkerDiedError(how) from error

    def _receive(self) -> bytes:
        while not self._pipe.poll(_LOOK_SECONDS):
            # What it has started itself may hold its end of the pipe.
            if self.process.exitcode is not None and not self._pipe.poll(0):
                raise EOFError
        return self._pipe.recv_bytes()

    def close(self) -> None:
        """Hand over nothing more; the process ends when it notices."""
        self._pipe.close()

    def has_ended(self, deadline: float) -> bool:
        """Wait for the process until then; `join` would wait for whoever it has started, too."""
        while self.process.exitcode is None:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.01)
        return True

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


class LocalProcesses(concurrent.futures.Executor):
    """A `Workforce` of processes of this machine, each a fresh interpreter.

    They end with their parent, however that ends, and leave Ctrl-C to it. A future whose process dies has a
    `WorkerDiedError`, and another process takes the place of the dead one.

    Parameters
    ----------
    n_workers : int, optional
        By default one for each processor that this process may use.
    """

    def __init__(self, n_workers: int | None = None) -> None:
        self._n_workers = len(os.sched_getaffinity(0)) if n_workers is None else n_workers
        self._threads = concurrent.futures.ThreadPoolExecutor(self._n_workers)
        self._lock = threading.Lock()  # of what follows
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._is_begun = False
        self._one_came_up = False
        self._is_over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with noted_interrupts():
            self._threads.shutdown(
                wait=False, cancel_futures=True
            )  # first, so that no thread goes on to another task
            with self._lock:
                self._is_over = True
                if kind is not None:  # nobody waits for what still runs
                    for worker in self._workers:
                        worker.process.kill()
            self._threads.shutdown()
            for worker in self._workers:
                worker.close()
            # A thread that a policy left can keep its process from ending.
            deadline = time.monotonic() + _GOODBYE_SECONDS
            for worker in self._workers:
                if not worker.has_ended(deadline):
                    worker.kill()

    @property
    def executor(self) -> concurrent.futures.Executor:
        return self

    def n_workers(self) -> int:
        return self._n_workers

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **named: Any
    ) -> concurrent.futures.Future[Any]:
        if not self._is_begun:
            # In this thread: a script that starts processes while it is imported is told so here.
            worker = self._started()
            with self._lock:
                self._idle.append(worker)
                self._is_begun = True
        return self._threads.submit(self._run, function, arguments, named)

    def _started(self) -> _Worker:
        with self._lock:
            if self._is_over:
                raise WorkerDiedError("nobody waits for it any more")
            try:
                worker = _Worker()
            except OSError as error:
                raise NoWorkerStartsError(f"a worker process could not be started: {error}") from error
            self._workers.append(worker)
            return worker

    def _idle_one(self) -> _Worker | None:
        """One that is alive, if there is any."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.process.exitcode is None:
                    return worker
                worker.close()
                self._workers.remove(worker)
        return None

    def _run(self, function: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        task = bytes(ForkingPickler.dumps((function, arguments, named)))
        worker = self._idle_one() or self._started()
        try:
            answer = worker.answer(task)
        except WorkerDiedError as error:
            with self._lock:
                self._workers.remove(worker)
                self._one_came_up |= worker.is_up
            if not self._one_came_up and not self._is_over:
                raise NoWorkerStartsError(
                    f"no worker process could start: {error}, and its messages on stderr may tell more; it imports the "
                    'main module: a script needs `if __name__ == "__main__":` around what it runs, and must be a file'
                ) from None
            raise
        with self._lock:
            self._one_came_up = True
            self._idle.append(worker)
        raised, result = ForkingPickler.loads(answer)
        if raised is not None:
            raise raised
        return result


def _work(pipe: "multiprocessing.connection.Connection[Any, Any]") -> None:
    """Answer tasks until the pipe ends, leave Ctrl-C to the parent, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # what it starts itself may handle it
    # What it starts must not hold the pipe, which would not end with this process then.
    os.set_inheritable(pipe.fileno(), False)
    os.register_at_fork(after_in_child=pipe.close)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True, name="end-with-parent").start()
    with contextlib.suppress(EOFError, OSError):  # nobody asks any more
        pipe.send_bytes(b"up")
        while True:
            pipe.send_bytes(_answer_to(pipe.recv_bytes()))


def _answer_to(task: bytes) -> bytes:
    """An error or None, and the result, as bytes."""
    try:
        function, arguments, named = ForkingPickler.loads(task)
        return bytes(ForkingPickler.dumps((None, function(*arguments, **named))))
    except BaseException as error:
        try:
            return bytes(ForkingPickler.dumps((error, None)))
        except Exception as other:
            told = f"an error of the worker cannot be sent: {type(error).__name__} ({type(other).__name__})"
            return bytes(ForkingPickler.dumps((SchedcoreError(told), None)))
