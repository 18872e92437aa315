"""The steps of fair sharing in one slot: shares of cores, and whole cores out of them.

The kernels run in ``src/cpp/preemptive`` (``fair_rates``, ``whole_cores``); this module checks the input.
"""

from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import EXACT_BOUND, FloatArray, IntArray, first_index, place
from schedcore.model.choices import check_choice
from schedcore.model.columns import float_column, measure_column
from schedcore.model.integers import checked_integer

from .slot_arrays import amounts_of, memories_of

__all__ = ["fair_shares", "whole_cores"]

_RULES = ("proportional_fairness", "drf")


def fair_shares(
    demand: ArrayLike,
    limit: ArrayLike,
    capacity: ArrayLike,
    *,
    weight: ArrayLike = 1,
    rule: str = "proportional_fairness",
) -> FloatArray:
    """Share the resources of a slot among all jobs, and return the cores of each, fractions included.

    A job at rate x, of at most ``limit / cores``, takes x of everything that it asks for.

    Parameters
    ----------
    demand : (n_jobs,) or (n_jobs, n_resources) int
        What each job asks for; the first resource is cores, at least 1.
    limit : (n_jobs,) int
        The most cores that each job can use, at least 1, at most those it asks for.
    capacity : (n_resources,) int
        What all machines together have.
    weight : scalar or (n_jobs,) float
        Finite, at least 0. Jobs with at most 2^-40 of the largest weight share what the others leave over, those of
        weight 0 at last, all alike.
    rule : {"proportional_fairness", "drf"}
        The rates with the largest sum of ``weight * log x``, or dominant shares that grow together, in proportion to
        the weights, until a resource that the job uses is used up.

    Returns
    -------
    (n_jobs,) float
        Cores of each job.

    Raises
    ------
    InvalidInstanceError
        For amounts that are negative, above 2**53 or not whole, wrong shapes, a limit above the cores of its job, a job
        that asks for more than there is, and weights that are negative or not finite; names the job.

    Notes
    -----
    Doubles in a fixed order of operations, the same on every platform. Under proportional fairness what is short is
    used up to 2^-42 + n_jobs 2^-53 of it. Costs as `proportional_fairness` and `drf` say.
    """
    check_choice("rule", rule, _RULES)
    room = amounts_of("capacity", capacity, None, row="resource")
    limits = amounts_of("limit", limit, None, least=1)
    demands = memories_of("demand", demand, limits.size)
    if limits.size == 0:  # an empty list does not say how many resources there are
        demands = demands.reshape(0, room.size)
    if demands.shape[1] != room.size or room.size == 0:
        raise InvalidInstanceError(
            f"demand has {demands.shape[1]} columns, capacity {room.size}; each resource is one"
        )
    for name, wrong in (
        (f"above capacity = {room.tolist()}", demands > room),
        ("below limit", demands[:, :1] < limits[:, np.newaxis]),
    ):
        if wrong.any():
            where = first_index(wrong)
            raise InvalidInstanceError(f"{place('demand', demands, where)} (job {where[0]}) is {name}")
    weights = measure_column(weight, "weight", limits.size, positive=False)
    cores, _ = _core.preemptive.fair_shares(demands, limits, room[np.newaxis, :], weights, rule=rule)
    return cores


def whole_cores(share: ArrayLike, total: SupportsIndex, owed: ArrayLike | None = None) -> IntArray:
    """Make shares of cores whole, by largest remainder.

    Every job gets the whole cores of its share. The remainders of all jobs together are so many further cores; those
    go, one each, to the jobs with the largest remainder plus what they are owed, ties to the lower index.

    Parameters
    ----------
    share : (n_jobs,) float
        Cores with fractions, 0 to 2**53. Rounded to 2^-20 cores before anything is compared, so that equal shares are
        equal; a sum that is short of a whole number by less than 2^-20 cores a job counts as that number.
    total : int
        Cores of all machines together, 0 to 2**53; no more are given.
    owed : (n_jobs,) float, optional
        Cores that a job is owed from slots before; negative if it owes some.

    Returns
    -------
    (n_jobs,) int64
        Cores of each job, no more than its share rounded up.

    Raises
    ------
    InvalidInstanceError
        For numbers outside their ranges and columns of unequal lengths.

    Notes
    -----
    Expected O(n_jobs).
    """
    shares = _cores("share", share, None, least=0.0)
    debts = None if owed is None else _cores("owed", owed, shares.size, least=-float(EXACT_BOUND))
    return _core.preemptive.whole_cores(shares, debts, checked_integer("total", total, 0, EXACT_BOUND))


def _cores(name: str, values: ArrayLike, n_jobs: int | None, *, least: float) -> FloatArray:
    column = float_column(values, name, n_jobs)
    wrong = ~((column >= least) & (column <= EXACT_BOUND))
    if wrong.any():
        where = first_index(wrong)
        raise InvalidInstanceError(
            f"{place(name, column, where)} (job {where[0]}) must be at least {least:g} and at most 2**53"
        )
    return column
