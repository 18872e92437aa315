"""Which policies heed all that a workload uses of a cluster? The others would refuse it, and are not worth a row."""

from collections.abc import Mapping, Sequence

from schedcore import registry
from schedcore.model import FEATURES, AnyInstance, Incidents, features_of, features_of_incidents
from schedcore.problems.policy_choice import PolicyChoice

__all__ = ["able_policies", "features_used", "reason_to_leave_out"]


def able_policies(
    inst: AnyInstance, choices: Sequence[PolicyChoice], incidents: Incidents | None = None
) -> tuple[Sequence[PolicyChoice], list[str]]:
    """Return the policies that heed all features of an instance and incidents, and a sentence for each reason to
    leave others out.

    Raises
    ------
    UnsupportedError
        If none does: what the first one says.
    """
    used = features_used(inst, incidents)
    if not used:
        return choices, []
    left_out: dict[str, list[str]] = {}
    able = []
    for choice in choices:
        if choice.is_recorded:
            able.append(choice)
            continue
        feature = _unheeded(choice.name, used)
        if feature is None:
            able.append(choice)
        else:
            left_out.setdefault(feature, []).append(choice.label)
    if not able and choices:
        registry.get(choices[0].name).check_features(used)
    return able, [
        f"left out: {', '.join(labels)}: {'they do' if len(labels) > 1 else 'it does'} not take {_told(feature, used)}"
        for feature, labels in left_out.items()
    ]


def features_used(inst: AnyInstance, incidents: Incidents | None = None) -> Mapping[str, str]:
    """Return the features of an instance and incidents, and where they are."""
    return {**features_of(inst), **features_of_incidents(incidents)}


def reason_to_leave_out(policy: str, inst: AnyInstance, incidents: Incidents | None = None) -> str | None:
    """Return the first feature of an instance and incidents that a policy does not take, as a sentence; or None."""
    used = features_used(inst, incidents)
    feature = _unheeded(policy, used)
    return None if feature is None else f"it does not take {_told(feature, used)}"


def _unheeded(policy: str, used: Mapping[str, str]) -> str | None:
    takes = registry.get(policy).takes
    return next((feature for feature in used if feature not in takes), None)


def _told(feature: str, used: Mapping[str, str]) -> str:
    return f"{FEATURES[feature]} ({used[feature]})"
