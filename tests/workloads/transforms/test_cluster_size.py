"""The same cluster, larger or smaller."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cluster_strategies import cluster_instances
from schedcore import Instance, InvalidInstanceError, Jobs, Machines, Outages, UnsupportedError
from schedcore.workloads import cluster_size, colocation_grid, scale_estimates, with_cluster_size

ONE = Jobs([1], [[1, 1]])


def resized(machines: Machines, size: int, jobs: Jobs = ONE, outages: Outages | None = None) -> Instance:
    return with_cluster_size(Instance(jobs, machines, outages), size)


def test_a_pool_changes_in_all_resources_and_rounds_half_up() -> None:
    pool = Machines([[100, 1001]])
    assert cluster_size(pool) == (100, "resource_0")
    assert cluster_size(pool, is_pool=False) == (1, "machines")
    assert resized(pool, 110).machines.capacity.tolist() == [[110, 1101]]
    assert resized(pool, 50).machines.capacity.tolist() == [[50, 501]]
    assert resized(pool, 100) == Instance(ONE, pool)


def test_kinds_of_machines_keep_their_share() -> None:
    machines = Machines(
        [[4, 8]] * 3 + [[2, 2]] + [[4, 8]] * 3, names=list("abcdefg"), labels=[["gpu"]] * 2 + [[]] * 5,
        weight=[0, 0, 0, 1, 0, 0, 0],
    )  # fmt: skip
    assert cluster_size(machines) == (7, "machines")
    larger = resized(machines, 14).machines
    assert larger.names == (*"abcdefg", *(f"added{n}" for n in range(1, 8)))
    kinds = [
        (tuple(row), "gpu" in labels)
        for row, labels in zip(larger.capacity.tolist(), larger.labels, strict=True)
    ]
    assert [kinds.count(kind) for kind in (((4, 8), True), ((4, 8), False), ((2, 2), False))] == [4, 8, 2]
    # 2, 4 and 1 of 7 make 6/7, 12/7 and 3/7 of 3: two whole ones are given out by the largest remainders.
    assert resized(machines, 3).machines.names == ("a", "c", "e")


def test_outages_go_with_their_machines() -> None:
    machines = Machines([[4, 8]] * 4)
    outages = Outages([0, 3, 3], [5, 6, 7], [6, 7, 8])
    smaller = resized(machines, 2, outages=outages).outages
    assert smaller is not None
    assert (smaller.machine.tolist(), smaller.start_time.tolist()) == ([0], [5.0])
    assert resized(machines, 2, outages=Outages([3], [1], [2])).outages is None
    larger = resized(machines, 6, outages=outages).outages
    assert larger == outages


def test_new_names_are_those_that_nobody_has() -> None:
    named = Machines([[1, 1]] * 2, names=["added1", "added3"])
    assert resized(named, 5).machines.names == ("added1", "added3", "added2", "added4", "added5")


@given(cluster_instances(), st.integers(1, 12))
def test_sizes_are_what_was_asked_for_and_jobs_stay(inst: Instance, size: int) -> None:
    if inst.n_machines == 1:
        first, *others = inst.machines.capacity[0].tolist()
        assume(first > 0 and max(others, default=0) * size < 2**53 * first)
    changed = with_cluster_size(inst, size)
    assert cluster_size(changed.machines, is_pool=inst.n_machines == 1)[0] == size
    assert changed.jobs is inst.jobs
    if inst.n_machines > 1 and size >= inst.n_machines:
        assert (
            np.array_equal(changed.machines.capacity[: inst.n_machines], inst.machines.capacity) or size == 1
        )
    again = with_cluster_size(inst, cluster_size(inst.machines)[0])
    assert again == inst


@pytest.mark.parametrize(
    ("capacity", "size", "message"),
    [
        ([[4, 8]], 0, "a cluster of size 0: it must be at least 1"),
        ([[4, 8]] * 2, -3, "a cluster of size -3"),
        ([[1, 2**53]], 2, r"more than 2\*\*53 units"),
        ([[0, 8]], 2, "the pool has no size"),
        ([[1, 1]] * 2, 10**8, "more than 10,000,000"),
    ],
)
def test_impossible_sizes_are_refused(capacity: Any, size: int, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        resized(Machines(capacity), size)


def test_other_kinds_have_no_such_cluster() -> None:
    with pytest.raises(UnsupportedError, match="jobs that run in one piece"):
        with_cluster_size(colocation_grid(1, 2, 10, 2, 1), 4)  # type: ignore[arg-type]


def test_estimates_are_scaled_and_never_below_the_run_time() -> None:
    inst = Instance(Jobs([10, 10], [[1], [1]], estimated_processing_time=[15, 40]), Machines([[2]]))
    for factor, expected in ((0.5, [10, 20]), (1.5, [23, 60]), (1.0, [15, 40])):
        assert scale_estimates(inst, factor).jobs.estimated_processing_time.tolist() == expected
    half = Instance(Jobs([1], [[1]], estimated_processing_time=[2.5]), Machines([[2]]))
    assert scale_estimates(half, 2.0).jobs.estimated_processing_time.tolist() == [5.0]
    with pytest.raises(UnsupportedError, match="no estimates to scale"):
        scale_estimates(Instance(Jobs([1], [[1]]), Machines([[2]])), 2.0)
    for factor in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(InvalidInstanceError, match="must be finite and above 0"):
            scale_estimates(inst, factor)
    with pytest.raises(InvalidInstanceError, match=r"above 2\*\*53"):
        scale_estimates(inst, 1e16)
