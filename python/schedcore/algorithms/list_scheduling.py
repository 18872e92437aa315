"""How to spread tasks of known length over machines so that the last machine is done as early as possible.

On machines of equal speed (P || Cmax) and of unequal speeds (Q || Cmax): the longest task first [Graham 1969],
MULTIFIT [Coffman, Garey and Johnson 1978], and the better of both improved until it is proven optimal or the
work allowed is used up. Everything is decided in exact arithmetic by kernels in ``src/cpp``; this module checks
the input and brings it to whole numbers.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.bounds.rounding import largest_double_up_to
from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import EXACT_BOUND, FloatArray, IntArray, first_index, numeric_array, place
from schedcore.model.choices import check_choice
from schedcore.model.integers import checked_integer
from schedcore.model.task_partition import TaskPartition

from .whole_units import WholeUnits, machine_totals, whole_units

__all__ = ["partition"]

_METHODS = ("lpt", "multifit", "best")

_MOST_MACHINES = 2**24  # every kernel keeps something for each
_GAP_OF_FLOATS = 1e-6
_LARGEST_FLOAT = sys.float_info.max
# Powers of two that keep quotients of 53-bit numbers away from the ends of float64.
_PLAIN_EXPONENT = 900


def partition(
    processing_time: ArrayLike,
    n_machines: SupportsIndex,
    speed: ArrayLike | None = None,
    method: str = "best",
    work_limit: SupportsIndex = 10_000_000,
    gap: float | None = None,
) -> TaskPartition:
    """Spread tasks over machines, minimising the time at which the last machine is done (the makespan).

    Parameters
    ----------
    processing_time : (n_tasks,) int or float
        How long each task takes on a machine of speed 1; finite, not negative.
    n_machines : int
        Number of machines, 1 to 2**24; more machines than tasks are fine.
    speed : (n_machines,) int or float, optional
        A task takes ``processing_time / speed`` on a machine. Positive and finite; 1 for all by default.
    method : {"best", "lpt", "multifit"}
        "lpt"
            The longest task first, each to the machine that completes it first; ties to the lowest machine.
        "multifit"
            First fit of the tasks, longest first, into machines (the slowest first) up to a common time, which
            a binary search makes small.
        "best"
            The better of the two, then improved: sets of tasks that complete a machine, and exchanges of
            several tasks between two machines.
    work_limit : int
        Steps that the improvement may take, of about 50 nanoseconds each: half a second by default. 0 leaves
        the better of "lpt" and "multifit" as it is.
    gap : float, optional
        The improvement ends when the makespan is proven to be within this share of the optimum: by default 0
        for integers and a millionth for floats, whose optimum to the last bit is rarely found.

    Returns
    -------
    TaskPartition
        ``machine``, ``makespan``, ``lower_bound`` (proven), ``is_optimal``, and more.

    Raises
    ------
    InvalidInstanceError
        For a processing time that is negative or not finite, a speed that is not positive and finite, a
        number of machines out of range, a number of speeds other than `n_machines`, processing times whose
        sum float64 does not hold, speeds whose exact ratios need more than 62 bits, an unknown method.
        Names the task or machine, the value and the bound.

    Notes
    -----
    The makespan of "lpt" is at most 4/3 - 1/(3 n_machines) times the optimum, that of "multifit" at most
    13/11 times, rounded up to the unit of the processing times. With unequal speeds these are 2m/(m + 1) and
    1.4 times and a unit on the fastest machine [Gonzalez, Ibarra and Sahni 1977, Friesen and Langston 1983].
    "best" keeps what both promise.

    "lpt" takes O(n log m), about 70 ms for a million tasks on a thousand machines; "multifit" some ten
    times as long. The result is a function of the arguments: no clock, no thread and no platform decides.

    Integers and floats count as the numbers they are. Only where processing times span more than 62 binary
    digits in all, decisions are made on times rounded down to a common unit; what is returned is computed
    from the times themselves, and the bound stays proven.

    Examples
    --------
    >>> import schedcore
    >>> shares = schedcore.partition([7, 6, 5, 4, 3], 2)
    >>> shares.makespan, shares.is_optimal
    (13.0, True)
    >>> sorted(group.tolist() for group in shares.groups())
    [[0, 1], [2, 3, 4]]
    """
    check_choice("method", method, _METHODS)
    times = _checked_times(processing_time)
    machines = checked_integer("n_machines", n_machines, 1, _MOST_MACHINES)
    limit = checked_integer("work_limit", work_limit, 0)
    if gap is None:
        gap = _GAP_OF_FLOATS if times.dtype.kind == "f" else 0.0
    if not 0 <= gap < math.inf:
        raise InvalidInstanceError(f"gap = {gap} must be finite and not negative")
    speeds = _whole_speeds(speed, machines)
    units = whole_units(times)
    machine, load, makespan, bound, work = _core.packing.spread_tasks(
        units.count, speeds.count, method=method, work_limit=limit, gap=float(gap)
    )

    lower_bound = Fraction(*bound) * _power_of_two(units.exponent - speeds.exponent)
    exponent = units.exponent
    totals: list[int] | IntArray = load
    if units.is_exact:
        latest = Fraction(*makespan)
    else:
        totals, exponent = machine_totals(times, machine, machines)
        latest = max(map(Fraction, totals, speeds.count.tolist()))
    latest *= _power_of_two(exponent - speeds.exponent)
    return TaskPartition(
        machine=machine,
        load=_rounded_quotients(totals, np.ones(machines, dtype=np.int64), exponent),
        completion_time=_rounded_quotients(totals, speeds.count, exponent - speeds.exponent),
        makespan=_rounded(latest),
        lower_bound=largest_double_up_to(lower_bound),
        is_optimal=latest == lower_bound,
        work=work,
    )


def _checked_times(processing_time: ArrayLike) -> NDArray[Any]:
    times = _column(processing_time, "processing_time", "task")
    valid = times >= 0
    if times.dtype.kind == "f":
        valid &= np.isfinite(times)
    _refuse_unless(valid, times, "processing_time", "must be finite and not negative")
    with np.errstate(over="ignore"):
        total = times.sum() if times.dtype.kind in "fO" else 0  # other integers are far from the limit
    if total > _LARGEST_FLOAT:
        raise InvalidInstanceError("the processing times sum to more than float64 holds; scale them down")
    return times


def _whole_speeds(speed: ArrayLike | None, n_machines: int) -> WholeUnits:
    if speed is None:
        return WholeUnits(np.ones(n_machines, dtype=np.int64), 0, True)
    speeds = _column(speed, "speed", "machine")
    if speeds.size != n_machines:
        raise InvalidInstanceError(f"speed has {speeds.size} entries for n_machines = {n_machines}")
    valid = speeds > 0
    if speeds.dtype.kind == "f":
        valid &= np.isfinite(speeds)
    _refuse_unless(valid, speeds, "speed", "must be positive and finite")
    units = whole_units(speeds)
    if not units.is_exact:
        slowest, fastest = (int(speeds.argmin()),), (int(speeds.argmax()),)
        raise InvalidInstanceError(
            f"{place('speed', speeds, slowest)} and {place('speed', speeds, fastest)}: "
            "the speeds have no common unit in which they sum to less than 2**62; round them"
        )
    return units


def _column(values: ArrayLike, name: str, entry: str) -> NDArray[Any]:
    array = numeric_array(values, name)
    if array.ndim != 1:
        raise InvalidInstanceError(f"{name} has shape {array.shape}; one number per {entry} is needed")
    return array


def _refuse_unless(valid: NDArray[Any], array: NDArray[Any], name: str, rule: str) -> None:
    if not np.all(valid):
        index = first_index(np.asarray(~valid.astype(np.bool_)))
        raise InvalidInstanceError(f"{place(name, array, index)} {rule}")


def _power_of_two(exponent: int) -> Fraction:
    return Fraction(2) ** exponent


def _rounded_quotients(count: list[int] | IntArray, divisor: IntArray, exponent: int) -> FloatArray:
    """``count / divisor * 2**exponent``, each rounded once."""
    if isinstance(count, np.ndarray) and abs(exponent) <= _PLAIN_EXPONENT:
        if count.max() <= EXACT_BOUND and divisor.max() <= EXACT_BOUND:
            return np.ldexp(count / divisor, exponent)  # doubles divide with one rounding
        count = count.tolist()
    unit = _power_of_two(exponent)
    return np.array([_rounded(one * unit / by) for one, by in zip(count, divisor.tolist(), strict=True)])


def _rounded(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        raise InvalidInstanceError(
            "a machine would complete its tasks later than float64 holds; scale the times or speeds"
        ) from None
