"""Whether readers and generators take a value, told by their annotations: flags, words, numbers and None.

Which words an option takes is said once, in the signature, and `checks_choices` makes a function refuse others. The
range of a number is the function's own concern. Whoever has values from people asks here first, as a command line, or a
description of an experiment, cannot know of what kind the options of readers are.
"""

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.choices import check_choice
from schedcore.model.real_numbers import shown
from schedcore.workloads.reading.option_spelling import spelled

__all__ = [
    "Argument",
    "argument_from_text",
    "check_argument_kind",
    "check_reader_argument",
    "checks_choices",
    "passed_argument",
]

Argument = int | float | str

_P = ParamSpec("_P")
_R = TypeVar("_R")

_NONE = "none"  # stands for None in texts and descriptions, which have no such value
_KINDS: dict[Any, tuple[str, type | tuple[type, ...]]] = {
    int: ("an integer", Integral),
    float: ("a number", Real),
    str: ("a word", str),
}


class _Takes(NamedTuple):
    """What an annotation says: the types of its union, the widest of `_KINDS` among them, and entries of literals."""

    types: tuple[Any, ...]
    kinds: tuple[type[Argument], ...]
    choices: tuple[object, ...]


@functools.cache
def _takes(function: Callable[..., Any], name: str) -> _Takes:
    hint = typing.get_type_hints(function)[name]
    is_union = typing.get_origin(hint) in (types.UnionType, typing.Union)
    options = typing.get_args(hint) if is_union else (hint,)
    kinds = tuple(kind for kind in _KINDS if kind in options and not (kind is int and float in options))
    literals = (option for option in options if typing.get_origin(option) is typing.Literal)
    return _Takes(
        options, kinds, tuple(choice for literal in literals for choice in typing.get_args(literal))
    )


def checks_choices(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function refuse other words than its annotations list, and flags other than True and False."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:
            return function(*args, **kwargs)  # Python's own sentence says more
        for name, value in given.items():
            _is_choice(function, name, value)
        return function(*args, **kwargs)

    return checked


def check_reader_argument(reader: Callable[..., Any], name: str, value: Any) -> None:
    """Raise an `InvalidInstanceError` that names the choices, or the kind, unless the option may take the value."""
    if _is_choice(reader, name, value):
        return
    takes = _takes(reader, name)
    for several in (Mapping, Sequence):
        is_several = isinstance(value, several) and not isinstance(value, str)
        if is_several and any(typing.get_origin(one) is several for one in takes.types):
            return
    accepted = tuple(_KINDS[kind][1] for kind in takes.kinds)
    if isinstance(value, bool) or not (value in takes.choices or isinstance(value, accepted)):
        words = [_KINDS[kind][0] for kind in takes.kinds] + [str(choice) for choice in takes.choices]
        raise InvalidInstanceError(f"{spelled(name, _written(value))} must be {' or '.join(words)}")


def _is_choice(function: Callable[..., Any], name: str, value: Any) -> bool:
    """Whether a value is None, a flag or a word, where the option takes such; an error if it should be and is not."""
    takes = _takes(function, name)
    words = [choice for choice in takes.choices if isinstance(choice, str)]
    if value is None and types.NoneType in takes.types:
        return True
    if bool in takes.types:
        if not isinstance(value, (bool, np.bool_)):
            given = spelled(name, _written(value))
            raise InvalidInstanceError(f"{given}: choose {spelled(name, True)} or {spelled(name, False)}")
        return True
    if words and (isinstance(value, str) or not takes.kinds):
        check_choice(spelled(name), _written(value), words)
        return True
    return False


def _written(value: Any) -> Any:
    """A value as messages have it, cut short where it is long."""
    is_long = isinstance(value, str) or (isinstance(value, int) and abs(value) > EXACT_BOUND)
    return shown(value) if is_long else value


def argument_from_text(generator: Callable[..., Any], parameter: str, text: str) -> Argument:
    """Return what a text says as the value of a parameter of a generator: an integer, a number or a word.

    Raises
    ------
    InvalidInstanceError
        For a text that is no integer, or no number, where the parameter takes one.
    """
    kind = _kind(generator, parameter)
    if _stands_for_none(generator, parameter, text):
        return text
    try:
        return kind(text)
    except ValueError:
        what = _KINDS[kind][0].partition(" ")[2]
        raise InvalidInstanceError(f"'{parameter}={shown(text)}' is not parameter={what}") from None


def check_argument_kind(generator: Callable[..., Any], parameter: str, value: Any) -> None:
    """Raise an `InvalidInstanceError` if the parameter takes no values of this kind, whatever their range."""
    kind = _kind(generator, parameter)
    if _stands_for_none(generator, parameter, value):
        return
    if isinstance(value, bool) or not isinstance(value, (int, float) if kind is float else kind):
        raise InvalidInstanceError(f"{parameter} = {value!r} must be {_KINDS[kind][0]}")


def passed_argument(generator: Callable[..., Any], parameter: str, value: Argument) -> Argument | None:
    """Return what the generator gets for a value: None for the word that stands for it."""
    return None if _stands_for_none(generator, parameter, value) else value


def _kind(generator: Callable[..., Any], parameter: str) -> type[Argument]:
    return next(iter(_takes(generator, parameter).kinds), str)


def _stands_for_none(generator: Callable[..., Any], parameter: str, value: object) -> bool:
    return value == _NONE and types.NoneType in _takes(generator, parameter).types
