"""What the references of colocation compute on: typed tasks as plain Python lists, and what an allocation costs.

All numbers are Python integers. A cost is a numerator over ``denominator``; the coefficient ``[s][d]`` is what one unit
of load of type s adds to every task of type d on the same machine. An allocation says for some or all tasks where they
are, so that a reference can cost a part of an instance. Every cost is the sum over the tasks of the machine, made anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Allocation = dict[int, int]  # task -> machine


class ReferenceInfeasible(Exception):
    """There is no answer: more clusters than machines."""


class ReferenceUnsupported(Exception):
    """The algorithm is not defined for this instance."""


@dataclass(frozen=True)
class PlainColocation:
    """Tasks in input order on ``n_machines`` identical machines."""

    size: list[int]
    type: list[int]
    coefficient: list[list[int]]
    denominator: int
    n_machines: int

    @classmethod
    def from_instance(cls, instance: Any) -> PlainColocation:
        """The same tasks and machines as a ``schedcore.ColocationInstance``."""
        return cls(
            size=instance.size.tolist(),
            type=instance.type.tolist(),
            coefficient=instance.alpha.tolist(),
            denominator=instance.alpha_denominator,
            n_machines=instance.n_machines,
        )

    @property
    def tasks(self) -> range:
        return range(len(self.size))

    @property
    def n_types(self) -> int:
        return len(self.coefficient)

    @property
    def present_types(self) -> list[int]:
        return sorted(set(self.type))

    @property
    def total_size(self) -> int:
        return sum(self.size)

    @property
    def largest_size(self) -> int:
        return max(self.size, default=0)

    def load_of_type(self, wanted: int) -> int:
        return sum(p for p, t in zip(self.size, self.type, strict=True) if t == wanted)

    def tasks_of(self, types: Iterable[int]) -> list[int]:
        """In input order."""
        wanted = set(types)
        return [j for j in self.tasks if self.type[j] in wanted]

    def decreasing(self, tasks: Iterable[int]) -> list[int]:
        """Largest first; equal sizes by lower index."""
        return sorted(tasks, key=lambda j: (-self.size[j], j))


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def tasks_on(allocation: Allocation, machine: int) -> list[int]:
    return [j for j, k in allocation.items() if k == machine]


def cost_of_type(instance: PlainColocation, tasks: Iterable[int], destination: int) -> int:
    """Numerator of what a task of that type pays beside these tasks."""
    return sum(instance.size[j] * instance.coefficient[instance.type[j]][destination] for j in tasks)


def machine_cost(instance: PlainColocation, tasks: list[int]) -> int:
    """Numerator of the largest cost on a machine that holds these tasks: types that are not there do not count."""
    return max((cost_of_type(instance, tasks, instance.type[j]) for j in tasks), default=0)


def task_costs(instance: PlainColocation, allocation: Allocation) -> dict[int, int]:
    """Numerator of the cost of every allocated task; it pays for itself too."""
    return {
        j: cost_of_type(instance, tasks_on(allocation, machine), instance.type[j])
        for j, machine in allocation.items()
    }


def max_cost(instance: PlainColocation, allocation: Allocation) -> int:
    """Numerator of C."""
    return max(task_costs(instance, allocation).values(), default=0)


def sum_cost(instance: PlainColocation, allocation: Allocation) -> int:
    """Numerator of SUM: every task once, not weighted by its size."""
    return sum(task_costs(instance, allocation).values())


def machine_vector(instance: PlainColocation, allocation: Allocation) -> list[int]:
    return [allocation[j] for j in instance.tasks]
