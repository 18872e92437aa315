"""Modules of the user that register policies, imported wherever cells are made or run."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.plain_values import check_texts

__all__ = ["import_modules"]


def import_modules(modules: Sequence[str], folder: Path | None) -> None:
    """Import `modules`; they may also lie in `folder`, which then joins ``sys.path``.

    Raises
    ------
    InvalidInstanceError
        If there is no such module; errors inside a module keep their own type.
    """
    check_texts("experiment", "modules", modules, "names of modules")
    for module in modules:
        if not all(part.isidentifier() for part in module.split(".")):
            raise InvalidInstanceError(f"experiment: {module!r} is no name of a module")
    if modules and folder is not None and str(folder) not in sys.path:
        sys.path.append(str(folder))
    for module in modules:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or not module.startswith(error.name):
                raise
            raise InvalidInstanceError(f"module {module!r} of the experiment cannot be found") from error
