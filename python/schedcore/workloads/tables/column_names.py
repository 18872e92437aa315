"""What does the name of a column say: which words, in which unit, and whether for a task, a node or a processor?

``memLimitGiB``, ``Memory (MB)`` and ``mem_per_cpu_mb`` are taken apart alike. Nothing is compared with roles here.
"""

import re
from typing import NamedTuple

from schedcore.workloads.tables.units import NAME_UNITS

__all__ = ["NameParts", "parts_of_name"]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_UNIT_AFTER_CAMEL = re.compile(r"(?<=[A-Z])_(?=[KMGT]i?B$)|(?<=[KMGT])_(?=i?B$)|(?<=i)_(?=B$)")
_OTHER = re.compile(r"[^a-z0-9µ]+")
_PER = re.compile(r"_per_(task|node|host|cpu|core|processor|job)(?=_|$)")
_PARTS = {"host": "node", "core": "cpu", "processor": "cpu", "job": ""}


class NameParts(NamedTuple):
    """A name taken apart.

    Attributes
    ----------
    key : str
        All its words without anything between them: ``submittime`` of ``Submit time``.
    stem : str
        The same without the unit and without what the amount is for.
    unit : str
        As the name ends, in small letters; empty if it ends with none.
    part : str
        "task", "node" or "cpu" if the amount is for each of them; else empty.
    """

    key: str
    stem: str
    unit: str
    part: str


def parts_of_name(name: str) -> NameParts:
    """Take the name of a column apart."""
    worded = name.strip().replace("%", "_percent_")
    spaced = _UNIT_AFTER_CAMEL.sub("", _CAMEL.sub("_", worded))
    words = _OTHER.sub("_", spaced.lower()).strip("_")
    key = words.replace("_", "")
    found = _PER.search(words)
    part = "" if found is None else _PARTS.get(found[1], found[1])
    rest = _PER.sub("", words)
    before, _, last = rest.rpartition("_")
    unit = last if before and last in NAME_UNITS else ""
    return NameParts(key, (before if unit else rest).replace("_", ""), unit, part)
