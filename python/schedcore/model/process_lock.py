"""A lock that is free again in a forked process.

Only the forking thread lives on in the child: a lock that another thread held would never be let go.
"""

import os
import threading
from types import TracebackType
from weakref import WeakSet

__all__ = ["ProcessLock"]


class ProcessLock:
    """A re-entrant lock among the threads of one process, new in the child of a fork.

    For what is consistent at every moment, such as a value that is remembered in one assignment: the child goes on from
    whatever the other threads had finished.
    """

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _locks.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    @staticmethod
    def _renew_all() -> None:
        for lock in list(_locks):
            lock._lock = threading.RLock()


_locks: WeakSet[ProcessLock] = WeakSet()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=ProcessLock._renew_all)
