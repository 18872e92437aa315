"""What a cluster says of its machines beside capacities: names, labels and weights, checked."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError

from .coded_texts import check_length, checked_text
from .real_numbers import shown

__all__ = ["LABEL", "UNLABELLED", "LabelSets", "checked_names", "default_name", "label_sets"]

#: What a label is, as a regular expression.
LABEL = r"[0-9A-Za-z_.:=/+-]+"

_WITHOUT_ORDER = (dict, set, frozenset)  # nobody can say which machine an entry belongs to


class LabelSets(NamedTuple):
    """The labels of machines: `codes` (n_machines,) into `distinct` sets, in order of first appearance.

    Of machines without labels there is one empty set, and `codes` is None.
    """

    distinct: tuple[frozenset[str], ...]
    codes: NDArray[np.int32] | None

    def of_machines(self, n_machines: int) -> tuple[frozenset[str], ...]:
        """Return the set of each machine."""
        if self.codes is None:
            return self.distinct * n_machines
        return tuple(map(self.distinct.__getitem__, self.codes.tolist()))


UNLABELLED = LabelSets((frozenset(),), None)


def default_name(machine: int) -> str:
    """Return ``machine_0`` for machine 0, and so on."""
    return f"machine_{machine}"


def checked_names(names: Iterable[str], n_machines: int) -> tuple[str, ...] | None:
    """Return unique names, one a machine; None where they are the default ones.

    Raises
    ------
    InvalidInstanceError
        For another number of names, and one that is empty, repeated or no Unicode text.
    TypeError
        For a name that is no str.
    """
    if isinstance(names, _WITHOUT_ORDER) or not isinstance(names, Iterable):
        raise TypeError(f"names must be a sequence of str, not {type(names).__name__}")
    given: tuple[Any, ...] = (names,) if isinstance(names, str) else tuple(names)
    first: dict[str, int] = {}
    for machine, name in enumerate(given):
        text = checked_text(name, f"names[{machine}]")
        if not text:
            raise InvalidInstanceError(f"names[{machine}] is empty; every machine has a name")
        if first.setdefault(text, machine) != machine:
            raise InvalidInstanceError(
                f"names[{machine}] = {name!r} repeats names[{first[name]}]; names are unique"
            )
    check_length(len(given), "names", n_machines, "machine")
    if all(name == default_name(machine) for machine, name in enumerate(first)):
        return None
    return tuple(first)


def label_sets(labels: Iterable[Iterable[str]], n_machines: int) -> LabelSets:
    """Return the labels of every machine, each a label of a constraint.

    Raises
    ------
    InvalidInstanceError
        For another number of entries, and a label with other characters than letters, digits and ``_ . : = / + -``.
    TypeError
        For an entry that is no iterable of str, such as a str.
    """
    if isinstance(labels, (str, *_WITHOUT_ORDER)) or not isinstance(labels, Iterable):
        raise TypeError(
            f"labels must be a sequence of the labels of each machine, not {type(labels).__name__}"
        )
    code_of: dict[frozenset[str], int] = {}
    known: set[str] = set()
    codes = []
    for machine, given in enumerate(labels):
        if isinstance(given, str):
            raise TypeError(
                f"labels[{machine}] = {given!r} is one text; a machine has a list of labels: [{given!r}]"
            )
        if isinstance(given, dict) or not isinstance(given, Iterable):
            raise TypeError(f"labels[{machine}] = {given!r} must be an iterable of labels")
        entries = list(given)
        for label in entries:
            if not isinstance(label, str):
                raise TypeError(f"labels[{machine}] holds {label!r}; labels are texts")
            if label not in known:
                _check_label(label, machine)
                known.add(label)
        codes.append(code_of.setdefault(frozenset(map(str, entries)), len(code_of)))
    check_length(len(codes), "labels", n_machines, "machine")
    if not known:
        return UNLABELLED
    column = np.array(codes, dtype=np.int32)
    column.setflags(write=False)
    return LabelSets(tuple(code_of), column)


def _check_label(label: str, machine: int) -> None:
    if not re.fullmatch(LABEL, label):
        raise InvalidInstanceError(
            f"labels[{machine}] holds {shown(repr(label))}; a label is one or more of the letters a to z and A to Z, "
            f"digits and _ . : = / + -"
        )
