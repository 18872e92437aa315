"""Which resource is meant: its index or its name."""

import operator

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance
from schedcore.model.choices import check_choice

__all__ = ["resource_index"]


def resource_index(inst: Instance, resource: int | str) -> int:
    """Return the index of a resource.

    Raises
    ------
    InvalidInstanceError
        If there is no such resource.
    TypeError
        For what is neither an integer nor a name.
    """
    names = inst.machines.resource_names
    if isinstance(resource, str):
        check_choice("resource", resource, names)
        return names.index(resource)
    if isinstance(resource, (bool, np.bool_)) or not hasattr(resource, "__index__"):
        raise TypeError(f"resource must be an index or a name, not {resource!r}")
    number = operator.index(resource)
    if not 0 <= number < inst.n_resources:
        raise InvalidInstanceError(f"resource {number} must lie in [0, {inst.n_resources})")
    return number
