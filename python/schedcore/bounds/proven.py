"""What a program proved, and how it ended."""

from typing import NamedTuple

__all__ = ["Proven"]


class Proven(NamedTuple):
    """A proven number with what is worth knowing about it.

    Attributes
    ----------
    value : float
        No schedule can beat it, however the program behind it ended.
    status : str or None
        "optimal": the program was solved to the end; "restricted": a part of it was, and the number is close;
        "time_limit", "failed": what had been proven by then. None where there is no program.
    holds_for : str or None
        The class of schedules, "migrate" or "preempt" (see `schedcore.validate`), beyond which it proves nothing; None
        for all schedules of the instance.
    """

    value: float
    status: str | None = None
    holds_for: str | None = None
