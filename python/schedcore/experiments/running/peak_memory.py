"""How much memory this process held at most while a block ran.

Linux keeps the high-water mark of the resident memory of every process and lets the process reset it
(proc(5): ``clear_refs``, ``VmHWM``); other systems only know the mark of the whole life of the process.
"""

import sys
from pathlib import Path
from types import TracebackType
from typing import Self

__all__ = ["PeakMemory"]

_RESET = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")


class PeakMemory:
    """Measure the peak resident memory of this process during a block, in bytes.

    What counts is physical memory of the whole process, all threads together: the block's own, what was
    loaded before and is still resident, the interpreter and shared libraries, but not child processes or
    memory that was swapped out.

    Attributes
    ----------
    bytes : int
        Set when the block ends, also by an exception; 0 until then.
    is_of_block : bool
        Whether `bytes` is the peak of the block. Where the system cannot reset its mark, it is the
        peak since the process started, as ``getrusage`` tells it.

    Notes
    -----
    There is one mark a process, and entering a block resets it: blocks must not be nested or run side by side
    in threads. The kernel counts in pages and may be some of them behind. Cost: two small files in
    ``/proc``, whatever the size of the process.

    Examples
    --------
    >>> with PeakMemory() as memory:
    ...     work()
    >>> memory.bytes
    """

    def __init__(self) -> None:
        self.bytes = 0
        self.is_of_block = False

    def __enter__(self) -> Self:
        self.bytes = 0
        self.is_of_block = _reset_mark()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        mark = _mark() if self.is_of_block else None
        self.is_of_block = mark is not None
        self.bytes = _peak_since_start() if mark is None else mark


def _reset_mark() -> bool:
    """Set the mark to what is resident now; return whether the system does that."""
    try:
        _RESET.write_text("5", encoding="ascii")
    except OSError:  # another system, or a sandbox
        return False
    return True


def _mark() -> int | None:
    for line in _STATUS.read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024  # "VmHWM:    2008 kB"
    return None


def _peak_since_start() -> int:
    import resource  # where it is needed: some systems have none

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
