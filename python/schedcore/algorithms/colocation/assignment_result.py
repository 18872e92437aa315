"""The `ColocationResult` around the machines that a kernel chose: costs, certificate and options."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore import _core
from schedcore.bounds.colocation import lower_bound
from schedcore.model import Assignment, ColocationInstance, ColocationResult

from .family import Bound
from .guarantees import above

__all__ = ["colocation_result", "kernel_columns", "least_numerator"]


def kernel_columns(instance: ColocationInstance) -> dict[str, Any]:
    """Return the columns of an instance, by the names of every kernel's arguments."""
    return {
        "size": instance.size,
        "type": instance.type,
        "alpha": instance.alpha,
        "n_machines": instance.n_machines,
    }


def colocation_result(
    algorithm: str,
    instance: ColocationInstance,
    machine: NDArray[np.int64],
    *,
    bound: Bound,
    options: Mapping[str, Any],
    stats: Mapping[str, Any] | None = None,
    guarantee: Fraction | None = None,
    proven: float | None = None,
) -> ColocationResult:
    """Evaluate an assignment exactly; the bound named `bound` is computed when asked for, unless one is `proven`."""
    assignment = Assignment(machine)
    cost, total = _core.colocation.colocation_cost(**kernel_columns(instance), machine=assignment.machine)
    return ColocationResult(
        assignment,
        cost,
        total,
        instance,
        stats=stats,
        guarantee=above(guarantee),
        lower_bound=(lambda: lower_bound(instance, bound).bound) if proven is None else proven,
        algorithm=algorithm,
        options=options,
    )


def least_numerator(instance: ColocationInstance, bound: Bound) -> int:
    """Return the smallest cost numerator that the lower bound named `bound` allows."""
    return math.ceil(Fraction(lower_bound(instance, bound).bound) * instance.alpha_denominator)
