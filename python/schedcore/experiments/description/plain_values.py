"""Plain values, as TOML and JSON have them: what is of the wrong kind is an error that names its place.

Descriptions come from files and from programs; both are checked here, so that both are refused in the same words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.model.choices import check_choice

__all__ = [
    "check_count",
    "check_distinct",
    "check_flag",
    "check_known",
    "check_list",
    "check_name",
    "check_number",
    "check_scalar",
    "check_table",
    "check_text",
    "check_texts",
    "is_number",
    "refuse_oversized",
]

_INTEGER_BITS = 64
_DEEPEST = 20  # a description has five levels of tables and lists


def is_number(value: object) -> bool:
    """Whether `value` is an integer of 64 bits or a float; true and false are no numbers."""
    return isinstance(value, float) or (
        isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= _INTEGER_BITS
    )


def check_known(place: str, kind: str, value: object, known: Iterable[str]) -> None:
    """Refuse a name that is none of those known; tells the close matches."""
    try:
        check_choice(kind, value, known)
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"{place}: {error}") from None


def check_text(place: str, key: str, value: object) -> None:
    if not isinstance(value, str):
        raise InvalidInstanceError(f"{place}: {key} = {_as_written(value)!r} must be a text")


def check_name(what: str, name: object) -> None:
    """Names become names of files."""
    if not isinstance(name, str) or not name or not all(sign.isalnum() or sign in "-_" for sign in name):
        raise InvalidInstanceError(f"{what} {name!r} must be letters, digits, - and _")


def check_flag(place: str, key: str, value: object) -> None:
    if not isinstance(value, bool):
        raise InvalidInstanceError(f"{place}: {key} = {value!r} must be true or false")


def check_number(place: str, key: str, value: Any) -> None:
    """Refuse all but finite numbers of at least 0."""
    if not is_number(value) or not math.isfinite(value) or value < 0:
        raise InvalidInstanceError(f"{place}: {key} = {value!r} must be a number of at least 0")


def check_count(place: str, key: str, value: Any, least: int = 1) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidInstanceError(f"{place}: {key} = {value!r} must be an integer")
    if not least <= value < 1 << 63:
        raise InvalidInstanceError(f"{place}: {key} = {value} must be at least {least} and below 2**63")


def check_scalar(place: str, key: str, value: Any) -> None:
    if isinstance(value, (bool, str)) or (is_number(value) and math.isfinite(value)):
        return
    raise InvalidInstanceError(
        f"{place}: {key} = {value!r} must be a text, true, false or a number (finite, integers of 64 bits)"
    )


def check_list(place: str, key: str, value: object, of: str = "values") -> None:
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise InvalidInstanceError(f"{place}: {key} = {value!r} must be a list of {of}")


def check_texts(place: str, key: str, value: Any, of: str = "names") -> None:
    """Refuse all but lists of different texts."""
    check_list(place, key, value, of)
    if not all(isinstance(entry, str) for entry in value):
        raise InvalidInstanceError(f"{place}: {key} = {list(value)} must be a list of {of}")
    check_distinct(place, key, value)


def check_distinct(place: str, key: str, values: Sequence[Any]) -> None:
    """Refuse equal values; 1, 1.0 and true are equal."""
    seen = set()
    for value in values:
        if value in seen:
            raise InvalidInstanceError(f"{place}: {key} lists {value!r} twice")
        seen.add(value)


def check_table(place: str, key: str, value: object, entries: type = object) -> None:
    """Refuse all but mappings of texts to `entries`."""
    if not isinstance(value, Mapping):
        raise InvalidInstanceError(f"{place}: {key} = {_as_written(value)!r} must be a table")
    for label, entry in value.items():
        if not isinstance(label, str):
            raise InvalidInstanceError(f"{place}: {key} has the name {label!r}, which is no text")
        if not isinstance(entry, entries):
            meaning = "text" if entries is str else "table" if entries is Mapping else entries.__name__
            raise InvalidInstanceError(f"{place}: {key} {label!r} = {entry!r} must be a {meaning}")


def refuse_oversized(place: str, document: object) -> None:
    """Refuse what later steps could not even print: integers beyond 64 bits, and tables nested without end."""
    waiting = [(document, 0)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, int) and value.bit_length() > _INTEGER_BITS:
            raise InvalidInstanceError(
                f"{place}: an integer has {value.bit_length()} bits, more than {_INTEGER_BITS}"
            )
        if depth > _DEEPEST:
            raise InvalidInstanceError(f"{place}: more than {_DEEPEST} tables or lists within each other")
        if isinstance(value, Mapping):
            waiting += [(entry, depth + 1) for entry in value.values()]
        elif isinstance(value, (list, tuple)):
            waiting += [(entry, depth + 1) for entry in value]


def _as_written(value: object) -> object:
    """Lists of files are tuples by now."""
    return list(value) if isinstance(value, tuple) else value
