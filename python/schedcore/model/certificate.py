"""What a value and a lower bound say together: how far from the optimum a schedule can be."""

__all__ = ["ratio_to_bound"]

# Value and bound are rounded at most twice each: the one to nearest, by 2**-53 of itself, the other down, by twice that
_ROUNDING = 1 + 2.0**-51


def ratio_to_bound(value: float, bound: float) -> float:
    """Return value / bound: no schedule can be better by more than this factor.

    1.0 where both are zero or `value` exceeds `bound` by no more than their rounding, 2**-51 of the bound: the schedule
    may be optimal, and doubles cannot tell. Infinite where only the bound is zero.
    """
    if bound == 0:
        return 1.0 if value == 0 else float("inf")
    if bound <= value <= bound * _ROUNDING and value < float("inf"):
        return 1.0
    return value / bound
