"""The stand-in for jobs of map and reduce tasks has the distributions it promises, and varies only what it must."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_shares import examples
from schedcore import InvalidInstanceError, MapReduceInstance
from schedcore.workloads import generate_from_text, load, mapreduce_standin, offered_load

COLUMNS = ("map_tasks", "map_cores", "map_time", "reduce_tasks", "reduce_cores", "reduce_time")


@pytest.fixture(scope="module")
def thin() -> MapReduceInstance:
    return mapreduce_standin(100_000, 1)


@pytest.fixture(scope="module")
def bushy() -> MapReduceInstance:
    return mapreduce_standin(100_000, 1, family="bushy")


def shares(column: np.ndarray, *values: float) -> list[float]:
    return [float(np.mean(column == value)) for value in values]


def test_thin_jobs_have_as_many_map_tasks_as_such_jobs_have_cores(thin: MapReduceInstance) -> None:
    is_long = thin.map_time >= 500  # of short and medium jobs none in a million
    assert is_long.mean() == pytest.approx(0.01 * np.log(1700 / 499.5) / np.log(1700 / 130), rel=0.2)
    assert shares(thin.map_tasks[is_long], 1, 2) == pytest.approx([0.8, 0.2], abs=0.05)
    # 0.69 of the short and 0.30 of the medium distribution, 0.01 of that of long jobs.
    expected = [
        0.69 * 0.15 + 0.3 * 0.1 + 0.008,
        0.69 * 0.2 + 0.3 * 0.2 + 0.002,
        0.297,
        0.69 * 0.2 + 0.3 * 0.25,
        0.1485,
    ]
    assert shares(thin.map_tasks, 1, 2, 4, 8, 16) == pytest.approx(expected, abs=0.005)
    assert (thin.map_cores == 1).all()


def test_thin_times_follow_their_classes(thin: MapReduceInstance) -> None:
    # P(short time <= 2) = P(3 exp(0.8 z) < 2.5) = 0.4099; of medium times 0.0015, of long ones none.
    assert np.mean(thin.map_time <= 2) == pytest.approx(0.69 * 0.4099 + 0.3 * 0.0015, abs=0.005)
    assert thin.map_time.max() <= 1700
    with_reduce = thin.reduce_tasks > 0
    ratio = thin.reduce_time[with_reduce] / thin.map_time[with_reduce]
    large = thin.map_time[with_reduce] >= 100
    quarter = np.abs(ratio[large] - 0.25) < 0.01
    assert np.mean(quarter) == pytest.approx(0.5, abs=0.05)
    assert (quarter | (np.abs(ratio[large] - 0.5) < 0.01)).all()


def test_bushy_jobs_have_many_short_tasks(bushy: MapReduceInstance) -> None:
    assert bushy.map_tasks.max() == 40
    for column, median in ((bushy.map_tasks, 4), (bushy.map_time, 5)):
        below = np.mean(column < median)
        assert below < 0.5 < below + np.mean(column == median)
    times = bushy.reduce_time[bushy.reduce_tasks > 0]
    assert np.median(times) == 6
    assert np.quantile(bushy.map_time, 0.8413) == pytest.approx(5 * np.e, abs=0.6)
    assert shares(bushy.map_cores, 1, 2, 3, 4) == pytest.approx([0.25] * 4, abs=0.01)


@pytest.mark.parametrize("family", ["thin", "bushy"])
def test_reduce_tasks_are_none_one_a_quarter_or_half_of_the_map_tasks(family: str) -> None:
    inst = mapreduce_standin(100_000, 2, family=family)  # type: ignore[arg-type]
    many = inst.map_tasks == 8
    assert shares(inst.reduce_tasks[many], 0, 1, 2, 4) == pytest.approx([0.25] * 4, abs=0.02)
    assert (inst.reduce_tasks <= np.maximum(inst.map_tasks // 2, 1)).all()
    without = inst.reduce_tasks == 0
    assert not inst.reduce_cores[without].any()
    assert not inst.reduce_time[without].any()


@given(seed=st.integers(0, 2**64 - 1), family=st.sampled_from(["thin", "bushy"]), n_jobs=st.integers(0, 60))
@examples(30)
def test_every_job_could_be_done_within_the_window(seed: int, family: str, n_jobs: int) -> None:
    window = 3600 if family == "thin" else 1200
    inst = mapreduce_standin(n_jobs, seed, family=family)  # type: ignore[arg-type]
    assert inst.n_jobs == n_jobs
    assert (np.diff(inst.release_time) >= 0).all()
    assert (inst.release_time + inst.processing_time <= window).all()


@pytest.mark.parametrize(("family", "window"), [("thin", 3600), ("bushy", 1200)])
@pytest.mark.parametrize("share", [0.5, 0.8, 1.2])
def test_the_servers_carry_the_load_that_was_asked_for(family: str, window: int, share: float) -> None:
    inst = mapreduce_standin(2500, 3, family=family, load=share)  # type: ignore[arg-type]
    cores = int(inst.machines.capacity.sum())
    assert (inst.machines.capacity == 8).all()
    volume = int(inst.volume.sum())
    assert abs(volume / (window * share) - cores) <= 4
    assert offered_load(inst)[0] == pytest.approx(volume / (window * cores), rel=0.02)
    other = mapreduce_standin(2500, 3, family=family, load=0.9)  # type: ignore[arg-type]
    assert all((getattr(inst, name) == getattr(other, name)).all() for name in (*COLUMNS, "release_time"))


def test_a_window_too_short_for_a_job_releases_it_at_0() -> None:
    inst = mapreduce_standin(500, 1, window=1)
    assert (inst.map_time == 1).all()
    assert not inst.release_time.any()
    assert mapreduce_standin(0, 1).n_tasks == 0


def test_the_same_seed_gives_the_same_bits_on_every_platform() -> None:
    assert (
        mapreduce_standin(50, 7).content_hash()
        == "3e14f5e30c3869b36dc7d5ac6a5378dcb1497d5c586a5302b46b39b8c709c82d"
    )
    assert mapreduce_standin(50, 7, family="bushy", load=0.9, window=300).content_hash() == (
        "039fc549e58cf42bce7588cbc24dfee9f29f0497a75cd16db0ab2c783c7e1619"
    )


def test_a_text_says_family_load_and_window_and_machines_can_be_chosen() -> None:
    text = "mapreduce_standin:n_jobs=9,seed=2,family=bushy,load=0.5,window=none"
    assert generate_from_text(text) == mapreduce_standin(9, 2, family="bushy", load=0.5)
    inst, report = load(text, machines="2x5+3x8")
    assert inst.machines.capacity[:, 0].tolist() == [5, 5, 8, 8, 8]  # type: ignore[union-attr]
    assert report.units == {"time": "slot"}
    assert report.capacity == {"cores": 34}


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ({"family": "thick"}, "unknown family 'thick'"),
        ({"load": 0}, "load = 0 must be finite and above 0"),
        ({"load": 1e-300}, "the load needs .* cores"),
        ({"window": 0}, "window = 0 must be at least 1"),
        ({"seed": -1}, "seed = -1"),
        ({"n_jobs": -1}, "n_jobs = -1"),
    ],
)
def test_an_argument_out_of_range_is_named(argument: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidInstanceError, match=words):
        mapreduce_standin(**{"n_jobs": 9, "seed": 1, **argument})  # type: ignore[arg-type]


def test_the_load_that_was_reached_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="schedcore"):
        inst = mapreduce_standin(20, 1, window=200)
    (record,) = caplog.records
    load = inst.volume.sum() / 200 / inst.machines.capacity.sum()
    assert record.getMessage().endswith(
        f"servers of {inst.machines.capacity.sum()} cores have a load of {load:.4f}"
    )
    assert record.levelname == "WARNING"
    assert abs(load / 0.8 - 1) > 0.01
