"""Maintenance in words: which machines, from when, and for how long.

::

    window = hosts start length        hosts = hostlist | "all"

As in ``n[1-4] 2026-12-01T08:00 8h``, ``all 3600 inf`` or ``login 2d 2d12h``. `start` is an instant and `length` a
duration, or a date at which the outage ends; see `times`.
"""

from collections.abc import Iterable

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines, Outages
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.coded_texts import checked_text
from schedcore.model.real_numbers import shown
from schedcore.workloads.outages.times import Origin, looks_like_a_date, parse_duration, parse_instant
from schedcore.workloads.reading.machine_names import MachineNames

__all__ = ["parse_outage", "parse_outages"]

_LONGEST = 100  # characters of a text that a message quotes


def parse_outage(text: str, machines: Machines, origin: Origin = None) -> Outages:
    """Read an outage in words, such as ``"n[1-4] 2026-12-01T08:00 8h"`` or ``"all 3600 inf"``.

    Parameters
    ----------
    text : str
        A hostlist, or ``all``; when the outage begins (a date, or seconds or a duration since time 0); and how long it
        lasts (a duration, ``inf``), or the date at which it ends.
    machines : Machines
        Whose names the hostlist has.
    origin : datetime or str, optional
        The date of time 0, without which there are no dates. Dates without a time zone are in its time zone.

    Returns
    -------
    Outages
        A row for each machine. What begins before time 0 and lasts beyond it, begins at 0.

    Raises
    ------
    InvalidInstanceError
        For anything else, a machine that there is not, a length of 0, and an outage that is over at time 0; quotes the
        text.
    TypeError
        For a text that is no str.
    """
    return parse_outages([text], machines, origin)


def parse_outages(texts: Iterable[str], machines: Machines, origin: Origin = None) -> Outages:
    """Read several outages in words, as `parse_outage` does, one after another; none at all have no rows."""
    if isinstance(texts, str):
        raise TypeError(f"texts must be several texts, not the single text {shown(texts)!r}")
    names = MachineNames(machines)
    machine = [np.empty(0, dtype=np.int64)]
    starts, ends = [], []
    for text in texts:
        hosts, start, end = _window(text, origin)
        try:
            machine.append(names.indices_or_all(hosts))
        except InvalidInstanceError as error:
            raise InvalidInstanceError(f"outage {_quoted(text)}: {error}") from None
        starts.append(start)
        ends.append(end)
    counts = [len(each) for each in machine[1:]]
    return Outages(
        np.concatenate(machine),
        np.repeat(np.array(starts, dtype=np.float64), counts),
        np.repeat(np.array(ends, dtype=np.float64), counts),
    )


def _window(text: str, origin: Origin) -> tuple[str, float, float]:
    """Return the hosts, the start and the end that a text says."""
    words = checked_text(text, "outage").rsplit(maxsplit=2)
    if len(words) != 3:
        raise InvalidInstanceError(
            f"outage {_quoted(text)} is not HOSTS START LENGTH, as in 'n[1-4] 2026-12-01T08:00 8h'"
        )
    hosts, begins, lasts = words
    try:
        start = parse_instant(begins, origin)
        end = parse_instant(lasts, origin) if looks_like_a_date(lasts) else start + parse_duration(lasts)
        if not end > start:
            raise InvalidInstanceError("it does not end after its start")
        if EXACT_BOUND < end < np.inf:
            raise InvalidInstanceError("it ends beyond 2**53 seconds")
        if end <= 0:
            raise InvalidInstanceError("it is over before time 0, the start of the workload")
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"outage {_quoted(text)}: {error}") from None
    return hosts.strip(), max(0.0, start), end


def _quoted(text: str) -> str:
    return repr(text) if len(text) <= _LONGEST else f"{text[:_LONGEST]!r}..."
