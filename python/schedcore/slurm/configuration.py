"""``slurm.conf``, or what ``scontrol show config`` prints of it: settings, and the lines of nodes and partitions.

Keys count without regard to case. A ``#`` begins a comment, a backslash at the end of a line continues it, ``Include``
reads another file, and a node or partition called DEFAULT says what those after it have. Nothing here judges what a
setting means; `unknown` are the keys that no version of Slurm knows as far as this module does.
"""

import dataclasses
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from schedcore.errors import InvalidInstanceError
from schedcore.model.real_numbers import shown

from .known_settings import KNOWN_SETTINGS, KNOWN_WORDS
from .records import Record
from .values import said

__all__ = ["Configuration", "read_configuration"]

_MOST_INCLUDES = 100
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9_]*(?:\[\d+\])?)\s*=\s*")
_VALUE = re.compile(r'"([^"]*)"|(\S*)')
_SHOWN = re.compile(r"([A-Za-z][A-Za-z0-9_]*(?:\[\d+\])?)\s*=\s?(.*)")
_SHOWN_HEAD = re.compile(r"Configuration data as of (\S+)")
_SHOWN_TAIL = re.compile(r"Slurmctld\(\w+\) at .*|Cgroup Support Configuration.*|.*Configuration:")
_UNIT = re.compile(r"(\S+) (?:sec|min|usec|percent|nodes/min|days|files|messages)")


@dataclasses.dataclass(frozen=True)
class Configuration:
    """What a configuration says, before anything is made of it.

    Parameters
    ----------
    settings : mapping of str to (str, str, str)
        Key in lower case -> the key as written, its text, and where it stands.
    nodes, partitions, node_sets : tuple of Record
        With what their DEFAULT says; none from ``scontrol show config``.
    unknown : tuple of (str, str)
        Keys that are no settings of Slurm, and where each stands.
    as_of : str or None
        The date that ``scontrol show config`` tells.
    """

    settings: Mapping[str, tuple[str, str, str]]
    nodes: tuple[Record, ...] = ()
    partitions: tuple[Record, ...] = ()
    node_sets: tuple[Record, ...] = ()
    unknown: tuple[tuple[str, str], ...] = ()
    as_of: str | None = None

    def text(self, key: str) -> str | None:
        """Return what a setting says; None where it says nothing or is not there."""
        setting = self.settings.get(key.lower())
        return None if setting is None else said(setting[1])

    @property
    def record(self) -> Record:
        """All settings as one record, of which fields are read as numbers and times."""
        return Record(
            {key: text for key, (_, text, _) in self.settings.items()},
            "slurm.conf",
            places={key: place for key, (_, _, place) in self.settings.items()},
        )

    @property
    def is_there(self) -> bool:
        """Whether anything was read at all."""
        return bool(self.settings or self.nodes or self.partitions or self.node_sets)

    def parameters(self, key: str) -> dict[str, str]:
        """Return a list such as SchedulerParameters by name in lower case; what has no ``=`` has the empty text."""
        parts = (part.strip() for part in (self.text(key) or "").split(","))
        return {
            name.strip().lower(): value.strip()
            for name, _, value in (part.partition("=") for part in parts if part)
        }

    def place(self, key: str) -> str:
        """Where a setting stands, for messages."""
        return self.settings[key.lower()][2] if key.lower() in self.settings else "slurm.conf"


