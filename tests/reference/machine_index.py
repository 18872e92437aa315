"""Reference implementation of the machine index: every machine is looked at, norms are Python integers."""

from collections.abc import Sequence

from reference.vector_fit import fits


class MachineIndex:
    """The free vectors of all machines."""

    def __init__(self, free: Sequence[Sequence[int]]) -> None:
        self.free = [list(row) for row in free]

    def acquire(self, machine: int, demand: Sequence[int]) -> None:
        self.free[machine] = [a - d for a, d in zip(self.free[machine], demand, strict=True)]

    def release(self, machine: int, demand: Sequence[int]) -> None:
        self.free[machine] = [a + d for a, d in zip(self.free[machine], demand, strict=True)]

    def machines_with_room(self, demand: Sequence[int]) -> list[int]:
        return [machine for machine, available in enumerate(self.free) if fits(demand, available)]

    def first_fit(self, demand: Sequence[int], from_machine: int = 0) -> int | None:
        return next((i for i in self.machines_with_room(demand) if i >= from_machine), None)

    def best_fit(self, demand: Sequence[int], scale: Sequence[int]) -> int | None:
        def squared_norm(machine: int) -> int:
            return sum((a * s) ** 2 for a, s in zip(self.free[machine], scale, strict=True))

        return min(self.machines_with_room(demand), key=lambda i: (squared_norm(i), i), default=None)
