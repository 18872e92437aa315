"""Failures follow the model, are the same everywhere, and those of one machine do not depend on the others."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_shares import examples
from schedcore import InvalidInstanceError, Machines, Outages
from schedcore.workloads import draw_failures
from schedcore.workloads.draws.portable_functions import logarithm
from schedcore.workloads.outages import failure_model

MASK = 2**64 - 1
DAY = 86_400
EXPECTED = [
    [0, 1, 2, 2, 2],
    [2589816, 1973803, 1110712, 2176551, 2461760],
    [2590652, 2022355, 1122965, 2217512, 2482580],
]


def cluster(n_machines: int) -> Machines:
    return Machines.identical(n_machines, [1])


def next_draw(state: int) -> tuple[int, int]:
    """SplitMix64: the next state and the number that it gives."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return state, z ^ (z >> 31)


def one_by_one(n_machines: int, horizon: float, up: float, down: float, seed: int) -> Outages:
    """The model draw by draw."""
    rows = []
    of_machines = seed
    for machine in range(n_machines):
        of_machines, stream = next_draw(of_machines)
        now = 0
        while True:
            lengths = []
            for mean in (up, down):
                stream, number = next_draw(stream)
                uniform = np.array([((number >> 12) + 0.5) * 2.0**-52])
                lengths.append(max(1, math.floor(-logarithm(uniform)[0] * mean)))
            start = now + lengths[0]
            if start >= horizon:
                break
            now = start + lengths[1]
            rows.append((machine, start, now))
            if now >= horizon:
                break
    return Outages(*(np.array([row[k] for row in rows], dtype=np.int64) for k in range(3)))


@examples(40)
@given(
    n_machines=st.integers(1, 5), horizon=st.floats(0.5, 3000), up=st.floats(0.1, 500), down=st.floats(0.1, 500),
    seed=st.integers(0, MASK),
)  # fmt: skip
def test_rows_are_those_of_the_model_draw_by_draw(
    n_machines: int, horizon: float, up: float, down: float, seed: int
) -> None:
    assert draw_failures(cluster(n_machines), horizon, up, down, seed) == one_by_one(
        n_machines, horizon, up, down, seed
    )


def test_the_same_seed_gives_these_rows_everywhere() -> None:
    drawn = draw_failures(cluster(3), 40 * DAY, 30 * DAY, 4 * 3600, seed=1)
    assert [drawn.machine.tolist(), drawn.start_time.tolist(), drawn.end_time.tolist()] == EXPECTED


@pytest.mark.parametrize(
    ("machines_at_once", "pairs_at_once", "most_pairs"), [(2, 8, 1), (3, 100, 2), (1, 1, 512)]
)
def test_how_much_is_drawn_at_once_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, machines_at_once: int, pairs_at_once: int, most_pairs: int
) -> None:
    usual = draw_failures(cluster(7), 1000, 50, 10, seed=5)
    monkeypatch.setattr(failure_model, "_MACHINES_AT_ONCE", machines_at_once)
    monkeypatch.setattr(failure_model, "_PAIRS_AT_ONCE", pairs_at_once)
    monkeypatch.setattr(failure_model, "_MOST_PAIRS", most_pairs)
    assert draw_failures(cluster(7), 1000, 50, 10, seed=5) == usual


def test_more_machines_and_a_longer_horizon_only_add_rows() -> None:
    few = draw_failures(cluster(3), 1000, 50, 10, seed=5)
    more = draw_failures(cluster(8), 5000, 50, 10, seed=5)
    kept = (more.machine < 3) & (more.start_time < 1000)
    assert few == Outages(more.machine[kept], more.start_time[kept], more.end_time[kept])


def test_outages_of_a_machine_are_whole_seconds_and_do_not_touch() -> None:
    drawn = draw_failures(cluster(50), 1000, 0.05, 0.05, seed=2)  # every draw is below 2 s
    assert (drawn.end_time - drawn.start_time == 1).all()
    assert drawn == drawn.united()
    assert len(drawn) == 50 * 500
    assert drawn.start_time.max() < 1000


def test_means_are_those_asked_for() -> None:
    up, down, horizon = 30.0 * DAY, 4 * 3600.0, 3650.0 * DAY
    drawn = draw_failures(cluster(1000), horizon, up, down, seed=3)
    # 1000 * 3650 / 30.17 = 121,000 failures; the mean of so many is within 1.5 % of theirs (5 standard deviations).
    assert len(drawn) == pytest.approx(1000 * horizon / (up + down), rel=0.015)
    length = drawn.end_time - drawn.start_time
    assert length.mean() == pytest.approx(down, rel=0.015)
    # Exponential: the share above the mean is 1 / e.
    assert (length > down).mean() == pytest.approx(math.exp(-1), rel=0.015)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1, 1, 1), "horizon = 0 must be finite and above 0"),
        ((math.inf, 1, 1, 1), "horizon = inf must be finite"),
        ((2**53, 1, 1, 1), r"horizon = 9007199254740992 is above 2\*\*52 seconds"),
        ((1, -1, 1, 1), "mean_time_between_failures = -1 must be finite and above 0"),
        ((1, 1e30, 1, 1), r"mean_time_between_failures = 1e\+30 is above 2\*\*46 seconds"),
        ((1, 1, math.nan, 1), "mean_time_to_repair = nan must be finite"),
        ((1, 1, 1, -1), r"seed = -1 is outside \[0, 2\*\*64\)"),
        ((1e12, 1, 1, 1), r"about 1e\+12 failures of 2 machines within 1e\+12 s are more than 10,000,000"),
        ((1e9, 1e-300, 1e-300, 1), "failures of 2 machines within"),
    ],
)
def test_arguments_out_of_bounds_are_refused(
    arguments: tuple[float, float, float, int], message: str
) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        draw_failures(cluster(2), *arguments)


def test_times_of_the_largest_arguments_are_exact() -> None:
    drawn = draw_failures(cluster(1), 2**52, 2**46, 2**46, seed=1)
    assert len(drawn) > 10
    assert drawn.end_time.max() <= 2**53
    assert drawn == one_by_one(1, 2**52, 2**46, 2**46, 1)


def test_other_kinds_of_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="machines must be a Machines, not int"):
        draw_failures(3, 1, 1, 1, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"seed = 1\.5 must be an integer"):
        draw_failures(cluster(1), 1, 1, 1, 1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="horizon must be a number"):
        draw_failures(cluster(1), "1", 1, 1, 1)  # type: ignore[arg-type]
