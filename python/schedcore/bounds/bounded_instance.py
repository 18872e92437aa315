"""Which instances does a bound hold for? All of its kind, without what it would count wrongly."""

from schedcore.model import AnyInstance
from schedcore.model.any_instance import check_kind
from schedcore.model.features import check_without

__all__ = ["check_bounded"]


def check_bounded(
    name: str, instance: object, kinds: tuple[type[AnyInstance], ...], *, counts_tasks: bool = False
) -> None:
    """Raise an error that names the function unless it bounds such an instance.

    Constraints, dependencies, outages and weights of machines take schedules away and add none: bounds stay true.

    Raises
    ------
    TypeError
        For what is no instance at all.
    UnsupportedError
        For an instance of another kind, and unless the bound `counts_tasks` for one with jobs of several tasks or
        exclusive jobs, whose work it would count wrongly.
    """
    check_kind(name, instance, kinds, "bounds")
    if isinstance(instance, kinds) and not counts_tasks:
        check_without(name, instance, ("gangs", "exclusive"))
