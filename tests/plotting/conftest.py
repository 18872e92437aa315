"""What the tests of the drawings share: no window, an Axes, no figure left behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

mpl.use("Agg")


@pytest.fixture
def ax() -> Any:
    return Figure().subplots()


@pytest.fixture(autouse=True)
def _no_open_figures() -> Iterator[None]:
    import matplotlib.pyplot as plt

    yield
    plt.close("all")
