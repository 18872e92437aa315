"""How messages write the options that they tell a user to give: as Python does, unless a caller says otherwise.

Readers do not know who called them. A message such as "choose missing_memory="used"" is right in Python and wrong in a
shell, so that whoever reads on behalf of somebody else, as the command line does, sets the spelling for that time.
"""

import contextlib
import contextvars
from collections.abc import Callable, Iterator

__all__ = ["as_python", "spelled", "spelling_options"]

Spelling = Callable[..., str]  # takes a name, and a value or none


def as_python(name: str, *value: object) -> str:
    """Write an option as Python does, and the text of a generator."""
    return "".join([name, *(f'="{one}"' if isinstance(one, str) else f"={one!r}" for one in value)])


_spelling: contextvars.ContextVar[Spelling] = contextvars.ContextVar("spelling", default=as_python)


def spelled(name: str, *value: object) -> str:
    """Return an option with its value, or its name alone, as the user of this moment writes them."""
    return _spelling.get()(name, *value)


@contextlib.contextmanager
def spelling_options(spelling: Spelling) -> Iterator[None]:
    """Let messages spell options so within the block; `spelling` takes what `spelled` does."""
    token = _spelling.set(spelling)
    try:
        yield
    finally:
        _spelling.reset(token)
