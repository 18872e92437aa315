"""Synthetic workloads of rigid parallel jobs, and what turns their sizes into demands for K resources.

Two models of size and runtime, after Feitelson [Feitelson1996]_ and after Lublin and Feitelson [Lublin2003]_;
the extension to K resources, Poisson arrivals and estimates with which backfilling was studied
[Leinberger1999]_. Each function is a function of its arguments: sizes and runtimes, demands, arrivals and
estimates are four SplitMix64 streams of one seed, so workloads that differ in the number of resources, the
variance or the load share their jobs. Logarithms and cosines come from the C library: its last bits may
differ between platforms. The loops run in ``src/cpp/workloads/workload_models.cpp``.

The hand-made tables of the original Feitelson program are not reproduced; whoever has them passes them.

.. [Feitelson1996] D. Feitelson, "Packing schemes for gang scheduling", JSSPP 1996.
.. [Lublin2003] U. Lublin, D. Feitelson, "The workload on parallel supercomputers: modeling the
   characteristics of rigid jobs", Journal of Parallel and Distributed Computing 63, 2003.
.. [Leinberger1999] W. Leinberger, G. Karypis, V. Kumar, "Job scheduling in the presence of multiple resource
   requirements", SC 1999.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import EXACT_BOUND, FloatArray, IntArray, first_index, numeric_array, place
from schedcore.model.columns import float_column, integer_column, measure_column
from schedcore.model.integers import at_least, integer
from schedcore.workloads.draws.splitmix import check_seed

__all__ = [
    "LARGEST_SIZE",
    "UNITS_PER_MACHINE",
    "estimates",
    "feitelson",
    "k_resource_demand",
    "lublin",
    "unit_arrivals",
]

LARGEST_SIZE = 128  # processors of the machine that both models describe
UNITS_PER_MACHINE = 1_000_000

_LONGEST_STAGE = 1e11  # in units of 600 s: the longest job stays below 2**53 s
_LARGEST_VARIANCE = 1e6  # some 2500 attempts a demand; beyond sqrt(variance) = 1 they hardly differ


def _size_weight() -> list[float]:
    """The harmonic law of order 1.5, with more weight on powers of two and a little more on other squares."""
    weight = []
    for size in range(1, LARGEST_SIZE + 1):
        if size & (size - 1) == 0:
            weight.append(size**-0.75)
        else:
            weight.append((3 if math.isqrt(size) ** 2 == size else 1) * size**-1.5)
    return weight


_SIZE_WEIGHT = np.array(_size_weight())
_REPETITION_WEIGHT = np.array([times**-2.5 for times in range(1, 1001)])


def feitelson(
    n: int,
    seed: int,
    repeats: bool = False,
    *,
    size_weight: ArrayLike | None = None,
    stage_mean: tuple[float, float] = (1.0, 7.0),
    stage_probability: tuple[float, float] = (0.95, 0.20),
) -> tuple[IntArray, IntArray]:
    """Draw sizes and runtimes in the image of the Feitelson model of 1996.

    Sizes follow a harmonic law that favours small sizes and powers of two; runtimes are hyper-exponential,
    longer on average for larger jobs.

    Parameters
    ----------
    n : int
        Number of jobs.
    seed : int
        In [0, 2**64).
    repeats : bool
        Enter each job a heavy-tailed number of times in a row, as users do; the last one may be cut short.
    size_weight : (N,) array_like, optional
        Weight of the sizes 1..N in place of the model's own 128: non-negative, with a positive sum.
    stage_mean : pair of float
        Mean runtimes of the short and the long stage, in units of 600 seconds.
    stage_probability : pair of float
        ``(a, b)``: a job of size s is short with probability ``a - b * s / N``, in [0, 1] for all sizes.

    Returns
    -------
    size, processing_time : (n,) int64
        Processors, 1..N, and seconds, at least 1.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range; names it.

    Notes
    -----
    O(n log N) time; 16 bytes a job. Ctrl-C ends a long run.
    """
    return _core.workloads.feitelson_jobs(
        check_seed(seed),
        _checked_integer("n", n),
        _SIZE_WEIGHT if size_weight is None else _checked_weight(size_weight),
        _checked_means(stage_mean),
        _checked_probabilities(stage_probability),
        _REPETITION_WEIGHT if repeats else np.empty(0),
    )


def lublin(n: int, seed: int) -> tuple[IntArray, IntArray]:
    """Draw sizes and runtimes of the Lublin model, with the parameters of the undivided sample.

    A quarter of the jobs is serial; the logarithm of the other sizes is two-stage uniform, most of them
    powers of two. The logarithm of the runtime is hyper-gamma, and the share of long jobs grows with the size.

    Parameters
    ----------
    n : int
        Number of jobs.
    seed : int
        In [0, 2**64).

    Returns
    -------
    size, processing_time : (n,) int64
        Processors, 1..128, and seconds, 1..162754.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range; names it.

    Notes
    -----
    O(n) expected time; 16 bytes a job. Ctrl-C ends a long run. The daily cycle of the original is left out:
    arrivals are those of `unit_arrivals`.
    """
    return _core.workloads.lublin_jobs(check_seed(seed), _checked_integer("n", n))


def k_resource_demand(
    size: ArrayLike,
    n_resources: int,
    variance: float,
    seed: int,
    factor: float = 1,
    *,
    largest_size: int = LARGEST_SIZE,
) -> IntArray:
    """Draw a demand for each resource around the size of the job.

    Each demand is ``factor * size / largest_size * z`` of the machine, at most all of it and at least one
    millionth, where z is normal with mean 1/2 and redrawn until it lies in (0, 1].

    Parameters
    ----------
    size : (n_jobs,) array_like of int
        1..`largest_size`.
    n_resources : int
        At least 1.
    variance : float
        Of z before the redrawing, above 0 and at most 10**6; 1 makes z nearly uniform.
    seed : int
        In [0, 2**64); its stream of demands is another one than that of sizes and runtimes.
    factor : float
        Above 0. 1 makes the mean demand half the size, 2 the size.
    largest_size : int
        Size of the whole machine.

    Returns
    -------
    (n_jobs, n_resources) int64
        Demands in millionths of the machine: 1..1,000,000.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range; names it, or the job, its size and the bound.

    Notes
    -----
    Two draws an attempt; 1 attempt a demand on average for small variances, 2.6 for variance 1. Ctrl-C ends a
    long run.
    """
    n_resources = _checked_integer("n_resources", n_resources, 1)
    largest_size = _checked_integer("largest_size", largest_size, 1)
    if not 0 < variance <= _LARGEST_VARIANCE:
        raise InvalidInstanceError(f"variance = {variance} is outside (0, 10**6]")
    if not 0 < factor < math.inf:
        raise InvalidInstanceError(f"factor = {factor} must be finite and above 0")
    sizes = integer_column(size, "size")
    outside = (sizes < 1) | (sizes > largest_size)
    if outside.any():
        index = first_index(outside)
        raise InvalidInstanceError(
            f"{place('size', sizes, index)} (job {index[0]}) is outside 1..{largest_size}"
        )
    return _core.workloads.k_resource_demands(
        check_seed(seed), sizes, n_resources, variance, factor, largest_size
    )


def unit_arrivals(n: int, seed: int) -> FloatArray:
    """Draw Poisson arrivals: times with independent exponential distances of mean 1, the first at 0.

    Parameters
    ----------
    n : int
        Number of jobs.
    seed : int
        In [0, 2**64); its stream of arrivals is another one than those of the jobs.

    Returns
    -------
    (n,) float64
        Ascending. Job i is submitted at ``floor(gap * unit_arrivals[i])``; see `calibrate_gap`.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range; names it.

    Notes
    -----
    O(n). Ctrl-C ends a long run.
    """
    return _core.workloads.unit_arrivals(check_seed(seed), _checked_integer("n", n))


def estimates(processing_time: ArrayLike, factor: float, seed: int) -> IntArray | FloatArray:
    """Draw what the submitter of each job expects: up to `factor` times what it takes, never less than that.

    Parameters
    ----------
    processing_time : (n_jobs,) array_like
        Finite, above 0.
    factor : float
        At least 1. 1 gives the processing times themselves; otherwise an estimate is
        ``max(p, ceil(p * (1 + (factor - 1) * u)))`` with u uniform in [0, 1).
    seed : int
        In [0, 2**64); its stream of estimates is another one than those of jobs and arrivals.

    Returns
    -------
    (n_jobs,) int64, or float64 for float processing times
        For `Jobs(estimated_processing_time=...)`.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range, and for an estimate above 2**53; names the job.

    Notes
    -----
    O(n_jobs). Ctrl-C ends a long run.
    """
    if not 1 <= factor < math.inf:
        raise InvalidInstanceError(f"factor = {factor} must be finite and at least 1")
    given = numeric_array(processing_time, "processing_time")
    column = measure_column(given, "processing_time", positive=True)
    estimated = _core.workloads.estimated_times(check_seed(seed), column, factor)
    above = estimated > np.maximum(column, EXACT_BOUND)
    if above.any():
        index = first_index(above)
        raise InvalidInstanceError(f"{place('estimate', estimated, index)} (job {index[0]}) is above 2**53")
    return estimated if given.dtype.kind == "f" else estimated.astype(np.int64)


def _checked_integer(name: str, value: int, least: int = 0) -> int:
    number = integer(name, value)
    at_least(least, **{name: number})
    return number


def _checked_weight(values: ArrayLike) -> FloatArray:
    weight = measure_column(values, "size_weight", positive=False)
    with np.errstate(over="ignore"):
        total = float(weight.sum())
    if not 0 < total < math.inf:
        raise InvalidInstanceError(f"the sum of size_weight = {total} must be finite and above 0")
    return weight


def _checked_means(values: tuple[float, float]) -> FloatArray:
    mean = float_column(values, "stage_mean", 2)
    if not ((mean > 0) & (mean <= _LONGEST_STAGE)).all():
        raise InvalidInstanceError(f"stage_mean = {tuple(mean.tolist())} is outside (0, 10**11]")
    return mean


def _checked_probabilities(values: tuple[float, float]) -> FloatArray:
    intercept, slope = probability = float_column(values, "stage_probability", 2)
    if not (0 <= intercept <= 1 and 0 <= intercept - slope <= 1):
        raise InvalidInstanceError(
            f"stage_probability = {tuple(probability.tolist())} is outside [0, 1] for some size"
        )
    return probability
