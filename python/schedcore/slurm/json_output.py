"""What commands print with ``--json``, in any version of their data: one object of plain texts, numbers and lists.

A number may be written plainly, or as ``{"set": true, "infinite": false, "number": 5}`` from 23.02 on; a state as a
text, or from 23.11 on as a list of texts; features as a text or a list. `JsonObject` reads all of them.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.real_numbers import shown

from .values import checked_instant, said

__all__ = ["JsonObject", "read_json_list"]

_NO_VALUE = frozenset({0xFFFF, 0xFFFE, 0xFFFFFFFE, 0xFFFFFFFFFFFFFFFE})
_INFINITE = frozenset({0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF})


class JsonObject:
    """One object of an output, as ``"squeue.json: jobs[3]"``."""

    __slots__ = ("_content", "place")

    def __init__(self, content: Mapping[str, Any], place: str) -> None:
        self._content = content
        self.place = place

    def raw(self, name: str) -> Any:
        """Return what stands at a name, or at several with dots between them; None where nothing does."""
        value: Any = self._content
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return value

    def has(self, name: str) -> bool:
        """Whether there is such a field, whatever it says."""
        return self.raw(name) is not None

    def is_null(self, name: str) -> bool:
        """Whether there is such a field, which says null."""
        return name in self._content and self._content[name] is None

    def text(self, *names: str) -> str | None:
        """Return the first field that says something as a text; a list with commas between its entries."""
        for name in names:
            value = self.raw(name)
            if isinstance(value, list):
                value = ",".join(map(str, value))
            if isinstance(value, Mapping):
                value = self.number(name)
            word = None if value is None or isinstance(value, bool) else said(str(value))
            if word is not None:
                return word
        return None

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of texts, also of one text with commas."""
        value = self.raw(name)
        parts = value if isinstance(value, list) else str(value or "").split(",")
        return tuple(word for word in (said(str(part)) for part in parts) if word is not None)

    def number(self, *names: str) -> float | None:
        """Return the first field that says something as a number, infinite where it has no limit."""
        for name in names:
            value = self.raw(name)
            if isinstance(value, Mapping):
                if value.get("infinite"):
                    return math.inf
                value = value.get("number") if value.get("set", True) else None
            if value is None or value is False or value == "":
                continue
            if isinstance(value, str):
                if said(value) is None:
                    continue
                try:
                    value = float(value)
                except ValueError:
                    raise self._error(name, value, "a number") from None
            if not isinstance(value, (int, float)):
                raise self._error(name, value, "a number")
            if value in _NO_VALUE:
                continue
            if isinstance(value, float) and math.isnan(value):
                raise self._error(name, value, "a number")
            return math.inf if value in _INFINITE else _as_float(value)
        return None

    def count(self, *names: str) -> int | None:
        """Return the first field that says something as a whole number; None without a limit."""
        number = self.number(*names)
        if number is None or number == math.inf:
            return None
        if not 0 <= number <= EXACT_BOUND or number != math.floor(number):
            raise self._error(names[0], number, "a whole number")
        return int(number)

    def instant(self, *names: str) -> float | None:
        """Return seconds since 1970; 0 says nothing."""
        number = self.number(*names)
        if not number or number == math.inf:
            return None
        try:
            return checked_instant(number)
        except InvalidInstanceError as error:
            raise InvalidInstanceError(f"{self.place}: {names[0]}: {error}") from None

    def is_true(self, name: str) -> bool:
        """Whether a flag is on."""
        return self.raw(name) is True

    def objects(self, name: str) -> list["JsonObject"]:
        """Return a list of objects; none where there is no list."""
        value = self.raw(name)
        return [
            JsonObject(entry, f"{self.place}: {name}[{index}]")
            for index, entry in enumerate(value if isinstance(value, list) else [])
            if isinstance(entry, Mapping)
        ]

    def inner(self, name: str) -> "JsonObject":
        """Return an object in this one; an empty one where there is none."""
        value = self.raw(name)
        return JsonObject(value if isinstance(value, Mapping) else {}, f"{self.place}: {name}")

    def needed(self, *names: str) -> str:
        """Return a text that must be there."""
        value = self.text(*names)
        if value is None:
            raise InvalidInstanceError(f"{self.place}: {names[0]} is missing")
        return value

    def _error(self, name: str, value: object, what: str) -> InvalidInstanceError:
        return InvalidInstanceError(f"{self.place}: {name} = {shown(one_line(repr(value)))} is not {what}")


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer of hundreds of digits
        return math.inf if value > 0 else -math.inf


def read_json_list(text: str, source: str, name: str) -> list[JsonObject]:
    """Return the objects of the list `name` of an output, such as "jobs".

    Raises
    ------
    InvalidInstanceError
        For a text that is no JSON, an output without that list, and one in which the command tells an error.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInstanceError(f"{source} is no JSON: {one_line(error)}") from None
    entries = content.get(name) if isinstance(content, Mapping) else None
    errors = content.get("errors") if isinstance(content, Mapping) else None
    if isinstance(errors, Sequence) and not isinstance(errors, str) and errors and not entries:
        raise InvalidInstanceError(f"{source} tells an error of Slurm: {one_line(json.dumps(errors))}")
    if not isinstance(entries, list):
        raise InvalidInstanceError(f"{source} has no list {name!r}")
    for index, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            raise InvalidInstanceError(f"{source}: {name}[{index}] is no object")
    return [JsonObject(entry, f"{source}: {name}[{index}]") for index, entry in enumerate(entries)]
