"""The nodes of Alibaba's GPU cluster of 2023: processors, memory, all GPUs of each as one sum, their model as a label.

A node counts 1,000 units for each of its GPUs, as pods ask for thousandths of one.
"""

import re

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.machine_descriptions import LABEL
from schedcore.model.real_numbers import shown
from schedcore.workloads.reading.csv_table import CsvTable, read_csv_table
from schedcore.workloads.reading.machines_spec import ResourceUnit
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["MILLI", "OPENB_RESOURCES", "read_openb_nodes"]

MILLI = 1000  # units of a processor, and of a GPU

#: How amounts of the resources of nodes and pods are written.
OPENB_RESOURCES = (
    ResourceUnit("cpu", units_per_one=MILLI),
    ResourceUnit("memory", bytes_per_unit=2**20),
    ResourceUnit("gpu", units_per_one=MILLI),
)

_NEEDED = ("sn", "cpu_milli", "memory_mib", "gpu")


def read_openb_nodes(path: FilePath) -> Machines:
    """Read a list of nodes, gzipped or not.

    Parameters
    ----------
    path : path-like
        CSV file with the columns ``sn`` (the name), ``cpu_milli``, ``memory_mib``, ``gpu`` (how many) and perhaps
        ``model``, which becomes the label of the node.

    Raises
    ------
    InvalidInstanceError
        For a file that is empty, damaged or no such table, an amount that is no whole number from 0 on, a model that
        can be no label, and a name that comes twice; names the line and the column.
    ImportError
        If pyarrow is missing; names the extra.
    """
    table = read_csv_table(path, _NEEDED, ["model"])
    if len(table.lines) == 0:
        raise InvalidInstanceError(f"{table.source} has no row, but there must be a node")
    amounts = [_amounts(table, name) for name in _NEEDED[1:]]
    table.refuse("gpu", amounts[-1] > EXACT_BOUND // MILLI, f"above 2**53 / {MILLI}")
    amounts[-1] = amounts[-1] * MILLI
    table.refuse("sn", table.matches("sn", "^$"), "missing")
    names = table.columns["sn"].to_pylist()
    if len(set(names)) < len(names):
        _, first = np.unique(names, return_index=True)
        again = np.ones(len(names), dtype=np.bool_)
        again[first] = False
        table.refuse("sn", again, "the name of an earlier node")
    labels = None
    if "model" in table:
        distinct, codes = table.values("model", _label)
        labels = map(distinct.__getitem__, codes.tolist())
    resources = [resource.name for resource in OPENB_RESOURCES]
    return Machines(np.column_stack(amounts), resources, names=names, labels=labels)


def _amounts(table: CsvTable, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    amounts = table.integers(name)
    table.refuse(name, (amounts < 0) | (amounts > EXACT_BOUND), "below 0 or above 2**53")
    return amounts


def _label(model: str) -> tuple[str, ...]:
    if model and not re.fullmatch(LABEL, model):
        raise InvalidInstanceError(
            f"{shown(model)!r} can be no label: letters a to z and A to Z, digits and _ . : = / + -"
        )
    return (model,) if model else ()
