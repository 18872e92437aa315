"""The smallest possible largest cost: by listing every allocation, and by a depth-first search that cuts."""

from collections.abc import Iterator

from reference.colocation_instance import Allocation, PlainColocation, machine_cost, max_cost


def allocations(instance: PlainColocation) -> Iterator[Allocation]:
    """Every allocation up to the names of the machines: task j uses at most one machine that was not used before."""

    def extended(allocation: Allocation, used: int) -> Iterator[Allocation]:
        j = len(allocation)
        if j == len(instance.size):
            yield dict(allocation)
            return
        for machine in range(min(used + 1, instance.n_machines)):
            allocation[j] = machine
            yield from extended(allocation, max(used, machine + 1))
            del allocation[j]

    yield from extended({}, 0)


def optimum_by_listing(instance: PlainColocation) -> int:
    """Numerator of the smallest C; up to some 7 tasks."""
    return min(max_cost(instance, allocation) for allocation in allocations(instance))


def optimum(instance: PlainColocation, *, dedicated: list[list[int]] | None = None) -> int:
    """Numerator of the smallest C; up to some 11 tasks.

    Costs never fall when a task is added, so a branch as dear as the best allocation so far is cut, and machines that
    hold the same loads are alike. With ``dedicated``, types of different clusters never share a machine; -1 says that
    there is no such allocation.
    """
    order = instance.decreasing(instance.tasks)
    cluster_of = {t: i for i, cluster in enumerate(dedicated or [instance.present_types]) for t in cluster}
    machines: list[list[int]] = [[] for _ in range(instance.n_machines)]
    best: int | None = None

    def loads(tasks: list[int]) -> tuple[int, ...]:
        load = [0] * instance.n_types
        for i in tasks:
            load[instance.type[i]] += instance.size[i]
        return tuple(load)

    def place(position: int, cost: int) -> None:
        nonlocal best
        if position == len(order):
            best = cost
            return
        j = order[position]
        own_cluster = cluster_of[instance.type[j]]
        tried = set()
        for tasks in machines:
            alike = loads(tasks)
            if alike in tried or any(cluster_of[instance.type[i]] != own_cluster for i in tasks):
                continue
            tried.add(alike)
            tasks.append(j)
            grown = max(cost, machine_cost(instance, tasks))
            if best is None or grown < best:
                place(position + 1, grown)
            tasks.pop()

    place(0, 0)
    return -1 if best is None else best
