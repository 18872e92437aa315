"""Slow motion: how far the solution of a linear program is stretched, and what is done of tasks and pieces then."""

import math
from numbers import Real
from typing import Any, Literal

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model.choices import check_choice
from schedcore.parameters import Parameters, option
from schedcore.workloads.draws.splitmix import Draws, check_seed, u53

__all__ = ["SlowMotion"]

_LEAST = 1e-9  # keeps every time finite
_WORDS = ("derand", "random")


def _checked_lambda(name: str, lam: Any) -> str | float:
    if isinstance(lam, str):
        check_choice(name, lam, _WORDS)
        return lam
    if isinstance(lam, (bool, np.bool_)) or not isinstance(lam, Real):
        raise TypeError(f'{name} = {lam!r} must be "derand", "random" or a number')
    try:
        number = float(lam)
    except OverflowError:
        number = math.inf
    if not _LEAST <= number <= 1:
        raise InvalidInstanceError(f"{name} = {lam} must lie in [{_LEAST}, 1]")
    return number


class SlowMotion(Parameters, kw_only=True):
    """Lambda, the speed of slow motion, and the steps around it."""

    lam: float | Literal["derand", "random"] = option(
        'speed of slow motion: the best that can matter, one drawn with density 2 x ("random"), or a number in'
        " [1e-9, 1]",
        "The best is the one that makes what is proven of the objective smallest.",
        default="derand",
        check=_checked_lambda,
        examples=_WORDS,
        for_kernel=False,
    )
    seed: int = option(
        'seed of lam = "random"',
        "In [0, 2**64).",
        default=0,
        check=lambda _, value: check_seed(value),
        for_kernel=False,
    )
    cap: Literal["task", "machine"] = option(
        "slow motion ends a task at its whole work, or its part on each machine",
        "The second, where a machine has what the program gave it, is the letter of the paper and has no guarantee.",
        default="task",
        for_kernel=False,
    )
    shift: bool = option(
        "move every piece to the earliest time at which it fits",
        "No job completes later by that.",
        default=True,
        for_kernel=False,
    )

    @property
    def speed(self) -> float | None:
        """Lambda as a number; None for "derand", which depends on the schedule.

        Of "random" the first number U of the library's stream, in [0, 1), makes it the square root of U, which has the
        density 2 x and is the same on every platform; below 1e-9 it counts as that.
        """
        stated: str | float = self.checked("lam")
        if stated == "derand":
            return None
        if isinstance(stated, float):
            return stated
        first = int(u53(Draws(self.checked("seed"), 1, 1).column(0))[0])
        return max(_LEAST, math.sqrt(first * 2.0**-53))
