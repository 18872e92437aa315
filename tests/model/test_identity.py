"""Equal contents are one thing: in comparison, as keys, after pickling, in another process."""

import base64
import copy
import pickle
import subprocess
import sys
import zlib
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

# Pickles of builds that knew no columns of a cluster, compressed, with the digests of then.
OLD_PICKLES = [
    (
        "c-n<iJx}965Oth{SSL6ravwB^qoN`86-Y#)I;=}^J+d~tOLk9L+uB_Vr9h%d4y5feSHM5He|04tjMs4#g&?MwxAxAwH=Y^aw*Fo="
        "18*)G7IJK5YQS|y+!AXw%)xy%RB%Q!&3h_ieB8qbOH#_gML+5z#zl$d#$p)E;1}G$v1|R#h6Y6Fy6Y7F!nH0+n1k4=Gj?;GQErS("
        "M~RgRB|fKx$|t>~N-nTIqBWU-+eSH>p}sDtE%n<z5^GOc6*7l7n8JBu2!D|NIBvw@6vQXjW_FVMlEbU-aDP|bHeKTs27|%HGn#jC"
        "U}1QFzE`zpuV3NQ8Q^QT#ke9V1JM;<N*S@g6p6zbhyxeO6>@R3iTdzE#TkSPY_Fl0+SYu`iQ!d8HVERww`H9{@c2;LzeSzbT#kf&"
        "H|_sfg;C$9?c*q=B9^mceI)NOb^A4XrX4{{QnMMj!@jULI8KnGv-pVSY6m(chh&&tOflX?icld_?w9M;el9Ov^s_#$E?GoLPN=k#"
        "H-~q!GMXB@n?~~yS3WB=<w;6Zso11>fnITie}OO7yWR`X%qQd",
        "f67cf292ff70aecd43f8b6dc981eaa11ade82b292e408e7153bbb4ef61d19b60",
    ),
    (
        "c-n<jOK;Oa5KhuKankaV+Cnd=aO$NI+&CaLQVxh(<WMf$tc^X5xA?_A66JuzC51?P%knGubNvS}>qlyWOMUQ+J&*76H?#iM{`t#l"
        "WS6ohl7@oDT&wOB1QCMiwN{7R3&8gh27@T^AsjH^G89^ME^-HRY!_b&Owrf+LVwjK%Fe1}2s&t~XWK0{L1lj|-L(!nWp$qm!h|bm"
        "geixyjMBxx&Fc}762{0vt35>Zl9&r7y^MyHWg`99&r{agX)N`qInm#-^NG`R+DjcAD9aa%)Ih4%<r}^Fkw<q_^Q|6_$LGKC%5F|W"
        "=*eny-1zIdIV+rDX*H&)ZbZC*#`wki!Bc}9992=Ds}`+b1uy@L)V#wQB)P;Es+UZzz!P+a5*?5kFfs)*h7=WnLON?kLJ9iauvN_1"
        "LSY5ZH15C*V)PwLb?4+W$Q1pCRK2MrjKl&!kJWCN%z?R+M8-b0DM+Xu38x98B8aqV1K~#VBo!2)v)(-pq2ZRqM&V1XcE3oF;QEk?"
        "0NZxvH1?A@dVOS^gfdGVE1M!NL(=F!!HDrqs3>%r(xl)w#9sYkZGy^vU%J)BYF{N2ZYuY;E3<%VpBq!Hc$Bil1I}qY%|)%B?u*Ur"
        "9uMoc<mN2fl8z4%K{0FEIIU|PoUTU0eo<LWtzm81c40ePwz?#0kKqhRxeE8O-rnt7_Brc0&}ks<ZBv%n!`hEO!oLKKhydUHN7hg3"
        "K|r`$W^ld21LNO;cv^E*O0{;XDs)Xx>SMS3)Y!!#<+bax2`c+T=~kD)_DD)RDi$@gTIKkT%kkZ1Ghz?T;!Ea%8<WT&_BStHRUcmC"
        "FEyindmH=#_l(xy",
        "f48099f82f0cae6ac3f87de95c62119c2653fac5b2c697535dea62cb9fa1248f",
    ),
]


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


@pytest.mark.parametrize(("pickled", "digest"), OLD_PICKLES)
def test_old_pickles_are_read_and_written_as_they_were(pickled: str, digest: str) -> None:
    data = zlib.decompress(base64.b85decode(pickled))
    restored = pickle.loads(data)
    assert restored.content_hash() == digest
    assert pickle.loads(pickle.dumps(restored, 4)) == restored


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
