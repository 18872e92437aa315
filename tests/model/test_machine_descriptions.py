"""Names, labels and weights of machines: checked, stored where they say something, and carried everywhere."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster_strategies import machine_descriptions
from schedcore import Instance, InvalidInstanceError, Jobs, Machines
from schedcore.model.machine_descriptions import label_sets


def described(**changes: Any) -> Machines:
    arguments: dict[str, Any] = {
        "names": ["a", "b", "c"],
        "labels": [["gpu", "rack=1"], [], ("gpu", "gpu")],
        "weight": [1, 0, -1],
    }
    return Machines([[4], [8], [4]], **{**arguments, **changes})


def test_descriptions_are_read_back() -> None:
    machines = described()
    assert machines.names == ("a", "b", "c")
    assert machines.labels == (frozenset({"gpu", "rack=1"}), frozenset(), frozenset({"gpu"}))
    assert machines.weight.tolist() == [1, 0, -1]
    assert (machines.weight.dtype, machines.weight.flags.writeable) == (np.int64, False)
    assert (machines.has_names, machines.has_labels, machines.has_weights) == (True, True, True)
    assert machines.machine_name(1) == "b"
    assert repr(machines) == "Machines(3, resource_0: 4..8; with names, labels, weight)"


def test_machines_are_preferred_by_weight_and_then_by_index() -> None:
    assert described().preference.tolist() == [2, 1, 0]
    assert Machines.identical(4, [1], weight=[1, 0, 1, 0]).preference.tolist() == [1, 3, 0, 2]
    assert Machines.identical(3, [1]).preference.tolist() == [0, 1, 2]
    assert Machines.identical(3, [1]).preference.dtype == np.int64


def test_machines_that_are_told_nothing_have_defaults() -> None:
    machines = Machines.identical(3, [4])
    assert machines.names == ("machine_0", "machine_1", "machine_2")
    assert machines.machine_name(2) == "machine_2"
    assert machines.labels == (frozenset(),) * 3
    assert machines.weight.tolist() == [0, 0, 0]
    assert (machines.has_names, machines.has_labels, machines.has_weights) == (False, False, False)


def test_defaults_that_are_written_out_are_none() -> None:
    plain = Machines.identical(2, [4])
    same = Machines.identical(2, [4], names=["machine_0", "machine_1"], labels=[[], ()], weight=[0, 0])
    assert same == plain
    assert same.content_hash() == plain.content_hash()
    assert pickle.dumps(same) == pickle.dumps(plain)
    assert repr(same) == repr(plain)
    assert same.as_json() == plain.as_json()


def test_many_machines_have_no_names_until_somebody_asks() -> None:
    machines = Machines.identical(1_000_000, [1])
    assert machines._names is None
    assert machines.machine_name(999_999) == "machine_999999"


def test_identical_machines_take_descriptions_too() -> None:
    arguments: dict[str, Any] = {"names": ["x", "y"], "labels": [["l"], ["l"]], "weight": [3, 3]}
    assert Machines.identical(2, [4], ["cpu"], **arguments) == Machines([[4], [4]], ["cpu"], **arguments)


@pytest.mark.parametrize("name", ["names", "labels", "weight"])
def test_every_description_counts_in_comparison(name: str) -> None:
    other = described(**{name: None})
    assert other != described()
    assert other.content_hash() != described().content_hash()


def test_replace_keeps_what_it_is_not_told() -> None:
    machines = described()
    assert machines.replace() == machines
    assert machines.replace(names=None, labels=None, weight=None) == Machines([[4], [8], [4]])
    assert machines.replace(capacity=[[1], [1], [1]]).names == ("a", "b", "c")
    with pytest.raises(InvalidInstanceError, match="names has 3 entries for 2 machines"):
        machines.replace(capacity=[[1], [1]])


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"names": ["a", "b"]}, InvalidInstanceError, "names has 2 entries for 3 machines"),
        ({"names": ["a", "", "c"]}, InvalidInstanceError, r"names\[1\] is empty"),
        ({"names": ["a", "b", "a"]}, InvalidInstanceError, r"names\[2\] = 'a' repeats names\[0\]"),
        ({"names": ["a", "\ud800", "c"]}, InvalidInstanceError, r"names\[1\] holds .* which is no Unicode text"),
        ({"names": ["a", 1, "c"]}, TypeError, r"names\[1\] = 1 must be a str"),
        ({"names": {"a", "b", "c"}}, TypeError, "names must be a sequence of str, not set"),
        ({"names": 3}, TypeError, "names must be a sequence"),
        ({"names": "abc"}, InvalidInstanceError, "names has 1 entries for 3 machines"),
        ({"labels": [["a"], []]}, InvalidInstanceError, "labels has 2 entries for 3 machines"),
        ({"labels": ["a", "b", "c"]}, TypeError, r"labels\[0\] = 'a' is one text; .*\['a'\]"),
        ({"labels": "abc"}, TypeError, "labels must be a sequence of the labels"),
        ({"labels": 3}, TypeError, "labels must be a sequence of the labels"),
        ({"labels": [["a"], 3, []]}, TypeError, r"labels\[1\] = 3 must be an iterable of labels"),
        ({"labels": [["a"], None, []]}, TypeError, r"labels\[1\] = None must be an iterable"),
        ({"labels": [["a"], [1], []]}, TypeError, r"labels\[1\] holds 1; labels are texts"),
        ({"labels": [["a"], ["b c"], []]}, InvalidInstanceError, r"labels\[1\] holds 'b c'; a label is"),
        ({"labels": [["a"], [""], []]}, InvalidInstanceError, r"labels\[1\] holds ''"),
        ({"labels": [["a"], ["a\n"], []]}, InvalidInstanceError, r"labels\[1\] holds 'a\\n'"),
        ({"labels": [["a"], ["ü"], []]}, InvalidInstanceError, r"labels\[1\] holds 'ü'"),
        ({"labels": [["a"], ["a|b"], []]}, InvalidInstanceError, r"labels\[1\] holds 'a|b'"),
        ({"weight": [1, 2]}, InvalidInstanceError, "weight has 2 entries for 3 machines"),
        ({"weight": [1, 2.5, 3]}, TypeError, r"weight must hold integers.*weight\[1\] = 2.5 \(machine 1\)"),
        ({"weight": [1, 2**63, 3]}, InvalidInstanceError, r"weight\[1\] = .* \(machine 1\) does not fit into int64"),
        ({"weight": [True, False, True]}, InvalidInstanceError, "weight holds booleans"),
    ],
)  # fmt: skip
def test_bad_descriptions_are_refused_by_name(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        described(**changes)


@given(st.integers(1, 5).flatmap(lambda n: st.tuples(st.just(n), machine_descriptions(n))))
def test_descriptions_survive_pickles_and_json(case: tuple[int, dict[str, Any]]) -> None:
    n_machines, descriptions = case
    machines = Machines.identical(n_machines, [4, 2], ["cpu", "gpu"], **descriptions)
    for restored in (
        pickle.loads(pickle.dumps(machines)),
        Machines.from_json(machines.as_json()),
        machines.replace(),
    ):
        assert restored == machines
        assert restored.content_hash() == machines.content_hash()
        assert restored.labels == machines.labels


def test_tables_of_instances_carry_them(tmp_path: Path) -> None:
    instance = Instance(Jobs([1], [[1]]), described())
    instance.to_parquet(tmp_path / "instance.parquet")
    assert Instance.from_parquet(tmp_path / "instance.parquet") == instance


def test_machines_share_few_sets_of_labels() -> None:
    sets = label_sets([["a", "b"], ["b", "a"], [], ["a"]] * 1000, 4000)
    assert sets.distinct == (frozenset("ab"), frozenset(), frozenset("a"))
    assert sets.codes is not None
    assert sets.codes[:4].tolist() == [0, 0, 1, 2]
