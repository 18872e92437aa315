"""Outages are rows of a machine, a start and an end, which may be infinite; instances carry them."""

import math
import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster_strategies import outages
from round_trips import check_round_trips
from schedcore import Instance, InvalidInstanceError, Jobs, Machines, Outages

SOME = Outages([1, 0, 1], [0, 2.5, 7], [3, math.inf, 8])


def instance(known: Outages | None = SOME) -> Instance:
    return Instance(Jobs([4, 1], [[1], [2]]), Machines.identical(2, [4]), known)


def test_columns_are_read_back() -> None:
    assert SOME.machine.tolist() == [1, 0, 1]
    assert SOME.start_time.tolist() == [0.0, 2.5, 7.0]
    assert SOME.end_time.tolist() == [3.0, math.inf, 8.0]
    assert len(SOME) == 3
    assert not SOME.end_time.flags.writeable
    assert repr(SOME) == "Outages(3 outages of 2 machines, 0..inf)"
    assert repr(Outages([], [], [])) == "Outages(0 outages)"


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        (([0, -1], [0, 0], [1, 1]), InvalidInstanceError, r"machine\[1\] = -1 \(outage 1\) must be at least 0"),
        (([0, 0], [0, -1], [1, 1]), InvalidInstanceError, r"start_time\[1\] = -1.0 \(outage 1\) must be finite"),
        (([0, 0], [0, math.inf], [1, math.inf]), InvalidInstanceError, r"start_time\[1\] = inf \(outage 1\)"),
        (([0, 0], [0, math.nan], [1, 2]), InvalidInstanceError, r"start_time\[1\] = nan"),
        (
            ([0, 0], [0, 3], [1, 3]),
            InvalidInstanceError,
            r"end_time\[1\] = 3.0 \(outage 1\) must be above its start_time 3.0; it may be infinite",
        ),
        (([0, 0], [0, 3], [1, 2]), InvalidInstanceError, r"end_time\[1\] = 2.0 \(outage 1\) must be above"),
        (([0, 0], [0, 3], [1, math.nan]), InvalidInstanceError, r"end_time\[1\] = nan"),
        (([0, 0], [0], [1, 2]), InvalidInstanceError, "start_time has 1 entries for 2 outages"),
        (([0, 0], [0, 1], [1]), InvalidInstanceError, "end_time has 1 entries for 2 outages"),
        (([0.5], [0], [1]), TypeError, r"machine must hold integers.*machine\[0\] = 0.5 \(outage 0\)"),
        ((["a"], [0], [1]), TypeError, "machine must hold integers"),
        (([0], ["now"], [1]), TypeError, "start_time must hold integers or floats"),
        (([0], [None], [1]), TypeError, "start_time must hold"),
    ],
)  # fmt: skip
def test_bad_outages_are_refused_by_name(columns: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Outages(*columns)


@given(outages(4))
def test_they_survive_pickles_and_tables(known: Outages) -> None:
    check_round_trips(known)
    assert Outages.from_json(known.as_json()) == known


def test_parquet_keeps_infinity(tmp_path: Path) -> None:
    SOME.to_parquet(tmp_path / "outages.parquet")
    assert Outages.from_parquet(tmp_path / "outages.parquet") == SOME
    instance().to_parquet(tmp_path / "instance.parquet")
    assert Instance.from_parquet(tmp_path / "instance.parquet") == instance()


def test_a_table_has_the_three_columns() -> None:
    table = SOME.to_arrow()
    with pytest.raises(InvalidInstanceError, match="a table of outages has the columns"):
        Outages.from_arrow(table.drop_columns(["machine"]))


@given(outages(3))
def test_united_outages_cover_the_same_times_and_neither_overlap_nor_touch(known: Outages) -> None:
    united = known.united()
    rows = list(
        zip(united.machine.tolist(), united.start_time.tolist(), united.end_time.tolist(), strict=True)
    )
    assert rows == sorted(rows)
    for (machine, _, end), (following, start, _) in pairwise(rows):
        assert machine < following or end < start

    def covered(some: Outages, machine: int, time: float) -> bool:
        return bool(((some.machine == machine) & (some.start_time <= time) & (time < some.end_time)).any())

    for machine in range(3):
        for half in range(40):
            assert covered(known, machine, half / 2) == covered(united, machine, half / 2)
        assert covered(known, machine, 1e9) == covered(united, machine, 1e9)
    assert united.united() == united


def test_an_outage_within_another_ends_nothing() -> None:
    united = Outages([0, 0, 0, 1], [0, 1, 4, 2], [10, 2, 5, 3]).united()
    assert united == Outages([0, 1], [0, 2], [10, 3])
    assert Outages([0, 0], [0, 3], [3, 4]).united() == Outages([0], [0], [4])


def test_instances_keep_them() -> None:
    made = instance()
    assert made.outages is SOME
    assert made.replace(weight=2).outages is SOME
    assert made.take_jobs([1]).outages is SOME
    assert made.replace(outages=None) == instance(None)
    assert instance(None).replace(outages=SOME) == made
    assert made != instance(None)
    assert made.content_hash() != instance(None).content_hash()
    assert repr(made).endswith(", Outages(3 outages of 2 machines, 0..inf))")


def test_no_outages_are_none() -> None:
    empty, plain = (
        instance(Outages([], [], [])),
        Instance(Jobs([4, 1], [[1], [2]]), Machines.identical(2, [4])),
    )
    assert empty.outages is None
    assert empty == plain
    assert pickle.dumps(empty) == pickle.dumps(plain)
    assert empty.content_hash() == plain.content_hash()
    assert empty.to_arrow().schema.metadata == plain.to_arrow().schema.metadata


def test_an_outage_of_a_machine_that_there_is_not_is_refused() -> None:
    with pytest.raises(
        InvalidInstanceError, match=r"machine\[1\] = 2 \(outage 1\) must be at least 0 and below 2"
    ):
        instance(Outages([0, 2], [0, 0], [1, 1]))
    with pytest.raises(InvalidInstanceError, match="below 1"):
        instance().replace(machines=Machines([[4]]))
    with pytest.raises(TypeError, match="outages must be an Outages, not list"):
        instance([(0, 1, 2)])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "outages_text",
    ["3", "[]", '{"machine": [0]}', '{"machine": [0.5], "start_time": [0], "end_time": [1]}',
     '{"machine": [0], "start_time": [1], "end_time": [1]}', '{"machine": 0, "start_time": 0, "end_time": 1}'],
)  # fmt: skip
def test_broken_metadata_is_refused(outages_text: str) -> None:
    table = instance(None).to_arrow()
    metadata = table.schema.metadata[b"schedcore"][:-1] + f', "outages": {outages_text}}}'.encode()
    with pytest.raises(InvalidInstanceError, match="outages"):
        Instance.from_arrow(table.replace_schema_metadata({b"schedcore": metadata}))


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1e6), st.floats(1e-3, 1e6)), max_size=5))
def test_times_survive_json_to_the_last_bit(rows: list[tuple[int, float, float]]) -> None:
    known = Outages([row[0] for row in rows], [row[1] for row in rows], [row[1] + row[2] for row in rows])
    assert Outages.from_json(known.as_json()) == known
