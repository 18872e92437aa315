"""One step after any colocation algorithm: moves and exchanges of tasks between machines, within a budget of work.

Beyond the paper. The worst machine is lowered by exchanges with the others; where none is left, random exchanges that
do not add to what machines exceed a target by make room for the next. ``colocation_improvement.hpp`` says how; all is
exact and depends on the arguments alone.
"""

from fractions import Fraction
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from schedcore import _core
from schedcore.model import Assignment, ColocationInstance, ColocationResult, validate
from schedcore.model.choices import check_choice
from schedcore.model.integers import checked_integer
from schedcore.parameters import Progress

from .assignment_result import colocation_result, kernel_columns, least_numerator
from .family import Bound

__all__ = ["WORK_LIMIT", "Improved", "checked_work_limit", "improve", "improved"]

#: Exchanges that are evaluated if the caller does not say: some tenths of a second.
WORK_LIMIT = 2_000_000

_UNLIMITED = 2**63 - 1
_STATUS = {"target": "optimal", "stuck": "local_optimum", "work_limit": "work_limit"}


def improve(
    instance: ColocationInstance,
    assignment: Assignment | ColocationResult,
    work_limit: int | None = WORK_LIMIT,
    bound: Bound = "simple",
    *,
    seed: int = 0,
    progress: Progress = None,
) -> ColocationResult:
    """Make an assignment cheaper by moving and exchanging tasks between machines.

    Parameters
    ----------
    instance : ColocationInstance
    assignment : Assignment or ColocationResult
        Where to begin: what an algorithm returned, or your own; every task on a machine of `instance`.
    work_limit : int, optional
        Most exchanges to evaluate, at least 0; some 10 million are evaluated a second. None: until a hundred walks in a
        row found nothing.
    bound : {"simple", "qcp"}
        The lower bound of the result, see `schedcore.bounds.lower_bound`. Where it is met the search stops.
    seed : int
        Of the random exchanges, at least 0; another seed may end elsewhere.
    progress : callable, optional
        ``progress(done, total)`` in evaluated exchanges.

    Returns
    -------
    ColocationResult
        Never dearer than `assignment`. `stats` has "status" ("optimal": the lower bound is met; "local_optimum": the
        search found nothing more; "work_limit"), "work" (exchanges evaluated), "moves" (carried out, those of
        walks that led nowhere included) and "start_numerator" (the cost of `assignment`).

    Raises
    ------
    InvalidInstanceError
        If the assignment is not one of this instance; names the task. For a negative limit or seed.

    Notes
    -----
    O(n log n) to begin, O(n_types) an evaluation. The same arguments give the same result everywhere.
    `schedcore.colocation.colocate` begins with the right types on every machine and ends lower.
    """
    check_choice("bound", bound, get_args(Bound))
    limit = checked_work_limit("work_limit", work_limit)
    start = _checked_start(instance, assignment)
    before, _ = _core.colocation.colocation_cost(**kernel_columns(instance), machine=start)
    found = improved(
        instance, start, least_numerator(instance, bound), limit, checked_integer("seed", seed, 0), progress
    )
    return colocation_result(
        "improve",
        instance,
        found.machine,
        bound=bound,
        options={"work_limit": work_limit, "seed": seed, "bound": bound},
        stats={
            "status": _STATUS[found.end],
            "work": found.work,
            "moves": found.moves,
            "start_numerator": before,
        },
        guarantee=Fraction(1) if found.end == "target" else None,
    )


class Improved(NamedTuple):
    """Machines of the tasks, what it took, and why it ended: "target", "stuck" or "work_limit"."""

    machine: NDArray[np.int64]
    moves: int
    work: int
    end: str


def improved(
    instance: ColocationInstance,
    start: NDArray[np.int64],
    target: int,
    limit: int,
    seed: int,
    progress: Progress,
) -> Improved:
    """Improve machine numbers that are known to be valid, down to the cost numerator `target` at best."""
    return Improved(
        *_core.colocation.improve_assignment(
            **kernel_columns(instance),
            start=start,
            target=target,
            work_limit=limit,
            seed=seed,
            progress=progress,
        )
    )


def checked_work_limit(name: str, work_limit: Any) -> int:
    """Return a limit of at least 0; a very large one for None."""
    return _UNLIMITED if work_limit is None else checked_integer(name, work_limit, 0)


def _checked_start(
    instance: ColocationInstance, assignment: Assignment | ColocationResult
) -> NDArray[np.int64]:
    given = assignment.assignment if isinstance(assignment, ColocationResult) else assignment
    if not isinstance(given, Assignment):
        raise TypeError(
            f"assignment must be an Assignment or a ColocationResult, not {type(assignment).__name__}"
        )
    validate(instance, given, raise_on_error=True)
    return given.machine
