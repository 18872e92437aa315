"""Words of Slurm mean what its manuals say, in every form that its versions write; others are refused and quoted."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import InvalidInstanceError
from schedcore.slurm.array_tasks import array_tasks
from schedcore.slurm.dependencies import Dependency, read_dependencies
from schedcore.slurm.feature_requests import constraint_of_features
from schedcore.slurm.values import clock_zone, count, gres_amounts, instant, megabytes, seconds, tres_amounts


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("90", 5400),
        ("1:30", 90),
        ("1:30:00", 5400),
        ("2-12", 216_000),
        ("2-12:30", 217_800),
        ("1-00:00:01", 86_401),
        ("UNLIMITED", math.inf),
        ("INFINITE", math.inf),
        ("-1", math.inf),
        ("NONE", None),
        ("N/A", None),
        ("Partition_Limit", None),
        ("", None),
    ],
)
def test_limits_of_time_count_minutes_unless_a_clock_says_otherwise(text: str, meant: float | None) -> None:
    assert seconds(text) == meant


@given(st.integers(0, 10_000), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_a_clock_with_days_is_their_sum(days: int, hours: int, minutes: int, rest: int) -> None:
    assert (
        seconds(f"{days}-{hours:02}:{minutes:02}:{rest:02}")
        == ((days * 24 + hours) * 60 + minutes) * 60 + rest
    )


@pytest.mark.parametrize("text", ["soon", "1:2:3:4:5", "1h", "1--2", "-5"])
def test_no_other_limit_of_time_is_read(text: str) -> None:
    with pytest.raises(InvalidInstanceError, match=f"'{text}' is no time of Slurm"):
        seconds(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("4000", 4000),
        ("4000M", 4000),
        ("62.50G", 64_000),
        ("1T", 2**20),
        ("512K", 0.5),
        ("2GB", 2048),
        ("N/A", None),
        ("UNLIMITED", math.inf),
        ("0", 0),
    ],
)
def test_memory_counts_mb_unless_a_unit_says_otherwise(text: str, meant: float | None) -> None:
    assert megabytes(text) == meant


@pytest.mark.parametrize("text", ["lots", "4X", "-4", "4 G"])
def test_no_other_memory_is_read(text: str) -> None:
    with pytest.raises(InvalidInstanceError, match="is no amount of memory"):
        megabytes(text)


def test_trackable_resources_count_memory_in_mb_and_leave_out_what_has_no_limit() -> None:
    text = "cpu=8,mem=1.5G,node=1,billing=8,gres/gpu:a100=2,energy=12345678901,license/x=-1"
    assert tres_amounts(text) == {"cpu": 8, "mem": 1536, "node": 1, "billing": 8, "gres/gpu:a100": 2}
    with pytest.raises(InvalidInstanceError, match="'cpu' of 'cpu' is not RESOURCE=AMOUNT"):
        tres_amounts("cpu")


def test_generic_resources_are_read_in_every_form() -> None:
    assert gres_amounts("gpu:a100:4(S:0-1),shard:8") == {("gpu", "a100"): 4, ("shard", ""): 8}
    assert gres_amounts("gres/gpu:a100=2,gres/gpu:v100=1") == {("gpu", "a100"): 2, ("gpu", "v100"): 1}
    assert (
        gres_amounts("gres:gpu:2") == gres_amounts("gres/gpu:2") == gres_amounts("gpu:2") == {("gpu", ""): 2}
    )
    assert gres_amounts("gpu") == {("gpu", ""): 1}
    assert gres_amounts("gpu:tesla") == {("gpu", "tesla"): 1}
    assert gres_amounts("gpu:2,gpu:1") == {("gpu", ""): 3}
    assert gres_amounts("(null)") == {}
    with pytest.raises(InvalidInstanceError, match="is not NAME:TYPE:NUMBER"):
        gres_amounts("gpu:a:b:c")


def test_counts_may_have_a_unit_and_may_say_nothing() -> None:
    assert [count(text) for text in ("12", "2K", "UNLIMITED", "(null)", "*")] == [12, 2048, None, None, None]
    with pytest.raises(InvalidInstanceError, match=r"'1\.5' is no whole number"):
        count("1.5")


def test_dates_are_on_the_clock_of_the_cluster() -> None:
    berlin = clock_zone("Europe/Berlin")
    assert instant("1970-01-01T01:00:10", berlin) == 10
    assert instant("1970-01-01T00:00:10Z", berlin) == 10
    assert instant("1795876710", berlin) == 1_795_876_710
    assert instant("Unknown", berlin) is None
    # An hour is missing in the night to 2026-03-29: 12 h on the clock are 11 h.
    assert instant("2026-03-29T06:00:00", berlin) - instant("2026-03-28T18:00:00", berlin) == 11 * 3600  # type: ignore[operator]
    with pytest.raises(InvalidInstanceError, match="'yesterday' is no date"):
        instant("yesterday", berlin)
    with pytest.raises(InvalidInstanceError, match="'Mars/Base' is not known"):
        clock_zone("Mars/Base")


def test_tasks_of_arrays_with_steps_and_throttles() -> None:
    assert array_tasks("0-5%2") == ((0, 1, 2, 3, 4, 5), 2)
    assert array_tasks("[1,3-9:3,20]") == ((1, 3, 6, 9, 20), None)
    assert array_tasks("7") == ((7,), None)
    assert array_tasks("0-3%0") == ((0, 1, 2, 3), None)


@given(st.sets(st.integers(0, 300), min_size=1))
def test_written_tasks_are_read_again(tasks: set[int]) -> None:
    assert array_tasks(",".join(map(str, sorted(tasks)))) == (tuple(sorted(tasks)), None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-5,...", "cut short"),
        ("5-0", "no range"),
        ("0-5:0", "no range"),
        ("a", "no list"),
        ("0-5%x", "no number"),
        ("0-999999999", "no range"),
    ],
)
def test_no_other_list_of_tasks_is_read(text: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        array_tasks(text)


def test_dependencies_of_every_kind() -> None:
    text = (
        "afterok:12(unfulfilled),afterany:13_4(unfulfilled),afternotok:14_*(unfulfilled),afterok:9(fulfilled)"
    )
    assert read_dependencies(text) == (
        Dependency("afterok", 12),
        Dependency("afterany", 13, 4),
        Dependency("afternotok", 14),
    )
    assert read_dependencies("afterok:1:2,singleton(unfulfilled)") == (
        Dependency("afterok", 1),
        Dependency("afterok", 2),
        Dependency("singleton", None),
    )
    assert read_dependencies("after:5+10(unfulfilled)") == (Dependency("after", 5),)
    assert read_dependencies("afterok:1?afterok:2")[1] == Dependency("afterok", 2, any_of=True)
    assert read_dependencies("") == ()


@pytest.mark.parametrize("text", ["afterall:3", "afterok", "3", "afterok:x"])
def test_no_other_dependency_is_read(text: str) -> None:
    with pytest.raises(InvalidInstanceError, match=f"'{text}'"):
        read_dependencies(text)


@pytest.mark.parametrize(
    ("asked", "constraint", "why"),
    [
        ("thin&ssd", "thin&ssd", ""),
        ("thin|ssd", "thin|ssd", ""),
        ("(a|b)&c", "(a|b)&c", ""),
        ("gpu,ssd", "gpu&ssd", ""),
        ("[rack1|rack2]", "(rack1|rack2)", "all nodes have the same"),
        ("fast*2&slow*4", "fast|slow", "numbers of nodes"),
        ("a&&b", "", "not known"),
    ],
)
def test_features_become_constraints_and_say_what_is_lost(asked: str, constraint: str, why: str) -> None:
    got, said = constraint_of_features(asked)
    assert got == constraint
    assert why in said
    assert bool(said) == bool(why)
