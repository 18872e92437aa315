"""Which of the jobs that may overtake starts first: the selections of K-resource backfilling by name.

With u_k the share of resource k that would be in use on the machine, ``balance = max u_k / mean u_k`` and ``fullness =
1 - mean u_k``, the lowest score wins: "bb(w)" takes balance to the power w x fullness, "bl(w)" (1 + mismatch) x
fullness, where the w least used resources should be the job's most demanded ones in this order; w is 1 where it is not
given, and of "bb(w)" at most 999. A "!" leaves the factor fullness out. "ff" goes by queue position alone, which also
decides between equal scores. Scores are compared as exact rational numbers.
Source: Leinberger, Karypis and Kumar, SC 1999; a resource without capacity does not count.

"sb(w)" is our own: balance to the power w times the estimated processing time, so that among jobs that balance about as
well the shortest overtakes; w is at most 999, and "sb" is "sb(256)". With one resource it is shortest estimate first.
That is "sjbf" for any number of resources, the "sb(0)" of [TsafrirEtsionFeitelson2007]_ (shortest job backfilled
first): the head is by queue order, and of the jobs that may overtake it the one with the least estimate.

All of these but "bl" are products of powers of balance, fullness and estimate. A product can be written as such:
"balance^12*fullness*estimate". Powers are at most 999 of balance, and 99 of the others.

.. [TsafrirEtsionFeitelson2007] D. Tsafrir, Y. Etsion and D. G. Feitelson, "Backfilling using system-generated
   predictions rather than user runtime estimates", IEEE TPDS 18(6), 2007.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import Machines
from schedcore.model.amounts import amount_units
from schedcore.model.choices import check_choice
from schedcore.model.columns import measure_column
from schedcore.model.features import FEATURES
from schedcore.parameters import option

from .family import BackfillingParameters

__all__ = ["Overtaking", "Selection", "selection_scores"]

_FORM = re.compile(
    r"(?P<rule>ff|sjbf|bb!|bb(\((?P<exponent>[0-9]+)\))?|bl(\((?P<window>[0-9]+)\))?!?|sb(\((?P<power>[0-9]+)\))?)"
)
_FACTOR = re.compile(r" *(?P<factor>balance|fullness|estimate) *(\^ *(?P<power>[0-9]+) *)?")
_NAMES = ("ff", "bb", "bb(w)", "bb!", "bl", "bl(w)", "bl!", "bl(w)!", "sb", "sb(w)", "sjbf")
_PRODUCT = "balance^12*fullness*estimate"
_DEFAULT_POWER = 256
_LARGEST_POWER = 999
_LARGEST = {"balance": _LARGEST_POWER, "fullness": 99, "estimate": 99}
_LARGEST_WINDOW = 10**9 - 1  # more than any number of resources


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection as the core takes it: "ff", "bl" with a window, or "product" with the power of each factor.

    Attributes
    ----------
    rule : {"ff", "product", "bl"}
    balance : int
        Power of a product; of "bl" the window.
    fullness, estimate : int
        Powers; of "bl" fullness is 0 or 1.
    """

    rule: str
    balance: int = 0
    fullness: int = 0
    estimate: int = 0

    @classmethod
    def parse(
        cls, name: object, *, argument: str = "selection", other_names: tuple[str, ...] = ()
    ) -> "Selection":
        """Resolve a name in any case; an unknown one, or a number out of range, is an `InvalidInstanceError`.

        Messages call it by `argument`, and list the `other_names` that the caller takes.
        """
        if isinstance(name, str) and (powers := _powers(name)):
            return cls.product(**powers)
        form = _FORM.fullmatch(name.strip().lower()) if isinstance(name, str) else None
        if form is None:
            check_choice(argument, name, (*other_names, *_NAMES, _PRODUCT))
            raise InvalidInstanceError(
                "the w of 'bb(w)', 'bl(w)' and 'sb(w)' stands for a number, as in 'bl(2)'"
            )
        rule = form["rule"].partition("(")[0].rstrip("!")
        fullness = 0 if form["rule"].endswith("!") else 1

        def number(group: str, usual: int, largest: int) -> int:
            return usual if form[group] is None else _at_most(largest, form[group], name)

        if rule == "bl":
            window = number("window", 1, _LARGEST_WINDOW)
            return cls("bl", window, fullness) if window or fullness else cls("ff")
        if rule == "bb":
            return cls.product(number("exponent", 1, _LARGEST_POWER), fullness)
        if rule == "sb":
            return cls.product(number("power", _DEFAULT_POWER, _LARGEST_POWER), 0, 1)
        return cls.product(estimate=1) if rule == "sjbf" else cls("ff")

    @classmethod
    def product(cls, balance: int = 0, fullness: int = 0, estimate: int = 0) -> "Selection":
        """Return the product of these powers, whose scores are all the same where all powers are 0."""
        return cls("product" if balance or fullness or estimate else "ff", balance, fullness, estimate)

    def in_queue_order(self, n_resources: int) -> bool:
        """Whether all scores are equal, so that jobs overtake in queue order: bb! and bl! with one resource."""
        return self.rule == "ff" or (n_resources == 1 and not self.fullness and not self.estimate)

    def arguments(self) -> dict[str, tuple[str, int, int, int]]:
        """Return the argument of a compiled policy."""
        return {"selection": (self.rule, self.balance, self.fullness, self.estimate)}


def _powers(name: str) -> dict[str, int]:
    """Return the powers of a product of factors, nothing for other names."""
    powers: dict[str, int] = {}
    for text in name.lower().split("*"):
        form = _FACTOR.fullmatch(text)
        if form is None:
            return {}
        factor = form["factor"]
        if factor in powers:
            raise InvalidInstanceError(f"{name!r} has the factor {factor} twice; write one power of it")
        powers[factor] = _at_most(_LARGEST[factor], form["power"] or "1", name)
    return powers


