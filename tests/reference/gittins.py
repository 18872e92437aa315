"""The Gittins index as its definition says, over the sizes of completed jobs, and the best policy on tiny examples."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache


def gittins_index(attained: int, completed: Sequence[int]) -> tuple[int, int] | None:
    """(Jobs done, what that costs) at the best d; None where no completed job had got more.

    P(S - a <= d | S > a) / E[min(S - a, d) | S > a] is a number of jobs over a sum, as both have the same denominator.
    """
    left = [size - attained for size in completed if size > attained]
    ratios = [
        (sum(each <= d for each in left), sum(min(each, d) for each in left)) for d in sorted(set(left))
    ]
    return max(ratios, key=lambda ratio: Fraction(*ratio), default=None)


def gittins_key(weight: float, attained: int, completed: Sequence[int]) -> float:
    """What the policy sorts by, smallest first."""
    if weight == 0:
        return float("inf")
    best = gittins_index(attained, completed)
    if best is None:
        return float(attained) / weight
    return -(weight * (float(best[0]) / float(best[1])))


def least_expected_completion_times(sizes: Sequence[int], n_jobs: int) -> Fraction:
    """The least expected sum of completion times of jobs on one core that nobody can tell apart until they are done.

    Each has one of these sizes, with equal chances. A policy sees what each has got, and which are done.
    """

    @cache
    def cost(got: tuple[int, ...]) -> Fraction:
        return min((_after_a_slot(got, job, sizes, cost) for job in range(len(got))), default=Fraction(0))

    return cost((0,) * n_jobs)


def expected_completion_times(sizes: Sequence[int], n_jobs: int, index: Callable[[int], float]) -> Fraction:
    """The same under the policy that serves the job with the highest index of what it has got, ties to the first."""

    @cache
    def cost(got: tuple[int, ...]) -> Fraction:
        if not got:
            return Fraction(0)
        job = max(range(len(got)), key=lambda job: index(got[job]))
        return _after_a_slot(got, job, sizes, cost)

    return cost((0,) * n_jobs)


def _after_a_slot(
    got: tuple[int, ...], job: int, sizes: Sequence[int], cost: Callable[[tuple[int, ...]], Fraction]
) -> Fraction:
    """What is to be expected if the job gets the slot: all that are not done wait for it."""
    others, now = got[:job] + got[job + 1 :], got[job] + 1
    done = Fraction(sum(size == now for size in sizes), sum(size >= now for size in sizes))
    expected = done * cost(others)
    if done < 1:
        expected += (1 - done) * cost(tuple(sorted((*others, now))))
    return len(got) + expected
