"""The command line in this process, and a log of a batch system."""

from pathlib import Path

import pytest

from cli.conftest import cli as cli
from cli.site_log import write_site


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(tmp_path)
