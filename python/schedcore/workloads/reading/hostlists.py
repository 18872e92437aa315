"""Names of machines as Slurm writes them: ``n[1-4,7,10-12]``, ``rack[1-2]n[01-16]``, ``n1,login``.

::

    hostlist = host { "," host }        host = { character | "[" range { "," range } "]" }
    range = number [ "-" number ]

Characters of names are all but brackets, commas and blanks. Brackets stand for each of their numbers; of several in
one name, the last changes fastest. A first number with zeros in front says how many digits all numbers of its range
have: ``n[08-11]`` is n08, n09, n10, n11. Blanks around the commas between hosts are skipped. Nothing but blanks is no
name at all. The grammar is that of ``scontrol show hostnames`` [Slurm]_.

.. [Slurm] SchedMD, "scontrol", https://slurm.schedmd.com/scontrol.html, commands "show hostnames" and "show hostlist".
"""

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from schedcore.errors import InvalidInstanceError
from schedcore.model.coded_texts import checked_text
from schedcore.model.machines import MOST_MACHINES
from schedcore.model.malformed import malformed
from schedcore.model.real_numbers import shown

__all__ = ["compress_hostlist", "expand_hostlist"]

_MOST_DIGITS = 15  # of a number in brackets
_SEPARATOR = re.compile(r"\s*(,)\s*|\s*\Z")
_WORD = re.compile(r"[^\s,\[\]]+")
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?")
_DIGITS = re.compile(r"([0-9]+)")


class _Range(NamedTuple):
    """The numbers from `first` to `last`, each with at least `width` digits."""

    first: int
    last: int
    width: int

    def texts(self) -> Iterator[str]:
        return (str(number).zfill(self.width) for number in range(self.first, self.last + 1))


_Part = str | list[_Range]  # of a host: a text, or what stands in brackets


def expand_hostlist(text: str) -> tuple[str, ...]:
    """Return the names that a hostlist stands for, in its order; a name that stands there twice comes twice.

    Raises
    ------
    InvalidInstanceError
        For a text that does not follow the grammar (with the position, from 0), and for more than 10,000,000 names.
    TypeError
        For anything that is no str.

    Notes
    -----
    O(number of names). They are counted before any is made.
    """
    if _WORD.fullmatch(checked_text(text, "hostlist")):
        return (text,)
    hosts = list(_hosts(text))
    n_names = sum(math.prod(_count(part) for part in host) for host in hosts)
    if n_names > MOST_MACHINES:
        raise InvalidInstanceError(
            f"{shown(text)!r} names {shown(n_names)} machines; {MOST_MACHINES:,} are the most there can be"
        )
    return tuple(name for host in hosts for name in _names(host))


def compress_hostlist(names: Iterable[str]) -> str:
    """Return a short hostlist of `names`, of which `expand_hostlist` makes the same names in the same order.

    Neighbours that differ in one number share brackets; names are not sorted. No names at all are the empty text.

    Raises
    ------
    InvalidInstanceError
        For a name that no hostlist can hold: an empty one, and one with brackets, commas or blanks.
    TypeError
        For anything but an iterable of str.

    Notes
    -----
    O(number of names * numbers in a name).
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"names must be an iterable of str, not {type(names).__name__}")
    hosts = []
    for index, name in enumerate(names):
        if not _WORD.fullmatch(checked_text(name, f"names[{index}]")):
            raise InvalidInstanceError(
                f"names[{index}] = {shown(repr(name))} cannot stand in a hostlist: "
                f"a name has one character or more, and no brackets, commas or blanks"
            )
        # Texts at even places, numbers at odd ones.
        hosts.append(tuple(_DIGITS.split(name)))
    # The last number first: it changes fastest when brackets are expanded, so the order of the names is kept.
    for place in range(max(map(len, hosts), default=0) - 2, 0, -2):
        hosts = list(_joined(hosts, place))
    return ",".join(map("".join, hosts))


def _hosts(text: str) -> Iterator[list[_Part]]:
    """Take a hostlist apart."""
    end = len(text) - len(text.lstrip())
    while end < len(text):
        host: list[_Part] = []
        while True:
            if word := _WORD.match(text, end):
                host.append(word[0])
                end = word.end()
            elif text.startswith("[", end):
                ranges, end = _brackets(text, end)
                host.append(ranges)
            else:
                break
        if not host:
            raise malformed(text, end, "stands where a name is needed")
        separator = _SEPARATOR.match(text, end)
        if separator is None:
            raise malformed(text, end, "stands where a comma or the end is needed")
        yield host
        end = separator.end()
        if separator[1] and end == len(text):
            raise malformed(text, end, "stands where a name is needed")


def _brackets(text: str, start: int) -> tuple[list[_Range], int]:
    """Return what stands in the brackets that open at `start`, and where the text goes on."""
    ranges = []
    end = start + 1
    while True:
        match = _RANGE.match(text, end)
        if match is None:
            raise malformed(text, end, "stands where a number is needed")
        ranges.append(_range(text, match))
        end = match.end()
        if text.startswith("]", end):
            return ranges, end + 1
        if text.startswith("-", end):
            raise malformed(text, end + 1, "stands where the last number of a range is needed")
        if not text.startswith(",", end):
            raise malformed(text, end, "stands where a comma or ']' is needed")
        end += 1


def _range(text: str, match: re.Match[str]) -> _Range:
    first, last = match[1], match[2] or match[1]
    if len(first) > _MOST_DIGITS or len(last) > _MOST_DIGITS:
        raise malformed(text, match.start(), f"begins a number of more than {_MOST_DIGITS} digits")
    range_ = _Range(int(first), int(last), _width(first))
    if range_.last < range_.first:
        raise malformed(text, match.start(), f"begins the range {match[0]}, which ends below its start")
    if str(range_.last).zfill(range_.width) != last:
        raise malformed(
            text, match.start(), f"begins the range {match[0]}, whose ends have different zeros in front"
        )
    return range_


def _width(number: str) -> int:
    """How many digits at least the numbers of a range have that begins so."""
    return len(number) if number.startswith("0") else 1


def _count(part: _Part) -> int:
    return 1 if isinstance(part, str) else sum(each.last - each.first + 1 for each in part)


def _names(host: Sequence[_Part]) -> Iterator[str]:
    choices = (
        (part,) if isinstance(part, str) else [text for each in part for text in each.texts()]
        for part in host
    )
    return map("".join, itertools.product(*choices))


def _joined(hosts: Sequence[tuple[str, ...]], place: int) -> Iterator[tuple[str, ...]]:
    """Make one host of neighbours that differ in nothing but the number at one place."""

    def of_others(host: tuple[str, ...]) -> tuple[str, ...]:
        return (*host[:place], *host[place + 1 :])

    for others, group in itertools.groupby(hosts, of_others):
        if len(others) <= place:  # names without a number there
            yield from group
            continue
        numbers = [host[place] for host in group]
        if len(numbers) == 1 or max(map(len, numbers)) > _MOST_DIGITS:
            yield from ((*others[:place], number, *others[place:]) for number in numbers)
        else:
            yield (*others[:place], f"[{','.join(_ranges(numbers))}]", *others[place:])


def _ranges(numbers: Sequence[str]) -> Iterator[str]:
    """Write numbers as ranges of neighbours that follow each other."""
    first = last = numbers[0]
    for number in numbers[1:]:
        if str(int(last) + 1).zfill(_width(first)) != number:
            yield first if first == last else f"{first}-{last}"
            first = number
        last = number
    yield first if first == last else f"{first}-{last}"
