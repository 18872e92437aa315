"""The least cost of a slot with a switching cost, by trying every placement, in exact fractions.

For a handful of cores: `totals` and `placements` list everything that a slot allows, and the objective of each is
computed from its definition, equation (32), not from the costs of single cores that the solvers use.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

Matrix = tuple[tuple[int, ...], ...]  # cores of each job on each machine


def joblevel_value(
    cores: Sequence[int],
    cost: Sequence[float],
    demand: Sequence[int],
    alpha: float,
    previous: Sequence[int],
    first: Sequence[bool],
) -> Fraction:
    """The objective where changes of total rates are paid for."""
    value = Fraction(0)
    for u, c, d, before, is_first in zip(cores, cost, demand, previous, first, strict=True):
        value += Fraction(c) * Fraction(u, d)
        if not is_first:
            value += Fraction(alpha) * Fraction(u - before, d) ** 2
    return value


def machine_level_value(
    cores: Sequence[Sequence[int]],
    cost: Sequence[float],
    demand: Sequence[int],
    alpha: float,
    previous: Sequence[Sequence[int]],
    first: Sequence[bool],
) -> Fraction:
    """The objective where changes on every machine are paid for."""
    value = Fraction(0)
    for row, c, d, before, is_first in zip(cores, cost, demand, previous, first, strict=True):
        for u, u_before in zip(row, before, strict=True):
            value += Fraction(c) * Fraction(u, d)
            if not is_first:
                value += Fraction(alpha) * Fraction(u - u_before, d) ** 2
    return value


def totals(limit: Sequence[int], pool: int, *, work_conserving: bool) -> Iterator[tuple[int, ...]]:
    """Cores of the jobs within their limits and one pool; work conserving: as many as possible."""
    most = min(pool, sum(limit))
    for cores in _within(list(limit), pool):
        if not work_conserving or sum(cores) == most:
            yield cores


def placements(limit: Sequence[int], capacity: Sequence[int], *, work_conserving: bool) -> Iterator[Matrix]:
    """Cores of the jobs on the machines; work conserving: as many as possible."""
    most = min(sum(capacity), sum(limit))
    for matrix in _rows(list(limit), list(capacity)):
        if not work_conserving or sum(map(sum, matrix)) == most:
            yield matrix


def _within(bounds: list[int], total: int) -> Iterator[tuple[int, ...]]:
    if not bounds:
        yield ()
        return
    for here in range(min(bounds[0], total) + 1):
        for rest in _within(bounds[1:], total - here):
            yield (here, *rest)


def _rows(limit: list[int], free: list[int]) -> Iterator[Matrix]:
    if not limit:
        yield ()
        return
    for row in _within(free, limit[0]):
        left = [have - used for have, used in zip(free, row, strict=True)]
        for rest in _rows(limit[1:], left):
            yield (row, *rest)
