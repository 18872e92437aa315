"""What a user says about lambda, the speed of slow motion, as a number."""

import math
from numbers import Real

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model.choices import check_choice
from schedcore.workloads.draws.splitmix import Draws, check_seed, u53

__all__ = ["stated_lambda"]

_LEAST = 1e-9  # keeps every time finite


def stated_lambda(lam: object, seed: int) -> float | None:
    """Return lambda in [1e-9, 1]; None for "derand", which depends on the schedule.

    Parameters
    ----------
    lam : "derand", "random" or number
        A number lies in [1e-9, 1].
    seed : int
        Of "random": the first number U of the library's stream, in [0, 1), makes lambda the square root of U, which
        has the density 2 x and is the same on every platform; below 1e-9 it counts as that.

    Raises
    ------
    InvalidInstanceError
        For a number outside [1e-9, 1], another word, or a seed outside [0, 2**64).
    TypeError
        For anything else.
    """
    seed = check_seed(seed)
    if isinstance(lam, str):
        check_choice("lam", lam, ("derand", "random"))
        if lam == "derand":
            return None
        return max(_LEAST, math.sqrt(int(u53(Draws(seed, 1, 1).column(0))[0]) * 2.0**-53))
    if isinstance(lam, (bool, np.bool_)) or not isinstance(lam, Real):
        raise TypeError(f'lam = {lam!r} must be "derand", "random" or a number')
    try:
        number = float(lam)
    except OverflowError:
        number = math.inf
    if not _LEAST <= number <= 1:
        raise InvalidInstanceError(f"lam = {lam} must lie in [{_LEAST}, 1]")
    return number
