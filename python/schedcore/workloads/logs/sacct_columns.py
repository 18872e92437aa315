"""What sacct says of jobs for a site: partitions, users, accounts, classes of service, priorities, arrays, constraints.

Constraints are over features of nodes, which are the labels of machines here. The type of a GPU is such a label too,
where some machine carries it.
"""

import re

import numpy as np

from schedcore.model import Machines
from schedcore.model.arrays import BoolArray, FloatArray
from schedcore.model.coded_texts import CodedTexts
from schedcore.workloads.logs import sacct_fields as fields
from schedcore.workloads.logs.sacct_table import SacctTable
from schedcore.workloads.logs.site_columns import (
    SiteColumn,
    joined_constraints,
    readable_constraints,
    text_names,
)
from schedcore.workloads.reading.row_ledger import RowLedger

__all__ = ["SITE_COLUMNS", "SUBMITTERS", "priorities", "sacct_site_columns", "sacct_submitters"]

_NAMES = {"partition": "Partition", "user": "User", "account": "Account", "service_class": "QOS"}
_SAY_NOTHING = ("None", "Unknown", "N/A", "(null)")

#: Columns of sacct that say who submitted a job, and where.
SUBMITTERS = tuple(_NAMES.values())
#: Columns of sacct that are read for a site alone.
SITE_COLUMNS = (*SUBMITTERS, "Priority", "Constraints", "ArrayJobID")


def priorities(table: SacctTable) -> FloatArray:
    """Return the priorities, -1 where there is none, NaN where it cannot be read."""
    return table.values("Priority", fields.count)


def sacct_submitters(table: SacctTable) -> dict[str, SiteColumn]:
    """Return the columns of `Jobs` that say who submitted them, and where, of all rows."""
    return {
        column: text_names(table.columns[name], _SAY_NOTHING)
        for column, name in _NAMES.items()
        if name in table
    }


def sacct_site_columns(
    table: SacctTable, ledger: RowLedger, mode: str, machines: Machines
) -> dict[str, SiteColumn]:
    """Return what else of `Jobs` the file has, of all rows; what machines cannot tell is noted."""
    columns: dict[str, SiteColumn] = {}
    if "Priority" in table:
        columns["priority"] = np.maximum(np.nan_to_num(priorities(table), nan=0.0), 0.0)
    array = _arrays(table)
    if array is not None:
        columns["array"] = array
    constraint = _constraints(table, ledger, mode, machines)
    if constraint.names:
        columns["constraint"] = constraint
    return columns


def _arrays(table: SacctTable) -> FloatArray | None:
    """Return the number of the array of each row, -1 for none: ArrayJobID, else what JobID has before the ``_``."""
    if "ArrayJobID" in table:
        number = table.values("ArrayJobID", fields.count)
    elif "JobID" in table:
        number = table.values("JobID", _array_of)
    else:
        return None
    return np.where(number > 0, number, -1.0).astype(np.int64)


def _array_of(text: str) -> float:
    match = re.fullmatch(r"(\d{1,15})_(\d+|\[.*\])", text, re.ASCII)
    return float(match[1]) if match else fields.UNKNOWN


def _constraints(table: SacctTable, ledger: RowLedger, mode: str, machines: Machines) -> CodedTexts:
    nothing = CodedTexts(np.full(table.n_rows, -1), ())
    asked = text_names(table.columns["Constraints"], _SAY_NOTHING) if "Constraints" in table else nothing
    readable, lost = readable_constraints(asked, machines)
    ledger.note(
        "constraint_ignored",
        "asks for features of nodes that the machines do not tell, or in a form that is not known",
        lost,
    )
    types, unknown = _gpu_types(table, mode, machines)
    ledger.note("gpu_type", "asks for a type of GPU which is the label of no machine; takes any GPU", unknown)
    return joined_constraints(readable, types)


def _gpu_types(table: SacctTable, mode: str, machines: Machines) -> tuple[CodedTexts, BoolArray]:
    """Return the types of GPUs that are labels of machines, and which rows ask for others."""
    names = ("ReqTRES", "AllocTRES") if mode == "requested" else ("AllocTRES", "ReqTRES")
    name = next((name for name in names if name in table), None)
    if name is None:
        return CodedTexts(np.full(table.n_rows, -1), ()), np.zeros(table.n_rows, dtype=np.bool_)
    asked = text_names(table.words_as_texts(name, fields.tres_gpu_types))
    labels = frozenset[str]().union(*machines.label_sets.distinct)
    known = asked.mapped({types: "" for types in asked.names if types not in labels})
    return known, (asked.codes >= 0) & (known.codes < 0)
