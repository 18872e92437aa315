"""What a transform of a workload is, for whoever describes, runs or documents one.

The values that its arguments take are checked before any workload is read. What is wrong only on a given workload, such
as more jobs than there are, is refused where it is applied.
"""

import dataclasses
import sys
from collections.abc import Callable, Mapping
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.model import AnyInstance

__all__ = ["Arguments", "Transform", "above_0", "at_least_0", "count", "flag"]

Arguments = Mapping[str, Any]

_LARGEST = sys.float_info.max


def _of_job_set(arguments: Arguments, job_set: int) -> int:
    return job_set


@dataclasses.dataclass(frozen=True)
class Transform:
    """One thing that is done to an instance, and the arguments of a workload that ask for it.

    Parameters
    ----------
    arguments : mapping of str to callable
        Name -> ``check(name, value)``, which raises an `InvalidInstanceError` for a value that makes no sense on any
        workload. Several arguments exclude each other.
    kinds : tuple of type
        The instances that it applies to.
    apply : callable
        ``apply(instance, arguments, full)``: a new instance; `full` is what the source holds, before any transform.
    draws : str, optional
        An argument that nobody gives: it tells one job set from another.
    draw : callable
        ``draw(arguments, job_set)``: its value, by default the number of the job set.
    n_job_sets : callable, optional
        ``n_job_sets(arguments)``: how many job sets there are, from 1 on; any number by default.
    """

    arguments: Mapping[str, Callable[[str, Any], None]]
    kinds: tuple[type[AnyInstance], ...]
    apply: Callable[[Any, Arguments, Any], AnyInstance]
    draws: str | None = None
    draw: Callable[[Arguments, int], int] = _of_job_set
    n_job_sets: Callable[[Arguments], int] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments, also the one that is drawn."""
        return (*self.arguments, *([self.draws] if self.draws else []))

    def is_asked_by(self, arguments: Arguments) -> bool:
        """Whether one of these arguments asks for it; a flag that is false does not."""
        return any(arguments.get(name, False) is not False for name in self.arguments)


def count(name: str, value: Any) -> None:
    """Refuse all but integers from 1 on, of 64 bits."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidInstanceError(f"{name} = {value!r} must be an integer")
    if not 1 <= value < 1 << 63:
        raise InvalidInstanceError(f"{name} = {value} must be at least 1 and below 2**63")


def flag(name: str, value: Any) -> None:
    """Refuse all but True and False."""
    if not isinstance(value, bool):
        raise InvalidInstanceError(f"{name} = {value!r} must be true or false")


def at_least_0(name: str, value: Any) -> None:
    """Refuse all but finite numbers from 0 on."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _LARGEST:
        raise InvalidInstanceError(f"{name} = {value!r} must be a number of at least 0")


def above_0(name: str, value: Any) -> None:
    """Refuse all but finite numbers above 0."""
    at_least_0(name, value)
    if value == 0:
        raise InvalidInstanceError(f"{name} = {value!r} must be above 0")
