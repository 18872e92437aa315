"""A state as one Parquet file: a row for each job, and the parts of the site in the metadata of the table.

What is derived from the parts, such as machines and rules, is derived again on reading, with all its checks.
"""

import dataclasses
import json
import os
import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model.arrow import read_parquet, write_parquet
from schedcore.model.extras import import_extra
from schedcore.model.real_numbers import shown

from .accounting import Association, QosRow
from .configuration import Configuration
from .jobs import NodeShare, SlurmJob
from .nodes import SlurmNode
from .partitions import SlurmPartition
from .parts_of_site import SiteParts
from .records import Record
from .reservations import SlurmReservation
from .restored_fields import restored, restored_value

__all__ = ["SavedState", "read_state_file", "write_state"]

_KEY = b"schedcore.slurm"
_FORMAT = "schedcore SlurmState 1"
_SETTING = tuple[str, str, str]  # as written, its text, where it stands
_STATE = re.compile("[A-Z][A-Z_]*")
_T = TypeVar("_T")


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
    """Return the state of a file that `write_state` wrote; an `InvalidInstanceError` for any other.

    Whatever was altered is named with the row, the field and the value, as far as it is of a wrong type or out of
    bounds.
    """
    table, name = read_parquet(path), os.fspath(path)
    try:
        content = json.loads((table.schema.metadata or {}).get(_KEY, b"null"))
    except (ValueError, RecursionError) as error:
        raise InvalidInstanceError(f"{name}: its metadata is damaged: {one_line(error)}") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise InvalidInstanceError(f"{name} holds no state of a Slurm cluster that this version can read")
    try:
        jobs = _jobs(table)
        return SavedState(
            restored_value(float, content.get("now"), "now"),
            _parts(content),
            jobs,
            _all(SlurmReservation, content, "reservations"),
        )
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"{name} is damaged: {error}") from None


def _parts(content: Mapping[str, Any]) -> SiteParts:
    settings = content.get("settings")
    if not isinstance(settings, dict):
        raise InvalidInstanceError("settings are no object")
    return SiteParts(
        Configuration(
            {key: restored_value(_SETTING, text, f"settings: {key}") for key, text in settings.items()},
            unknown=restored_value(tuple[tuple[str, str], ...], content.get("unknown"), "unknown"),
        ),
        _all(SlurmNode, content, "nodes"),
        _all(SlurmPartition, content, "partitions"),
        tuple(
            Association(
                _text(each[0], place),
                _text(each[1], place),
                _text(each[2], place),
                Record(_texts(each[3], place), _text(each[4], place)),
            )
            for each, place in _lists(content, "associations", 5)
        ),
        tuple(
            QosRow(_text(each[0], place), Record(_texts(each[1], place), _text(each[2], place)))
            for each, place in _lists(content, "qos", 3)
        ),
    )


def _jobs(table: Any) -> tuple[SlurmJob, ...]:
    fields = dataclasses.fields(SlurmJob)
    for name in (field.name for field in fields):
        if name not in table.column_names:
            raise InvalidInstanceError(
                f"column {name} is missing; the file is of another version, or altered"
            )
    # Texts of lists are few: most jobs have none, or the same as others.
    lists: dict[str, dict[Any, Any]] = {field.name: {} for field in fields if _is_nested(field)}
    kinds = {field.name: field.type for field in fields}
    jobs = []
    for index, row in enumerate(table.to_pylist()):
        place = f"row {index} (job {row['job_id']})"
        for name, known in lists.items():
            text = row[name]
            if not isinstance(text, str) or text not in known:
                try:
                    entries = json.loads(text)
                except (TypeError, ValueError, RecursionError):
                    raise InvalidInstanceError(
                        f"{place}: {name} = {shown(one_line(repr(text)))} is no list"
                    ) from None
                known[text] = restored_value(kinds[name], entries, f"{place}: {name}")
            row[name] = known[text]
        job = restored(SlurmJob, row, place, finished=lists)
        if not _STATE.fullmatch(job.state):
            raise InvalidInstanceError(
                f"{place}: state = {shown(one_line(repr(job.state)))} is no state of a job"
            )
        jobs.append(job)
    return tuple(jobs)


def _all(kind: type[_T], content: Mapping[str, Any], name: str) -> tuple[_T, ...]:
    return tuple(restored(kind, each, place) for each, place in _lists(content, name))


def _lists(content: Mapping[str, Any], name: str, length: int | None = None) -> Iterator[tuple[Any, str]]:
    """Yield the entries of a list, each with its place; lists of a length, where one is given."""
    entries = content.get(name)
    if not isinstance(entries, list):
        raise InvalidInstanceError(f"{name} are no list")
    for index, each in enumerate(entries):
        if length is not None and (not isinstance(each, list) or len(each) != length):
            raise InvalidInstanceError(f"{name}[{index}] is no list of {length}")
        yield each, f"{name}[{index}]"


def _text(value: Any, place: str) -> str:
    return str(restored_value(str, value, place))


def _texts(fields: Any, place: str) -> dict[str, str]:
    if not isinstance(fields, dict):
        raise InvalidInstanceError(f"{place}: its fields are no object")
    return {key: _text(text, f"{place}: {key}") for key, text in fields.items()}


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
