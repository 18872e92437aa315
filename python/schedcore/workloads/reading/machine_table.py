"""Machines from a CSV file: a row a machine, or a row for many that are alike.

========== ===================================================================================
column     holds
========== ===================================================================================
`name`     the name of the machine, or a hostlist such as ``n[01-64]``: so many machines
`weight`   an integer; machines of lower weight are preferred. May be left out: 0
`labels`   labels between blanks, commas or semicolons. May be left out: none
any other  the amount of a resource of that name, as `resource_amounts` reads it
========== ===================================================================================
"""

import re
from collections.abc import Sequence

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines
from schedcore.model.arrays import IntArray
from schedcore.model.choices import check_choice
from schedcore.model.machine_descriptions import LABEL
from schedcore.model.machines import MOST_MACHINES
from schedcore.model.real_numbers import shown
from schedcore.workloads.reading.csv_table import CsvTable, csv_column_names, read_csv_table
from schedcore.workloads.reading.hostlists import expand_hostlist
from schedcore.workloads.reading.resource_amounts import ResourceUnit, has_memory_unit, parse_amount
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["read_machines"]

_DESCRIPTIONS = ("name", "weight", "labels")
_LONGEST_NAME = 100  # characters of a column, whose name messages quote
_BYTES_OF_MEMORY = 1024  # in a unit, where nobody says it; as the readers of logs count


def read_machines(path: FilePath, resources: Sequence[ResourceUnit] | None = None) -> Machines:
    """Read the machines of a cluster from a CSV file, gzipped or not.

    Parameters
    ----------
    path : path-like
        The first line names the columns: ``name``, perhaps ``weight`` and ``labels``, and one for each resource. A
        name may be a hostlist (`expand_hostlist`), in quotes where it has commas: the row stands for all of them.
    resources : sequence of ResourceUnit, optional
        The resources of the workload, which the file must have, in any order, and no others. Default: those of the
        file in its order. Amounts then count as they are written, and KB in a column where they have units of memory.

    Raises
    ------
    InvalidInstanceError
        For a file that is empty, damaged or no table; a column that is missing, repeated or unknown; a name that is no
        hostlist or comes twice; an amount, a weight or a label that is none; more than 10,000,000 machines. Names the
        line and the column.
    FileNotFoundError
        If there is no such file.
    ImportError
        If pyarrow is missing; names the extra.

    Notes
    -----
    O(file size + number of machines). Each distinct amount, weight and set of labels is looked at once.
    """
    written = csv_column_names(path)
    for column, name in enumerate(written, start=1):
        if not 0 < len(name) <= _LONGEST_NAME:
            wrong = f"a name of more than {_LONGEST_NAME} characters" if name else "no name"
            raise InvalidInstanceError(f"{path}: line 1: column {column} has {wrong}")
    of_resources = [name for name in written if name not in _DESCRIPTIONS]
    if resources is not None:
        known = [resource.name for resource in resources]
        for name in of_resources:
            check_choice(f"column for {path}", name, (*_DESCRIPTIONS, *known))
        of_resources = known
    if not of_resources:
        raise InvalidInstanceError(f"{path} has no column of a resource (it has: {', '.join(written)})")
    table = read_csv_table(path, ["name", *of_resources], ["weight", "labels"])
    if len(table.lines) == 0:
        raise InvalidInstanceError(f"{table.source} has no row, but there must be a machine")
    units = resources or [_unit_of_column(table, name) for name in of_resources]
    capacity = np.stack([_amounts(table, resource) for resource in units], axis=1)
    names, row = _names(table)
    weight = _weights(table)[row] if "weight" in table else None
    labels = None
    if "labels" in table:
        distinct, codes = table.values("labels", _labels)
        labels = map(distinct.__getitem__, codes[row].tolist())
    return Machines(capacity[row], of_resources, names=names, labels=labels, weight=weight)


def _unit_of_column(table: CsvTable, name: str) -> ResourceUnit:
    """How a column of the file is counted, which has units of memory everywhere or nowhere."""
    texts, _ = table.distinct(name)
    return ResourceUnit(name, bytes_per_unit=_BYTES_OF_MEMORY if any(map(has_memory_unit, texts)) else None)


def _amounts(table: CsvTable, resource: ResourceUnit) -> IntArray:
    """(n_rows,) Return the units of a resource."""
    _refuse_missing(table, resource.name)
    amounts, codes = table.values(resource.name, lambda text: parse_amount(text, resource))
    return np.array(amounts, dtype=np.int64)[codes]


def _names(table: CsvTable) -> tuple[list[str], IntArray]:
    """Return the name of every machine, and the row that it comes from."""
    _refuse_missing(table, "name")
    names: list[str] = []
    counts = []
    for row, hostlist in enumerate(table.columns["name"].to_pylist()):
        try:
            hosts = expand_hostlist(hostlist)
        except InvalidInstanceError as error:
            raise InvalidInstanceError(f"{table.source}: line {table.lines[row]}: name: {error}") from None
        names += hosts
        counts.append(len(hosts))
        if len(names) > MOST_MACHINES:
            raise InvalidInstanceError(
                f"{table.source}: line {table.lines[row]}: more than {MOST_MACHINES:,} machines, "
                f"the most there can be"
            )
    rows = np.repeat(np.arange(len(counts)), counts)
    if len(set(names)) < len(names):
        first: dict[str, int] = {}
        for machine, name in enumerate(names):
            if first.setdefault(name, machine) != machine:
                line, earlier = table.lines[rows[[machine, first[name]]]]
                raise InvalidInstanceError(
                    f"{table.source}: line {line}: name {shown(name)!r} stands on line {earlier} already"
                )
    return names, rows


def _weights(table: CsvTable) -> IntArray:
    """(n_rows,) Return the weights, 0 where nothing stands."""
    weights, codes = table.values("weight", _weight)
    return np.array(weights, dtype=np.int64)[codes]


def _weight(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", text or "0"):
        raise InvalidInstanceError(f"{shown(text)!r} is not an integer of at most 18 digits")
    return int(text or 0)


def _labels(text: str) -> tuple[str, ...]:
    labels = tuple(filter(None, re.split(r"[\s,;]+", text)))
    for label in labels:
        if not re.fullmatch(LABEL, label):
            raise InvalidInstanceError(
                f"{shown(label)!r} is no label: letters a to z and A to Z, digits and _ . : = / + -"
            )
    return labels


def _refuse_missing(table: CsvTable, name: str) -> None:
    table.refuse(name, table.matches(name, "^$"), "missing")