def read_configuration(path: str | os.PathLike[str]) -> Configuration:
    """Read ``slurm.conf``, with the files that it includes, or the output of ``scontrol show config``.

    Raises
    ------
    InvalidInstanceError
        For a line that sets nothing, and files that include each other; names the file and the line.
    FileNotFoundError
        If there is no such file, or no file that it includes.
    """
    file = Path(path)
    text = _text_of(file)
    head = _SHOWN_HEAD.search(text[:1000])
    if head is not None:
        return _shown_configuration(file.name, text, head[1])
    settings: dict[str, tuple[str, str, str]] = {}
    lists: dict[str, list[Record]] = {key: [] for key in KNOWN_WORDS}
    defaults: dict[str, dict[str, str]] = {key: {} for key in KNOWN_WORDS}
    unknown: list[tuple[str, str]] = []
    for place, line in _lines(file, ()):
        pairs = _pairs(place, line)
        first = pairs[0][0].lower()
        if first in KNOWN_WORDS:
            record = Record(dict(pairs), place)
            unknown += [(key, place) for key, _ in pairs if key.lower() not in KNOWN_WORDS[first]]
            if record.text(first) == "DEFAULT":
                defaults[first] |= {key: value for key, value in record.fields.items() if key != first}
            else:
                lists[first].append(record.with_defaults(defaults[first]))
            continue
        for key, value in pairs:
            settings[key.lower()] = (key, value, place)
            if re.sub(r"\[\d+\]", "", key.lower()) not in KNOWN_SETTINGS:
                unknown.append((key, place))
    return Configuration(
        settings,
        tuple(lists["nodename"]),
        tuple(lists["partitionname"]),
        tuple(lists["nodeset"]),
        tuple(unknown),
    )


def _text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _lines(file: Path, within: tuple[Path, ...]) -> Iterator[tuple[str, str]]:
    """Yield where a line stands, and the line without comments, with those that continue it."""
    whole = file.resolve()
    if whole in within or len(within) > _MOST_INCLUDES:
        raise InvalidInstanceError(
            f"{file.name} includes itself: {' -> '.join(each.name for each in (*within, whole))}"
        )
    first, so_far = 0, ""
    for number, line in enumerate(_text_of(file).splitlines(), 1):
        part = re.sub(r"(?<!\\)#.*", "", line).replace(r"\#", "#").rstrip()
        first = first if so_far else number
        if part.endswith("\\"):
            so_far += part[:-1]
            continue
        joined, so_far = (so_far + part).strip(), ""
        if not joined:
            continue
        include = re.match(r"include\s+(\S.*)", joined, re.IGNORECASE)
        if include is not None:
            other = file.parent / include[1].strip()
            if not other.is_file():
                raise FileNotFoundError(
                    2, f"{file.name}: line {first}: the file that it includes is not there", str(other)
                )
            yield from _lines(other, (*within, whole))
        else:
            yield f"{file.name}: line {first}", joined
    if so_far.strip():
        yield f"{file.name}: line {first}", so_far.strip()


def _pairs(place: str, line: str) -> list[tuple[str, str]]:
    """Return the fields of a line, ``Key=value`` between blanks."""
    pairs, end = [], 0
    while end < len(line):
        key = _KEY.match(line, end)
        if key is None:
            rest = line[end : end + 30]
            raise InvalidInstanceError(f"{place}: {shown(repr(rest))} is not KEY=VALUE")
        value = _VALUE.match(line, key.end())
        assert value is not None
        pairs.append((key[1], value[1] if value[1] is not None else value[2]))
        end = value.end()
        while end < len(line) and line[end].isspace():
            end += 1
    return pairs


def _shown_configuration(source: str, text: str, as_of: str) -> Configuration:
    settings: dict[str, tuple[str, str, str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or _SHOWN_HEAD.match(line) or _SHOWN_TAIL.fullmatch(line.strip()):
            continue
        place = f"{source}: line {number}"
        match = _SHOWN.fullmatch(line.strip())
        if match is None:
            raise InvalidInstanceError(f"{place}: {line[:40]!r} is not KEY = VALUE")
        with_unit = _UNIT.fullmatch(match[2].strip())  # slurm.conf has the same number, without the unit
        value = match[2].strip() if with_unit is None else with_unit[1]
        settings.setdefault(match[1].lower(), (match[1], value, place))
    return Configuration(settings, as_of=as_of)
