"""Logarithms, exponentials and normal quantiles that are the same bits on every platform.

The C library and NumPy compute them in ways that depend on version and processor, and the last bits differ; a workload
that is a function of its seed needs better. Here they are sums, products, quotients and square roots of doubles, which
IEEE 754 rounds in one way only, in a fixed order; each operation is a NumPy expression of its own, so that none is
fused.
Relative errors are below 1e-15. Columns in, columns out.

The normal quantile is algorithm AS 241 [Wichura1988]_.

.. [Wichura1988] M. J. Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied
   Statistics 37(3), 1988.
"""

import math
from collections.abc import Sequence

import numpy as np

from schedcore.model.arrays import FloatArray

__all__ = ["exponential", "logarithm", "normal_quantile"]


# ln 2 as a sum: the upper part has 33 bits, so that its product with any exponent is exact.
_LN2_UPPER = 5954088943 * 2.0**-33
_LN2_LOWER = 7.440617110012397e-11
_ONE_BY_LN2 = 1.4426950408889634
_SQRT_HALF = 0.7071067811865476
_LOG_TERMS = 12  # of the series in s^2 <= 0.0295
_EXP_TERMS = 16  # of the series in |x| <= 0.347

# Numerators and denominators of AS 241, highest power first.
_CENTRE = (
    (
        2.5090809287301226727e3,
        3.3430575583588128105e4,
        6.7265770927008700853e4,
        4.5921953931549871457e4,
        1.3731693765509461125e4,
        1.9715909503065514427e3,
        1.3314166789178437745e2,
        3.3871328727963666080e0,
    ),
    (
        5.2264952788528545610e3,
        2.8729085735721942674e4,
        3.9307895800092710610e4,
        2.1213794301586595867e4,
        5.3941960214247511077e3,
        6.8718700749205790830e2,
        4.2313330701600911252e1,
        1.0,
    ),
)
_MIDDLE = (
    (
        7.74545014278341407640e-4,
        2.27238449892691845833e-2,
        2.41780725177450611770e-1,
        1.27045825245236838258e0,
        3.64784832476320460504e0,
        5.76949722146069140550e0,
        4.63033784615654529590e0,
        1.42343711074968357734e0,
    ),
    (
        1.05075007164441684324e-9,
        5.47593808499534494600e-4,
        1.51986665636164571966e-2,
        1.48103976427480074590e-1,
        6.89767334985100004550e-1,
        1.67638483018380384940e0,
        2.05319162663775882187e0,
        1.0,
    ),
)
_TAIL = (
    (
        2.01033439929228813265e-7,
        2.71155556874348757815e-5,
        1.24266094738807843860e-3,
        2.65321895265761230930e-2,
        2.96560571828504891230e-1,
        1.78482653991729133580e0,
        5.46378491116411436990e0,
        6.65790464350110377720e0,
    ),
    (
        2.04426310338993978564e-15,
        1.42151175831644588870e-7,
        1.84631831751005468180e-5,
        7.86869131145613259100e-4,
        1.48753612908506148525e-2,
        1.36929880922735805310e-1,
        5.99832206555887937690e-1,
        1.0,
    ),
)


def logarithm(x: FloatArray) -> FloatArray:
    """Return ln x of normal numbers above 0.

    With x = m 2^e and m near 1, ln m = 2 artanh s for s = (m - 1) / (m + 1).
    """
    mantissa, exponent = np.frexp(x)
    is_small = mantissa < _SQRT_HALF
    mantissa = np.where(is_small, 2 * mantissa, mantissa)
    exponent = (exponent - is_small).astype(np.float64)
    s = (mantissa - 1) / (mantissa + 1)
    square = s * s
    series = _polynomial([1 / (2 * k + 1) for k in reversed(range(1, _LOG_TERMS))], square)
    result: FloatArray = exponent * _LN2_UPPER + (2 * s + (2 * s * (square * series) + exponent * _LN2_LOWER))
    return result


def exponential(x: FloatArray) -> FloatArray:
    """Return e^x for x between -700 and 700."""
    power = np.rint(x * _ONE_BY_LN2)
    rest = (x - power * _LN2_UPPER) - power * _LN2_LOWER
    series = _polynomial([1 / math.factorial(k) for k in reversed(range(_EXP_TERMS))], rest)
    return np.ldexp(series, power.astype(np.int32))


def normal_quantile(p: FloatArray) -> FloatArray:
    """Return z such that a normal variable of mean 0 and variance 1 is below z with probability `p`, 0 < p < 1."""
    from_centre = p - 0.5
    root = np.sqrt(-logarithm(np.minimum(p, 1 - p)))
    centre = np.abs(from_centre) <= 0.425
    tail = root > 5
    result = np.copysign(_quotient(_MIDDLE, root - 1.6), from_centre)
    result[centre] = from_centre[centre] * _quotient(
        _CENTRE, 0.180625 - from_centre[centre] * from_centre[centre]
    )
    result[tail] = np.copysign(_quotient(_TAIL, root[tail] - 5), from_centre[tail])
    return result


def _quotient(coefficients: tuple[Sequence[float], Sequence[float]], x: FloatArray) -> FloatArray:
    numerator, denominator = coefficients
    return _polynomial(numerator, x) / _polynomial(denominator, x)


def _polynomial(coefficients: Sequence[float], x: FloatArray) -> FloatArray:
    """Horner's rule, highest power first."""
    result = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        result *= x
        result += coefficient
    return result
