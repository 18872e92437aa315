"""What the parameters of a generator take, told by its annotations: integers, numbers or words.

Texts and experiment descriptions have no None; where a parameter may be that, the word ``none`` says it.
"""

import types
import typing
from collections.abc import Callable
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.model.real_numbers import shown

__all__ = ["Argument", "argument_from_text", "check_argument_kind", "passed_argument"]

Argument = int | float | str

_NONE = "none"
_KINDS: dict[type, str] = {int: "integer", float: "number", str: "word"}


def argument_from_text(function: Callable[..., Any], parameter: str, text: str) -> Argument:
    """Return what a text says as the value of a parameter.

    Raises
    ------
    InvalidInstanceError
        For a text that is no integer, or no number, where the parameter takes one.
    """
    kind, may_be_none = _kind(function, parameter)
    if may_be_none and text == _NONE:
        return text
    try:
        return kind(text)
    except ValueError:
        raise InvalidInstanceError(f"'{parameter}={shown(text)}' is not parameter={_KINDS[kind]}") from None


def check_argument_kind(function: Callable[..., Any], parameter: str, value: Any) -> None:
    """Raise an `InvalidInstanceError` if the parameter takes no values of this kind, whatever their range."""
    kind, may_be_none = _kind(function, parameter)
    if may_be_none and value == _NONE:
        return
    accepted = (int, float) if kind is float else kind
    if isinstance(value, bool) or not isinstance(value, accepted):
        article = "an" if kind is int else "a"
        raise InvalidInstanceError(f"{parameter} = {value!r} must be {article} {_KINDS[kind]}")


def passed_argument(function: Callable[..., Any], parameter: str, value: Argument) -> Argument | None:
    """Return what the function gets for a value: None for the word that stands for it."""
    return None if value == _NONE and _kind(function, parameter)[1] else value


def _kind(function: Callable[..., Any], parameter: str) -> tuple[type[Argument], bool]:
    """Return int, float or str, and whether the parameter may be None as well."""
    hint = typing.get_type_hints(function)[parameter]
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    kind = next(option for option in options if option is not types.NoneType)
    is_word = typing.get_origin(kind) is typing.Literal
    return (str if is_word else kind), types.NoneType in options
