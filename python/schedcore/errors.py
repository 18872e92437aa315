"""The exceptions that schedcore raises.

Messages name the job, the value and the bound. A wrong type stays a ``TypeError``; hitting a time limit is a
status in the result, not an exception.
"""

__all__ = [
    "InfeasibleError",
    "InvalidInstanceError",
    "OptionTypeError",
    "PolicyError",
    "SchedcoreError",
    "UnsupportedError",
    "one_line",
]

_LONGEST = 300  # characters of a foreign message


class SchedcoreError(Exception):
    """Base class of every exception that schedcore defines."""


class InvalidInstanceError(SchedcoreError, ValueError):
    """The input is not a valid instance, option or event; nothing was changed."""


class InfeasibleError(SchedcoreError):
    """A job that no machine can ever run; raised by algorithms, not by `Instance`."""


class OptionTypeError(SchedcoreError, TypeError):
    """An option of an algorithm has a type that it does not take."""


class PolicyError(SchedcoreError):
    """A user's policy, key or callback broke its contract."""


class UnsupportedError(SchedcoreError):
    """This algorithm does not handle that feature of the instance."""


def one_line(error: object) -> str:
    """Return what another library's exception says as one line of bounded length, to be part of a message."""
    text = " ".join(str(error).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
