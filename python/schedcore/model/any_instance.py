"""The kinds of instances that algorithms solve, as one type, and who takes which of them."""

from typing import TypeAlias

from schedcore.errors import UnsupportedError

from .colocation import ColocationInstance
from .instance import Instance
from .map_reduce import MapReduceInstance
from .parallel_tasks import ParallelTaskInstance

__all__ = ["AnyInstance", "check_kind"]

AnyInstance: TypeAlias = Instance | ColocationInstance | ParallelTaskInstance | MapReduceInstance


def check_kind(
    name: str, instance: object, kinds: tuple[type[AnyInstance], ...], does: str = "solves"
) -> None:
    """Raise an error that names the function unless it is for instances of such a kind.

    Raises
    ------
    TypeError
        For what is no instance at all.
    UnsupportedError
        For an instance of another kind.
    """
    if isinstance(instance, kinds):
        return
    if not isinstance(instance, AnyInstance):
        known = " or a ".join(f"schedcore.{kind.__name__}" for kind in kinds)
        raise TypeError(f"{name}: instance must be a {known}, not {type(instance).__name__}")
    known = " and ".join(kind.__name__ for kind in kinds)
    raise UnsupportedError(f"{name!r} {does} {known}, not {type(instance).__name__}")
