"""A state as one Parquet file: a row for each job, and the parts of the site in the metadata of the table.

What is derived from the parts, such as machines and rules, is derived again on reading, with all its checks.
"""

import dataclasses
import importlib
import json
import os
import typing
from collections.abc import Sequence
from typing import Any, NamedTuple

from schedcore.errors import InvalidInstanceError, SchedcoreError, one_line
from schedcore.model.arrow import read_parquet, write_parquet
from schedcore.model.extras import import_extra

from .accounting import Association, QosRow
from .configuration import Configuration
from .jobs import NodeShare, SlurmJob
from .nodes import SlurmNode
from .partitions import SlurmPartition
from .parts_of_site import SiteParts
from .records import Record
from .reservations import SlurmReservation

__all__ = ["SavedState", "read_state_file", "write_state"]

_KEY = b"schedcore.slurm"
_FORMAT = "schedcore SlurmState 1"
#: Numbers of jobs are at least 0, but for these.
_LEAST = {"nice": -(2**31), "max_nodes": 1, "job_id": 1}


class SavedState(NamedTuple):
    """What a file holds."""

    now: float
    parts: SiteParts
    jobs: Sequence[SlurmJob]
    reservations: Sequence[SlurmReservation]


def write_state(state: SavedState, path: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Write a state as a Parquet file that is there whole or not at all."""
    pyarrow = import_extra("pyarrow", "traces")
    columns, fields = [], []
    for field in dataclasses.fields(SlurmJob):
        kind, is_text = _column_type(pyarrow, field)
        values = [getattr(job, field.name) for job in state.jobs]
        columns.append(pyarrow.array([_json(value) for value in values] if is_text else values, kind))
        fields.append(pyarrow.field(field.name, kind))
    parts = state.parts
    content = {
        "format": _FORMAT,
        "now": state.now,
        "settings": dict(parts.configuration.settings),
        "unknown": parts.configuration.unknown,
        "nodes": [dataclasses.asdict(node) for node in parts.nodes],
        "partitions": [dataclasses.asdict(partition) for partition in parts.partitions],
        "reservations": [dataclasses.asdict(each) for each in state.reservations],
        "associations": [
            (each.kind, each.name, each.parent, dict(each.record.fields), each.record.place)
            for each in parts.associations
        ],
        "qos": [(row.name, dict(row.record.fields), row.record.place) for row in parts.qos],
    }
    table = pyarrow.table(columns, schema=pyarrow.schema(fields, metadata={_KEY: json.dumps(content)}))
    write_parquet(table, path, overwrite=overwrite)


def read_state_file(path: str | os.PathLike[str]) -> SavedState:
    """Return the state of a file that `write_state` wrote; an `InvalidInstanceError` for any other."""
    table, name = read_parquet(path), os.fspath(path)
    try:
        content = json.loads((table.schema.metadata or {}).get(_KEY, b"null"))
    except (ValueError, RecursionError) as error:
        raise InvalidInstanceError(f"{name}: its metadata is damaged: {one_line(error)}") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise InvalidInstanceError(f"{name} holds no state of a Slurm cluster that this version can read")
    try:
        settings = {
            key: (written, text, place) for key, (written, text, place) in content["settings"].items()
        }
        parts = SiteParts(
            Configuration(settings, unknown=_tuples(content["unknown"])),
            tuple(_restored(SlurmNode, each) for each in content["nodes"]),
            tuple(_restored(SlurmPartition, each) for each in content["partitions"]),
            tuple(
                Association(kind, called, parent, Record(fields, place))
                for kind, called, parent, fields, place in content["associations"]
            ),
            tuple(QosRow(called, Record(fields, place)) for called, fields, place in content["qos"]),
        )
        reservations = tuple(_restored(SlurmReservation, each) for each in content["reservations"])
        _check_columns(table, name)
        texts = [field.name for field in dataclasses.fields(SlurmJob) if _is_nested(field)]
        jobs = []
        for row in table.to_pylist():
            nested = {column: _tuples(json.loads(row[column])) for column in texts}
            nested["allocation"] = tuple(NodeShare(*share) for share in nested["allocation"])
            jobs.append(SlurmJob(**{**row, **nested}))
        return SavedState(float(content["now"]), parts, tuple(jobs), reservations)
    except SchedcoreError:
        raise
    except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError) as error:
        raise InvalidInstanceError(f"{name} is damaged: {type(error).__name__}: {one_line(error)}") from error


def _check_columns(table: Any, name: str) -> None:
    """Raise an `InvalidInstanceError` for columns that are not as `write_state` writes them: types, values, ranges."""
    pyarrow = import_extra("pyarrow", "traces")
    compute = importlib.import_module("pyarrow.compute")
    for field in dataclasses.fields(SlurmJob):
        if field.name not in table.column_names:
            raise InvalidInstanceError(f"{name}: there is no column {field.name}")
        column, (kind, is_text) = table[field.name], _column_type(pyarrow, field)
        if column.type != kind:
            raise InvalidInstanceError(f"{name}: column {field.name} is {column.type}, not {kind}")
        if column.null_count and (is_text or type(None) not in typing.get_args(field.type)):
            row = compute.index(compute.is_null(column), True).as_py()
            raise InvalidInstanceError(f"{name}: row {row}: {field.name} is missing")
        if pyarrow.types.is_string(kind) or pyarrow.types.is_boolean(kind):
            continue
        least = _LEAST.get(field.name, 0)
        wrong = compute.invert(
            compute.fill_null(compute.greater_equal(column, least), True)
        )  # NaN among them
        if compute.any(wrong).as_py():
            row = compute.index(wrong, True).as_py()
            raise InvalidInstanceError(
                f"{name}: row {row}: {field.name} = {column[row]} must be at least {least}"
            )


def _column_type(pyarrow: Any, field: "dataclasses.Field[Any]") -> tuple[Any, bool]:
    """Return the Arrow type of a column, and whether it holds texts of JSON."""
    if _is_nested(field):
        return pyarrow.string(), True
    kinds = set(typing.get_args(field.type)) or {field.type}
    if float in kinds:
        return pyarrow.float64(), False
    if bool in kinds:
        return pyarrow.bool_(), False
    return (pyarrow.int64() if int in kinds else pyarrow.string()), False


def _is_nested(field: "dataclasses.Field[Any]") -> bool:
    return typing.get_origin(field.type) is tuple


def _json(value: tuple[Any, ...]) -> str:
    plain = [dataclasses.astuple(each) if isinstance(each, NodeShare) else each for each in value]
    return json.dumps(plain)


def _restored(kind: type[Any], plain: dict[str, Any]) -> Any:
    made = kind(**{name: _tuples(value) for name, value in plain.items()})
    for field in dataclasses.fields(kind):
        value, types = getattr(made, field.name), typing.get_args(field.type) or (field.type,)
        allowed = tuple(
            typing.get_origin(each) or each for each in ((field.type,) if _is_nested(field) else types)
        )
        if float in allowed:
            allowed += (int,)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
            raise InvalidInstanceError(
                f"{kind.__name__}: {field.name} = {one_line(repr(value))} has another type"
            )
        if is_number and not value >= 0:
            raise InvalidInstanceError(f"{kind.__name__}: {field.name} = {value} must be at least 0")
    return made


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
