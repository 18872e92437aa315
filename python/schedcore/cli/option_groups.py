"""Options that several commands share: declared once as fields of a class, which a command takes as one parameter."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["option_group", "with_option_groups"]

_GroupT = TypeVar("_GroupT", bound=type[Any])
_GROUPS: list[type[Any]] = []


def option_group(group: _GroupT) -> _GroupT:
    """Make a dataclass a group of options: its fields are annotated like the parameters of a command."""
    _GROUPS.append(group)
    return group


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function, with the fields of groups in the place of each parameter that is one."""
    hints = inspect.get_annotations(command, eval_str=True)
    groups = {name: hint for name, hint in hints.items() if hint in _GROUPS}
    fields = {name: inspect.signature(group).parameters for name, group in groups.items()}

    @functools.wraps(command)
    def run(**given: Any) -> None:
        made = {
            name: group(**{field: given.pop(field) for field in fields[name]})
            for name, group in groups.items()
        }
        command(**made, **given)

    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        parameters += fields[parameter.name].values() if parameter.name in groups else [parameter]
    by_name = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    vars(run)["__signature__"] = inspect.Signature(by_name)
    vars(run)["__annotations__"] = {parameter.name: parameter.annotation for parameter in by_name}
    return run
