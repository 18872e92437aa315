"""When an online algorithm plans anew: time cut into epochs whose lengths grow from small values to tau0.

Epoch x = 0, 1, 2, ... is [b_x, b_{x+1}) with b_0 = 0, b_{x+1} = b_x + tau_x and

    tau_x = max(1, floor(tau0 / (1 + gamma exp(-beta x)) + 0.5)),

in the unit of the processing times. A job released at r takes part from the first boundary b_x >= r on.
Source: Shafiee and Ghaderi, Operations Research 70(6), 2022, say that the lengths adapt, start from small values and
have three constants; this form and the values gamma = 50 and beta = 3 are ours (docs/papers.md).

Boundaries are Python integers, hence exact. The lengths never fall (exp is monotone), which lets idle epochs be passed
over in stretches of equal length.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass
from numbers import Real

import numpy as np

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import ParallelTaskInstance

__all__ = ["BETA", "GAMMA", "EpochCursor", "EpochLengths", "default_tau0", "epoch_lengths"]

GAMMA = 50.0
BETA = 3.0

_LATEST = 2**53  # up to here a float64 holds every boundary
_GAPS = 5  # tau0 in mean inter-arrival times, where the caller names none


@dataclass(frozen=True, slots=True)
class EpochLengths:
    """The lengths of all epochs.

    Parameters
    ----------
    tau0 : float
        The length that epochs grow to, before rounding; above 0.
    gamma : float
        At least 0: the first epoch is 1 + gamma times shorter. With 0 all epochs are equal.
    beta : float
        At least 0: how fast they grow. With 0 they do not.

    Raises
    ------
    InvalidInstanceError
        For numbers that are not finite or beyond these bounds.
    TypeError
        For anything that is no real number.
    """

    tau0: float
    gamma: float = GAMMA
    beta: float = BETA

    def __post_init__(self) -> None:
        for name in ("tau0", "gamma", "beta"):
            object.__setattr__(self, name, _checked(name, getattr(self, name), positive=name == "tau0"))

    def length(self, index: int) -> int:
        """Return tau of the epoch with this index."""
        grown = self.tau0 / (1 + self.gamma * math.exp(-self.beta * index))
        return max(1, math.floor(grown + 0.5))


class EpochCursor:
    """One epoch after the other: `index`, and `start` and `end` as exact integers; begins with epoch 0."""

    def __init__(self, lengths: EpochLengths) -> None:
        self._lengths = lengths
        self.index = 0
        self.start = 0
        self.end = lengths.length(0)

    def advance(self) -> None:
        """Go to the next epoch."""
        self.index += 1
        self.start = self.end
        self.end = self.start + self._lengths.length(self.index)

    def skip_to(self, time: float) -> None:
        """Go on to the first epoch that starts at `time` or later; stay if this one does.

        Raises
        ------
        UnsupportedError
            For times above 2**53, among which float64 does not hold every boundary.

        Notes
        -----
        O(log n) for each stretch of n epochs of equal length that is passed over. With the default `beta` there are
        some ten stretches, then one.
        """
        if time > _LATEST:
            raise UnsupportedError(f"no epoch starts at the release time {time}, above 2**53")
        target = math.ceil(time)  # exact; boundaries are integers
        while self.start < target:
            length = self.end - self.start
            missing = -((self.start - target) // length)
            equal = bisect_right(range(self.index, self.index + missing), length, key=self._lengths.length)
            self.index += equal
            self.start += equal * length
            self.end = self.start + self._lengths.length(self.index)


def epoch_lengths(
    instance: ParallelTaskInstance, tau0: float | None, gamma: float, beta: float
) -> EpochLengths:
    """Return the lengths for the options of an online algorithm; without `tau0`, `default_tau0`."""
    return EpochLengths(default_tau0(instance) if tau0 is None else tau0, gamma, beta)


def default_tau0(instance: ParallelTaskInstance) -> float:
    """Return five times the mean time between two arrivals.

    Where all jobs come at one instant there is no such time. Nothing that a new plan could take into account will
    happen, so that tau0 is then the work of the busiest machine (each task counted on every machine that it may use),
    and a handful of epochs cover the schedule.
    """
    release = instance.release_time
    span = float(release.max() - release.min()) if len(release) else 0.0
    if span > 0:
        return _GAPS * (span / (len(release) - 1))
    work = np.bincount(instance.placement_machine, weights=instance.placement_time)
    return float(max(1.0, work.max(initial=0.0)))


def _checked(name: str, value: object, *, positive: bool) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, not {value!r}")
    number = float(value)
    if not math.isfinite(number) or number < 0 or (positive and number == 0):
        bound = "above 0" if positive else "at least 0"
        raise InvalidInstanceError(f"{name} = {value} must be finite and {bound}")
    return number
