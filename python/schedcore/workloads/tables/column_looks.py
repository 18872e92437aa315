"""What does each column of a table look like: numbers, dates, lengths of time, amounts or texts, and in which range?"""

import dataclasses
import datetime

import numpy as np

from schedcore.model.arrays import BoolArray
from schedcore.model.real_numbers import shown
from schedcore.workloads.logs.date_of_time_0 import iso_date
from schedcore.workloads.tables.amounts import read_bytes, read_counts
from schedcore.workloads.tables.cells import Cells
from schedcore.workloads.tables.dates import Ambiguous, read_instants
from schedcore.workloads.tables.durations import read_durations

__all__ = ["ColumnLook", "look_of"]

_N_EXAMPLES = 3
_NEARLY_ALL = 0.9  # of the distinct cells


@dataclasses.dataclass(frozen=True)
class ColumnLook:
    """What a column looks like.

    Parameters
    ----------
    name : str
    kind : str
        "whole numbers", "numbers", "dates", "lengths of time", "amounts", "texts" or "nothing", and what else is there.
    missing : int
        Rows in which nothing stands.
    distinct : int
        Different cells.
    least, most : str
        The range of numbers, dates and so on; empty for texts.
    examples : tuple of str
        The first few different cells.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    least: str
    most: str
    examples: tuple[str, ...]


def look_of(cells: Cells) -> ColumnLook:
    """Look at a column; O(n_rows)."""
    missing = cells.missing
    kind, least, most = _kind(cells, missing)
    present = np.flatnonzero(~missing)
    texts = cells.texts() if len(present) else None
    examples = (
        [] if texts is None else [str(text) for text in texts.take(present[: 20 * _N_EXAMPLES]).to_pylist()]
    )
    return ColumnLook(
        cells.name,
        kind,
        int(np.count_nonzero(missing[cells.codes])),
        0 if texts is None else len(texts.take(present).unique()),
        least,
        most,
        tuple(shown(text) for text in tuple(dict.fromkeys(examples))[:_N_EXAMPLES]),
    )


def _kind(cells: Cells, missing: BoolArray) -> tuple[str, str, str]:
    """Return what nearly all cells are, and the range of them."""
    if missing.all():
        return "nothing", "", ""
    numbers = cells.numbers
    if _are_most(numbers.bad, missing):
        known = numbers.values[~np.isnan(numbers.values)]
        word = "whole numbers" if (known == np.floor(known)).all() else "numbers"
        return word + _others(cells, numbers.bad), f"{known.min():.15g}", f"{known.max():.15g}"
    try:
        dates = read_instants(cells, "")
    except Ambiguous:
        return "dates, with the day or the month first", "", ""
    if _are_most(dates.bad, missing):
        floats = dates.instants.as_floats()
        return "dates" + _others(cells, dates.bad), _date(np.nanmin(floats)), _date(np.nanmax(floats))
    for word, (read, _), write in (
        ("lengths of time", read_durations(cells, ""), _duration),
        ("amounts", read_bytes(cells, ""), _size),
        ("amounts", read_counts(cells, ""), "{:g}".format),
    ):
        if _are_most(read.bad, missing):
            return (
                word + _others(cells, read.bad),
                write(np.nanmin(read.values)),
                write(np.nanmax(read.values)),
            )
    return "texts", "", ""


def _are_most(bad: BoolArray, missing: BoolArray) -> bool:
    present = np.count_nonzero(~missing)
    return bool(np.count_nonzero(~bad & ~missing) > _NEARLY_ALL * present)


def _others(cells: Cells, bad: BoolArray) -> str:
    return f", and {shown(cells.example(bad))!r}" if bad.any() else ""


def _date(seconds: float) -> str:
    return (iso_date(float(seconds)) or "").removesuffix("+00:00")


def _duration(seconds: float) -> str:
    return str(datetime.timedelta(seconds=float(seconds))) if seconds < 86_400e6 else f"{seconds:g} s"


def _size(size: float) -> str:
    power = next((power for power in (40, 30, 20, 10) if size >= 2**power), 0)
    return f"{size / 2**power:g}{ {40: 'TB', 30: 'GB', 20: 'MB', 10: 'KB', 0: 'B'}[power] }"
