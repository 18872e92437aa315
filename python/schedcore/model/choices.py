"""Options with a fixed set of values, and options that are on or off; the message for any other value."""

import difflib
import re
from collections.abc import Iterable

import numpy as np

from schedcore.errors import InvalidInstanceError, one_line

__all__ = ["check_choice", "checked_flag"]


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raise an `InvalidInstanceError` with the close matches unless `value` is one of `choices`.

    A name may say of or for what: of a "figure of 'load'" the message is "unknown figure 'lines' of 'load'".
    """
    known = list(choices)
    if isinstance(value, str) and value in known:
        return
    close = difflib.get_close_matches(str(value), known)
    hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
    what, *of_what = re.split("(?= of | for )", name, maxsplit=1)
    given = " ".join([what, one_line(repr(value))]) + "".join(of_what)
    raise InvalidInstanceError(f"unknown {given}{hint} (choices: {', '.join(known)})")


def checked_flag(name: str, value: object) -> bool:
    """Return an option that is on or off; an `InvalidInstanceError` unless it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidInstanceError(f"{name} = {value!r} must be True or False")
    return bool(value)
