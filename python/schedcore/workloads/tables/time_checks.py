"""Do the columns of times of a table fit together: a run time with start and end, a wait, an estimate?

A column of plain numbers without a unit counts seconds. Where another column shows that they cannot be seconds, nobody
knows which of the two is meant, and somebody has to say.
"""

import numpy as np

from schedcore.model.arrays import FloatArray
from schedcore.workloads.reading.needed_choice import ChoiceNeededError
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.report_warnings import Finding
from schedcore.workloads.tables.instants import Instants
from schedcore.workloads.tables.role_values import RoleValues
from schedcore.workloads.tables.units import SECONDS, time_word

__all__ = ["check_duration", "check_estimate"]

_UNITS = ("min", "h", "d", "ms", "us", "ns")
_ABOUT = 0.1  # of a unit; lengths in whole minutes are rounded
_MOST_ROWS = 3  # that may contradict: a job that was suspended, or a clock that was set
_SLACK, _SHARE = 60.0, 0.1  # what contradicts differs by more seconds, and by more of the longer time

Bound = tuple[str, Instants]


def check_duration(
    values: RoleValues, role: str, duration: FloatArray, begin: Bound, end: Bound
) -> tuple[Finding, ...]:
    """Compare a length of time with the points in time that it should lie between.

    Raises
    ------
    ChoiceNeededError
        If it has no unit, and they say that it counts another one than seconds.
    """
    between = end[1].since(begin[1])
    known = (duration > 0) & (between > 0)  # NaN is neither
    if not known.any():
        return ()
    column = values.column(role).column
    what = f"the time from {begin[0]} (column {values.column(begin[0]).column}) to {end[0]} (column " \
           f"{values.column(end[0]).column})"  # fmt: skip
    ratio = float(np.median(between[known] / duration[known]))
    if values.has_plain_numbers(role):
        unit = next((unit for unit in _UNITS if abs(ratio / SECONDS[unit] - 1) <= _ABOUT), "")
        if unit:
            _ask(values, role, (unit, "s"), f"{what} is mostly about {ratio:,.6g} times as much, as if these were "
                                            f"{time_word(unit)}")  # fmt: skip
        if abs(ratio / 1000 - 1) <= _ABOUT and all(
            values.has_plain_numbers(name) for name, _ in (begin, end)
        ):
            _ask_for_milliseconds(values, role, (begin[0], end[0]), what)
    with np.errstate(invalid="ignore"):
        apart = np.abs(duration - between)
        contradicts = apart > np.maximum(_SLACK, _SHARE * np.maximum(duration, between))
    if np.count_nonzero(contradicts) <= _MOST_ROWS:
        return ()
    rows = values.ledger.describe(contradicts, values.line_word)
    return (Finding(f"{role} (column {column}) contradicts {what} in {rows}; {role} counts"),)


def check_estimate(values: RoleValues, estimate: FloatArray, run_time: FloatArray) -> None:
    """Refuse estimates without a unit of which most are below the run times, as those in minutes are."""
    known = (estimate > 0) & (run_time > 0)
    below = known & (estimate < run_time)
    if values.has_plain_numbers("estimate") and 2 * np.count_nonzero(below) > np.count_nonzero(known):
        _ask(values, "estimate", ("min", "s"), "most jobs ran for longer than so many seconds")


def _ask(values: RoleValues, role: str, units: tuple[str, ...], why: str) -> None:
    column = values.column(role).column
    choices = tuple(values.choice.choice(role, column, unit) for unit in units)
    *ways, last = (spelled(*choice) for choice in choices)
    raise ChoiceNeededError(
        f"{values.choice.source}: {role} is column {column}, and nothing says its unit, but {why}; write "
        f"{', '.join(ways)} or {last}",
        choices,
    )


def _ask_for_milliseconds(values: RoleValues, role: str, bounds: tuple[str, str], what: str) -> None:
    """Ask whether points in time count milliseconds, all of those that have no unit."""
    plain = [name for name in ("submit", "start", "end") if name in values and values.has_plain_numbers(name)]
    choices = tuple(values.choice.choice_of_units(dict.fromkeys(plain, unit)) for unit in ("ms", "s"))
    column = values.column(role).column
    raise ChoiceNeededError(
        f"{values.choice.source}: {what} is mostly about 1,000 times {role} (column {column}), as if "
        f"{' and '.join(bounds)} were milliseconds; write {' or '.join(spelled(*choice) for choice in choices)}",
        choices,
    )
