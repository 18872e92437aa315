"""What a source says that a figure shows: a number, and what a measured one must be to agree with it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from schedcore.experiments.description.declared import Finite, Number, Range, Scalar, listed, one_of, settle
from schedcore.experiments.description.refusals import placed, refuse_if, written

__all__ = ["QUANTITIES", "TOLERANCE", "Claim", "Policies"]

QUANTITIES = ("ratio", "gain", "difference", "value", "crossing", "share", "p_value", "below", "ahead")
#: Share of the measured mean by which a published number may differ from it.
TOLERANCE = 0.1
Policies = Annotated[Sequence[str], listed("policies")]

_EXPECTATIONS = ("published", "more_than", "less_than", "between")


@dataclass(frozen=True, slots=True)
class Claim:
    """One number that a figure shows.

    Parameters
    ----------
    text : str
        What the source says, or what is asked.
    quantity : {"ratio", "gain", "difference", "value", "crossing", "share", "p_value", "below", "ahead"}
        The value of the first policy over that of the second; by how many percent of the second it is smaller; the
        first without the second; the value of a policy; the first x at which the first policy overtakes the second, its
        value falling below (interpolated between the points on logarithmic axes); the share of jobs whose queuing delay
        is at most `within`; how likely a mean difference at least as large as the one seen would be if there were none
        (two-sided paired t-test); of curves, the share of the places at which the first is at most the second; of gains
        that are averaged over parameters, the share of the combinations in which the mean gain over the job sets is
        above 0. The value of a curve is that at its end.
    policies : (str,) or (str, str)
        Of curves also further lines of the figure.
    at : sequence
        x of each policy; empty for a crossing and where the figure has no x.
    between : (float, float), optional
        A range that the source prints. The measured mean agrees if it lies there.
    within : float
        Delay of a share, in the unit of the figure.
    panel : object, optional
        Of a figure with panels, the one that shows the number.
    published : float, optional
        The number that the source prints, not 0. The measured mean agrees if this is within 10 % of it.
    more_than, less_than : float, optional
        A direction: the measured mean agrees if it is above, or below.
    why : str
        Why the number is what it is, in a sentence or two.

    Raises
    ------
    InvalidInstanceError
        For an unknown quantity (with the close matches), an entry of the wrong kind, and more than one of `published`,
        `more_than`, `less_than` and `between`. Without any of these the number is only reported. Whether the figure
        shows the number is checked when an `Experiment` is made.
    """

    text: str
    quantity: Annotated[str, one_of("quantity", QUANTITIES)]
    policies: Policies
    at: Annotated[Sequence[Scalar], listed("values")] = ()
    between: Range | None = None
    within: Number = 0.0
    panel: Any = None
    published: Finite | None = None
    more_than: Finite | None = None
    less_than: Finite | None = None
    why: str = ""

    def __post_init__(self) -> None:
        with placed(f"claim {written(self.text)}"):
            settle(self)
            given = [name for name in _EXPECTATIONS if getattr(self, name) is not None]
            refuse_if(len(given) > 1, f"it has both {' and '.join(given[:2])}")
            refuse_if(
                self.published == 0, "published = 0 has no tenth; a direction can say how near it must be"
            )

    @property
    def expects(self) -> bool:
        """Whether there is anything to agree with."""
        return any(getattr(self, name) is not None for name in _EXPECTATIONS)

    def miss(self, number: float) -> int:
        """Return on which side a number misses what is expected: -1 if it is too small, 1 too large, 0 if it agrees."""
        if self.more_than is not None:
            return 0 if number > self.more_than else -1
        if self.less_than is not None:
            return 0 if number < self.less_than else 1
        low, high = -math.inf, math.inf
        if self.between is not None:
            low, high = self.between
        elif self.published is not None:
            low, high = sorted((self.published / (1 + TOLERANCE), self.published / (1 - TOLERANCE)))
        return (number > high) - (number < low)
