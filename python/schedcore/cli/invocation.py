"""What a user typed for this very call, as a command that does it again."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from pathlib import PurePath
from typing import Any

__all__ = ["command_text", "given_values", "invoked", "section_of"]

_CONTEXT: ContextVar[Any] = ContextVar("context")
_GIVEN = ("COMMANDLINE", "DEFAULT_MAP", "ENVIRONMENT")


@contextmanager
def invoked(context: Any) -> Iterator[None]:
    """Make a context that of the call, while the body runs."""
    token = _CONTEXT.set(context)
    try:
        yield
    finally:
        _CONTEXT.reset(token)


def given_values(without: frozenset[str] = frozenset()) -> dict[Any, Any]:
    """The parameters that were typed or configured, with their values; not those called `without`."""
    context = _CONTEXT.get()
    return {
        parameter: context.params[parameter.name]
        for parameter in context.command.params
        if parameter.name in context.params
        and parameter.name not in without
        and getattr(context.get_parameter_source(parameter.name), "name", "") in _GIVEN
    }


def section_of(context: Any) -> list[str]:
    """The names of a command, without that of the program: ``["experiment", "run"]``."""
    names = []
    while context.parent is not None:
        names.append(context.info_name)
        context = context.parent
    return names[::-1]


def command_text(without: frozenset[str] = frozenset()) -> str:
    """The command with the given parameters as a shell takes it; arguments come first."""
    given = given_values(without)
    words = ["schedcore", *section_of(_CONTEXT.get())]
    words += [_typed(value) for parameter, value in given.items() if parameter.param_type_name == "argument"]
    for parameter, value in given.items():
        if parameter.param_type_name == "option":
            words += _option_words(parameter, value)
    return shlex.join(words)


def _option_words(parameter: Any, value: Any) -> list[str]:
    name = max(parameter.opts, key=len)
    if isinstance(value, bool):
        return [name] if value else []
    several = value if isinstance(value, (list, tuple)) else [value]
    return [word for one in several for word in (name, _typed(one))]


def _typed(value: Any) -> Any:
    """A value as it is typed."""
    if isinstance(value, Enum):
        return str(value.value)
    return str(value) if isinstance(value, (str, PurePath)) else repr(value)
