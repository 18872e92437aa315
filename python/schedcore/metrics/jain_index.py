"""How even are shares? Jain's index is 1 if all are alike, and 1/n if one of n has everything.

Source: R. Jain, D.-M. Chiu and W. Hawe, "A quantitative measure of fairness and discrimination for resource allocation
in shared computer systems", DEC research report TR-301, 1984.
"""

import numpy as np
from numpy.typing import ArrayLike

from schedcore.metrics.exact_sums import exact_dot, exact_sum
from schedcore.model.columns import measure_column

__all__ = ["jain_index"]


def jain_index(shares: ArrayLike) -> float:
    """Return the square of the sum over n times the sum of the squares.

    Parameters
    ----------
    shares : (n,) array_like
        What each has got, finite and at least 0: such as processing time over flow time, the mean rate at which a job
        was served.

    Returns
    -------
    float
        Between 1/n and 1, whatever the unit is; 1 where nobody has anything.

    Raises
    ------
    InvalidInstanceError
        For a share that is negative or not finite.
    """
    column = measure_column(shares, "shares", positive=False)
    largest = float(column.max(initial=0.0))
    if largest == 0.0:
        return 1.0
    parts = np.asarray(column / largest)  # squares stay within the doubles
    return min(1.0, exact_sum(parts) ** 2 / (len(parts) * exact_dot(parts, parts)))
