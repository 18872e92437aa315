"""An option with a fixed set of values, and the message for any other value."""

import difflib
from collections.abc import Iterable

from schedcore.errors import InvalidInstanceError

__all__ = ["check_choice"]


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raise an `InvalidInstanceError` with the close matches unless `value` is one of `choices`."""
    known = list(choices)
    if value in known:
        return
    close = difflib.get_close_matches(str(value), known)
    hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
    raise InvalidInstanceError(f"unknown {name} {value!r}{hint} (choices: {', '.join(known)})")
