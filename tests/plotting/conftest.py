"""What the tests of the drawings share: an Axes that no window shows."""

from typing import Any

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def ax() -> Any:
    return Figure().subplots()
