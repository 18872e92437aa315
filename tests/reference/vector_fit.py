"""Reference implementation of the vector-fit kernels: one comparison at a time."""

from collections.abc import Sequence


def fits(demand: Sequence[int], available: Sequence[int]) -> bool:
    return all(d <= a for d, a in zip(demand, available, strict=True))


def fits_many(demands: Sequence[Sequence[int]], available: Sequence[int]) -> list[bool]:
    return [fits(demand, available) for demand in demands]


def first_fitting(demands: Sequence[Sequence[int]], available: Sequence[int]) -> int | None:
    return next((j for j, demand in enumerate(demands) if fits(demand, available)), None)
