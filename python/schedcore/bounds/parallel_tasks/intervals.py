"""The intervals of time that the interval-indexed programs count in, and how far they have to reach.

Interval l is (d_{l-1}, d_l] with d_l = (1 + epsilon)^l and d_{-1} = 0; the last, L, is the first that reaches the
horizon, and at least 1.
"""

import math
from fractions import Fraction
from numbers import Rational

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import ParallelTaskInstance
from schedcore.model.real_numbers import finite_number, shown

__all__ = ["Intervals", "horizon", "interval_epsilon"]

_MOST_INTERVALS = 20_000
_BITS = 192  # after the point, while powers of 1 + epsilon are computed


class Intervals:
    """Intervals that end at powers of 1 + epsilon, up to the first that reaches the horizon.

    Attributes
    ----------
    ends : (n_intervals,) float64
        d_0 = 1, ..., d_L; the doubles nearest to the powers, which are exact for epsilon = 1.
    start_of : (n_intervals,) float64
        d_{l-1} for interval l, 0 for interval 0.
    lengths : (n_intervals,) float64
        ``ends - start_of``.
    n_intervals : int
        L + 1.
    epsilon : Fraction
    horizon : int
        The number that the last interval reaches.

    Raises
    ------
    InvalidInstanceError
        If that takes more than 20,000 intervals.
    """

    __slots__ = ("ends", "epsilon", "horizon", "lengths", "n_intervals", "start_of")

    def __init__(self, epsilon: Fraction, horizon: int) -> None:
        self.epsilon = epsilon
        self.horizon = horizon
        last = _last_interval(epsilon, horizon)
        self.n_intervals = last + 1
        self.ends: NDArray[np.float64] = np.array(_powers(epsilon, last))
        self.start_of: NDArray[np.float64] = np.concatenate([[0.0], self.ends[:-1]])
        self.lengths: NDArray[np.float64] = self.ends - self.start_of
        for array in (self.ends, self.start_of, self.lengths):
            array.setflags(write=False)

    def __repr__(self) -> str:
        return f"Intervals(epsilon={self.epsilon}, horizon={self.horizon}): {self.n_intervals}"


def interval_epsilon(epsilon: object) -> Fraction:
    """Return the growth of the intervals as the fraction that a person would write: 0.1 is 1/10.

    The number of intervals is about log(horizon) / epsilon, and the linear program has a column for each of them and
    placement. It takes long for thousands of intervals: with 5,500, more than a minute for 10 tasks on two machines.

    Raises
    ------
    InvalidInstanceError
        Unless it is finite and above 0.
    TypeError
        For anything that is no number.
    """
    value = finite_number("epsilon", epsilon, above_0=True)
    return Fraction(epsilon) if isinstance(epsilon, Rational) else Fraction(repr(value))


def horizon(instance: ParallelTaskInstance) -> int:
    """Return an instant by which some optimal schedule of each class has ended: the last release plus T.

    T is the largest sum, over the machines i, of the processing times on i of all tasks that may run there. Take a
    schedule in which a task ends later than max r + T, and let i be a fastest machine of it. From max r on, i is busy
    with other tasks for no longer than the sum of theirs; whenever it is not, the task may run there, in pieces, and so
    ends in time. No other task moves.
    """
    if instance.n_tasks == 0:
        return 0
    # no sum leaves the integers that float64 holds: the instance refuses that
    on_machine = np.bincount(instance.placement_machine, instance.placement_time, instance.n_machines)
    return math.ceil(float(instance.release_time.max())) + int(on_machine.max())


def _last_interval(epsilon: Fraction, horizon: int) -> int:
    """Return the smallest L >= 1 with (1 + epsilon)^L >= horizon, by exact comparison."""
    up, down = epsilon.numerator + epsilon.denominator, epsilon.denominator
    if horizon <= 1:
        return 1
    guess = math.log(horizon) / math.log1p(epsilon)
    if guess > _MOST_INTERVALS:
        raise InvalidInstanceError(
            f"epsilon = {shown(epsilon)} takes {guess:.6g} intervals up to {horizon}, above {_MOST_INTERVALS}; "
            f"use a larger one or a coarser unit of time"
        )
    last: int = max(1, round(guess))
    while up**last < horizon * down**last:
        last += 1
    while last > 1 and up ** (last - 1) >= horizon * down ** (last - 1):
        last -= 1
    return last


def _powers(epsilon: Fraction, last: int) -> list[float]:
    """Return (1 + epsilon)^l for l = 0..last, each rounded once from a fixed point far finer than a double."""
    up, down = epsilon.numerator + epsilon.denominator, epsilon.denominator
    powers, scaled = [], 1 << _BITS
    for _ in range(last + 1):
        powers.append(scaled / (1 << _BITS))
        scaled = scaled * up // down
    return powers
