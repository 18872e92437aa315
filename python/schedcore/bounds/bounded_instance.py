"""Which instances does a bound hold for? All of its kind, without what it would count wrongly."""

from schedcore.model import AnyInstance
from schedcore.model.any_instance import check_kind
from schedcore.model.features import check_without

__all__ = ["check_bounded"]


def check_bounded(name: str, instance: object, kinds: tuple[type[AnyInstance], ...]) -> None:
    """Raise an error that names the function unless it bounds such an instance.

    Constraints, dependencies, outages and weights of machines take schedules away and add none: bounds stay true.

    Raises
    ------
    TypeError
        For what is no instance at all.
    UnsupportedError
        For an instance of another kind, and one with jobs of several tasks or exclusive jobs, whose work the bounds
        do not count.
    """
    check_kind(name, instance, kinds, "bounds")
    if isinstance(instance, kinds):
        check_without(name, instance, ("gangs", "exclusive"))
