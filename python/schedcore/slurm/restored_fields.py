"""Values from a file as the fields of a dataclass: each of the type that the field has, and within its bounds.

A file may be of another version, or altered. So nothing of it is believed: a value of a wrong type, a number that is
none, a negative amount, a field that is not there or is not known are errors that name the field and the value.
"""

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.real_numbers import shown

from .values import checked_instant

__all__ = ["restored", "restored_value"]

_T = TypeVar("_T")
_INSTANTS = frozenset({"now", "submit_time", "eligible_time", "start_time", "end_time"})
_SIGNED = frozenset({"nice"})
_FINITE = frozenset({"priority"})


def restored(kind: type[_T], values: Any, place: str) -> _T:
    """Return a dataclass with these values of its fields, of which none may be absent.

    Raises
    ------
    InvalidInstanceError
        Names the place, the field and the value.
    """
    if not isinstance(values, Mapping):
        raise InvalidInstanceError(f"{place} = {_quoted(values)} is no object")
    fields = {field.name: field.type for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    for name in fields:
        if name not in values:
            raise InvalidInstanceError(
                f"{place}: {name} is missing; the file is of another version, or altered"
            )
    for name in values:
        if name not in fields:
            raise InvalidInstanceError(f"{place}: {one_line(name)} is not known here")
    return kind(
        **{name: restored_value(kinds, values[name], f"{place}: {name}") for name, kinds in fields.items()}
    )


def restored_value(kind: Any, value: Any, place: str) -> Any:
    """Return a value of a type such as ``int | None`` or ``tuple[str, ...]``, of which files have lists."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        if value is None and types.NoneType in inner:
            return None
        (kind,) = (each for each in inner if each is not types.NoneType)
        return restored_value(kind, value, place)
    if origin is tuple:
        return _tuple(inner, value, place)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
        if not isinstance(value, (list, tuple)) or len(value) != len(names):
            raise _wrong(place, value, f"a list of {', '.join(names)}")
        return restored(kind, dict(zip(names, value, strict=True)), place)
    if kind in (str, bool):
        if not isinstance(value, kind):
            raise _wrong(place, value, "a text" if kind is str else "true or false")
        return value
    if isinstance(value, bool) or not isinstance(value, int if kind is int else (int, float)):
        raise _wrong(place, value, "a whole number" if kind is int else "a number")
    return _number(value, place) if kind is int else float(_number(value, place))


def _tuple(inner: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise _wrong(place, value, "a list")
    kinds = (inner[0],) * len(value) if inner[1:] == (Ellipsis,) else inner
    if len(kinds) != len(value):
        raise _wrong(place, value, f"a list of {len(kinds)}")
    return tuple(
        restored_value(each, entry, f"{place}[{index}]")
        for index, (each, entry) in enumerate(zip(kinds, value, strict=True))
    )


def _number(value: float, place: str) -> float:
    name = place.rpartition(": ")[2]
    if name in _INSTANTS:
        if math.isnan(value):
            raise _wrong(place, value, "an instant")
        try:
            return checked_instant(value)
        except InvalidInstanceError as error:
            raise InvalidInstanceError(f"{place}: {error}") from None
    if value == math.inf and name not in _FINITE:
        return value
    least = -EXACT_BOUND if name in _SIGNED else 0
    if not least <= value <= EXACT_BOUND:
        raise _wrong(place, value, f"from {least} to {EXACT_BOUND}")
    return value


def _wrong(place: str, value: Any, what: str) -> InvalidInstanceError:
    return InvalidInstanceError(f"{place} = {_quoted(value)} is not {what}")


def _quoted(value: Any) -> str:
    return shown(one_line(repr(value)))