def _at_most(largest: int, digits: str, name: object) -> int:
    if len(digits.lstrip("0")) > len(str(largest)) or int(digits) > largest:
        raise InvalidInstanceError(f"the number in {name!r} is above {largest}")
    return int(digits)


def check_selected_features(name: str, selection: Selection, used: Mapping[str, str]) -> None:
    """Raise an `UnsupportedError` for features of jobs that a scored selection cannot take, and where they are."""
    if selection.rule == "ff":
        return
    for feature in ("gangs", "exclusive", "preemption"):
        if feature in used:
            raise UnsupportedError(
                f"selection {name!r} does not take {FEATURES[feature]} ({used[feature]}); 'ff' does"
            )


def _checked_selection(name: str, selection: object) -> Selection:
    return Selection.parse(selection, argument=name)


class Overtaking(BackfillingParameters):
    """Who overtakes."""

    selection: str = option(
        "who overtakes first: ff (queue order), bb or bb(w) (balances the resources and fills the machine), bl or "
        "bl(w) (demands what is least used); bb!, bl!, bl(w)! whatever room is left; sb or sb(w) (short and balanced), "
        "sjbf (shortest estimate), or a product of powers of balance (at most 999), fullness and estimate (at most 99)",
        default="ff",
        check=_checked_selection,
        early=True,
        examples=(
            "ff",
            "bb",
            "bb(12)",
            "bb!",
            "bl",
            "bl(2)",
            "bl!",
            "bl(2)!",
            "sb",
            "sb(3)",
            "sjbf",
            _PRODUCT,
        ),
        for_kernel=False,
    )

    def scored(self, n_resources: int) -> Selection:
        """Return the selection; "ff" where all scores are equal, so that jobs overtake in queue order."""
        selection: Selection = self.checked("selection")
        return Selection("ff") if selection.in_queue_order(n_resources) else selection

    def check_features(self, used: Mapping[str, str], machines: Machines) -> None:
        check_selected_features(self.selection, self.scored(machines.n_resources), used)


def selection_scores(
    demand: ArrayLike,
    used: ArrayLike,
    capacity: ArrayLike,
    selection: str = "bb",
    estimated_processing_time: ArrayLike = 1,
) -> tuple[list[int], list[int]]:
    """Return the exact scores of jobs on one machine; the lowest is chosen.

    Parameters
    ----------
    demand : (n_jobs, n_resources) array_like of int
    used : (n_resources,) array_like of int
        Amounts in use on the machine.
    capacity : (n_resources,) array_like of int
        Not below `used`; some resource has a capacity.
    selection : str
        "bb", "bb(w)", "bb!", "bl", "bl(w)", "bl!", "bl(w)!", "sb", "sb(w)", "sjbf", or a product of powers; "ff" gives
        all the same score.
    estimated_processing_time : float or (n_jobs,) array_like
        Above 0; counts for "sb", "sjbf" and products with estimate alone.

    Returns
    -------
    numerators, denominators : list of int
        Of every job, reduced; denominators are positive.

    Raises
    ------
    InvalidInstanceError
        A job that does not fit beside what is used; shapes that differ; an unknown selection.

    Notes
    -----
    Plain integers of any size, for looking at a decision; O(n_jobs * n_resources**2) multiplications. The policies use
    a kernel that forms them only where doubles do not decide.
    """
    chosen = Selection.parse(selection)
    rows = amount_units(demand, None, name="demand", row="job").tolist()
    in_use = amount_units(used, None, name="used", row="machine", n_dims=1).tolist()
    whole = amount_units(capacity, None, name="capacity", row="machine", n_dims=1).tolist()
    for job, row in enumerate(rows):
        if not len(row) == len(in_use) == len(whole):
            raise InvalidInstanceError(
                f"demand has {len(row)} resources, used {len(in_use)} and capacity {len(whole)}"
            )
        for resource, amount in enumerate(row):
            if amount + in_use[resource] > whole[resource]:
                raise InvalidInstanceError(
                    f"demand[{job}, {resource}] = {amount} does not fit beside {in_use[resource]} in use of "
                    f"{whole[resource]}"
                )
    counted = [resource for resource, amount in enumerate(whole) if amount > 0]
    if not counted:
        raise InvalidInstanceError("the machine has no capacity in any resource")
    least_used_first = sorted(counted, key=lambda k: Fraction(in_use[k], whole[k]))
    estimates = measure_column(
        estimated_processing_time, "estimated_processing_time", len(rows), positive=True
    )
    scores = []
    for row, estimate in zip(rows, estimates.tolist(), strict=True):
        shares = [Fraction(in_use[k] + row[k], whole[k]) for k in counted]
        demanded = [Fraction(row[k], whole[k]) for k in least_used_first]
        scores.append(_score(chosen, shares, demanded, Fraction(estimate)))
    return [score.numerator for score in scores], [score.denominator for score in scores]


def _score(
    selection: Selection, shares: list[Fraction], demanded: list[Fraction], estimate: Fraction
) -> Fraction:
    average = sum(shares, Fraction(0)) / len(shares)
    if selection.rule == "ff":
        return Fraction(1)
    if selection.rule == "product":
        balance = max(shares) / average if average else Fraction(1)
        score = balance**selection.balance * estimate**selection.estimate
    else:
        window = min(selection.balance, len(shares) - 1)
        matched = 0
        while matched < window and demanded[matched] >= max(demanded[matched + 1 :]):
            matched += 1
        score = Fraction(1 + window - matched)
    return Fraction(score * (1 - average) ** selection.fullness)
