"""Conditions on the combinations of a sweep's parameters: which of them exist, run a policy, or are shown.

A condition gives one or more parameters a value, or a list of values. A combination meets it if each of these
parameters has one of its values there. Where one condition may stand, so may a list of them: alternatives, of which
one must be met.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import PlainValidator, TypeAdapter

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.description.declared import Scalar, check, is_list
from schedcore.experiments.description.refusals import refuse_if
from schedcore.model.choices import check_choice

__all__ = ["Conditions", "alternatives", "check_conditions", "meets_any", "values_of"]

Condition = Mapping[str, Any]
_SEVERAL = TypeAdapter(tuple[Condition, ...])


def _one_or_several(conditions: Any) -> Any:
    if is_list(conditions):
        return _SEVERAL.validate_python(tuple(conditions))  # names the place of what is no table
    if not isinstance(conditions, Mapping):
        raise ValueError("must be a table, or a list of tables")
    return conditions


Conditions = Annotated[Condition | Sequence[Condition], PlainValidator(_one_or_several)]


def values_of(entry: Any) -> Sequence[Any]:
    """The values that a parameter may have: those of a list, or the one value."""
    return entry if is_list(entry) else (entry,)


def alternatives(conditions: Conditions) -> tuple[Condition, ...]:
    """Every condition on its own; none of an empty list."""
    return (conditions,) if isinstance(conditions, Mapping) else tuple(conditions)


def meets_any(point: Mapping[str, Any], conditions: Conditions) -> bool:
    """Whether a combination of parameters meets one of the conditions."""
    return any(
        all(point[name] in values_of(entry) for name, entry in condition.items())
        for condition in alternatives(conditions)
    )


def check_conditions(conditions: Conditions, parameters: Mapping[str, Sequence[Any]]) -> None:
    """Refuse what names no parameter (with the close matches) or no value of it, and what meets all or nothing."""
    known = {name: frozenset(values) for name, values in parameters.items()}
    for condition in alternatives(conditions):
        refuse_if(not condition, "an empty condition, which everything meets")
        for name, entry in condition.items():
            check_choice("parameter", name, parameters)
            refuse_if(not values_of(entry), f"{name} = [], which nothing meets")
            for value in values_of(entry):
                check(Scalar, name, value)
                if value not in known[name]:
                    raise InvalidInstanceError(f"{name} = {value!r} is not among {list(parameters[name])}")
