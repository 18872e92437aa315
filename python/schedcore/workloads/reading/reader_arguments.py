"""Whether a value is one that an option of a reader takes, told by its annotation, in words for whoever typed it.

Readers check the range of their options. That a text stands for a number, or 0 for false, is found out here, before a
file is read: a command line, or a description of an experiment, cannot know of what kind the options of readers are.
"""

import types
import typing
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.choices import check_choice
from schedcore.model.real_numbers import shown
from schedcore.workloads.reading.option_spelling import spelled

__all__ = ["check_reader_argument"]

_KINDS: dict[type, tuple[str, type | tuple[type, ...]]] = {
    int: ("an integer", Integral),
    float: ("a number", Real),
    str: ("a word", str),
}


def check_reader_argument(reader: Callable[..., Any], name: str, value: Any) -> None:
    """Raise an `InvalidInstanceError` that names the choices, or the kind, unless the option may take the value."""
    hint = typing.get_type_hints(reader)[name]
    is_union = typing.get_origin(hint) in (types.UnionType, typing.Union)
    options = set(typing.get_args(hint) if is_union else (hint,))
    choices = [choice for option in options for choice in typing.get_args(option)]  # of a Literal
    kinds = [kind for kind in _KINDS if kind in options]
    if float in kinds and int in kinds:
        kinds.remove(int)
    is_long = isinstance(value, str) or (isinstance(value, int) and abs(value) > EXACT_BOUND)
    written = shown(value) if is_long else value
    if value is None and types.NoneType in options:
        return
    if bool in options:
        if not isinstance(value, (bool, np.bool_)):
            raise InvalidInstanceError(
                f"{spelled(name, written)}: choose {spelled(name, True)} or {spelled(name, False)}"
            )
    elif choices and (isinstance(value, str) or not kinds):
        if isinstance(value, bool) or value not in choices:
            check_choice(spelled(name), written, map(str, choices))
    elif isinstance(value, bool) or not isinstance(value, tuple(_KINDS[kind][1] for kind in kinds)):
        words = [_KINDS[kind][0] for kind in kinds] + [str(choice) for choice in choices]
        raise InvalidInstanceError(f"{spelled(name, written)} must be {' or '.join(words)}")
