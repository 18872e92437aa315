"""The error for a text that does not follow its grammar: which text, where in it, and what is wrong there."""

from schedcore.errors import InvalidInstanceError

__all__ = ["malformed"]

_LONGEST = 30  # characters of a text that a message quotes


def malformed(text: str, position: int, what: str) -> InvalidInstanceError:
    """Return the error for a character, counted from 0, of which `what` says the rest of the sentence."""
    found = repr(text[position]) if position < len(text) else "the end"
    quoted = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    return InvalidInstanceError(f"{quoted!r} is malformed: at position {position}, {found} {what}")
