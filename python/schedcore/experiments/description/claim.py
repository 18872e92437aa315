"""What a source says that a figure shows: a number, and the range in which a measured one counts as agreement."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from schedcore.experiments.description.declared import Number, Range, Scalar, listed, one_of, settle
from schedcore.experiments.description.refusals import placed, written

__all__ = ["QUANTITIES", "Claim", "Policies"]

QUANTITIES = ("ratio", "gain", "difference", "value", "crossing", "share", "p_value", "below")
Policies = Annotated[Sequence[str], listed("policies")]


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

    Raises
    ------
    InvalidInstanceError
        For an unknown quantity (with the close matches) and an entry of the wrong kind. Whether the figure shows the
        number is checked when an `Experiment` is made.
    """

    text: str
    quantity: Annotated[str, one_of("quantity", QUANTITIES)]
    policies: Policies
    at: Annotated[Sequence[Scalar], listed("values")] = ()
    between: Range | None = None
    within: Number = 0.0
    panel: Any = None

    def __post_init__(self) -> None:
        with placed(f"claim {written(self.text)}"):
            settle(self)
