"""Epoch lengths in mean times between arrivals: ``tau0=1gap`` where a number would suit one list of jobs alone.

Job sets, loads and traffic intensities differ in how often jobs arrive. What an online algorithm is told is the number
of the instance at hand.
"""

import re
from collections.abc import Mapping
from typing import Any

from schedcore.algorithms.parallel_tasks.epochs import mean_gap
from schedcore.errors import InvalidInstanceError
from schedcore.model import ParallelTaskInstance

__all__ = ["with_epoch_lengths"]

_GAPS = re.compile(r"(\d+(?:\.\d+)?) ?gaps?")


def with_epoch_lengths(inst: ParallelTaskInstance, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with a ``tau0`` such as "1gap" or "2.5gaps" as a time of the instance.

    Raises
    ------
    InvalidInstanceError
        For another text, and where all jobs arrive at one instant, so that there is no gap.
    """
    tau0 = options.get("tau0")
    if not isinstance(tau0, str):
        return dict(options)
    gaps = _GAPS.fullmatch(tau0)
    if gaps is None:
        raise InvalidInstanceError(
            f"tau0 = {tau0!r} must be a number, or mean times between arrivals, such as 1gap"
        )
    gap = mean_gap(inst)
    if gap == 0:
        raise InvalidInstanceError(
            "all jobs arrive at one instant, so tau0 cannot be in gaps between arrivals"
        )
    return {**options, "tau0": float(gaps[1]) * gap}
