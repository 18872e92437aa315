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
from functools import partial

import numpy as np

from schedcore.errors import UnsupportedError
from schedcore.model import ParallelTaskInstance
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.real_numbers import finite_number
from schedcore.parameters import Parameters, option

__all__ = [
    "BETA",
    "GAMMA",
    "MOST_EPOCHS",
    "EpochCursor",
    "EpochLengths",
    "EpochOptions",
    "check_exact",
    "check_number",
    "default_tau0",
    "mean_gap",
]

GAMMA = 50.0
BETA = 3.0

MOST_EPOCHS = 1_000_000  # with work, of a run: each costs a plan and a record
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
            object.__setattr__(self, name, finite_number(name, getattr(self, name), above_0=name == "tau0"))

    def length(self, index: int) -> int:
        """Return tau of the epoch with this index."""
        grown = self.tau0 / (1 + self.gamma * math.exp(-self.beta * index))
        return max(1, math.floor(grown + 0.5))

    @property
    def longest(self) -> int:
        """No epoch is longer than this."""
        return max(1, math.floor(self.tau0 + 0.5))


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
        if time > EXACT_BOUND:
            raise UnsupportedError(f"no epoch starts at the release time {time}, above 2**53")
        target = math.ceil(time)  # exact; boundaries are integers
        while self.start < target:
            length = self.end - self.start
            missing = -((self.start - target) // length)
            equal = bisect_right(range(self.index, self.index + missing), length, key=self._lengths.length)
            self.index += equal
            self.start += equal * length
            self.end = self.start + self._lengths.length(self.index)


class EpochOptions(Parameters, kw_only=True):
    """Whether a run decides in epochs, and how long these are."""

    online: bool = option(
        "decide in epochs, knowing only the jobs released so far",
        "Epoch x lasts tau0 / (1 + gamma exp(-beta x)), rounded, at least 1.",
        default=False,
        for_kernel=False,
    )
    tau0: float | None = option(
        "length that epochs grow to; 5 mean times between arrivals where it is not given",
        "Where all jobs come at once, the work of the busiest machine. The number of epochs is about the length of the"
        " schedule / tau0: name one where processing times are far longer than the gaps between arrivals.",
        default=None,
        recorded=False,
        for_kernel=False,
    )
    gamma: float = option(
        "the first epochs are shorter by the factor 1 + gamma",
        default=GAMMA,
        check=partial(finite_number, above_0=False),
        recorded=False,
        for_kernel=False,
    )
    beta: float = option(
        "how fast the length of epochs approaches tau0",
        default=BETA,
        check=partial(finite_number, above_0=False),
        recorded=False,
        for_kernel=False,
    )

    def check(self) -> None:
        """Refuse a `tau0` that is not above 0; only here, as an experiment says "5gaps" until there is an instance."""
        if self.tau0 is not None:
            finite_number("tau0", self.tau0, above_0=True)

    def lengths(self, instance: ParallelTaskInstance) -> EpochLengths:
        """Return the lengths of the epochs of an instance; without `tau0`, by `default_tau0`."""
        tau0 = default_tau0(instance) if self.tau0 is None else self.tau0
        return EpochLengths(tau0, self.gamma, self.beta)

    def recorded_with(self, lengths: EpochLengths) -> dict[str, object]:
        """Return the options of an online run, with the lengths as they were."""
        return self.recorded(tau0=lengths.tau0, gamma=lengths.gamma, beta=lengths.beta)


def default_tau0(instance: ParallelTaskInstance) -> float:
    """Return five times the mean time between two arrivals.

    Between many arrivals that is time enough for work to be done; where processing times are far longer than the gaps,
    epochs are far shorter than tasks, and a larger tau0 is the better choice.

    Where all jobs come at one instant there is no such time. Nothing that a new plan could take into account will
    happen, so that tau0 is then the work of the busiest machine (each task counted on every machine that it may use),
    and a handful of epochs cover the schedule.
    """
    gap = mean_gap(instance)
    if gap > 0:
        return _GAPS * gap
    work = np.bincount(instance.placement_machine, weights=instance.placement_time)
    return float(max(1.0, work.max(initial=0.0)))


def mean_gap(instance: ParallelTaskInstance) -> float:
    """Return the mean time between two arrivals; 0 where all jobs come at one instant."""
    release = instance.release_time
    span = float(release.max() - release.min()) if len(release) else 0.0
    return span / (len(release) - 1) if span > 0 else 0.0


def check_exact(latest: float, work: int) -> None:
    """Raise an `UnsupportedError` unless tasks of so much work, put one after the other, end by 2**53.

    `latest` is the start of the epoch or the end of what runs on into it, whichever is later. Later than 2**53,
    float64 rounds times.
    """
    end = int(latest) + work
    if end > EXACT_BOUND:
        raise UnsupportedError(
            f"what is planned in an epoch from {int(latest):.6g} on could last until {end:.6g}, above "
            f"2**53, where float64 would round times; choose a smaller tau0"
        )


def check_number(n_epochs: int, lengths: EpochLengths) -> None:
    """Raise an `UnsupportedError` if a run that has work in at least so many epochs has it in too many."""
    if n_epochs > MOST_EPOCHS:
        enough = n_epochs * lengths.longest / MOST_EPOCHS
        raise UnsupportedError(
            f"with tau0 = {lengths.tau0!r} epochs last {lengths.longest} at most, and {n_epochs} of them or more have "
            f"work, above {MOST_EPOCHS}; choose a tau0 above {enough:.3g} (the number of epochs is about the length of "
            f"the schedule / tau0)"
        )
