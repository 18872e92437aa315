"""Optional packages, imported where they are used; a missing one says which extra brings it."""

import importlib
from typing import Any

__all__ = ["import_extra"]


def import_extra(module: str, extra: str) -> Any:
    """Import `module`, or raise an ImportError that names the extra of schedcore that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"{package} is missing; the extra schedcore[{extra}] brings it: pip install 'schedcore[{extra}]'",
            name=package,
        ) from error
