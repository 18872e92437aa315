"""Findings for programs: CSV with a column a value, and strict JSON."""

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from schedcore.problems.presentation import Row

__all__ = ["flat_columns", "flattened", "in_csv", "in_json"]


def in_csv(rows: Sequence[Row]) -> str:
    """All values of `rows` under the keys of all rows; a sequence becomes one column an entry."""
    written = io.StringIO()
    flat = [flattened(row) for row in rows]
    writer = csv.DictWriter(written, flat_columns(flat), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return written.getvalue()


def in_json(content: Any) -> str:
    """`content` as strict JSON: what is not finite becomes null."""
    return json.dumps(_finite(content), indent=2, allow_nan=False)


def flat_columns(flat: Sequence[Row]) -> list[str]:
    """The keys of all rows, in the order in which they come first."""
    return list(dict.fromkeys(key for row in flat for key in row))


def flattened(row: Row) -> dict[str, Any]:
    """A row with one value a key: entries of mappings and sequences stand under keys of their own."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            flat |= flattened({f"{key}_{name}": entry for name, entry in value.items()})
        elif isinstance(value, (list, tuple)):
            flat |= flattened({f"{key}_{index}": entry for index, entry in enumerate(value)})
        else:
            flat[key] = value
    return flat


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
