"""A running job holds as tasks what it holds on each node, exactly where shares are equal, and never more."""

from hypothesis import given
from hypothesis import strategies as st

from schedcore.slurm import NodeShare, SlurmJob, SlurmNode
from schedcore.slurm.cluster_machines import Resources
from schedcore.slurm.running_jobs import held_shape, shares_of_job

RESOURCES = Resources(memory=True, gres=("gpu",))
SHARES = st.lists(
    st.tuples(st.integers(1, 64), st.integers(0, 10_000), st.integers(0, 8)), min_size=1, max_size=6
)


def shares_of(amounts: list[tuple[int, int, int]]) -> tuple[NodeShare, ...]:
    return tuple(
        NodeShare(f"n{index}", cpus, memory, (("gpu", "", gpus),))
        for index, (cpus, memory, gpus) in enumerate(amounts)
    )


@given(SHARES)
def test_tasks_never_hold_more_than_the_job_and_all_of_its_processors(
    amounts: list[tuple[int, int, int]],
) -> None:
    job = SlurmJob(job_id=1, state="RUNNING")
    got = held_shape(job, shares_of(amounts), True, RESOURCES)
    assert [node for node, _ in got.places] == [f"n{index}" for index in range(len(amounts))]
    exact = True
    for (_, number), amount in zip(got.places, amounts, strict=True):
        held = [number * of_task for of_task in got.demand]
        assert number >= 1
        assert held[0] == amount[0]
        assert all(mine <= its for mine, its in zip(held, amount, strict=True))
        exact &= held == list(amount)
    assert bool(got.notes) != exact


@given(st.tuples(st.integers(1, 64), st.integers(0, 10_000), st.integers(0, 8)), st.integers(1, 6))
def test_equal_shares_are_one_task_each(amount: tuple[int, int, int], n_nodes: int) -> None:
    got = held_shape(SlurmJob(job_id=1, state="RUNNING"), shares_of([amount] * n_nodes), True, RESOURCES)
    assert got.demand == amount
    assert [number for _, number in got.places] == [1] * n_nodes
    assert got.notes == ()


@given(st.lists(st.integers(1, 64), min_size=2, max_size=6), st.data())
def test_what_is_not_told_is_divided_within_capacities(capacity: list[int], data: st.DataObject) -> None:
    total = data.draw(st.integers(len(capacity), sum(capacity)))
    nodes = {
        f"n{index}": SlurmNode(name=f"n{index}", cpus=cpus, memory=1) for index, cpus in enumerate(capacity)
    }
    job = SlurmJob(job_id=1, state="RUNNING", nodes=tuple(nodes), cpus=total, min_nodes=len(nodes))
    shares, told = shares_of_job(job, nodes)
    assert not told
    assert sum(share.cpus for share in shares) == total
    assert all(1 <= share.cpus <= nodes[share.node].cpus for share in shares)


def test_all_memory_is_that_of_each_node() -> None:
    nodes = {"n0": SlurmNode(name="n0", cpus=4, memory=100), "n1": SlurmNode(name="n1", cpus=4, memory=300)}
    job = SlurmJob(job_id=1, state="RUNNING", nodes=("n0", "n1"), cpus=2, memory_per_node=0.0)
    shares, _ = shares_of_job(job, nodes)
    assert [share.memory for share in shares] == [100, 300]
