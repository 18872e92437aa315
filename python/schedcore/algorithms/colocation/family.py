"""What the algorithms of this family have in common: the name of the group, the paper, shared options and checks."""

from schedcore.errors import UnsupportedError
from schedcore.model import ColocationInstance
from schedcore.registry import Option

__all__ = [
    "BASE",
    "BOUND",
    "FAMILY",
    "OBJECTIVE",
    "PAPER",
    "present_types",
    "refuse_costly_diagonal",
]

FAMILY = "colocation"
PAPER = "Pascual and Rzadca, TPDS 2019"
OBJECTIVE = "max_cost"

BASE = Option("base", "lpt", "how tasks are spread by size alone", ("lpt", "multifit"))
BOUND = Option(
    "bound",
    "simple",
    "lower bound that comes with the result: longest task and volume, or the quadratic program",
    ("simple", "qcp"),
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
