"""Ctrl-C between two steps of a run, never within one.

``concurrent.futures`` is no place for a KeyboardInterrupt: raised while the main thread holds the lock of a future,
it leaves the lock taken, and the threads of the executor wait for it for ever, at exit too.
"""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Self

__all__ = ["Interruption"]

_PATIENCE_SECONDS = 3.0


class Interruption:
    """Within the block Ctrl-C is noted, and raised by `check` or at the end of the block.

    One that comes more than three seconds after the first is raised where it comes: whatever runs there does not get to
    the next step. In threads other than the main one, and where the program handles SIGINT itself, nothing changes.
    """

    def __init__(self) -> None:
        self._noted_at: float | None = None
        self._is_ours = False

    def __enter__(self) -> Self:
        in_main_thread = threading.current_thread() is threading.main_thread()
        if in_main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._is_ours = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if kind is None:
            self.check()

    def check(self) -> None:
        """Raise the KeyboardInterrupt that was noted, if there was one."""
        if self._noted_at is not None:
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._noted_at is None:
            self._noted_at = now
        elif now - self._noted_at > _PATIENCE_SECONDS:
            raise KeyboardInterrupt
