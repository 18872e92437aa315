"""Values from a file as the fields of a dataclass: each of the type that the field has, and within its bounds.

A file may be of another version, or altered. So nothing of it is believed: a value of a wrong type, a number that is
none, a negative amount, a field that is not there or is not known are errors that name the field and the value.
"""

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, TypeVar

from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.real_numbers import shown

from .values import checked_instant

__all__ = ["restored", "restored_value"]

_T = TypeVar("_T")
_INSTANTS = frozenset({"now", "submit_time", "eligible_time", "start_time", "end_time"})
_SIGNED = frozenset({"nice"})
_FINITE = frozenset({"priority"})


def restored(kind: type[_T], values: Any, place: str, finished: Collection[str] = ()) -> _T:
    """Return a dataclass with these values of its fields, of which none may be absent.

    Those of `finished` are taken as they are.

    Raises
    ------
    InvalidInstanceError
        Names the place, the field and the value.
    """
    if not isinstance(values, Mapping):
        raise InvalidInstanceError(f"{place} = {_quoted(values)} is no object")
    fields = _fields(kind)  # type: ignore[arg-type]
    for name in fields:
        if name not in values:
            raise InvalidInstanceError(
                f"{place}: {name} is missing; the file is of another version, or altered"
            )
    for name in values:
        if name not in fields:
            raise InvalidInstanceError(f"{place}: {one_line(name)} is not known here")
    made = {}
    for name, field in fields.items():
        value = values[name]
        made[name] = (
            value
            if name in finished or field.is_clearly_right(value)
            else restored_value(field.kind, value, f"{place}: {name}")
        )
    return kind(**made)


class _Field(NamedTuple):
    """A field of a dataclass; `plain` is its type if that is neither a list nor a dataclass, without None."""

    kind: Any
    plain: Any
    may_be_none: bool
    has_usual_bounds: bool

    def is_clearly_right(self, value: Any) -> bool:
        """Whether a value needs no further look, as most do: tables have hundreds of thousands of them."""
        if value is None:
            return self.may_be_none
        if type(value) is not self.plain:
            return False
        if self.plain is str or self.plain is bool:
            return True
        return self.has_usual_bounds and bool(0 <= value <= EXACT_BOUND)


@functools.cache
def _fields(kind: Any) -> dict[str, _Field]:
    found = {}
    for field in dataclasses.fields(kind):
        inner = [each for each in typing.get_args(field.type) or (field.type,) if each is not types.NoneType]
        is_union = typing.get_origin(field.type) in (typing.Union, types.UnionType)
        plain = (
            inner[0] if (is_union or inner == [field.type]) and inner[0] in (str, bool, int, float) else None
        )
        may_be_none = is_union and types.NoneType in typing.get_args(field.type)
        found[field.name] = _Field(
            field.type, plain, may_be_none, field.name not in _INSTANTS and field.name not in _SIGNED
        )
    return found


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
