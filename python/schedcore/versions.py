"""Which versions of what are installed? What a report of a fault should say."""

import os
import platform
import sys
from typing import Any

from schedcore._core import build_config

__all__ = ["show_versions"]

_REQUIRED = ("numpy", "highspy")
_OPTIONAL = (
    "typer", "rich", "pyarrow", "pandas", "polars", "matplotlib", "scipy", "jinja2", "pydantic", "tomlkit",
    "distributed",
)  # fmt: skip


def show_versions(*, as_dict: bool = False) -> dict[str, Any] | None:
    """Print versions of schedcore and of what it uses, how it was built, and on which machine it runs.

    Parameters
    ----------
    as_dict : bool
        Return them instead; what is not installed is None.
    """
    packages = {name: _version(name) for name in (*_REQUIRED, *_OPTIONAL)}
    build = build_config()
    found: dict[str, Any] = {
        "schedcore": build["version"],
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "build": build,
        "packages": packages,
    }
    if as_dict:
        return found
    lines = {name: value for name, value in found.items() if not isinstance(value, dict)}
    lines |= {f"build: {name}": value for name, value in build.items() if name != "version"}
    lines |= packages
    width = max(map(len, lines))
    for name, value in lines.items():
        sys.stdout.write(f"{name:<{width}}  {'not installed' if value is None else value}\n")
    return None


def _version(package: str) -> str | None:
    # Not for every program that imports schedcore.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None
