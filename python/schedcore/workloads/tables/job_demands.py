"""What do the jobs of a table demand: whole numbers of units of each resource, and how these were made.

Processors and GPUs count whole ones, or thousandths where any job has a part of one. Memory counts MB where all of it
is whole MB, else KB, rounded up.
"""

import dataclasses

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import BoolArray, FloatArray
from schedcore.workloads.logs.pool_of_log import PooledResource
from schedcore.workloads.reading.csv_table import shown_names
from schedcore.workloads.reading.machines_spec import ResourceUnit
from schedcore.workloads.reading.needed_choice import ChoiceNeededError
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.tables.role_values import RoleValues
from schedcore.workloads.tables.roles import RESOURCE

__all__ = ["JobDemands", "read_demands"]

_MILLI = 1000
_NAMES = {"cpus": "cores", "gpus": "gpus", "memory": "memory", "disk": "disk"}
_COUNTED = {"cpus": "cores", "gpus": "GPUs", "nodes": "nodes"}
_ZERO_IF_EMPTY = ("gpus", "disk")
_ROUNDING = 1e-6  # of a unit: what a decimal number has too much as a double


@dataclasses.dataclass(frozen=True, eq=False)
class JobDemands:
    """The demands of all rows.

    Parameters
    ----------
    amounts : (n_rows, n_resources) float64
        Whole units; NaN where nothing is known.
    resources : tuple of PooledResource
    units : dict
        Resource -> unit, for the report.
    processors : (n_rows,) float64
        The first resource in whole ones, as jobs are cut into tasks by it; NaN where unknown.
    nodes : (n_rows,) float64, optional
    filled : (n_rows,) bool
        Rows with an empty cell that counts as 0.
    sentences : tuple of str
        What was assumed.
    """

    amounts: FloatArray
    resources: tuple[PooledResource, ...]
    units: dict[str, str]
    processors: FloatArray
    nodes: FloatArray | None
    filled: BoolArray
    sentences: tuple[str, ...]


def read_demands(values: RoleValues) -> JobDemands:
    """Read all columns of amounts.

    Raises
    ------
    InvalidInstanceError
        Where there is none, and for an amount for each task or node without a column that says how many there are.
    """
    nodes, tasks = values.amounts("nodes"), values.amounts("tasks")
    read = {column.role.name: values.amounts(column.role.name) for column in values.choice.resources()}
    amounts = {role: column for role, column in read.items() if column is not None}
    parts = {"node": nodes, "task": tasks}
    said = []
    for role in sorted(amounts, key=lambda role: role != "cpus"):  # others may be for each of the processors
        part = values.column(role).part
        if part:
            amounts[role] = amounts[role] * _count_of(values, role, part, parts)
            said.append(f"{role} of a job is that of a {part}, times its {part}s")
        if role == "cpus":
            parts["cpu"] = amounts[role]
    if not amounts and nodes is not None:
        amounts = {"nodes": nodes}
        said.append("jobs demand nodes, as no column says anything else")
    if not amounts:
        choice = values.choice.choice("cpus", "COLUMN")
        raise ChoiceNeededError(
            f"{values.choice.source}: no column says what jobs demand (columns: {shown_names(values.choice.names)}); "
            f"name one, as with {spelled(*choice)}{values.told_left_out()}",
            (choice,),
        )
    if "cpus" in amounts and not values.column("cpus").part and ("tasks" in values or "nodes" in values):
        said.append("cpus are those of the whole job")
    columns, resources, units = [], [], {}
    filled = np.zeros(values.n_rows, dtype=np.bool_)
    for role, column in amounts.items():
        if role in _ZERO_IF_EMPTY or role.startswith(RESOURCE):
            filled |= np.isnan(column)
            column = np.where(np.isnan(column), 0.0, column)
        is_bytes = role != "nodes" and values.counts_bytes(role)
        whole, resource, unit = (_bytes_in_units if is_bytes else _counts_in_units)(role, column, said)
        name = resource.unit.name
        if name in units:
            raise InvalidInstanceError(
                f"{values.choice.source}: {role} is a second resource called {name}; give it another name"
            )
        columns.append(np.where(column > 0, np.maximum(whole, 1.0), whole))
        resources.append(resource)
        units[name] = unit
    first = next(iter(amounts))
    is_count = first in _COUNTED
    processors = np.ceil(amounts[first] - _ROUNDING) if is_count else np.ones(values.n_rows)
    return JobDemands(
        np.column_stack(columns),
        tuple(resources),
        units,
        np.where(np.isnan(processors), np.nan, np.maximum(processors, 1.0)),
        nodes if first != "nodes" else None,
        filled,
        tuple(said),
    )


def _count_of(values: RoleValues, role: str, part: str, parts: dict[str, FloatArray | None]) -> FloatArray:
    count = parts.get(part)
    if count is None:
        whose = {"node": "nodes", "task": "tasks", "cpu": "cpus"}[part]
        column = values.column(role).column
        raise InvalidInstanceError(
            f"{values.choice.source}: {role} is column {column}, for each {part}, and no column says how many {part}s "
            f"a job has; name it, as with {values.choice.saying(whose, 'COLUMN')}"
        )
    return count


def _counts_in_units(
    role: str, counts: FloatArray, said: list[str]
) -> tuple[FloatArray, PooledResource, str]:
    name = _NAMES.get(role, role.removeprefix(RESOURCE))
    word = _COUNTED.get(role, f"units of {name}")
    one = "GPU" if role == "gpus" else "core" if role == "cpus" else "unit"
    rounded = np.round(counts)
    whole = (np.abs(counts - rounded) < _ROUNDING) & ((rounded != 0) | (counts == 0))
    if (np.isnan(counts) | whole).all():
        unit = {"cpus": "processors", "gpus": "GPUs", "nodes": "nodes"}.get(role, "units")
        return rounded, PooledResource(ResourceUnit(name), word), unit
    said.append(f"{name} count thousandths, rounded up, as some jobs have a part of one")
    thousandths = np.ceil(counts * _MILLI - _ROUNDING)
    return thousandths, PooledResource(ResourceUnit(name, units_per_one=_MILLI), word), f"1/1000 {one}"


def _bytes_in_units(role: str, size: FloatArray, said: list[str]) -> tuple[FloatArray, PooledResource, str]:
    name = _NAMES.get(role, role.removeprefix(RESOURCE))
    is_whole = bool((np.isnan(size) | (size % 2**20 == 0)).all())
    unit, word = (2**20, "MB") if is_whole else (2**10, "KB")
    amounts = np.ceil(size / unit)
    if not (np.isnan(size) | (amounts * unit == size)).all():
        said.append(f"{name} is rounded up to whole {word}")
    return amounts, PooledResource(ResourceUnit(name, bytes_per_unit=unit), f"{word} of {name}"), word
