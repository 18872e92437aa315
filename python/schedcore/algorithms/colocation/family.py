"""What the algorithms of this family have in common: the name of the group, the paper, shared options and checks.

Options stand in the order of the documentation where an algorithm lists the groups that it has from the last to the
first.
"""

from typing import Literal

from schedcore.errors import UnsupportedError
from schedcore.model import ColocationInstance
from schedcore.parameters import Parameters, option
from schedcore.registry import Family

__all__ = [
    "COLOCATION",
    "Base",
    "Bound",
    "Bounding",
    "Spreading",
    "present_types",
    "refuse_costly_diagonal",
]

COLOCATION = Family(
    "colocation",
    {
        "source": "Pascual and Rzadca, TPDS 2019",
        "objective": "max_cost",
        "reads": frozenset(),
        "instance_kind": ColocationInstance,
        "guarantee": True,
    },
    progress="Never called: this takes no time.",
)

Base = Literal["lpt", "multifit"]
Bound = Literal["simple", "qcp"]


class Spreading(Parameters):
    """How tasks are spread where types do not count."""

    base: Base = option(
        "how tasks are spread by size alone", "Longest-processing-time-first, or MULTIFIT.", default="lpt"
    )


class Bounding(Parameters):
    """What the cost of an assignment is compared with."""

    bound: Bound = option(
        "lower bound that comes with the result: longest task and volume, or the quadratic program",
        "See `schedcore.bounds.lower_bound`.",
        default="simple",
        for_kernel=False,
    )


def present_types(instance: ColocationInstance) -> list[int]:
    """Return the types that have a task, ascending."""
    return [kind for kind, load in enumerate(instance.load_of_types()) if load > 0]


def refuse_costly_diagonal(instance: ColocationInstance, algorithm: str) -> None:
    """Raise an `UnsupportedError` if a type costs itself more than its size: loads bound no cost then."""
    for kind in present_types(instance):
        own = int(instance.alpha[kind, kind])
        if own > instance.alpha_denominator:
            raise UnsupportedError(
                f"{algorithm} needs alpha[{kind}, {kind}] <= 1: type {kind} costs itself "
                f"{own} / {instance.alpha_denominator}; scale sizes and coefficients, or use best_schedule or colocate"
            )
