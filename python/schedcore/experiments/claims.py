"""What a figure claims, measured: each number with its band, and whether it lies where a paper has it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schedcore.experiments.figure_data import FigureData, Point
from schedcore.experiments.figure_description import Claim
from schedcore.experiments.statistics import Estimate, estimate, share_within

__all__ = ["ClaimOutcome", "measure_claim"]


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """A claim and what was measured.

    Attributes
    ----------
    claim : Claim
    measured : Estimate or None
        None where nothing was measured, or the lines do not cross.
    agrees : bool or None
        Whether the mean lies in the claimed range; None without a range or a measurement.
    remark : str
        Why there is no number.
    """

    claim: Claim
    measured: Estimate | None
    agrees: bool | None
    remark: str = ""


def measure_claim(claim: Claim, data: FigureData, large: Mapping[str, Mapping[str, Any]]) -> ClaimOutcome:
    """Compute the number of a claim from the points of its figure, or from `large`, the delay quantiles by cell key.

    Ratios and crossings compare policies on the same job sets: the estimate is over the job sets' own ratios; a
    crossing is that of the means.
    """
    remark = ""
    if claim.quantity == "crossing":
        measured, remark = _crossing(claim, data)
    elif claim.quantity == "ratio":
        first, second = _points(claim, data)
        measured = estimate(
            [first.values[s] / second.values[s] for s in first.values if second.values.get(s)]
        )
    elif claim.quantity == "value":
        measured = _points(claim, data)[0].estimate
    else:
        limit = claim.within * data.figure.scale
        measured = share_within(list(data.delay_quantiles(claim.policies[0], large).values()), limit)
    if measured is None or measured.n == 0:
        agrees = False if remark and claim.between is not None else None
        return ClaimOutcome(claim, None, agrees, remark or "not run yet")
    agrees = None if claim.between is None else claim.between[0] <= measured.mean <= claim.between[1]
    return ClaimOutcome(claim, measured, agrees)


def _points(claim: Claim, data: FigureData) -> list[Point]:
    places = claim.at or (None,) * len(claim.policies)
    return [data.point(policy, x) for policy, x in zip(claim.policies, places, strict=True)]


def _crossing(claim: Claim, data: FigureData) -> tuple[Estimate | None, str]:
    """The first x where the lines meet, by the job sets that both have; and why there is none."""
    known: list[tuple[float, float, int]] = []  # x, ratio of the means, number of job sets
    for first, second in zip(*(data.series[policy] for policy in claim.policies), strict=True):
        shared = first.values.keys() & second.values.keys()
        if shared and first.place is not None:
            sums = [math.fsum(point.values[s] for s in shared) for point in (first, second)]
            if not (first.place > 0 and min(sums) > 0):
                return None, "no crossing on logarithmic axes: a number is not above 0"
            known.append((first.place, sums[0] / sums[1], len(shared)))
    known.sort()
    for index, (x, ratio, n) in enumerate(known):
        if ratio == 1:
            return Estimate(x, math.nan, n), ""
        if index and (ratio < 1) != (known[index - 1][1] < 1):
            before, ratio_before, _ = known[index - 1]
            share = math.log(ratio_before) / math.log(ratio_before / ratio)
            return Estimate(before * (x / before) ** share, math.nan, n), ""
    if len(known) < len(data.series[claim.policies[0]]):
        return None, ""
    which = claim.policies[0 if known[0][1] < 1 else 1]
    return None, f"no crossing: {which} has the smaller value everywhere"
