"""Settings of the randomised tests: reproducible and short by default, thorough on request.

``SCHEDCORE_HYPOTHESIS_PROFILE=thorough`` draws fresh examples, many more of them.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# Drawing an instance with several resources is slow on a busy machine; that is no finding.
SLOW_DRAWS = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "ci", deadline=None, max_examples=60, derandomize=True, database=None, suppress_health_check=SLOW_DRAWS
)
settings.register_profile("thorough", deadline=None, max_examples=400, suppress_health_check=SLOW_DRAWS)
settings.load_profile(os.environ.get("SCHEDCORE_HYPOTHESIS_PROFILE", "ci"))


def pytest_configure(config: pytest.Config) -> None:
    """Let hypothesis report a failure: where a code formatter is installed it writes a patch, and that warns."""
    config.addinivalue_line("filterwarnings", "ignore:mypy_extensions.TypedDict:DeprecationWarning")


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name bytes by their number: packed ones tell when they were packed, and all workers must agree on the names."""
    return f"{len(val)}_bytes" if isinstance(val, bytes) else None
