"""Policies and their options in one word, as a person writes them."""

from typing import Any

import pytest

import schedcore
from schedcore.problems.policy_choice import parse_policy, parse_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("0.1", 0.1),
        ("true", True),
        ("None", None),
        ("greedy", "greedy"),
        ("-2", -2),
        ("1/0", "1/0"),
    ],
)
def test_option_values_are_read_as_a_person_means_them(text: str, value: object) -> None:
    assert parse_value(text) == value
    assert type(parse_value(text)) is type(value)


def test_a_fraction_stays_exact() -> None:
    assert parse_value("1/10") * 10 == 1
    assert not isinstance(parse_value("1/10"), float)


@pytest.mark.parametrize(
    ("word", "options"),
    [
        ("easy:selection=bb!", {"selection": "bb!"}),
        ("easy:selection=bl(2)!,queue_depth=100", {"selection": "bl(2)!", "queue_depth": 100}),
        ("backfill:protected=None", {"protected": None}),
        ("backfill:protected=3,compression=none", {"protected": 3, "compression": "none"}),
        ("conservative:compression=NONE", None),
        ("mris:replan=always", {"replan": "always"}),
        ("mris:replan=true", {"replan": True}),
    ],
)
def test_options_of_backfilling_are_read_as_written(word: str, options: dict[str, Any] | None) -> None:
    if options is None:
        with pytest.raises(schedcore.InvalidInstanceError, match="did you mean 'none'"):
            parse_policy(word)
    else:
        assert parse_policy(word).options == options
