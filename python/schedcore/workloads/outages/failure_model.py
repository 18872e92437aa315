"""Failures of machines drawn at random: up and down in turn, both for exponential times.

Every machine is an alternating renewal process, independent of the others [Barlow1965]_: it is up at time 0, runs for
an exponential time until it fails, is repaired for an exponential time, and so on. Recorded failures of clusters are
less regular: the times between them follow a Weibull distribution with a shape of 0.7 to 0.8, and repairs a lognormal
one [Schroeder2006]_. The exponential model has the means that are asked for, and no bursts.

Machine m draws from a stream of its own, SplitMix64 with the m-th number of the stream of the seed as its seed. So
machines that are added change nothing for the others, and a longer horizon only adds rows. Logarithms come from
`portable_functions`: the same seed gives the same rows everywhere.

.. [Barlow1965] R. E. Barlow, F. Proschan, "Mathematical Theory of Reliability", Wiley, 1965.
.. [Schroeder2006] B. Schroeder, G. A. Gibson, "A large-scale study of failures in high-performance computing systems",
   International Conference on Dependable Systems and Networks, 2006.
"""

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines, Outages
from schedcore.model.arrays import IntArray
from schedcore.model.real_numbers import finite_number, shown
from schedcore.workloads.draws.portable_functions import logarithm
from schedcore.workloads.draws.splitmix import (
    UInt64Array,
    check_seed,
    draws_at,
    draws_of_streams,
    open_uniform,
)

__all__ = ["draw_failures"]

_MOST_FAILURES = 10_000_000  # expected; a typing error should not fill the memory
# No draw is above 37 times its mean, so that every end is below 2**53.
_LONGEST_HORIZON = 2**52
_LONGEST_MEAN = 2**46
_MACHINES_AT_ONCE = 2**16
_PAIRS_AT_ONCE = 2**20  # of times up and down, over all these machines
_MOST_PAIRS = 512  # of one machine, the sum of which has to fit int64


def draw_failures(
    machines: Machines,
    horizon: float,
    mean_time_between_failures: float,
    mean_time_to_repair: float,
    seed: int,
) -> Outages:
    """Draw when machines fail and come back: exponential times up and down, in whole seconds.

    Parameters
    ----------
    machines : Machines
        How many there are is all that counts.
    horizon : float
        Failures begin before it, and may end after it; above 0, at most 2**52.
    mean_time_between_failures : float
        From time 0 or the end of a repair to the next failure, in seconds; above 0, at most 2**46.
    mean_time_to_repair : float
        In seconds; above 0, at most 2**46.
    seed : int
        In [0, 2**64).

    Returns
    -------
    Outages
        By machine, then by start. Times are rounded down to whole seconds, but none is shorter than 1 s, neither up
        nor down; outages of a machine do not touch.

    Raises
    ------
    InvalidInstanceError
        For an argument outside its bounds, and where more than 10,000,000 failures are to be expected.
    TypeError
        For arguments of other types.

    Notes
    -----
    O(number of machines + number of failures).
    """
    if not isinstance(machines, Machines):
        raise TypeError(f"machines must be a Machines, not {type(machines).__name__}")
    check_seed(seed)
    horizon = _bounded("horizon", horizon, _LONGEST_HORIZON)
    up = _bounded("mean_time_between_failures", mean_time_between_failures, _LONGEST_MEAN)
    down = _bounded("mean_time_to_repair", mean_time_to_repair, _LONGEST_MEAN)
    n_expected = machines.n_machines * horizon / (max(1.0, up) + max(1.0, down))
    if n_expected > _MOST_FAILURES:
        raise InvalidInstanceError(
            f"about {n_expected:.3g} failures of {machines.n_machines:,} machines within {horizon:g} s are more than "
            f"{_MOST_FAILURES:,}, the most that are drawn"
        )
    parts = [
        _failures_of(
            np.arange(first, min(first + _MACHINES_AT_ONCE, machines.n_machines)), horizon, up, down, seed
        )
        for first in range(0, machines.n_machines, _MACHINES_AT_ONCE)
    ]
    return Outages(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _failures_of(
    machine: IntArray, horizon: float, up: float, down: float, seed: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Return machine, start and end of the failures of some machines, by machine and then by start."""
    stream, now = draws_at(seed, machine), np.zeros(len(machine), dtype=np.int64)
    rounds: list[tuple[IntArray, IntArray, IntArray]] = []
    n_drawn = 0
    while len(machine):
        to_come = int(1.1 * (horizon - int(now.min())) / (up + down)) + 2
        count = max(1, min(to_come, _MOST_PAIRS, _PAIRS_AT_ONCE // len(machine)))
        draws = draws_of_streams(stream, 2 * n_drawn, 2 * count)
        # How many are drawn at once changes nothing: whole seconds add up exactly.
        instant = now[:, np.newaxis] + np.cumsum(_whole_seconds(draws, up, down), axis=1)
        start, end = instant[:, ::2], instant[:, 1::2]
        within = start < horizon
        rounds.append((machine[np.nonzero(within)[0]], start[within], end[within]))
        now = end[:, -1]
        goes_on = now < horizon
        machine, stream, now = machine[goes_on], stream[goes_on], now[goes_on]
        n_drawn += count
    of_machine, start, end = (np.concatenate(column) for column in zip(*rounds, strict=True))
    order = np.argsort(of_machine, kind="stable")
    return of_machine[order], start[order], end[order]


def _whole_seconds(draws: UInt64Array, up: float, down: float) -> IntArray:
    """Return draws as exponential times of the two means in turn, in whole seconds of at least 1."""
    times = -logarithm(open_uniform(draws))
    times[:, ::2] *= up
    times[:, 1::2] *= down
    return np.maximum(np.floor(times), 1.0).astype(np.int64)


def _bounded(name: str, value: float, most: int) -> float:
    number = finite_number(name, value, above_0=True)
    if number > most:
        raise InvalidInstanceError(f"{name} = {shown(value)} is above 2**{most.bit_length() - 1} seconds")
    return number
