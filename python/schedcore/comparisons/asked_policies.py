"""Which policies does somebody name in Python: texts, names with options, labels of their own?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from schedcore.errors import InvalidInstanceError, UnsupportedError, one_line
from schedcore.problems.policy_choice import (
    RECORDED,
    PolicyChoice,
    check_option,
    option_value,
    parse_policy,
    refuse_same_labels,
)

__all__ = ["AskedPolicies", "asked_policies"]

#: A text such as "easy:order=lxf", or a name with its options.
AskedPolicy = str | tuple[str, Mapping[str, Any]]
AskedPolicies = AskedPolicy | Sequence[AskedPolicy] | Mapping[str, AskedPolicy]


def asked_policies(policies: AskedPolicies | None) -> list[PolicyChoice]:
    """Return the policies that are named; none of them for None, which stands for the usual ones.

    Raises
    ------
    InvalidInstanceError
        As `parse_policy`; for an empty list, a policy that is named twice, and a label that is no text.
    UnsupportedError
        For a policy that is no name, but an object.
    """
    if policies is None:
        return []
    named: Sequence[tuple[object, object]]
    if isinstance(policies, Mapping):
        named = list(policies.items())
    elif isinstance(policies, Sequence) and not isinstance(policies, str) and not _is_pair(policies):
        named = [(None, policy) for policy in policies]
    else:
        named = [(None, policies)]
    if not named:
        raise InvalidInstanceError("policies: none is named; None stands for the usual ones")
    choices = [_labelled(label, _choice(policy)) for label, policy in named]
    refuse_same_labels(choices)
    return choices


def _is_pair(policy: object) -> bool:
    return isinstance(policy, tuple) and len(policy) == 2 and isinstance(policy[1], Mapping)


def _choice(policy: Any) -> PolicyChoice:
    if isinstance(policy, str):
        return parse_policy(policy)
    if not _is_pair(policy) or not isinstance(policy[0], str):
        raise UnsupportedError(
            f"policies: {one_line(repr(policy))} is neither a text nor a pair of a name and options; a policy of your "
            f"own is compared by its name once schedcore.registry knows it"
        )
    name, options = policy
    plain = parse_policy(name)
    if ":" in name or (plain.is_recorded and options):
        raise InvalidInstanceError(f"policies: {name!r} is no name of a policy with options beside it")
    for option, value in options.items():
        check_option(name, option, value)
    read = {option: option_value(name, option, value) for option, value in options.items()}
    words = ",".join(f"{option}={_word(value)}" for option, value in options.items())
    return replace(plain, label=f"{plain.name}:{words}" if words else plain.name, options=read)


def _word(value: object) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _labelled(label: object, choice: PolicyChoice) -> PolicyChoice:
    if label is None:
        return choice
    if not isinstance(label, str) or not label or len(label.splitlines()) > 1:
        raise InvalidInstanceError(f"policies: the label {label!r} is no text")
    if (label == RECORDED) != choice.is_recorded:
        raise InvalidInstanceError(
            f"policies: {RECORDED!r} is what really happened, and that is called so alone"
        )
    return replace(choice, label=label)
