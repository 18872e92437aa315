"""Which job comes first: the seven named keys, or the caller's own numbers.

Smaller keys come first, ties go to the lower job index. Named keys are exact: processing times and weights count as
the fractions that the doubles are, and quotients are compared as such in the C++ core. The keys are those of
[FanLiang2024]_; p is the processing time, w the weight, u the summed normalised demand and v = p u the volume.

.. [FanLiang2024] Fan and Liang, "Online Non-preemptive Multi-Resource Scheduling for Weighted Completion Time on
   Multiple Machines", ICPP 2024.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError, PolicyError, UnsupportedError
from schedcore.model import Jobs
from schedcore.model.arrays import unmasked
from schedcore.model.choices import check_choice
from schedcore.model.queue_keys import QUEUE_KEYS, key_columns
from schedcore.model.telling_columns import JOB_PREFERENCES
from schedcore.parameters import Circumstances, option

__all__ = ["Heuristic", "HeuristicParameters", "PriorityKey"]

Heuristic = str | Callable[[Jobs], ArrayLike] | ArrayLike
Ids = Sequence[int] | NDArray[np.int64]


def _checked_word(name: str, heuristic: object) -> object:
    """Refuse words that are no key; what a callable or an array is worth shows where there are jobs."""
    if isinstance(heuristic, str):
        check_choice(name, heuristic.lower(), QUEUE_KEYS)
    return heuristic


class HeuristicParameters(Circumstances):
    """What the policies of this family have in common: which job comes first."""

    heuristic: Heuristic = option(
        "priority key, smaller first: "
        + ", ".join(f"{name} = {key}" for name, key in QUEUE_KEYS.items())
        + "; or a callable over the job columns, or an array with a number for every job",
        "Words in any case; a callable is given the `Jobs` and returns a number for each.",
        default="wsjf",
        check=_checked_word,
        choices=QUEUE_KEYS,
        takes="str, callable or (n_jobs,) array",
        for_kernel=False,
    )

    def columns_read(self) -> frozenset[str]:
        """Those of the key, too: a callable is given all of them, and an array is all that it says."""
        if isinstance(self.heuristic, str):
            return super().columns_read() | key_columns(self.heuristic.lower())
        return super().columns_read() | frozenset(JOB_PREFERENCES if callable(self.heuristic) else ())


@dataclass(frozen=True, slots=True)
class PriorityKey:
    """A heuristic as the core takes it: the rule's name, and for the caller's own keys how to get their numbers."""

    rule: str
    numbers: Callable[[Jobs, Ids], NDArray[np.float64]] | None = None

    @classmethod
    def of(
        cls, heuristic: Heuristic, error: type[PolicyError | InvalidInstanceError] = PolicyError
    ) -> "PriorityKey":
        """Resolve a name that is known (any case), a callable or an array; `error` is for arrays that do not fit."""
        if isinstance(heuristic, str):
            return cls(heuristic.lower())
        if callable(heuristic):
            function = heuristic
            return cls("custom", lambda jobs, ids: _called(function, jobs, ids))
        fixed = np.array(_as_numbers(heuristic))
        return cls("custom", lambda jobs, ids: _checked(fixed, ids, error))

    @classmethod
    def embedded(cls, heuristic: Heuristic) -> "PriorityKey":
        """The same for an embedded policy, where an array cannot know the jobs to come."""
        if not isinstance(heuristic, str) and not callable(heuristic):
            raise UnsupportedError(
                "an embedded policy needs a key by name or a callable; an array cannot know later jobs"
            )
        return cls.of(heuristic)

    def column(self, jobs: Jobs) -> NDArray[np.float64] | None:
        """The numbers to order by, None for a named key."""
        return None if self.numbers is None else self.numbers(jobs, range(jobs.n_jobs))


def _as_numbers(values: ArrayLike) -> NDArray[np.float64]:
    plain = unmasked(values, "the priority key")
    try:
        return np.ascontiguousarray(plain, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInstanceError(
            f"a priority key must be a name, a callable or an array of numbers: {error}"
        ) from error


def _checked(
    values: NDArray[np.float64], ids: Ids, error: type[PolicyError | InvalidInstanceError] = PolicyError
) -> NDArray[np.float64]:
    if values.shape != (len(ids),):
        raise error(f"the priority key has shape {values.shape}, not ({len(ids)},): one number for every job")
    missing = np.isnan(values)
    if np.count_nonzero(missing):
        raise error(f"the priority key of job {ids[int(np.argmax(missing))]} is NaN")
    return values


def _called(function: Callable[[Jobs], ArrayLike], jobs: Jobs, ids: Ids) -> NDArray[np.float64]:
    if jobs.n_jobs == 0:
        return np.empty(0)
    try:
        values = np.ascontiguousarray(unmasked(function(jobs), "its answer"), dtype=np.float64)
    except Exception as error:
        first, last = _culprit(function, jobs)
        where = f"job {ids[first]}" if last == first + 1 else f"jobs {ids[first]} to {ids[last - 1]}"
        raise PolicyError(f"the priority key failed on {where}: {type(error).__name__}: {error}") from error
    return _checked(values, ids)


def _culprit(function: Callable[[Jobs], ArrayLike], jobs: Jobs) -> tuple[int, int]:
    """Halve the jobs while one half alone fails; O(log n) calls."""
    first, last = 0, jobs.n_jobs
    while last - first > 1:
        middle = (first + last) // 2
        for start, stop in ((first, middle), (middle, last)):
            try:
                np.asarray(unmasked(function(jobs[start:stop]), "its answer"), dtype=np.float64)
            except Exception:  # the question is only whether this half fails
                first, last = start, stop
                break
        else:
            break
    return first, last
