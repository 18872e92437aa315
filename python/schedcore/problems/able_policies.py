"""Which policies heed all that a workload uses of a cluster? The others would refuse it, and are not worth a row."""

from collections.abc import Sequence

from schedcore import registry
from schedcore.model import FEATURES, AnyInstance, Incidents, features_of, features_of_incidents
from schedcore.problems.policy_choice import PolicyChoice

__all__ = ["able_policies"]


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
    used = features_of(inst) | features_of_incidents(incidents)
    if not used:
        return choices, []
    left_out: dict[str, list[str]] = {}
    able = []
    for choice in choices:
        takes = registry.get(choice.name).takes
        feature = next((feature for feature in used if feature not in takes), None)
        if feature is None:
            able.append(choice)
        else:
            left_out.setdefault(feature, []).append(choice.label)
    if not able and choices:
        registry.get(choices[0].name).check_features(used)
    return able, [
        f"left out: {', '.join(labels)}: {'they do' if len(labels) > 1 else 'it does'} not take {FEATURES[feature]} "
        f"({used[feature]})"
        for feature, labels in left_out.items()
    ]
