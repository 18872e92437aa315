"""Modules of the user that register policies, imported wherever cells are made or run, and told apart by content.

A process imports a module once. A worker that outlives a run, or a program that makes several experiments, would go on
with what it imported first; so contents are compared, and others under the same name refused.
"""

import hashlib
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from schedcore.errors import InvalidInstanceError

__all__ = ["import_modules"]

#: Name -> the module that this process has imported, and the hash of its contents then.
_imported: dict[str, tuple[ModuleType, str]] = {}


def import_modules(modules: Sequence[str], folder: Path | None) -> dict[str, str]:
    """Import `modules`; they may also lie in `folder`, which then joins ``sys.path``.

    Returns
    -------
    dict of str to str
        Module -> SHA-256 of its file, of a package that of all its Python files. What a module imports itself is not
        part of it.

    Raises
    ------
    InvalidInstanceError
        If there is no such module, or this process has imported another one of that name, or other contents; errors
        inside a module keep their own type.
    """
    for module in modules:
        if not all(part.isidentifier() for part in module.split(".")):
            raise InvalidInstanceError(f"modules: {module!r} is no name of a module")
    if modules and folder is not None and str(folder) not in sys.path:
        sys.path.append(str(folder))
        importlib.invalidate_caches()
    return {module: _import(module, folder) for module in modules}


def _import(name: str, folder: Path | None) -> str:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        raise InvalidInstanceError(f"module {name!r} of the experiment cannot be found") from error
    files = _files(module)
    if name not in _imported or _imported[name][0] is not module:
        _imported[name] = module, _hash(files)
    first = _imported[name][1]
    if _hash(_files_in(folder, name) or files) != first:
        raise InvalidInstanceError(
            f"module {name!r}: this process has imported other contents under that name, from "
            f"{getattr(module, '__file__', None)}; begin a new process (with Dask, new workers)"
        )
    return first


def _files(module: ModuleType) -> list[Path]:
    file = getattr(module, "__file__", None)
    if file is None:
        return []
    path = Path(file)
    return sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]


def _files_in(folder: Path | None, name: str) -> list[Path]:
    """The files of the module in `folder`, if it is there."""
    if folder is None:
        return []
    path = folder.joinpath(*name.split("."))
    if (path / "__init__.py").is_file():
        return sorted(path.rglob("*.py"))
    return [path.with_suffix(".py")] if path.with_suffix(".py").is_file() else []


def _hash(files: Sequence[Path]) -> str:
    hasher = hashlib.sha256()
    for file in files:
        hasher.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return hasher.hexdigest()
