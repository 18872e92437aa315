"""Descriptions as TOML: what `to_toml` writes, `parse_toml` reads as it was."""

import tomllib
from collections.abc import Mapping
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.model.extras import import_extra

__all__ = ["parse_toml", "to_toml"]


def parse_toml(content: bytes) -> dict[str, Any]:
    """Parse TOML; an error in it is an `InvalidInstanceError` that names the line."""
    try:
        return tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # also numbers too long and lists too deep
        raise InvalidInstanceError(f"not a TOML file: {error}") from error


def to_toml(document: Mapping[str, Any]) -> str:
    """Write a document of plain values; lists, tables and texts that are empty are left out at the top."""
    filled = {key: value for key, value in document.items() if value not in ([], {}, "")}
    text: str = import_extra("tomlkit", "experiments").dumps(filled)
    return text
