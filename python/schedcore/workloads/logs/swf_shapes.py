"""What an SWF log says of the nodes of its machine: its header has their number, and perhaps a note about them."""

import re
from collections.abc import Mapping

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import FloatArray
from schedcore.model.real_numbers import shown
from schedcore.workloads.logs.job_tasks import JobShapes

__all__ = ["header_number", "swf_shapes"]

_LONGEST_NUMBER = 100  # digits; whether a number of less is too large is said elsewhere
_ABOUT_NODES = re.compile(r"\bnodes?\b", re.IGNORECASE)
_GIVEN_WHOLE = re.compile(r"\b(whole|entire|exclusive(ly)?|dedicated)\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(not?|non|never|without)\b|n't\b", re.IGNORECASE)


def swf_shapes(source: str, header: Mapping[str, str], processors: FloatArray) -> JobShapes:
    """Return the shapes of jobs with so many processors.

    Nodes have several processors where MaxProcs is above MaxNodes. Jobs get whole nodes where a Note says so: it names
    nodes and says whole, entire, exclusive or dedicated, without a word such as "not" that might deny it.
    """
    nodes, total = (header_number(source, header, key) for key in ("MaxNodes", "MaxProcs"))
    several = bool(nodes and total and total > nodes)
    notes = header.get("Note", "").splitlines()
    about = (line for line in notes if _ABOUT_NODES.search(line) and _GIVEN_WHOLE.search(line))
    note = next((line.strip() for line in about if not _DENIED.search(line)), "")
    return JobShapes(processors, whole_nodes=note and f'"{shown(note)}"', several_processors=several)


def header_number(source: str, header: Mapping[str, str], key: str) -> int | None:
    """Return the positive number that a value of the header begins with; None where it has none."""
    number = re.match(r"\s*(\d+)", header.get(key, ""))
    if number and len(number[1]) > _LONGEST_NUMBER:
        raise InvalidInstanceError(f"{source}: {key} of the header has {len(number[1])} digits")
    return (int(number[1]) or None) if number else None
