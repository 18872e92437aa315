"""Ctrl-C while futures are waited for: noted at once, obeyed where no lock is held.

An interrupt may strike anywhere in the main thread, also while `concurrent.futures` holds the lock of a future; the
thread that serves the pool would then wait for that lock for ever, and the program with it.
"""

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator

__all__ = ["noted_interrupts"]

_PATIENCE_SECONDS = 3.0


@contextlib.contextmanager
def noted_interrupts() -> Iterator[Callable[[], None]]:
    """Note SIGINT while the body runs; yields a function that raises the KeyboardInterrupt that is due.

    One that is still due at the end is raised then. One that comes three seconds after another that has not been obeyed
    is raised where it strikes: whatever runs there does not end. Does nothing in other threads than the main one, and
    where the program has a handler of its own.
    """
    is_ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    due_since: float | None = None

    def note(number: int, frame: object) -> None:
        nonlocal due_since
        now = time.monotonic()
        if due_since is None:
            due_since = now
        elif now - due_since >= _PATIENCE_SECONDS:
            raise KeyboardInterrupt

    def obey() -> None:
        nonlocal due_since
        if due_since is not None:
            due_since = None
            raise KeyboardInterrupt

    if not is_ours:
        yield obey
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield obey
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    obey()
