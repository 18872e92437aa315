"""Hostlists mean what Slurm means by them, and what is none is refused with the place."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import InvalidInstanceError
from schedcore.workloads import compress_hostlist, expand_hostlist

HOSTS = st.text("a0189-[,] ", max_size=12)
# Short words over few characters: many share their beginning, and zeros stand in front of numbers.
NAMES = st.text("a01289-", min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[1-3]", ["n1", "n2", "n3"]),
        ("n[1-2,7,10-11]", ["n1", "n2", "n7", "n10", "n11"]),
        ("n[08-11]", ["n08", "n09", "n10", "n11"]),
        ("n[98-101]", ["n98", "n99", "n100", "n101"]),
        ("n[098-101]", ["n098", "n099", "n100", "n101"]),
        ("n[08-100]", [f"n{number:02}" for number in range(8, 101)]),
        ("rack[1-2]n[01-02]", ["rack1n01", "rack1n02", "rack2n01", "rack2n02"]),
        ("n[1-2]-ib,login , n3", ["n1-ib", "n2-ib", "login", "n3"]),
        ("[0-2]", ["0", "1", "2"]),
        ("[1-2][3-4]", ["13", "14", "23", "24"]),
        ("n1,n[1-2]", ["n1", "n1", "n2"]),
        (" n1 ", ["n1"]),
        ("", []),
        (" ", []),
    ],
)
def test_hostlists_name_what_they_say(text: str, names: list[str]) -> None:
    assert expand_hostlist(text) == tuple(names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n[1-4", "'n[1-4' is malformed: at position 5, the end stands where a comma or ']' is needed"),
        ("n]", "at position 1, ']' stands where a comma or the end is needed"),
        ("n[]", "at position 2, ']' stands where a number is needed"),
        ("n[1-]", "at position 4, ']' stands where the last number of a range is needed"),
        ("n[1,]", "at position 4, ']' stands where a number is needed"),
        ("n[a-b]", "at position 2, 'a' stands where a number is needed"),
        ("n[1-2[3]]", "at position 5, '[' stands where a comma or ']' is needed"),
        ("n[4-1]", "at position 2, '4' begins the range 4-1, which ends below its start"),
        ("n[1-010]", "begins the range 1-010, whose ends have different zeros in front"),
        ("n[00-5]", "begins the range 00-5, whose ends have different zeros in front"),
        ("n[1-1234567890123456]", "begins a number of more than 15 digits"),
        ("n[²]", "at position 2, '²' stands where a number is needed"),
        (",n1", "at position 0, ',' stands where a name is needed"),
        ("n1,", "at position 3, the end stands where a name is needed"),
        ("n1,,n2", "at position 3, ',' stands where a name is needed"),
        ("n1 n2", "at position 2, ' ' stands where a comma or the end is needed"),
        ("n[1 - 2]", "at position 3, ' ' stands where a comma or ']' is needed"),
    ],
)
def test_other_texts_are_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError) as error:
        expand_hostlist(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text", ["n[1-999999999]", "[1-99999][1-99999]", "n[0-9999999],a", "[1-999999999999999]" * 3000]
)
def test_too_many_names_are_counted_and_not_made(text: str) -> None:
    began = time.process_time()
    with pytest.raises(InvalidInstanceError, match="10,000,000 are the most there can be"):
        expand_hostlist(text)
    assert time.process_time() - began < 5


@given(HOSTS)
def test_every_text_is_a_hostlist_or_refused(text: str) -> None:
    try:
        names = expand_hostlist(text)
    except InvalidInstanceError:
        return
    assert expand_hostlist(compress_hostlist(names)) == names


@given(st.lists(NAMES, max_size=30))
def test_compressed_names_are_the_same_names_in_the_same_order(names: list[str]) -> None:
    assert expand_hostlist(compress_hostlist(names)) == tuple(names)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["n1"], "n1"),
        (["n1", "n2", "n3", "n7", "n10"], "n[1-3,7,10]"),
        (["n08", "n09", "n10"], "n[08-10]"),
        (["n9", "n10", "n11"], "n[9-11]"),
        (["n9", "n010"], "n[9,010]"),
        (["n3", "n1"], "n[3,1]"),
        ([f"rack{rack}n{node:02}" for rack in (1, 2) for node in range(1, 17)], "rack[1-2]n[01-16]"),
        (["rack1n1", "rack1n2", "rack2n1"], "rack1n[1-2],rack2n1"),
        (["n1-ib", "n2-ib", "login"], "n[1-2]-ib,login"),
        (["a" + "1" * 16, "a" + "1" * 15 + "2"], f"a{'1' * 16},a{'1' * 15}2"),  # longer than brackets take
    ],
)
def test_neighbours_share_brackets(names: list[str], text: str) -> None:
    assert compress_hostlist(names) == text


@pytest.mark.parametrize("name", ["", "n 1", "n,1", "n[1]", "n\t1", "n\u00a01"])
def test_names_that_no_hostlist_can_hold_are_refused(name: str) -> None:
    with pytest.raises(InvalidInstanceError, match=r"names\[1\] = .* cannot stand in a hostlist"):
        compress_hostlist(["n1", name])


def test_other_kinds_of_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="names must be an iterable of str, not str"):
        compress_hostlist("n1")
    with pytest.raises(TypeError, match=r"names\[0\] = 1 must be a str"):
        compress_hostlist([1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="hostlist = 1 must be a str"):
        expand_hostlist(1)  # type: ignore[arg-type]
