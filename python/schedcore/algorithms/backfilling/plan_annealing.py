"""Plan-based scheduling: the order of the waiting jobs is annealed for the predicted mean response time.

At every event all waiting jobs are planned, in the order whose plan predicts the least mean response time of those that
were tried, and those that it lets start now do. Decisions use `estimated_processing_time`, completions the processing
time.
Sources: Zheng et al., IEEE Cluster 2016; Kopanski and Rzadca, Euro-Par 2021.
"""

import logging
from typing import Any

from schedcore import _core
from schedcore.engine.policy_simulation import run_policy
from schedcore.engine.queue_features import NATIVE_FEATURES
from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Machines, Result
from schedcore.model.integers import checked_integer
from schedcore.model.real_numbers import finite_number
from schedcore.parameters import Circumstances, option
from schedcore.registry import OnlinePolicy, registered

from .family import BACKFILLING

__all__ = ["plan_annealing"]

_logger = logging.getLogger("schedcore")


def _work(name: str, value: Any) -> int:
    return checked_integer(name, value, 1)


def _seed(name: str, value: Any) -> int:
    return checked_integer(name, value, 0, 2**64 - 1)


def _count(name: str, value: Any) -> int:
    return checked_integer(name, value, 0, 2**31 - 1)


def _few(name: str, value: Any) -> int:
    return checked_integer(name, value, 0, 10)


def _cooling(name: str, value: Any) -> float:
    number = finite_number(name, value, above_0=True)
    if number > 1:
        raise InvalidInstanceError(f"{name} = {value!r} must be at most 1")
    return number


class PlanAnnealingParameters(Circumstances):
    """How long is annealed, from which seed, and what an event may cost."""

    work_limit: int = option(
        "most placements of jobs in plans at one event",
        "The best plan so far is used where it ends; the first one is always made. "
        '``stats["searches_cut"]`` counts the events at which it did.',
        default=100_000,
        check=_work,
        early=True,
    )
    seed: int = option(
        "seed of the exchanges",
        "In [0, 2**64). Another seed may lead to other plans.",
        default=0,
        check=_seed,
        early=True,
    )
    cooling: float = option(
        "each temperature as a multiple of the one before", default=0.9, check=_cooling, early=True
    )
    steps: int = option(
        "temperatures; with 0 the best of the sorted orders is followed", default=30, check=_count, early=True
    )
    swaps: int = option("exchanges of two jobs at each temperature", default=6, check=_count, early=True)
    exhaustive: int = option(
        "of up to so many waiting jobs all orders are planned",
        "At most 10. All orders of 8 jobs are 109,600 placements, of 10 jobs ten million: raise `work_limit` with it.",
        default=5,
        check=_few,
        early=True,
    )

    def prototype(self) -> _core.engine.Policy:
        """Return the compiled policy."""
        return _core.backfilling.PlanAnnealingPolicy(**self.for_kernel())


def _embedded(machines: Machines, parameters: PlanAnnealingParameters) -> OnlinePolicy:
    return OnlinePolicy(parameters.prototype())


@registered(
    PlanAnnealingParameters,
    "plan annealing",
    BACKFILLING,
    source="Zheng et al., IEEE Cluster 2016; Kopanski and Rzadca, Euro-Par 2021",
    embed=_embedded,
    takes=NATIVE_FEATURES,
    takes_embedded=NATIVE_FEATURES,
)
def plan_annealing(instance: Instance, parameters: PlanAnnealingParameters) -> Result:
    """Plan-based scheduling: follow the plan of all waiting jobs that predicts the least mean response time.

    The order in which jobs are planned is searched by simulated annealing; each gets the earliest start beside the
    running jobs and those planned before it.

    Parameters
    ----------
    instance : Instance
        As for `schedcore.backfilling.easy`, with jobs of one task.

    Returns
    -------
    Result
        `objective` is "average_response_time"; no guarantee. ``stats["searches"]``, ``stats["placements"]`` and
        ``stats["searches_cut"]`` count the events at which orders were searched, the placements in them, and those of
        them that `work_limit` ended, of which a warning is logged.

    Raises
    ------
    InvalidInstanceError, InfeasibleError, UnsupportedError
        See `schedcore.solve`; also for an estimate below the processing time.

    Notes
    -----
    An event at which some waiting job fits costs up to 187 plans with the defaults, of which each is up to a search of
    the timelines for every waiting job. No start is promised, and nobody is safe from being overtaken for ever.
    """
    result = run_policy(
        "plan_annealing",
        instance,
        parameters.prototype(),
        parameters,
        uses_estimates=True,
        objective="average_response_time",
    )
    if cut := result.stats["searches_cut"]:
        _logger.warning(
            "plan_annealing: %d of %d searches ended when work_limit = %d was reached; the best plan was followed",
            cut,
            result.stats["searches"],
            parameters.work_limit,
        )
    return result
