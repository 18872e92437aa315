"""What a colocation algorithm returns: an assignment, its exact costs, and how far from the optimum they can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from .assignment import Assignment
from .colocation import ColocationInstance
from .result import CERTIFICATE, Result

__all__ = ["ColocationResult"]


class ColocationResult(Result):
    """An assignment with the largest cost of a task, exactly, and the certificate that belongs to it; immutable.

    Parameters
    ----------
    assignment : Assignment
    cost_numerator, sum_numerator : int
        The largest cost of a task, and the sum of all costs, times the `alpha_denominator` of the instance.
    instance : ColocationInstance
    stats, guarantee, lower_bound, algorithm, options
        As in `Result`; `lower_bound` is one on the largest cost.

    Attributes
    ----------
    value : float
        ``cost_numerator / alpha_denominator``.
    objective : str
        "max_cost".
    schedule : Assignment
        The assignment.
    """

    __slots__ = ("cost_numerator", "sum_numerator")
    _fields: ClassVar[tuple[str, ...]] = (
        "assignment",
        "cost_numerator",
        "sum_numerator",
        "instance",
        *CERTIFICATE,
    )

    cost_numerator: int
    sum_numerator: int

    def __init__(
        self,
        assignment: Assignment,
        cost_numerator: int,
        sum_numerator: int,
        instance: ColocationInstance,
        stats: Mapping[str, Any] | None = None,
        guarantee: float | None = None,
        lower_bound: float | Callable[[], float | None] | None = None,
        algorithm: str = "",
        options: Mapping[str, Any] | None = None,
    ) -> None:
        value = float(Fraction(cost_numerator, instance.alpha_denominator))
        super().__init__(
            assignment, "max_cost", value, stats, guarantee, lower_bound, algorithm, options, instance
        )
        object.__setattr__(self, "cost_numerator", cost_numerator)
        object.__setattr__(self, "sum_numerator", sum_numerator)

    @property
    def assignment(self) -> Assignment:
        """The machine of each task."""
        assignment: Assignment = self.schedule
        return assignment

    def _size(self) -> str:
        return f"{len(self.schedule)} tasks"
