"""What an evaluation varies of jobs of parallel tasks: where they may run, how much they count, when they come."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_shares import examples
from parallel_task_cases import same_jobs, shortest
from schedcore import InvalidInstanceError, UnsupportedError
from schedcore.workloads import (
    at_time_zero,
    draw_placements,
    draw_weights,
    first_jobs,
    load,
    parallel_task_standin,
    poisson_arrivals,
    restrict_machines,
    scale_release_times,
    unit_arrivals,
)

SEEDS = st.integers(0, 2**64 - 1)


@given(SEEDS, st.integers(1, 6), st.integers(0, 6), st.fractions(1, 5, max_denominator=100))
@examples(30)
def test_tasks_are_fast_on_their_local_machines_and_slower_by_the_penalty_elsewhere(
    seed: int, n_local: int, n_remote: int, penalty: Fraction
) -> None:
    inst = parallel_task_standin(
        4, 7, seed, placement="local_remote", n_local=n_local, remote_penalty=float(penalty)
    )
    local = inst.placement_local.reshape(-1, 7)
    assert (local.sum(axis=1) == n_local).all()
    time, own = inst.placement_time.reshape(-1, 7), shortest(parallel_task_standin(4, 7, seed))
    for row, p in enumerate(own.tolist()):
        assert set(time[row, local[row]].tolist()) == {p}
        assert set(time[row, ~local[row]].tolist()) <= {math.ceil(penalty * p)}
    single = parallel_task_standin(4, 7, seed)
    assert local[np.arange(len(local)), single.placement_machine].all()
    assert draw_placements(single, n_local, float(penalty), seed) == inst

    kept = restrict_machines(inst, n_remote, seed)
    assert same_jobs(kept, inst)
    assert (np.diff(kept.placement_start) == min(7, n_local + n_remote)).all()
    assert (kept.placement_task * 7 + kept.placement_machine).tolist() == sorted(
        set((kept.placement_task * 7 + kept.placement_machine).tolist())
    )
    more = restrict_machines(inst, n_remote + 1, seed)
    chosen = set(zip(kept.placement_task.tolist(), kept.placement_machine.tolist(), strict=True))
    assert chosen <= set(zip(more.placement_task.tolist(), more.placement_machine.tolist(), strict=True))
    np.testing.assert_array_equal(kept.placement_time, time[kept.placement_task, kept.placement_machine])


def test_local_and_kept_machines_are_uniform() -> None:
    inst = parallel_task_standin(2000, 10, 5, placement="local_remote")
    for placed in (inst.placement_local, ~inst.placement_local):
        counts = np.bincount(inst.placement_machine[placed], minlength=10)
        assert counts.min() > 0.95 * counts.mean()
        assert counts.max() < 1.05 * counts.mean()
    kept = restrict_machines(inst, 2, 5)
    counts = np.bincount(kept.placement_machine[~kept.placement_local], minlength=10)
    assert counts.min() > 0.95 * counts.mean()
    assert counts.max() < 1.05 * counts.mean()


def test_a_penalty_counts_with_its_decimal_value() -> None:
    single = parallel_task_standin(30, 3, 1)
    inst = draw_placements(single, 1, 1.1)  # the double is above 11/10, and 1.1 * 10 rounds up to 12
    elsewhere = np.maximum.reduceat(inst.placement_time, inst.placement_start[:-1])
    np.testing.assert_array_equal(elsewhere, -(-shortest(single) * 11 // 10))
    assert inst.remote_penalty == 1.1


def test_a_task_without_any_machine_left_is_named() -> None:
    inst = parallel_task_standin(3, 4, 1, placement="local_remote", n_local=1)
    none_local = inst.replace(placement_local=np.zeros(inst.n_placements, dtype=bool), remote_penalty=1)
    assert (np.diff(restrict_machines(none_local, 2).placement_start) == 2).all()
    with pytest.raises(InvalidInstanceError, match="task 0 of job 0 has no local machine"):
        restrict_machines(none_local, 0)


def test_weights_drawn_later_are_those_of_the_generator() -> None:
    inst = parallel_task_standin(30, 3, 9, weights="priority")
    assert draw_weights(inst, "random", 9) == parallel_task_standin(30, 3, 9, weights="random")
    assert draw_weights(inst, "equal") == parallel_task_standin(30, 3, 9)


def test_jobs_of_parallel_tasks_can_be_put_under_controlled_conditions() -> None:
    inst = parallel_task_standin(30, 3, 9)
    part = first_jobs(inst, 11)
    assert part.n_jobs == 11
    assert part.n_tasks == inst.task_start[11]
    np.testing.assert_array_equal(part.release_time, inst.release_time[:11])
    assert first_jobs(inst, 30) == inst
    assert first_jobs(inst, 0).n_tasks == 0
    assert at_time_zero(inst) == parallel_task_standin(30, 3, 9, load=None)
    np.testing.assert_array_equal(
        scale_release_times(inst, 1 / 1.5).release_time, inst.release_time / 1.5 // 1
    )
    assert scale_release_times(inst, 1) == inst
    released = poisson_arrivals(inst, 4, mean_gap=60)
    np.testing.assert_array_equal(released.release_time, np.floor(60 * unit_arrivals(30, 4)))
    with pytest.raises(UnsupportedError, match="average_queue = 3"):
        poisson_arrivals(inst, 4, average_queue=3)
    for factor in (0, -1, math.nan, math.inf):
        with pytest.raises(InvalidInstanceError, match=f"factor = {factor}"):
            scale_release_times(inst, factor)
    with pytest.raises(InvalidInstanceError, match=r"above 2\*\*53"):
        scale_release_times(inst, 1e15)


def test_machines_of_tasks_cannot_be_replaced(tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match="use n_machines"):
        load("parallel_task_standin:n_jobs=9,n_machines=4,seed=2", machines=3)
    pytest.importorskip("pyarrow")
    parallel_task_standin(3, 2, 1).to_parquet(tmp_path / "tasks.parquet")
    with pytest.raises(InvalidInstanceError, match="name the machines"):
        load(tmp_path / "tasks.parquet", machines=3)


def test_a_file_can_be_read_under_other_conditions(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    inst = parallel_task_standin(15, 6, 4, weights="priority")
    path = tmp_path / "tasks.parquet"
    inst.to_parquet(path)
    assert load(path)[0] == inst
    varied, report = load(path, placement="local_remote", n_local=2, n_remote=1, weights="random", seed=4)
    assert varied == draw_weights(restrict_machines(draw_placements(inst, 2, 2.0, 4), 1, 4), "random", 4)
    assert report.n_jobs == 15
    with pytest.raises(InvalidInstanceError, match="placement = 'single'"):
        load(path, placement="single")
