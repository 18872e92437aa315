"""Where results may be written: nothing that exists is replaced without being told."""

import os
from pathlib import Path
from typing import Annotated

import typer

from schedcore.errors import InvalidInstanceError

ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite output that exists.")]


def check_output_file(path: Path, force: bool, suffixes: tuple[str, ...]) -> None:
    """Raise an `InvalidInstanceError` unless `path` can be written: suffix, folder, not taken, permission."""
    if not path.name.endswith(suffixes):
        raise InvalidInstanceError(f"{path} must end in {' or '.join(suffixes)}")
    if not path.parent.is_dir():
        raise InvalidInstanceError(f"the folder {path.parent} does not exist")
    check_not_taken(path, force)
    if not path.exists():
        _check_takes_files(path.parent)
    elif not os.access(path, os.W_OK):
        raise InvalidInstanceError(f"{path} may not be written")


def check_not_taken(path: Path, force: bool) -> None:
    """Raise an `InvalidInstanceError` if there is such a file already, unless `force`, or a folder."""
    if path.is_dir():
        raise InvalidInstanceError(f"{path} is a folder")
    if path.exists() and not force:
        raise InvalidInstanceError(f"{path} exists; --force overwrites it")


def prepare_output_folder(path: Path, force: bool, names: tuple[str, ...]) -> None:
    """Create the folder `path`; raise an `InvalidInstanceError` if it is a file, holds anything, or takes no files.

    With `force` a folder may hold anything; only the files `names` in it are overwritten later.
    """
    if path.exists() and not path.is_dir():
        raise InvalidInstanceError(f"{path} exists and is not a folder")
    if path.is_dir() and any(path.iterdir()) and not force:
        raise InvalidInstanceError(
            f"the folder {path} is not empty; --force overwrites {', '.join(names)} in it"
        )
    path.mkdir(parents=True, exist_ok=True)
    _check_takes_files(path)


def _check_takes_files(folder: Path) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidInstanceError(
            f"the folder {folder} takes no files: there is no permission to write there"
        )
