"""Descriptions written as TOML: what `document.parse_toml` reads gives the document back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["pair", "to_toml"]


def to_toml(document: Mapping[str, Any]) -> str:
    """Write a document of plain values: tables of tables with a heading each, whatever lies deeper inline.

    Tables, lists and texts that are empty are left out at the top, as reading fills them in again.
    """
    lines = _pairs(
        {
            key: value
            for key, value in document.items()
            if not isinstance(value, Mapping) and value not in ([], "")
        }
    )
    for name, table in document.items():
        if not isinstance(table, Mapping) or not table:
            continue
        if all(isinstance(entry, Mapping) for entry in table.values()):
            for inner, entry in table.items():
                lines += ["", f"[{_key(name)}.{_key(inner)}]", *_pairs(entry)]
        else:
            lines += ["", f"[{_key(name)}]", *_pairs(table)]
    return "\n".join(lines) + "\n"


def pair(key: str, value: Any) -> str:
    """Write a key with its value, as in ``missing_memory = "used"``."""
    return f"{_key(key)} = {_value(value)}"


def _pairs(table: Mapping[str, Any]) -> list[str]:
    return [pair(key, value) for key, value in table.items()]


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(_pairs(value))} }}"
    if isinstance(value, list | tuple):
        entries = [_value(entry) for entry in value]
        if any(isinstance(entry, Mapping) for entry in value):
            return "[\n" + "".join(f"  {entry},\n" for entry in entries) + "]"
        return f"[{', '.join(entries)}]"
    return repr(value)  # TOML writes integers, floats, inf and nan as Python does


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
