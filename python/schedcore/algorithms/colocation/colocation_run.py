"""The `ColocationResult` around the machines that a kernel chose: costs, certificate and options."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore import _core
from schedcore.bounds.colocation import lower_bound
from schedcore.model import Assignment, ColocationInstance, ColocationResult
from schedcore.model.choices import check_choice

from .family import BOUND
from .guarantees import above

__all__ = ["Progress", "colocation_result", "least_numerator"]

Progress = Callable[[int, int], object] | None


def colocation_result(
    algorithm: str,
    instance: ColocationInstance,
    machine: NDArray[np.int64],
    *,
    bound: str,
    stats: Mapping[str, Any] | None = None,
    guarantee: Fraction | None = None,
    options: Mapping[str, Any] | None = None,
    proven: float | None = None,
) -> ColocationResult:
    """Evaluate an assignment exactly; the bound named `bound` is computed when asked for, unless one is `proven`."""
    check_choice("bound", bound, BOUND.choices or ())
    assignment = Assignment(machine)
    cost, total = _core.colocation_cost(
        instance.size, instance.type, instance.alpha, assignment.machine, instance.n_machines
    )
    return ColocationResult(
        assignment,
        cost,
        total,
        instance,
        stats=stats,
        guarantee=above(guarantee),
        lower_bound=(lambda: lower_bound(instance, bound).bound) if proven is None else proven,
        algorithm=algorithm,
        options={**(options or {}), "bound": bound},
    )


def least_numerator(instance: ColocationInstance, bound: str) -> int:
    """Return the smallest cost numerator that the lower bound named `bound` allows."""
    return math.ceil(Fraction(lower_bound(instance, bound).bound) * instance.alpha_denominator)
