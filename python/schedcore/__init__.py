"""Multi-resource cluster scheduling: exact, fast, with a certificate beside every schedule."""

import importlib.resources

from ._core import build_config
from .errors import InfeasibleError, InvalidInstanceError, PolicyError, SchedcoreError, UnsupportedError
from .model import Instance, Jobs, Machines, Result, Schedule, ValidationReport, validate

__all__ = [
    "InfeasibleError",
    "Instance",
    "InvalidInstanceError",
    "Jobs",
    "Machines",
    "PolicyError",
    "Result",
    "SchedcoreError",
    "Schedule",
    "UnsupportedError",
    "ValidationReport",
    "__version__",
    "build_config",
    "get_include",
    "validate",
]

__version__: str = build_config()["version"]


def get_include() -> str:
    """Return the folder of the C++ headers: compile with ``-I`` and include ``"schedcore/<concept>.hpp"``."""
    return str(importlib.resources.files("schedcore").joinpath("include"))
