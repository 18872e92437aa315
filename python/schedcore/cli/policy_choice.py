"""A policy and its options in one word, as in ``mris:knapsack=greedy,epsilon=1/10``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from schedcore import registry
from schedcore.errors import InvalidInstanceError

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


def parse_policy(word: str) -> PolicyChoice:
    """Read ``name`` or ``name:option=value,option=value``.

    Values are integers, decimals, fractions such as 1/10, true, false, none, or words.

    Raises
    ------
    InvalidInstanceError
        If the policy or an option does not exist (with close matches), or an option has no value.
    """
    name, colon, rest = word.strip().partition(":")
    algorithm = registry.get(name)
    options: dict[str, Any] = {}
    for part in rest.split(",") if colon else ():
        option, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise InvalidInstanceError(f"policy {word!r}: {part!r} is not option=value")
        if option in options:
            raise InvalidInstanceError(f"policy {word!r} sets {option!r} twice")
        options[option] = parse_value(value)
    algorithm.check_options(options)
    return PolicyChoice(word.strip(), name, options)


def parse_policies(words: Sequence[str]) -> list[PolicyChoice]:
    """Read several policies; the same word twice is an error, because rows are known by it."""
    choices = [parse_policy(word) for word in words]
    labels = [choice.label for choice in choices]
    for label in labels:
        if labels.count(label) > 1:
            raise InvalidInstanceError(f"policy {label!r} is given twice")
    return choices


def parse_value(text: str) -> Any:
    """``true``, ``none``, ``3``, ``0.5`` and ``1/10`` (a Fraction) as Python values, else the text itself."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if re.fullmatch(r"[+-]?\d+/0*[1-9]\d*", text):
        return Fraction(text)
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
