"""Jobs of equal length packed into epochs, each a set that fits one machine: the smallest picture of the selections.

The fewest epochs win. FCFS fills the current epoch in order until a job does not fit; first fit takes what fits from
all that remain; a selection chooses, from an empty machine on, among all that remain and fit; "unc" is the optimum.
Source: Leinberger, Karypis and Kumar, SC 1999, figure 1.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from numpy.typing import ArrayLike

from schedcore.errors import InfeasibleError, InvalidInstanceError, UnsupportedError
from schedcore.model.amounts import amount_units

from .selection import Selection, selection_scores

__all__ = ["epochs"]

_MOST_JOBS_FOR_THE_OPTIMUM = 12

Row = Sequence[int]


def epochs(demand: ArrayLike, capacity: ArrayLike, rule: str = "ff") -> list[list[int]]:
    """Return the jobs of every epoch, in the order in which they were chosen.

    Parameters
    ----------
    demand : (n_jobs, n_resources) array_like of int
    capacity : (n_resources,) array_like of int
    rule : str
        "fcfs", "ff", "unc" (the optimum; at most 12 jobs), or a selection ("bb", "bl!", ...), in any case. Jobs
        count as equally long, also for "sb" and "sjbf".

    Raises
    ------
    InvalidInstanceError
        An unknown rule; amounts that are no integers in [0, 2**53]; another number of resources than capacities.
    InfeasibleError
        A job that does not fit the empty machine; names it.
    UnsupportedError
        More than 12 jobs for "unc".

    Notes
    -----
    For small examples: O(n_jobs**2) scores for a selection. "unc" returns the first optimal assignment in depth-first
    order, where each job goes to the existing epochs in turn and then to a new one.
    """
    rows = [tuple(row) for row in amount_units(demand, None, name="demand", row="job").tolist()]
    whole = tuple(amount_units(capacity, None, name="capacity", row="machine", n_dims=1).tolist())
    for job, row in enumerate(rows):
        if len(row) != len(whole):
            raise InvalidInstanceError(f"demand has {len(row)} resources, capacity {len(whole)}")
        if not _fits(row, whole):
            raise InfeasibleError(f"job {job} demands {row}, more than the capacity {whole}")
    name = rule.strip().lower() if isinstance(rule, str) else rule
    if name == "fcfs":
        return _in_order(rows, whole)
    if name == "unc":
        return _fewest(rows, whole)
    selection = Selection.parse(rule, argument="rule", other_names=("fcfs", "unc"))
    if selection.rule == "ff":
        return _greedy(rows, whole, lambda _candidates, _used: 0)

    def best(candidates: list[int], used: Row) -> int:
        numerators, denominators = selection_scores([rows[job] for job in candidates], used, whole, rule)
        scores = [Fraction(*pair) for pair in zip(numerators, denominators, strict=True)]
        return scores.index(min(scores))

    return _greedy(rows, whole, best)


def _fits(row: Row, free: Row) -> bool:
    return all(amount <= room for amount, room in zip(row, free, strict=True))


def _less(free: Row, row: Row) -> tuple[int, ...]:
    return tuple(room - amount for room, amount in zip(free, row, strict=True))


def _in_order(rows: list[tuple[int, ...]], whole: Row) -> list[list[int]]:
    filled: list[list[int]] = []
    free: Row = ()
    for job, row in enumerate(rows):
        if not filled or not _fits(row, free):
            filled.append([])
            free = whole
        filled[-1].append(job)
        free = _less(free, row)
    return filled


def _greedy(
    rows: list[tuple[int, ...]], whole: Row, best: Callable[[list[int], Row], int]
) -> list[list[int]]:
    filled: list[list[int]] = []
    remaining = list(range(len(rows)))
    while remaining:
        filled.append([])
        free = whole
        while candidates := [job for job in remaining if _fits(rows[job], free)]:
            job = candidates[best(candidates, _less(whole, free))]
            filled[-1].append(job)
            remaining.remove(job)
            free = _less(free, rows[job])
    return filled


def _fewest(rows: list[tuple[int, ...]], whole: Row) -> list[list[int]]:
    if len(rows) > _MOST_JOBS_FOR_THE_OPTIMUM:
        raise UnsupportedError(
            f"the optimum is searched for at most {_MOST_JOBS_FOR_THE_OPTIMUM} jobs, not {len(rows)}"
        )
    best: list[list[int]] = [[job] for job in range(len(rows) + 1)]

    def assign(job: int, filled: list[list[int]], free: list[Row]) -> None:
        nonlocal best
        if len(filled) >= len(best):
            return
        if job == len(rows):
            best = [list(jobs) for jobs in filled]
            return
        for epoch, room in enumerate(free):
            if _fits(rows[job], room):
                filled[epoch].append(job)
                free[epoch] = _less(room, rows[job])
                assign(job + 1, filled, free)
                free[epoch] = room
                filled[epoch].pop()
        assign(job + 1, [*filled, [job]], [*free, _less(whole, rows[job])])

    assign(0, [], [])
    return best
