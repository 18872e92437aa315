"""What a figure claims, measured: each number with its band, and whether it is what a paper says.

Where it is not, the proven lower bounds say whether it could have been: with any other policy in the place of one of
the two that are compared. If the claim does not hold then either, it cannot hold on this workload.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schedcore.experiments.description.claim import Claim
from schedcore.experiments.results.curves import share_below
from schedcore.experiments.results.figure_data import FigureData, Point
from schedcore.experiments.results.statistics import Estimate, estimate, paired_p_value, share_within

__all__ = ["AGREES", "CANNOT_HOLD", "DIFFERS", "VERDICTS", "ClaimOutcome", "measure_claim"]

AGREES, DIFFERS, CANNOT_HOLD = VERDICTS = ("agrees", "differs", "cannot hold")


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """A claim and what was measured.

    Attributes
    ----------
    claim : Claim
    measured : Estimate or None
        None where nothing was measured, or the lines do not cross.
    verdict : {"agrees", "differs", "cannot hold"} or None
        Of the mean; None where nothing is expected or nothing was measured.
    remark : str
        Why there is no number, or what else is to be said of it.
    """

    claim: Claim
    measured: Estimate | None
    verdict: str | None
    remark: str = ""


def measure_claim(claim: Claim, data: FigureData, large: Mapping[str, Mapping[str, Any]]) -> ClaimOutcome:
    """Compute the number of a claim from the points of its figure, or from `large`, the delay quantiles by cell key.

    Policies are compared on the same job sets, of boxes on the same instances: the estimate is over the job sets' own
    ratios or differences; a crossing is that of the means, with its range over the job sets.
    """
    remark = ""
    if claim.quantity == "crossing":
        measured, remark = _crossing(claim, data)
    elif claim.quantity == "below":
        first, second = _points(claim, data)
        measured = estimate(
            [share_below(first.curves[s], second.curves[s]) for s in first.curves if s in second.curves]
        )
    elif claim.quantity == "p_value":
        first, second = _points(claim, data)
        measured = paired_p_value(_by_pair(_COMPARED["difference"], first.values, second.values))
    elif claim.quantity == "ahead":
        means = [estimate(list(part.values())).mean for part in _points(claim, data)[0].parts.values()]
        measured = estimate([sum(mean > 0 for mean in means) / len(means)] if means else [])
    elif claim.quantity == "value":
        measured = _points(claim, data)[0].estimate
    elif claim.quantity == "share":
        limit = claim.within * data.figure.scale
        measured = share_within(list(data.delay_quantiles(claim.policies[0], large).values()), limit)
    else:
        first, second = _points(claim, data)
        measured = estimate(_by_pair(_COMPARED[claim.quantity], first.values, second.values))
    if measured is None or measured.n == 0:
        verdict = DIFFERS if remark and claim.expects else None
        return ClaimOutcome(claim, None, verdict, remark or "not run yet")
    if not claim.expects:
        return ClaimOutcome(claim, measured, None, remark)
    miss = claim.miss(measured.mean)
    if miss == 0:
        return ClaimOutcome(claim, measured, AGREES, remark)
    extreme = _extreme(claim, data, miss)
    if extreme is None or claim.miss(extreme.mean) != miss:
        return ClaimOutcome(claim, measured, DIFFERS, remark)
    limit_of_bound = f"by the lower bound at {'most' if miss < 0 else 'least'} {extreme.mean:,.4g}"
    return ClaimOutcome(claim, measured, CANNOT_HOLD, limit_of_bound)


#: Quantity -> its number for two values.
_COMPARED: Mapping[str, Callable[[float, float], float]] = {
    "ratio": lambda first, second: first / second,
    "gain": lambda first, second: 100 * (second - first) / second,
    "difference": lambda first, second: first - second,
}
#: Of these, those that grow with the first value.
_GROWING = ("ratio", "difference")


def _by_pair(
    compared: Callable[[float, float], float],
    first: Mapping[Hashable, float],
    second: Mapping[Hashable, float],
) -> list[float]:
    """The number of every job set that both have; a second value of 0 has neither ratio nor gain."""
    pairs = [(first[s], second[s]) for s in first if s in second]
    needs_divisor = compared is not _COMPARED["difference"]
    return [compared(one, other) for one, other in pairs if other or not needs_divisor]


def _extreme(claim: Claim, data: FigureData, miss: int) -> Estimate | None:
    """How near to what is expected the number could come with any policy in the place of one; None if unknown.

    A number that is too small grows with another policy that has a smaller value where the number falls with it.
    """
    if claim.quantity == "value":
        improves = data.figure.baseline is not None  # larger gains are better
        (point,) = _points(claim, data)
        bounds = data.bounds_at(point.x, point.panel)
        if (miss < 0) != improves or not bounds.keys() >= point.values.keys():
            return None
        return estimate([bounds[s] for s in point.values])
    if claim.quantity not in _COMPARED:
        return None
    first, second = _points(claim, data)
    replaces_first = (miss > 0) == (claim.quantity in _GROWING)
    replaced = first if replaces_first else second
    bounds = data.bounds_at(replaced.x, replaced.panel)
    shared = first.values.keys() & second.values.keys()
    if not bounds.keys() >= shared:
        return None
    least = {s: bounds[s] for s in shared}
    pair = (least, second.values) if replaces_first else (first.values, least)
    return estimate(_by_pair(_COMPARED[claim.quantity], *pair))


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
