"""What a source says that a figure shows: a number, and the range in which a measured one counts as agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.description.plain_values import (
    check_known,
    check_list,
    check_number,
    check_text,
    is_number,
)

if TYPE_CHECKING:
    from schedcore.experiments.description.figure import Figure

__all__ = ["QUANTITIES", "Claim", "check_shown"]

QUANTITIES = ("ratio", "gain", "difference", "value", "crossing", "share", "p_value", "below")
_OF_TWO = ("ratio", "gain", "difference", "crossing", "p_value", "below")


@dataclass(frozen=True, slots=True)
class Claim:
    """One number that a figure shows.

    Parameters
    ----------
    text : str
        What the source says, or what is asked.
    quantity : {"ratio", "gain", "difference", "value", "crossing", "share", "p_value", "below"}
        The value of the first policy over that of the second; by how many percent of the second it is smaller; the
        first without the second; the value of a policy; the first x at which the first policy overtakes the second, its
        value falling below (interpolated between the points on logarithmic axes); the share of jobs whose queuing delay
        is at most `within`; how likely a mean difference at least as large as the one seen would be if there were none
        (two-sided paired t-test); of curves, the share of the places at which the first is at most the second. The
        value of a curve is that at its end.
    policies : (str,) or (str, str)
        Of curves also further lines of the figure.
    at : sequence
        x of each policy; empty for a crossing and where the figure has no x.
    between : (float, float), optional
        Where the number must lie to agree; without it the number is only reported.
    within : float
        Delay of a share, in the unit of the figure.
    panel : object, optional
        Of a figure with panels, the one that shows the number.
    """

    text: str
    quantity: str
    policies: tuple[str, ...]
    at: tuple[Any, ...] = ()
    between: tuple[float, float] | None = None
    within: float = 0.0
    panel: Any = None

    def check(
        self,
        place: str,
        figure: Figure,
        shown: Sequence[str],
        x_values: Sequence[Any],
        panel_values: Sequence[Any],
    ) -> None:
        """Raise an `InvalidInstanceError` that says what is wrong at `place`."""
        check_text(place, "text of a claim", self.text)
        place = f"{place}, claim {self.text!r}"
        check_known(place, "quantity", self.quantity, QUANTITIES)
        check_list(place, self.quantity, self.policies, "policies")
        check_list(place, "at", self.at)
        check_number(place, "within", self.within)
        wanted = 2 if self.quantity in _OF_TWO else 1
        if len(self.policies) != wanted:
            raise InvalidInstanceError(
                f"{place}: {self.quantity} needs {wanted} policies, not {len(self.policies)}"
            )
        for policy in self.policies:
            check_known(place, "policy", policy, shown)
        if (self.quantity == "share") != (figure.kind == "delays"):
            raise InvalidInstanceError(
                f"{place}: share belongs to figures of kind 'delays', and nothing else does"
            )
        if self.within and self.quantity != "share":
            raise InvalidInstanceError(f"{place}: within = {self.within} belongs to a share")
        if self.quantity == "below" and figure.kind != "curves":
            raise InvalidInstanceError(f"{place}: below belongs to figures of kind 'curves'")
        if self.quantity == "crossing" and figure.x_name is None:
            raise InvalidInstanceError(f"{place}: a figure without x has no crossing")
        if figure.baseline is not None and self.quantity != "value":
            raise InvalidInstanceError(f"{place}: a figure with a baseline has values, no {self.quantity}")
        if self.panel not in panel_values:
            what = (
                f"is not among {list(panel_values)}" if figure.panels else "belongs to a figure with panels"
            )
            raise InvalidInstanceError(f"{place}: panel = {self.panel!r} {what}")
        needed = 0 if figure.x_name is None or self.quantity == "crossing" else wanted
        if len(self.at) != needed:
            what = f"needs {needed} values of {figure.x_name}" if needed else "says nothing here"
            raise InvalidInstanceError(f"{place}: at = {list(self.at)} {what}")
        check_shown(place, figure, self.at, x_values)
        self._check_between(place)

    def _check_between(self, place: str) -> None:
        if self.between is None:
            return
        check_list(place, "between", self.between, "two numbers")
        if len(self.between) != 2 or not all(is_number(end) for end in self.between):
            raise InvalidInstanceError(f"{place}: between = {list(self.between)} must be two numbers")
        if not self.between[0] <= self.between[1]:
            raise InvalidInstanceError(f"{place}: between = {list(self.between)} is empty")


def check_shown(place: str, figure: Figure, values: Sequence[Any], x_values: Sequence[Any]) -> None:
    """Refuse values of `x` that the figure does not show."""
    for x in values:
        if x not in x_values:
            raise InvalidInstanceError(f"{place}: {figure.x_name} = {x!r} is not among {list(x_values)}")
