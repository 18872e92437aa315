"""A policy and its options in one word, as in ``mris:knapsack=greedy,epsilon=1/10``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from schedcore import registry
from schedcore.errors import InvalidInstanceError
from schedcore.model.choices import check_choice

#: What stands for no policy but for what really happened, as the log of the workload tells it.
RECORDED = "recorded"

_WORDS = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class PolicyChoice:
    """A registered policy with options.

    Attributes
    ----------
    label : str
        The word that chose it; names it in tables and drawings.
    name : str
        Name in the registry.
    options : dict
        Keyword arguments of ``schedcore.solve``.
    """

    label: str
    name: str
    options: dict[str, Any]

    @property
    def is_recorded(self) -> bool:
        """Whether it is no policy, but what really happened."""
        return self.name == RECORDED


def parse_policy(word: str) -> PolicyChoice:
    """Read ``name`` or ``name:option=value,option=value``; or `RECORDED`.

    Values are integers, decimals, fractions such as 1/10, true, false, none, or words.

    Raises
    ------
    InvalidInstanceError
        If the policy, an option or a choice does not exist (with close matches), an option has no value, or one that
        it refuses early. All other values are refused by runs.
    """
    name, colon, rest = word.strip().partition(":")
    if name == RECORDED:
        if colon:
            raise InvalidInstanceError(f"policy {word!r}: what was recorded has no options")
        return PolicyChoice(name, name, {})
    registry.get(name)
    options: dict[str, Any] = {}
    for part in rest.split(",") if colon else ():
        option, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise InvalidInstanceError(f"policy {word!r}: {part!r} is not option=value")
        if option in options:
            raise InvalidInstanceError(f"policy {word!r} sets {option!r} twice")
        options[option] = value
    for option, value in options.items():
        check_option(name, option, value)
    read = {option: option_value(name, option, value) for option, value in options.items()}
    return PolicyChoice(word.strip(), name, read)


def option_value(policy: str, option: str, value: Any) -> Any:
    """A value as the policy takes it: a text is read by `parse_value`, unless it is a choice, such as "none"."""
    if not isinstance(value, str):
        return value
    known = _option(policy, option)
    is_choice = known.choices is not None and value in known.choices
    return value if is_choice else parse_value(value)


def check_option(policy: str, option: str, value: Any) -> None:
    """Refuse an option that a policy does not have, a word that is none of its choices, and what it refuses early."""
    registry.get(policy).check_options({option: value})
    known = _option(policy, option)
    given = option_value(policy, option, value)
    if known.choices is not None and (isinstance(given, str) or isinstance(known.default, str)):
        check_choice(f"{option} of {policy!r}", given, known.choices)
    if known.check is not None:
        try:
            known.check(given)
        except TypeError as error:
            raise InvalidInstanceError(str(error)) from error


def _option(policy: str, option: str) -> registry.Option:
    return next(known for known in registry.get(policy).options if known.name == option)


def parse_policies(words: Sequence[str]) -> list[PolicyChoice]:
    """Read several policies; the same word twice is an error, because rows are known by it."""
    choices = [parse_policy(word) for word in words]
    refuse_same_labels(choices)
    return choices


def refuse_same_labels(choices: Sequence[PolicyChoice]) -> None:
    """Raise an `InvalidInstanceError` for two of the same label."""
    labels = [choice.label for choice in choices]
    for label in labels:
        if labels.count(label) > 1:
            raise InvalidInstanceError(f"policy {label!r} is given twice")


def parse_value(text: str) -> Any:
    """``true``, ``none``, ``3``, ``0.5`` and ``1/10`` (a Fraction) as Python values, else the text itself."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if re.fullmatch(r"[+-]?\d{1,40}/0*[1-9]\d{0,39}", text):
        return Fraction(text)
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
