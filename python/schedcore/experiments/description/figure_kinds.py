"""The kinds of figures: which columns each can show, and which entries of a figure belong to it."""

from collections.abc import Sequence
from dataclasses import dataclass

from schedcore.experiments.columns import KEPT, METRICS

__all__ = ["KINDS", "PLACE_OF", "STEPPED", "UNITS", "WORKLOAD", "FigureKind"]

#: Lengths in seconds of the units that a figure may show times in.
UNITS = {"s": 1.0, "min": 60.0, "hours": 3_600.0, "days": 86_400.0}
#: In place of a parameter: a panel, or a group, for each workload of the sweep.
WORKLOAD = "workload"
#: Kept column -> the column of the places that its numbers belong to.
PLACE_OF = {name: places for places, *names in KEPT.values() for name in names}
#: Columns that stay as they are between two places.
STEPPED = ("demand_share",)


@dataclass(frozen=True, slots=True)
class FigureKind:
    """What a figure of one kind shows.

    Attributes
    ----------
    takes : tuple of str
        Of the entries that only some kinds have, those that this one has; an x is then needed.
    columns : sequence of str
        What `y` can be; kinds that have no choice know a stand-in.
    kept : str
        What the sweep must keep; empty if that depends on the column, or every row has it.
    """

    takes: tuple[str, ...]
    columns: Sequence[str] = ("awct",)
    kept: str = ""

    def needed_keep(self, y: str) -> str:
        """What the sweep must keep so that a figure can show `y`; empty for what every row has."""
        return self.kept or next((group for group, (_, *names) in KEPT.items() if y in names), "")

    def large_columns(self, names: Sequence[str]) -> tuple[str, ...]:
        """The large columns that a figure of the columns `names` is drawn from, but for schedules."""
        if self.kept == "delay_quantiles":
            return (self.kept,)
        kept = [name for name in names if name in PLACE_OF]
        return tuple(dict.fromkeys(column for name in kept for column in (PLACE_OF[name], name)))


_OF_NUMBERS = ("unit", "lower_bound", "published")
_OF_CURVES = [name for group in ("curves", "demands") for name in KEPT[group][1:]]
KINDS = {
    "lines": FigureKind(("x", "panels", "average_over", "baseline", "y_range", *_OF_NUMBERS), METRICS),
    "groups": FigureKind(("x", "panels", "average_over", *_OF_NUMBERS), METRICS),
    "bars": FigureKind(_OF_NUMBERS, METRICS),
    "boxes": FigureKind(
        ("panels", "unit", "published"), METRICS
    ),  # y = "ratio" shows values over their bounds
    "delays": FigureKind(_OF_NUMBERS, kept="delay_quantiles"),
    "packing": FigureKind(_OF_NUMBERS, kept="schedule"),
    "curves": FigureKind(("panels", "also"), _OF_CURVES),
    "by_size": FigureKind(("panels",), KEPT["by_size"][1:]),
}
