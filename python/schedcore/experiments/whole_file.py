"""The files of a results folder: each is there whole or not at all, and leftovers of killed processes are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schedcore.model.whole_file import UNFINISHED, whole_file

__all__ = ["UNFINISHED", "remove_unfinished", "write_whole"]


def write_whole(path: Path, content: Any) -> None:
    """Write bytes under another name, force them to the disk, and give them the name `path` in one step.

    What stood there before stays if anything fails.
    """
    with whole_file(path, overwrite=True) as file:
        file.write(content)


def remove_unfinished(folder: Path, name: str) -> None:
    """Take away what killed processes left of files with a name that matches the pattern `name`."""
    for leftover in folder.glob(f"{UNFINISHED}*-{name}"):
        leftover.unlink()
