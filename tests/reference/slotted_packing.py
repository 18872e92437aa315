"""Cores of a slot: who gets how many (Lemma 1), and on which machines they are."""

from collections.abc import Mapping, Sequence

from .slotted_instance import Placement, packing_order


def slot_rates(
    order: Sequence[int], limit: Mapping[int, int], total: int
) -> tuple[dict[int, int], int | None]:
    """Everyone in turn as much as it can use, until nothing is left; and who got some, but not all of that."""
    cores: dict[int, int] = {}
    left = total
    for job in order:
        if left == 0:
            break
        cores[job] = min(limit[job], left)
        left -= cores[job]
        if cores[job] < limit[job]:
            return cores, job
    return cores, None


def pack(
    cores: Mapping[int, int], cut: int | None, capacity: Sequence[int], previous: Placement | None = None
) -> Placement:
    """Place cores on machines: where they were (with `previous`), then whole jobs, then what is left in parts."""
    machines = packing_order(list(capacity))
    free = list(capacity)
    left = {job: amount for job, amount in sorted(cores.items()) if amount > 0}
    placed: Placement = {}

    def place(job: int, machine: int, amount: int) -> None:
        if amount > 0:
            placed[job, machine] = placed.get((job, machine), 0) + amount
            free[machine] -= amount
            left[job] -= amount

    for job in left:
        used = [(-amount, machine) for (who, machine), amount in (previous or {}).items() if who == job]
        for negative, machine in sorted(used):
            place(job, machine, min(left[job], -negative, free[machine]))

    whole = sorted((job for job in left if left[job] > 0 and job != cut), key=lambda job: (-left[job], job))
    for machine in machines:
        for job in whole:
            if 0 < left[job] <= free[machine]:
                place(job, machine, left[job])

    split = sorted((job for job in left if left[job] > 0), key=lambda job: (job == cut, -left[job], job))
    for job in split:
        for machine in machines:
            place(job, machine, min(left[job], free[machine]))
    return placed
