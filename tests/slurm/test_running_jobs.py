"""A running job holds as tasks what it holds on each node, exactly where shares are equal, and never more."""

from hypothesis import given
from hypothesis import strategies as st

from schedcore.slurm import NodeShare, SlurmJob, SlurmNode
from schedcore.slurm.cluster_machines import Resources
from schedcore.slurm.divided_shares import shares_of_jobs
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


@given(st.data())
def test_what_jobs_had_can_be_divided_again_from_totals_alone(data: st.DataObject) -> None:
    """Whatever jobs hold of nodes: told the sums alone, all of it is divided, and no node gives more than it has."""
    names = [f"n{index}" for index in range(data.draw(st.integers(2, 5)))]
    own = [
        data.draw(st.dictionaries(st.sampled_from(names), st.integers(1, 9), min_size=1))
        for _ in range(data.draw(st.integers(1, 6)))
    ]
    used = {name: sum(of_job.get(name, 0) for of_job in own) for name in names}
    tells = data.draw(st.booleans())
    nodes = {
        name: SlurmNode(
            name=name,
            cpus=max(1, used[name] + (data.draw(st.integers(0, 9)) if tells else 0)),
            memory=10 * used[name] + 1,
            cpus_allocated=used[name] if tells else None,
        )
        for name in names
    }
    jobs = [
        SlurmJob(
            job_id=number,
            state="RUNNING",
            nodes=tuple(of_job),
            cpus=sum(of_job.values()),
            memory_per_cpu=10.0,
            tres=(("mem", 10 * sum(of_job.values())),),
        )
        for number, of_job in enumerate(own)
    ]
    held = shares_of_jobs(jobs, nodes, shared=(), memory=True)
    sums = dict.fromkeys(names, 0)
    for (job, shares, _), of_job in zip(held, own, strict=True):
        assert [share.node for share in shares] == list(of_job)
        assert all(share.cpus >= 1 for share in shares)
        assert sum(share.cpus for share in shares) == job.cpus
        assert sum(share.memory for share in shares) == 10 * (job.cpus or 0)
        for share in shares:
            sums[share.node] += share.cpus
    assert sums == used


def test_all_memory_is_that_of_each_node() -> None:
    nodes = {"n0": SlurmNode(name="n0", cpus=4, memory=100), "n1": SlurmNode(name="n1", cpus=4, memory=300)}
    job = SlurmJob(job_id=1, state="RUNNING", nodes=("n0", "n1"), cpus=2, memory_per_node=0.0)
    shares, _ = shares_of_job(job, nodes)
    assert [share.memory for share in shares] == [100, 300]
