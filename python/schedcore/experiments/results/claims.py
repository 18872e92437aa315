"""What a figure claims, measured: each number with its band, and whether it lies where a paper has it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schedcore.experiments.description.claim import Claim
from schedcore.experiments.results.curves import share_below
from schedcore.experiments.results.figure_data import FigureData, Point, gains
from schedcore.experiments.results.statistics import Estimate, estimate, paired_p_value, share_within

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
        Why there is no number, or what else is to be said of it.
    """

    claim: Claim
    measured: Estimate | None
    agrees: bool | None
    remark: str = ""


def measure_claim(claim: Claim, data: FigureData, large: Mapping[str, Mapping[str, Any]]) -> ClaimOutcome:
    """Compute the number of a claim from the points of its figure, or from `large`, the delay quantiles by cell key.

    Policies are compared on the same job sets, of boxes on the same instances: the estimate is over the job sets' own
    ratios or differences; a crossing is that of the means, with its range over the job sets.
    """
    remark = ""
    if claim.quantity == "crossing":
        measured, remark = _crossing(claim, data)
    elif claim.quantity == "ratio":
        first, second = _points(claim, data)
        measured = estimate(
            [first.values[s] / second.values[s] for s in first.values if second.values.get(s)]
        )
    elif claim.quantity == "gain":
        first, second = _points(claim, data)
        measured = estimate(list(gains(first.values, second.values).values()))
    elif claim.quantity == "below":
        first, second = _points(claim, data)
        measured = estimate(
            [share_below(first.curves[s], second.curves[s]) for s in first.curves if s in second.curves]
        )
    elif claim.quantity in ("difference", "p_value"):
        first, second = _points(claim, data)
        differences = [first.values[s] - second.values[s] for s in first.values if s in second.values]
        measured = (estimate if claim.quantity == "difference" else paired_p_value)(differences)
    elif claim.quantity == "value":
        measured = _points(claim, data)[0].estimate
    else:
        limit = claim.within * data.figure.scale
        measured = share_within(list(data.delay_quantiles(claim.policies[0], large).values()), limit)
    if measured is None or measured.n == 0:
        agrees = False if remark and claim.between is not None else None
        return ClaimOutcome(claim, None, agrees, remark or "not run yet")
    agrees = None if claim.between is None else claim.between[0] <= measured.mean <= claim.between[1]
    return ClaimOutcome(claim, measured, agrees, remark)


def _points(claim: Claim, data: FigureData) -> list[Point]:
    places = claim.at or (None,) * len(claim.policies)
    return [data.point(policy, x, claim.panel) for policy, x in zip(claim.policies, places, strict=True)]


def _crossing(claim: Claim, data: FigureData) -> tuple[Estimate | None, str]:
    """Where the means cross, and the range over the job sets; or why there is no such place."""
    shown = data.of_panel(claim.panel).series
    pairs = list(zip(*(shown[policy] for policy in claim.policies), strict=True))
    shared = [first.values.keys() & second.values.keys() for first, second in pairs]
    places = [first.place for first, _ in pairs]
    if not all(shared) or None in places:
        return None, ""
    order = sorted(range(len(pairs)), key=lambda index: places[index] or 0.0)
    x_values = [places[index] or 0.0 for index in order]
    means = [[math.fsum(point.values[s] for s in shared[index]) for point in pairs[index]] for index in order]
    if min(x_values) <= 0 or min(min(pair) for pair in means) <= 0:
        return None, "no crossing on logarithmic axes: a number is not above 0"
    ratios = [first / second for first, second in means]
    x = _overtaking(x_values, ratios)
    if x is None:
        if min(ratios) < 1 < max(ratios):
            return None, f"no crossing: {claim.policies[0]} only falls behind"
        which = claim.policies[0 if min(ratios) < 1 else 1]
        return None, f"no crossing: {which} has the smaller value everywhere"
    job_sets = [
        s
        for s in frozenset.intersection(*map(frozenset, shared))
        if all(min(first.values[s], second.values[s]) > 0 for first, second in pairs)
    ]
    singles = (
        _overtaking(x_values, [pairs[i][0].values[s] / pairs[i][1].values[s] for i in order])
        for s in job_sets
    )
    found = [single for single in singles if single is not None]
    remark = ""
    if len(job_sets) > 1 and found:
        remark = f"{len(found)} of {len(job_sets)} job sets cross, at {min(found):,.0f} to {max(found):,.0f}"
    return Estimate(x, math.nan, len(job_sets)), remark


def _overtaking(x_values: Sequence[float], ratios: Sequence[float]) -> float | None:
    """The first x at which a ratio falls below 1 that was above it, interpolated on logarithmic axes."""
    was_behind = False
    for index in range(1, len(ratios)):
        before, after = ratios[index - 1], ratios[index]
        was_behind = was_behind or before > 1
        if was_behind and before >= 1 > after:
            share = math.log(before) / math.log(before / after)
            return float(x_values[index - 1] * (x_values[index] / x_values[index - 1]) ** share)
    return None
