"""Equal contents are one thing: in comparison, as keys, after pickling, in another process."""

import copy
import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from schedcore import Instance, Jobs, Machines, Schedule
from schedcore.model import content_hash
from strategies import instances

# Worked example 14.1 of the MRIS specification. The digest may change only with the format of the encoding.
EXAMPLE = """
from schedcore import Instance, Jobs, Machines
instance = Instance(
    Jobs([4, 1, 2, 1], [[10, 2], [5, 5], [4, 6], [6, 1]], [0, 1, 1, 2], [1, 3, 2, 1]),
    Machines.identical(1, [10, 10]),
)
"""
EXAMPLE_DIGEST = "6443829d81d3a0d1bb11fdfa14bcc9b7ae32468c6e6da3a05e04a0ac5e308cdd"


def example() -> Instance:
    scope: dict = {}
    exec(EXAMPLE, scope)
    return scope["instance"]


def test_the_hash_of_the_worked_example_is_pinned() -> None:
    assert example().content_hash() == EXAMPLE_DIGEST


def test_the_hash_is_the_same_in_another_process() -> None:
    command = [sys.executable, "-c", EXAMPLE + "print(instance.content_hash())"]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "5"})
    assert run.stdout.strip() == EXAMPLE_DIGEST


@given(instances(identical_machines=False, integer_times=False))
def test_pickling_keeps_everything(instance: Instance) -> None:
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        restored = pickle.loads(pickle.dumps(instance, protocol))
        assert restored == instance
        assert hash(restored) == hash(instance)
        assert restored.content_hash() == instance.content_hash()
        assert not restored.jobs.demand.flags.writeable
        assert restored.jobs.estimated_processing_time is restored.jobs.processing_time


@given(instances(min_jobs=1))
def test_every_column_counts_in_comparison(instance: Instance) -> None:
    jobs = instance.jobs
    changes = [
        {"processing_time": jobs.processing_time + 1},
        {"release_time": jobs.release_time + 1},
        {"weight": jobs.weight + 1},
        {"demand": np.where(jobs.demand == 0, 1, 0)},
        {"id": jobs.id + 1},
        {"estimated_processing_time": jobs.processing_time},
    ]
    digests = {jobs.content_hash(), *(jobs.replace(**change).content_hash() for change in changes)}
    assert len(digests) == len(changes) + 1
    assert all(jobs != jobs.replace(**change) for change in changes)


def test_capacities_and_names_count_in_comparison() -> None:
    assert Machines([[1, 2]]) != Machines([[2, 1]])
    assert Machines([[1, 2]]) != Machines([[1], [2]])
    assert Machines([[1, 2]]) != Machines([[1, 2]], ["cpu", "memory"])


def test_objects_of_different_kinds_are_different() -> None:
    assert Machines([[1]]) != Jobs([1], [[1]])
    assert Machines([[1]]) != [[1]]
    assert len({example(), example(), example().jobs}) == 2


def test_copies_are_the_object_itself() -> None:
    schedule = Schedule([0], [0])
    assert copy.copy(schedule) is schedule
    assert copy.deepcopy(schedule) is schedule


def test_the_encoding_tells_values_apart() -> None:
    values: list[object] = [
        None, True, 1, 1.0, "1", b"1", Fraction(1, 3), [1], [[1]], [1, 1], {"1": 1}, np.array([1]),
        np.array([1.0]), np.array([[1]]), np.array([1], dtype=np.int8), len, "ab", ["a", "b"], {}, [], "",
        -0.0, 0.0,
    ]  # fmt: skip
    assert len({content_hash("value", {"x": value}) for value in values}) == len(values)
    assert content_hash("value", {"x": 1}) != content_hash("other", {"x": 1})


def test_the_encoding_ignores_what_does_not_matter() -> None:
    assert content_hash("v", {"a": 1, "b": 2}) == content_hash("v", {"b": 2, "a": 1})
    assert content_hash("v", {"a": (1, 2)}) == content_hash("v", {"a": [1, 2]})
    assert content_hash("v", {"a": np.int64(1)}) == content_hash("v", {"a": 1})
    swapped = np.array([1, 2], dtype=np.dtype(np.int64).newbyteorder())
    assert content_hash("v", {"a": swapped}) == content_hash("v", {"a": np.array([1, 2])})
    assert content_hash("v", {"a": np.array([1, 2, 3, 4])[::2]}) == content_hash("v", {"a": np.array([1, 3])})


def test_what_has_no_content_hash_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="object has no content hash"):
        content_hash("v", {"a": object()})
