"""Sums and scalar products of non-negative doubles, rounded once.

A metric should not depend on the order of the jobs, nor on how many threads a BLAS used. Integer columns are
summed in int64; everything else goes through ``math.fsum``, with each product split into two doubles that add
up to it exactly (T. J. Dekker, "A floating-point technique for extending the available precision", 1971).
"""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[np.float64] | npt.NDArray[np.int64]

_LARGEST_EXACT_INTEGER = 2.0**53
_SAFE_INT64_TOTAL = 2.0**62  # half of int64's range, since the estimate in doubles is rounded
_SPLITTER = 2.0**27 + 1.0  # Veltkamp: cuts 53 bits into 26 + 27
_CHUNK = 65_536


def exact_sum(values: Column) -> float:
    """Sum of non-negative `values`, correctly rounded.

    One pass for integers whose sum is below 2**53, otherwise O(n) in ``math.fsum``.
    """
    if len(values) == 0:
        return 0.0
    column = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore"):
        total = float(column.sum())
    if total <= _LARGEST_EXACT_INTEGER / 2 and _is_integral(column):
        return total
    return _rounded_once(_chunks(column)) if total < math.inf else math.inf


def exact_mean(values: Column) -> float:
    """Mean of non-negative `values`: the correctly rounded sum, divided once; 0 without values."""
    return exact_sum(values) / len(values) if len(values) else 0.0


def exact_dot(left: Column, right: Column) -> float:
    """Sum of ``left[i] * right[i]`` of non-negative columns, correctly rounded.

    Infinity where it is beyond the doubles. Computed in int64 where both columns are integers and the result
    stays below 2**62; otherwise in ``math.fsum`` over the exact products, about 0.3 microseconds a job.
    """
    if len(left) == 0:
        return 0.0
    a = np.asarray(left, dtype=np.float64)
    b = np.asarray(right, dtype=np.float64)
    with np.errstate(over="ignore"):
        estimate = float((a * b).sum())
    if estimate < _SAFE_INT64_TOTAL and _is_integral(a) and _is_integral(b):
        return float(int(np.dot(a.astype(np.int64), b.astype(np.int64))))
    return _rounded_once(_product_chunks(a, b)) if estimate < math.inf else math.inf


def _is_integral(column: npt.NDArray[np.float64]) -> bool:
    """Whether every entry is an integer up to 2**53."""
    return bool(column.max() <= _LARGEST_EXACT_INTEGER) and bool((column == np.floor(column)).all())


def _rounded_once(chunks: Iterator[list[float]]) -> float:
    return math.fsum(itertools.chain.from_iterable(chunks))


def _chunks(column: npt.NDArray[np.float64]) -> Iterator[list[float]]:
    for first in range(0, len(column), _CHUNK):
        yield column[first : first + _CHUNK].tolist()


def _product_chunks(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> Iterator[list[float]]:
    for first in range(0, len(a), _CHUNK):
        product, error = _two_product(a[first : first + _CHUNK], b[first : first + _CHUNK])
        yield product.tolist()
        yield error.tolist()


def _two_product(
    a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """``product + error == a * b`` exactly; the split happens on mantissas, so that it cannot overflow."""
    a_mantissa, a_exponent = np.frexp(a)
    b_mantissa, b_exponent = np.frexp(b)
    product = a_mantissa * b_mantissa
    a_high, a_low = _split(a_mantissa)
    b_high, b_low = _split(b_mantissa)
    error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    exponent = a_exponent + b_exponent
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(product, exponent), np.ldexp(error, exponent)


def _split(mantissa: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    scaled = _SPLITTER * mantissa
    high = scaled - (scaled - mantissa)
    return high, mantissa - high
