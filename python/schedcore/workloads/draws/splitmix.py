"""SplitMix64, as columns: the k-th number of the stream without the k-1 numbers before it.

The generator's state is a counter, ``state_k = seed + k * 0x9E3779B97F4A7C15 (mod 2**64)``, and its output is
a bijective mix of the state [Steele2014]_. Hence every `stride`-th draw is one NumPy expression, and a
workload generator that makes a fixed number of draws per job gets a column per draw. All arithmetic is exact:
products of a 53-bit draw and a small integer are formed in 32-bit limbs.

.. [Steele2014] G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA
2014.
"""

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import FloatArray, IntArray
from schedcore.model.integers import integer
from schedcore.model.real_numbers import shown

__all__ = [
    "Draws",
    "UInt64Array",
    "check_seed",
    "draws_at",
    "draws_of_streams",
    "open_uniform",
    "scaled_u53",
    "u53",
]

UInt64Array = NDArray[np.uint64]

_GAMMA = 0x9E3779B97F4A7C15
_MASK64 = 2**64 - 1
_LOW32 = np.uint64(0xFFFFFFFF)


def check_seed(seed: int) -> int:
    """Return `seed`; an `InvalidInstanceError` where it is outside [0, 2**64), a TypeError if it is no integer."""
    seed = integer("seed", seed)
    if not 0 <= seed <= _MASK64:
        raise InvalidInstanceError(f"seed = {shown(seed)} is outside [0, 2**64)")
    return seed


class Draws:
    """The stream of one seed, cut into jobs with the same number of draws each.

    Parameters
    ----------
    seed : int
        In [0, 2**64).
    n_jobs : int
        How many jobs draw.
    per_job : int
        Draws of each job; job 0 makes draws 1..per_job of the stream.
    skip : int
        Draws of the stream made before job 0.

    Notes
    -----
    A column costs O(n_jobs) time and 8 bytes per job.
    """

    def __init__(self, seed: int, n_jobs: int, per_job: int, skip: int = 0) -> None:
        self._seed = check_seed(seed)
        self._n_jobs = n_jobs
        self._per_job = per_job
        self._skip = skip

    def column(self, index: int) -> UInt64Array:
        """Return draw `index` (from 0) of every job, as next() gives it."""
        assert 0 <= index < self._per_job
        state = np.arange(self._n_jobs, dtype=np.uint64)
        state *= np.uint64(self._per_job * _GAMMA & _MASK64)
        state += np.uint64((self._seed + (self._skip + index + 1) * _GAMMA) & _MASK64)
        return _mix(state)

    def below(self, index: int, bound: int) -> UInt64Array:
        """Return draw `index` of every job, modulo `bound`."""
        column = self.column(index)
        column %= np.uint64(bound)
        return column


def draws_at(seed: int, position: IntArray) -> UInt64Array:
    """Return the draws of a stream at some positions, from 0: random numbers by key."""
    state = position.astype(np.uint64)
    state += np.uint64(1)
    state *= np.uint64(_GAMMA)
    state += np.uint64(check_seed(seed))
    return _mix(state)


def draws_of_streams(seeds: UInt64Array, first: int, count: int) -> UInt64Array:
    """(n_streams, count) Return the draws of many streams from position `first` on; a row a seed."""
    state = np.arange(first + 1, first + count + 1, dtype=np.uint64)
    state *= np.uint64(_GAMMA)
    return _mix(seeds[:, np.newaxis] + state)


def open_uniform(draws: UInt64Array) -> FloatArray:
    """Return each draw as a number strictly between 0 and 1, an odd multiple of 2**-53."""
    uniform = np.right_shift(draws, np.uint64(12)).astype(np.float64)
    uniform += 0.5
    uniform *= 2.0**-52
    return uniform


def u53(draws: UInt64Array) -> UInt64Array:
    """Return the upper 53 bits of each draw."""
    return np.right_shift(draws, np.uint64(11))


def scaled_u53(value: UInt64Array, factor: UInt64Array, divisor: UInt64Array | np.uint64) -> UInt64Array:
    """Return ``floor(value * factor / (divisor * 2**53))`` exactly.

    Requires value < 2**61, factor < 2**32 and divisor < 2**43: the product has up to 93 bits and is held as
    its upper part in units of 2**32 and a remainder below 2**32, which the division never sees.
    """
    upper = np.right_shift(value, np.uint64(32))
    upper *= factor
    lower = np.bitwise_and(value, _LOW32)
    lower *= factor
    lower >>= np.uint64(32)
    upper += lower
    upper //= divisor << np.uint64(21)
    return upper


def _mix(state: UInt64Array) -> UInt64Array:
    """Apply SplitMix64's output function to every state, in place."""
    state ^= state >> np.uint64(30)
    state *= np.uint64(0xBF58476D1CE4E5B9)
    state ^= state >> np.uint64(27)
    state *= np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return state
