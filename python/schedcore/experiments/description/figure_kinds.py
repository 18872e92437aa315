"""The kinds of figures: which columns each can show, and what it takes to show them."""

from __future__ import annotations

from collections.abc import Sequence

from schedcore.experiments.results.schema import KEPT, METRICS

__all__ = [
    "KINDS",
    "OVER_X",
    "PLACE_OF",
    "STEPPED",
    "UNITS",
    "WITH_PANELS",
    "WORKLOAD",
    "columns_shown",
    "known_y",
    "needed_keep",
]

KINDS = ("lines", "groups", "bars", "boxes", "delays", "packing", "curves", "by_size")
#: Kinds that show a column of numbers, those that may have panels, and those with an x.
_OF_NUMBERS = ("lines", "groups", "bars", "boxes")
WITH_PANELS = ("lines", "groups", "boxes", "curves", "by_size")
OVER_X = ("lines", "groups")
#: Lengths in seconds of the units that a figure may show times in.
UNITS = {"s": 1.0, "min": 60.0, "hours": 3_600.0, "days": 86_400.0}
#: In place of a parameter: a panel, or a group, for each workload of the sweep.
WORKLOAD = "workload"
#: Groups of kept columns that a kind shows.
_GROUPS = {"curves": ("curves", "demands"), "by_size": ("by_size",)}
#: Kept column -> the column of the places that its numbers belong to.
PLACE_OF = {name: places for places, *names in KEPT.values() for name in names}
#: Columns that stay as they are between two places.
STEPPED = ("demand_share",)


def known_y(kind: str) -> Sequence[str]:
    """The columns that figures of a kind can show; kinds that have no choice know a stand-in."""
    if kind in _OF_NUMBERS:
        return METRICS
    return [name for group in _GROUPS.get(kind, ()) for name in KEPT[group][1:]] or ["awct"]


def needed_keep(kind: str, y: str) -> str | None:
    """What the sweep must keep so that a figure of a kind can show `y`; None for what every row has."""
    if kind in _GROUPS:
        return next(group for group in _GROUPS[kind] if y in KEPT[group])
    return {"delays": "delay_quantiles", "packing": "schedule"}.get(kind)


def columns_shown(kind: str, names: Sequence[str]) -> tuple[str, ...]:
    """The large columns that a figure of a kind which shows the columns `names` is drawn from, but for schedules."""
    if kind == "delays":
        return ("delay_quantiles",)
    if kind not in _GROUPS:
        return ()
    return tuple(dict.fromkeys(column for name in names for column in (PLACE_OF[name], name)))
