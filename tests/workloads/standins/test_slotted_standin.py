"""The slotted stand-in has the distributions that it promises, and servers that make the load that is asked for."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_shares import examples
from schedcore import Instance, InvalidInstanceError
from schedcore.workloads import generate_from_text, slotted_standin
from schedcore.workloads.models.slotted_machines import slotted_machines

FAMILIES = ("thin", "mixed", "heavy")
SHARES = {"thin": (0.69, 0.30, 0.01), "mixed": (0.78, 0.20, 0.02), "heavy": (0.80, 0.15, 0.05)}


@pytest.fixture(scope="module")
def large() -> dict[str, Instance]:
    return {
        family: slotted_standin(100_000, 1, family=family, resources="cores_memory") for family in FAMILIES
    }


def volume(inst: Instance) -> np.ndarray:
    return inst.jobs.processing_time * inst.jobs.demand[:, 0]


def load(inst: Instance, window: int = 3600) -> float:
    return float(volume(inst).sum() / (window * inst.machines.capacity[:, 0].sum()))


@pytest.mark.parametrize("family", FAMILIES)
def test_processing_times_are_a_mixture_of_three_classes(large: dict[str, Instance], family: str) -> None:
    p = large[family].jobs.processing_time
    short, medium, long = SHARES[family]

    def normal(z: float) -> float:
        return (1 + math.erf(z / math.sqrt(2))) / 2

    for bound in (2, 4, 10, 30, 100, 500, 1500):
        log = math.log(bound + 0.5)  # times are rounded
        expected = short * normal((log - math.log(4)) / 0.8) + medium * normal((log - math.log(30)) / 0.7)
        expected += long * min(max((log - math.log(200)) / math.log(13), 0), 1)
        assert np.mean(p <= bound) == pytest.approx(expected, abs=0.005)
    assert p.min() == 1
    assert 2400 < p.max() <= 2600


@pytest.mark.parametrize(("family", "share"), [("thin", 0.12), ("mixed", 0.24), ("heavy", 0.69)])
def test_long_jobs_make_the_share_of_the_work_that_names_the_family(
    large: dict[str, Instance], family: str, share: float
) -> None:
    work = volume(large[family])
    is_long = large[family].jobs.processing_time >= 200
    assert work[is_long].sum() / work.sum() == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize("family", FAMILIES)
def test_long_jobs_need_few_cores(large: dict[str, Instance], family: str) -> None:
    jobs = large[family].jobs
    cores = jobs.demand[jobs.processing_time >= 400, 0]  # hardly any medium ones
    expected = [0.70, 0.25, 0.05] if family == "heavy" else [0.80, 0.20]
    assert [np.mean(cores == 2**i) for i in range(len(expected))] == pytest.approx(expected, abs=0.05)


def test_other_jobs_ask_for_up_to_sixteen_cores(large: dict[str, Instance]) -> None:
    cores = large["thin"].jobs.demand[:, 0]
    expected = 0.69 * np.array([15, 20, 30, 20, 15]) + 0.30 * np.array([10, 20, 30, 25, 15])
    expected += 0.01 * np.array([80, 20, 0, 0, 0])
    assert [100 * np.mean(cores == 2**i) for i in range(5)] == pytest.approx(expected.tolist(), abs=0.5)
    assert np.mean(large["heavy"].jobs.demand[:, 0] == 6) == pytest.approx(0.8 * 0.08, abs=0.003)


def test_jobs_arrive_evenly_and_could_all_be_done_within_the_window(large: dict[str, Instance]) -> None:
    jobs = large["thin"].jobs
    assert (np.diff(jobs.release_time) >= 0).all()
    assert jobs.release_time.min() == 0
    assert (jobs.release_time + jobs.processing_time).max() <= 3600
    short = jobs.processing_time <= 10
    assert np.histogram(jobs.release_time[short], 10, (0, 3600))[0] / short.sum() == pytest.approx(
        0.1, abs=0.01
    )


def test_memory_follows_the_cores_within_one_and_sixteen(large: dict[str, Instance]) -> None:
    cores, memory = large["thin"].jobs.demand.T
    assert set(np.unique(memory)) == {1, 2, 4, 8, 16}
    for least, quarters in ((8, (2, 4, 8, 16)), (4, (1, 2, 4, 8))):
        shares = [np.mean(memory[cores == least] == m) for m in quarters]
        assert shares == pytest.approx([0.2, 0.2, 0.4, 0.2], abs=0.01)


def test_servers_are_of_three_sizes_and_follow_from_the_work(large: dict[str, Instance]) -> None:
    for family, inst in large.items():
        cores, memory = inst.machines.capacity.T
        counts = [int(np.sum(cores == size)) for size in (64, 32, 16)]
        assert counts[0] == counts[1] <= counts[2] <= counts[0] + 7
        assert (memory == cores).all()
        assert load(inst) == pytest.approx(0.95, abs=8 / cores.sum()), family
        assert inst.machines.resource_names == ("cores", "memory")
    assert large["thin"].n_machines in range(78, 88)


@pytest.mark.parametrize(
    ("cores", "expected"),
    [
        (0.1, [16]),
        (7.9, [16]),
        (24, [16, 16]),
        (23.9, [16]),
        (112, [64, 32, 16]),
        (119.9, [64, 32, 16]),
        (120, [64, 32, 16, 16]),
        (230, [64, 64, 32, 32, 16, 16]),
    ],
)
def test_what_servers_of_three_sizes_do_not_make_up_is_rounded_half_up(
    cores: float, expected: list[int]
) -> None:
    machines = slotted_machines(round(cores * 1000), 1000, 1.0, 1.25, "cores_memory")
    assert machines.capacity[:, 0].tolist() == expected
    assert machines.capacity[:, 1].tolist() == [int(size * 1.25) for size in expected]


@examples(30)
@given(
    seed=st.integers(0, 2**64 - 1),
    n_jobs=st.integers(0, 60),
    family=st.sampled_from(FAMILIES),
    other=st.fixed_dictionaries(
        {"load": st.sampled_from([0.5, 1.2]), "memory_per_core": st.sampled_from([1.0, 1.25])}
    ),
)
def test_other_servers_and_the_column_of_memory_leave_the_jobs_alone(
    seed: int, n_jobs: int, family: Any, other: dict[str, float]
) -> None:
    plain = slotted_standin(n_jobs, seed, family=family).jobs
    both = slotted_standin(n_jobs, seed, family=family, resources="cores_memory", **other).jobs
    assert (plain.release_time == both.release_time).all()
    assert (plain.processing_time == both.processing_time).all()
    assert (plain.demand[:, 0] == both.demand[:, 0]).all()


@given(n_jobs=st.integers(1, 40), window=st.integers(1, 300), seed=st.integers(0, 1000))
def test_jobs_are_cut_to_a_short_window(n_jobs: int, window: int, seed: int) -> None:
    jobs = slotted_standin(n_jobs, seed, window=window).jobs
    assert (jobs.release_time + jobs.processing_time <= window).all()


def test_the_same_seed_gives_the_same_jobs_everywhere() -> None:
    jobs = slotted_standin(6, 7, resources="cores_memory").jobs  # written down from the first run
    assert jobs.release_time.tolist() == [1153, 1180, 1239, 1465, 3212, 3237]
    assert jobs.processing_time.tolist() == [68, 4, 1, 1, 102, 7]
    assert jobs.demand.tolist() == [[16, 4], [16, 8], [2, 2], [4, 4], [4, 8], [1, 1]]
    assert slotted_standin(6, 8).jobs != slotted_standin(6, 7).jobs


def test_it_has_a_name_for_the_command_line() -> None:
    named = generate_from_text(
        "slotted_standin:n_jobs=50,seed=3,family=heavy,load=0.8,resources=cores_memory"
    )
    assert named == slotted_standin(50, 3, family="heavy", load=0.8, resources="cores_memory")


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("n_jobs", -1),
        ("seed", -1),
        ("family", "thick"),
        ("window", 0),
        ("load", 0),
        ("load", math.inf),
        ("memory_per_core", -1.0),
        ("resources", "memory"),
        ("load", 1e-300),
        ("load", 1e-12),
    ],
)
def test_arguments_out_of_range_are_named(argument: str, value: Any) -> None:
    arguments = {"n_jobs": 5, "seed": 1, argument: value}
    with pytest.raises(InvalidInstanceError, match=argument):
        slotted_standin(**arguments)


def test_memory_beyond_all_units_is_refused() -> None:
    with pytest.raises(InvalidInstanceError, match=r"memory_per_core = 1e\+300"):
        slotted_standin(5, 1, memory_per_core=1e300, resources="cores_memory")


@pytest.mark.parametrize(("asked", "level"), [(0.95, "WARNING"), (0.97, "INFO")])
def test_the_load_that_was_reached_is_logged_loudly_where_it_is_not_the_one_asked_for(
    caplog: pytest.LogCaptureFixture, asked: float, level: str
) -> None:
    # 196.6 and 192.6 cores would do; servers make 192, and with a further one 208. The work over these is 0.9729.
    with caplog.at_level("INFO", logger="schedcore"):
        slotted_standin(6487, 1, load=asked)
    (record,) = caplog.records
    assert record.levelname == level
    assert record.getMessage() == (
        f"slotted_standin: load = {asked} was asked for; 8 servers of 192 cores have a load of 0.9729"
    )


def test_the_load_of_no_jobs_is_not_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="schedcore"):
        slotted_standin(0, 1)
    assert not caplog.records
