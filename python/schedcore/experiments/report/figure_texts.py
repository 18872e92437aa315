"""Words in drawings of experiments: labels that matplotlib takes as they are, long ones in several lines, units."""

import textwrap

from schedcore.experiments.results.figure_data import FigureData
from schedcore.plotting import TimeUnit

__all__ = ["label", "time_unit", "wrapped"]


def label(policy: str) -> str:
    """A label as text: matplotlib reads what stands between two dollar signs as a formula."""
    return policy.replace("$", r"\$")


def wrapped(text: str, letters: int) -> str:
    """`text` in as few lines of at most so many letters as it needs, about equally long."""
    n_lines = len(textwrap.wrap(text, letters))
    widths = (textwrap.wrap(text, width) for width in range(1, letters + 1))
    return "\n".join(next((lines for lines in widths if len(lines) <= n_lines), []))


def time_unit(data: FigureData) -> TimeUnit | None:
    return TimeUnit(data.figure.unit, data.figure.scale) if data.figure.unit else None
