"""Non-negative numbers as multiples of a power of two, so that kernels can add and compare them exactly in int64.

A float is an integer times a power of two, and so is a column of floats, with the smallest power among them. Where
the sum in that unit would leave int64, the unit is doubled until it does not, and the numbers are rounded down to it:
a lower bound for what is rounded down is one for the numbers.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.metrics.exact_sums import exact_sum
from schedcore.model.arrays import FloatArray, IntArray

__all__ = ["WholeUnits", "machine_totals", "whole_units"]

# Sums of rounded numbers stay below 2**SUM_BITS.
_SUM_BITS = 62
_MANTISSA_BITS = 53


@dataclass(frozen=True, slots=True)
class WholeUnits:
    """``count[i] * 2**exponent``, equal to the numbers themselves if `is_exact`, and otherwise the nearest below."""

    count: IntArray
    exponent: int
    is_exact: bool


def whole_units(values: NDArray[Any]) -> WholeUnits:
    """Return non-negative, finite `values` in the smallest unit in which they sum to less than 2**62; O(n)."""
    if values.size == 0:
        return WholeUnits(np.empty(0, dtype=np.int64), 0, True)
    return _of_floats(values) if values.dtype.kind == "f" else _of_integers(values)


def _of_integers(values: NDArray[Any]) -> WholeUnits:
    largest = int(values.max())
    bits = (largest * values.size).bit_length()
    if bits > _SUM_BITS:
        bits = int(values.astype(object).sum()).bit_length()
    if bits <= _SUM_BITS:
        return WholeUnits(values.astype(np.int64, copy=False), 0, True)
    exponent = bits - _SUM_BITS
    exact = values.astype(object)
    count = exact >> exponent
    return WholeUnits(count.astype(np.int64), exponent, bool(np.all(count << exponent == exact)))


def _of_floats(values: FloatArray) -> WholeUnits:
    if not values.any():
        return WholeUnits(np.zeros(values.size, dtype=np.int64), 0, True)
    mantissa, exponents = _binary_parts(values)
    finest = int(exponents[mantissa > 0].min())
    bits = int(np.frexp(exact_sum(values))[1])  # the sum is below 2**bits
    exponent = max(min(finest, 0), bits - _SUM_BITS)  # whole floats are spread like the same integers
    count = np.floor(np.ldexp(values, -exponent)).astype(np.int64)
    return WholeUnits(count, exponent, exponent <= finest)


def _binary_parts(values: FloatArray) -> tuple[IntArray, IntArray]:
    """``values == mantissa * 2**exponent`` with odd integers, or zeros, as mantissas."""
    fraction, exponent = np.frexp(values)
    mantissa = np.ldexp(fraction, _MANTISSA_BITS).astype(np.int64)
    lowest_bit = mantissa & -mantissa
    zeros = np.where(mantissa > 0, np.frexp(lowest_bit.astype(np.float64))[1] - 1, 0).astype(np.int64)
    return mantissa >> zeros, exponent.astype(np.int64) - _MANTISSA_BITS + zeros


def machine_totals(values: NDArray[Any], machine: IntArray, n_machines: int) -> tuple[list[int], int]:
    """Return the exact sum of the values of each machine in units of ``2**exponent``, and that exponent.

    For numbers that int64 cannot hold in one unit: Python integers, about a microsecond a value.
    """
    if values.dtype.kind == "f":
        mantissa, exponents = _binary_parts(values)
        exponent = int(exponents[mantissa > 0].min())
        exact = mantissa.astype(object) << np.maximum(exponents - exponent, 0).astype(object)
    else:
        exponent = 0
        exact = values.astype(object)
    totals = np.zeros(n_machines, dtype=object)
    np.add.at(totals, machine, exact)
    return [int(total) for total in totals], exponent
