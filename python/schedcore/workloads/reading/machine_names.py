"""Which machines does somebody mean who writes their names?"""

import difflib
import functools
import itertools

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines
from schedcore.model.arrays import IntArray
from schedcore.model.real_numbers import shown
from schedcore.workloads.reading.hostlists import expand_hostlist

__all__ = ["MachineNames", "machines_by_name", "numbered_machines"]

_MOST_COMPARED = 10_000  # names that are compared with one that is not known, which takes microseconds each


def machines_by_name(machines: Machines, hostlist: str) -> IntArray:
    """Return the indices of the machines that a hostlist names, such as ``"n[1-4],login"``.

    Returns
    -------
    (n_named,) int64
        In the order of the hostlist; a machine that it names twice comes once, at its first place.

    Raises
    ------
    InvalidInstanceError
        For a text that is no hostlist, names nobody, or names a machine that there is not (with the close matches).
    TypeError
        For anything that is no str.

    Notes
    -----
    O(number of machines + number of names). Use `MachineNames` for many hostlists.
    """
    return MachineNames(machines).indices(hostlist)


def numbered_machines(machines: Machines) -> Machines:
    """Return machines with the names that an operator expects, n1, n2, ..., unless they have names of their own.

    Readers and generators give none, so that instances hash as ever. Whoever lets users name machines calls this first.
    """
    if machines.has_names:
        return machines
    return machines.replace(names=[f"n{number}" for number in range(1, machines.n_machines + 1)])


class MachineNames:
    """The machines of a cluster by name; made in O(number of machines)."""

    def __init__(self, machines: Machines) -> None:
        self._index = {name: machine for machine, name in enumerate(machines.names)}

    def indices(self, hostlist: str) -> IntArray:
        """Return what `machines_by_name` does; O(number of names)."""
        names = expand_hostlist(hostlist)
        if not names:
            raise InvalidInstanceError(f"{shown(repr(hostlist))} names no machine")
        try:
            named = [self._index[name] for name in dict.fromkeys(names)]
        except KeyError as error:
            raise self._unknown(error.args[0]) from None
        return np.array(named, dtype=np.int64)

    def indices_or_all(self, hostlist: str) -> IntArray:
        """Return what `indices` does, and all machines for the word ``all``.

        Where a machine is called so, the word could mean both, and is an `InvalidInstanceError`.
        """
        if hostlist != "all":
            return self.indices(hostlist)
        if "all" in self._index:
            raise InvalidInstanceError(
                "'all' means all machines, but one of them is called so; list their names"
            )
        return np.arange(len(self._index), dtype=np.int64)

    def indices_or_number(self, text: str) -> IntArray:
        """Return what `indices` does, and for the index of a machine that machine.

        Where the name of some machine is a number, numbers are names, never indices.
        """
        is_index = text.isascii() and text.isdecimal() and not self._some_name_is_a_number
        if not is_index:
            return self.indices(text)
        index = int(text) if len(text) <= len(str(len(self._index))) else len(self._index)
        if index >= len(self._index):
            raise InvalidInstanceError(
                f"there is no machine {shown(text)}; the {len(self._index):,} machines count from 0"
            )
        return np.array([index], dtype=np.int64)

    @functools.cached_property
    def _some_name_is_a_number(self) -> bool:
        return any(map(str.isdecimal, self._index))

    def _unknown(self, name: str) -> InvalidInstanceError:
        close = difflib.get_close_matches(name[:100], itertools.islice(self._index, _MOST_COMPARED))
        hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
        first, last = (shown(repr(each)) for each in (next(iter(self._index)), next(reversed(self._index))))
        span = (
            f"the machine is called {first}"
            if len(self._index) == 1
            else f"machines are called {first} to {last}"
        )
        return InvalidInstanceError(f"no machine is called {shown(repr(name))}{hint} ({span})")
