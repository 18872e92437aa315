"""Conditions on the combinations of a sweep's parameters: which of them exist, run a policy, or are shown.

A condition gives one or more parameters a value, or a list of values. A combination meets it if each of these
parameters has one of its values there. Where one condition may stand, so may a list of them: alternatives, of which
one must be met.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.description.plain_values import check_known, check_list, check_scalar, check_table

__all__ = ["Conditions", "alternatives", "check_conditions", "meets_any", "values_of"]

Condition = Mapping[str, Any]
Conditions = Condition | Sequence[Condition]


def values_of(entry: Any) -> Sequence[Any]:
    """The values that a parameter may have: those of a list, or the one value."""
    return entry if isinstance(entry, Sequence) and not isinstance(entry, (str, bytes)) else (entry,)


def alternatives(conditions: Conditions) -> tuple[Condition, ...]:
    """Every condition on its own; none of an empty list."""
    return (conditions,) if isinstance(conditions, Mapping) else tuple(conditions)


def meets_any(point: Mapping[str, Any], conditions: Conditions) -> bool:
    """Whether a combination of parameters meets one of the conditions."""
    return any(
        all(point[name] in values_of(entry) for name, entry in condition.items())
        for condition in alternatives(conditions)
    )


def check_conditions(place: str, key: str, conditions: Any, parameters: Mapping[str, Sequence[Any]]) -> None:
    """Refuse what names no parameter (with the close matches) or no value of it, and what meets all or nothing."""
    if not isinstance(conditions, Mapping):
        check_list(place, key, conditions, "tables")
    for condition in alternatives(conditions):
        check_table(place, key, condition)
        if not condition:
            raise InvalidInstanceError(f"{place}: {key} has an empty condition, which everything meets")
        for name, entry in condition.items():
            check_known(f"{place}, {key}", "parameter", name, parameters)
            if not len(values_of(entry)):
                raise InvalidInstanceError(f"{place}: {key} has {name} = [], which nothing meets")
            for value in values_of(entry):
                check_scalar(f"{place}, {key}", name, value)
                if value not in parameters[name]:
                    raise InvalidInstanceError(
                        f"{place}: {key} has {name} = {value!r}, which is not among {list(parameters[name])}"
                    )
