"""Constraints mean what their grammar says, however they are nested; what is malformed is refused where it is."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import InvalidInstanceError, Jobs, Machines
from schedcore.model import allowed_machines, machines_that_satisfy
from schedcore.model.constraints import parsed

RACKS = Machines.identical(3, [2], labels=[["cpu", "rack=0"], ["cpu", "rack=1", "ssd"], ["gpu", "rack=1"]])


def where(constraint: str, machines: Machines = RACKS) -> list[int]:
    return np.flatnonzero(machines_that_satisfy(constraint, machines)).tolist()


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        ("", [0, 1, 2]),
        (" \t ", [0, 1, 2]),
        ("gpu|ssd", [1, 2]),
        ("!gpu&rack=1", [1]),
        ("cpu&!ssd|gpu", [0, 2]),
        ("!(cpu&ssd)", [0, 2]),
        ("!fpga & rack=1", [1, 2]),
        ("fpga", []),
        ("!!gpu", [2]),
        ("gpu|cpu&ssd", [1, 2]),
        ("(gpu|cpu)&ssd", [1]),
        ("\tcpu\t&( ssd )", [1]),
        ("rack=1", [1, 2]),
    ],
)
def test_constraints_hold_where_the_labels_say(constraint: str, expected: list[int]) -> None:
    assert where(constraint) == expected


def test_labels_may_have_all_the_signs_of_the_grammar() -> None:
    label = "aZ09_.:=/+-"
    assert where(f"!{label}", Machines([[1], [1]], labels=[[label], []])) == [1]


@pytest.mark.parametrize(
    ("constraint", "position", "found"),
    [
        ("gpu&&ssd", 4, "'&'"),
        ("&gpu", 0, "'&'"),
        ("gpu|", 4, "the end"),
        ("!", 1, "the end"),
        ("gpu ssd", 4, "'s'"),
        ("gpu!ssd", 3, "'!'"),
        ("(gpu", 0, r"'\('"),
        ("a&(b|(c)", 2, r"'\('"),
        ("gpu)", 3, r"'\)'"),
        ("()", 1, r"'\)'"),
        ("gpu(ssd)", 3, r"'\('"),
        ("gpu , ssd", 4, "','"),
        ("g\u00fcte", 1, "'\u00fc'"),
        ("gpu\n", 3, r"'\\n'"),
        ("\u00a0gpu", 0, r"'\\xa0'"),
    ],
)
def test_malformed_constraints_are_refused_where_they_are(constraint: str, position: int, found: str) -> None:
    with pytest.raises(InvalidInstanceError, match=f"is malformed: at position {position}, {found} "):
        parsed(constraint)
    text = rf"constraint\[1\] \(job 1\): .* is malformed: at position {position}, "
    with pytest.raises(InvalidInstanceError, match=text):
        Jobs([1, 1], [[1], [1]], constraint=["cpu", constraint])


@pytest.mark.parametrize("depth", [100_000])
def test_depth_is_no_trouble(depth: int) -> None:
    assert where("(" * depth + "gpu" + ")" * depth) == [2]
    assert where("!" * depth + "gpu") == [2]
    assert where("gpu" + "|(cpu&(gpu" * (depth // 10) + "))" * (depth // 10)) == [2]
    assert where("(" * depth + "gpu" + "|fpga)" * depth) == [2]
    for broken in ("(" * depth, "(" * depth + "gpu", "gpu" + ")" * depth, "!" * depth):
        with pytest.raises(InvalidInstanceError, match="malformed"):
            parsed(broken)


def test_few_results_are_kept_however_deep_the_nesting() -> None:
    """The parts of an operator are ordered so that the larger one is computed first."""
    n = 1000
    for text in ("a&(" * n + "b" + ")" * n, "(" * n + "b" + ")&a" * n, "&".join(["(a|b)"] * n)):
        kept = most = 0
        for token in parsed(text).postfix:
            kept += 0 if token == "!" else -1 if token in "&|" else 1
            most = max(most, kept)
        assert kept == 1
        assert most <= 3


@st.composite
def expressions(draw: st.DrawFn, depth: int = 4) -> tuple[str, object]:
    """A text and a function of a set of labels that says when it holds."""
    kind = draw(st.sampled_from(["label"] if depth == 0 else ["label", "not", "and", "or"]))
    blank = draw(st.sampled_from(["", " ", "\t "]))
    if kind == "label":
        label = draw(st.sampled_from("abcd"))
        return f"{blank}{label}", lambda carried: label in carried
    text, holds = draw(expressions(depth=depth - 1))
    if kind == "not":
        return f"{blank}!({text})", lambda carried: not holds(carried)
    other, holds_too = draw(expressions(depth=depth - 1))
    if kind == "and":
        return f"({text}){blank}&({other}{blank})", lambda c: holds(c) and holds_too(c)
    return f"{text}|{other}", lambda c: holds(c) or holds_too(c)


@given(expressions())
def test_random_constraints_hold_where_python_says(expression: tuple[str, object]) -> None:
    text, holds = expression
    sets = [set(combination) for size in range(5) for combination in itertools.combinations("abcd", size)]
    machines = Machines.identical(len(sets), [1], labels=sets)
    assert where(text, machines) == [index for index, carried in enumerate(sets) if holds(carried)]


def test_each_distinct_constraint_has_one_mask() -> None:
    jobs = Jobs([1] * 5, [[1]] * 5, constraint=["gpu", "", "ssd", "gpu", None])
    allowed = allowed_machines(jobs.coded("constraint"), RACKS)
    assert allowed.codes.tolist() == [0, -1, 1, 0, -1]
    assert allowed.codes is jobs.coded("constraint").codes
    assert allowed.masks.tolist() == [[False, False, True], [False, True, False]]
    assert not allowed.masks.flags.writeable
    plain = allowed_machines(Jobs([1], [[1]]).coded("constraint"), RACKS)
    assert (plain.masks.shape, plain.codes.tolist()) == ((0, 3), [-1])


def test_machines_without_labels_satisfy_what_asks_for_none() -> None:
    machines = Machines.identical(2, [1])
    assert where("!gpu", machines) == [0, 1]
    assert where("gpu", machines) == []
    assert where("", machines) == [0, 1]
