"""Where the recorded workloads are; tests that need them skip where they are not."""

import os
from pathlib import Path

import pytest

_DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "data"


def data_folder(*parts: str) -> Path:
    """Return a path in the data collection (``SCHEDCORE_DATA``, else ``../shared/data``), or skip."""
    path = Path(os.environ.get("SCHEDCORE_DATA", _DEFAULT)).joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is absent; set SCHEDCORE_DATA to the folder of recorded workloads")
    return path
