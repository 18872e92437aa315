"""From the features that a job asks for to a constraint over labels.

``thin&ssd`` and ``thin|ssd`` mean the same in both. A number (``thin*2``) asks for so many nodes of a feature, and
brackets (``[rack1|rack2]``) that all nodes have the same one: those are told apart from what can be modelled.
"""

import re

from schedcore.errors import InvalidInstanceError
from schedcore.model.constraints import parsed

__all__ = ["constraint_of_features", "label"]

_NO_LABEL = re.compile(r"[^0-9A-Za-z_.:=/+-]")


def label(text: str) -> str:
    """Return a name as a label; characters that labels cannot have become ``_``."""
    return _NO_LABEL.sub("_", text)


def constraint_of_features(features: str) -> tuple[str, str]:
    """Return a constraint, and why it is not quite what was asked for; the latter is empty if it is."""
    text, why = features.strip().strip("\"'"), ""
    if re.search(r"\*\d+", text):
        text = re.sub(r"\*\d+", "", text).replace("&", "|")
        why = "numbers of nodes of features are not modelled; any node with one of the features will do"
    if re.search(r"[\[\]]", text):
        text = text.replace("[", "(").replace("]", ")")
        why = why or "that all nodes have the same of these features is not modelled"
    text = text.replace(",", "&")
    try:
        parsed(text)
    except InvalidInstanceError:
        return "", "this form of features is not known; the job may use any node"
    return text, why
