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


@pytest.mark.parametrize(
    "word",
    ["mris:patience=-1", "mris:patience=abc", "mris:gamma0=true", "synchpack1:lam=never", "mct_ptas:k=0"],
)
def test_most_values_are_left_to_runs(word: str) -> None:
    assert len(parse_policy(word).options) == 1


@pytest.mark.parametrize(
    ("word", "match"),
    [
        ("easy:queue_depth=0", "queue_depth = 0 must be an integer from 1"),
        ("easy:selection=bc", "unknown selection 'bc'"),
        ("fcfs:record=yes", "record = 'yes' must be True or False"),
        ("ocorp:k=abc", "k must be an integer, not 'abc'"),
        ("mris:replan=allways", "did you mean 'always'"),
    ],
)
def test_words_and_some_other_values_are_refused_where_a_policy_is_named(word: str, match: str) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match=match):
        parse_policy(word)
