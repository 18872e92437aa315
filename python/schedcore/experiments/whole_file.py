"""Files that are there whole or not at all, whenever the process or the machine stops."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

__all__ = ["UNFINISHED", "remove_unfinished", "write_whole"]

#: Prefix of files that are being written; readers of Parquet data sets ignore it.
UNFINISHED = ".unfinished-"


def write_whole(path: Path, content: Any) -> None:
    """Write bytes under another name, force them to the disk, and give them the name `path` in one step.

    What stood there before stays if anything fails.
    """
    unfinished = path.with_name(f"{UNFINISHED}{os.getpid()}-{path.name}")
    try:
        with open(unfinished, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def remove_unfinished(folder: Path, name: str) -> None:
    """Take away what killed processes left of files with a name that matches the pattern `name`."""
    for leftover in folder.glob(f"{UNFINISHED}*-{name}"):
        leftover.unlink()
