"""The records of ``scontrol show``: a line each with ``-o``, else a block of lines; fields as ``Key=value``.

Values may have blanks in them. A field ends where a blank and the name of a field follow, which begins with a capital
letter. A name of a job may look like that, too, and users choose it; so its end is known by what comes next in every
version. Of a field that stands there twice the first counts, because the texts of users come last.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from schedcore.errors import InvalidInstanceError

from .values import Zone, count, instant, megabytes, said, seconds, tres_amounts

__all__ = ["Record", "quoted", "read_records"]

_T = TypeVar("_T")
_FIELD = re.compile(r"(?:^|(?<=\s))([A-Z][A-Za-z0-9_/:.\[\]-]*)=")
_JOB_NAME = re.compile(r"\sJobName=(.*?)(?=\sUserId=\S+ GroupId=\S+ )")
_NOTHING_THERE = re.compile(r"No \w+ (?:in the system|found)|\w+ \w+ not found", re.IGNORECASE)
_LONGEST = 60  # characters of a line that a message quotes


class Record:
    """The fields of one record, by name without regard to case, and where it stands.

    Parameters
    ----------
    fields : mapping of str
    place : str
        As ``"scontrol_node.txt: line 3"``, for messages.
    zone : tzinfo or None
        Of the dates.
    places : mapping of str to str, optional
        Where single fields stand, by name in lower case.
    """

    __slots__ = ("_fields", "_places", "line", "place", "zone")

    def __init__(
        self,
        fields: Mapping[str, str],
        place: str,
        line: str = "",
        zone: Zone = None,
        places: Mapping[str, str] | None = None,
    ) -> None:
        self._places = places or {}
        self._fields = {name.lower(): text for name, text in fields.items()}
        self.place = place
        self.line = line
        self.zone = zone

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._fields

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields, in lower case."""
        return tuple(self._fields)

    def text(self, *names: str) -> str | None:
        """Return the first of these fields that says something; None if none does."""
        for name in names:
            value = said(self._fields.get(name.lower()))
            if value is not None:
                return value
        return None

    def needed(self, name: str) -> str:
        """Return a field, which must say something."""
        value = self.text(name)
        if value is None:
            raise InvalidInstanceError(f"{self.place}: {name} is missing")
        return value

    def count(self, *names: str) -> int | None:
        """Return the first of these fields that says something as a whole number."""
        return self._read(names, count)

    def seconds(self, *names: str) -> float | None:
        """Return a limit of time in seconds."""
        return self._read(names, seconds)

    def megabytes(self, *names: str) -> float | None:
        """Return an amount of memory in MB."""
        return self._read(names, megabytes)

    def tres(self, *names: str) -> dict[str, int]:
        """Return trackable resources; none where nothing is said."""
        return self._read(names, tres_amounts) or {}

    def instant(self, *names: str) -> float | None:
        """Return seconds since 1970."""
        return self._read(names, lambda text: instant(text, self.zone))

    def is_yes(self, name: str) -> bool:
        """Whether a field says YES, or 1."""
        return (self.text(name) or "").upper() in ("YES", "1", "TRUE")

    def with_defaults(self, defaults: Mapping[str, str]) -> "Record":
        """Return the record with fields of `defaults` (names in lower case) where it has none."""
        return Record({**defaults, **self._fields}, self.place, self.line, self.zone)

    @property
    def fields(self) -> Mapping[str, str]:
        """Name in lower case -> text."""
        return self._fields

    def _read(self, names: tuple[str, ...], value_of: Callable[[str], _T | None]) -> _T | None:
        for name in names:
            text = self.text(name)
            if text is None:
                continue
            try:
                return value_of(text)
            except InvalidInstanceError as error:
                place = self._places.get(name.lower(), self.place)
                raise InvalidInstanceError(f"{place}: {name}: {error}") from None
        return None


def read_records(text: str, source: str, first_field: str, zone: Zone = None) -> list[Record]:
    """Return the records of an output of ``scontrol show``, which begin with `first_field`, such as "JobId".

    Raises
    ------
    InvalidInstanceError
        For a line that is no record; names the file and the line.
    """
    records = []
    for number, line in _joined(text):
        if _NOTHING_THERE.match(line):
            continue
        place = f"{source}: line {number}"
        if not line.startswith(f"{first_field}="):
            raise InvalidInstanceError(f"{place}: {quoted(line)} does not begin with {first_field}=")
        records.append(Record(_fields(line), place, line, zone))
    return records


def quoted(line: str) -> str:
    """Return a line in quotes, cut short where it is long."""
    return repr(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}...")


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number of the first line of every record, and the record as one line."""
    first, parts = 0, list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        if line[0].isspace() and parts:
            parts.append(line.strip())
            continue
        if parts:
            yield first, " ".join(parts)
        first, parts = number, [line.strip()]
    if parts:
        yield first, " ".join(parts)


def _fields(line: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    job_name = _JOB_NAME.search(line)
    if job_name is not None:
        fields["JobName"] = job_name[1]
        line = line[: job_name.start()] + line[job_name.end() :]
    found = list(_FIELD.finditer(line))
    for match, following in itertools.zip_longest(found, found[1:]):
        end = following.start() if following else len(line)
        fields.setdefault(match[1], line[match.end() : end].strip())
    return fields
