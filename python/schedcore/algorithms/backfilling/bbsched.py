"""BBSched: of the first waiting jobs those start together that use the resources best; EASY backfills around them.

Source: Fan, Lan, Rich, Allcock, Papka, Austin and Paul, HPDC 2019. The paper looks for the sets that no other one
dominates with a genetic algorithm; here the set that its rule takes of all of them is found exactly. What the paper
leaves open is decided in ``docs/papers.md``.
"""

import logging
import math
from fractions import Fraction
from functools import partial
from numbers import Rational
from typing import Any

from schedcore import _core
from schedcore.engine.policy_simulation import run_policy
from schedcore.engine.queue_features import NATIVE_FEATURES
from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Machines, Result
from schedcore.model.integers import checked_integer
from schedcore.model.real_numbers import finite_number, shown
from schedcore.parameters import Circumstances, RefusedEmbedded, option
from schedcore.registry import OnlinePolicy, registered

from .family import BACKFILLING

__all__ = ["bbsched"]

_LARGEST_WINDOW = 64
_LARGEST_PART = 2**62  # of the trade factor as a fraction
_LARGEST_DENOMINATOR = 10**6  # of one that is given as a float
_logger = logging.getLogger("schedcore")


def _checked_trade(name: str, trade: Any) -> tuple[int, int]:
    """Return numerator and denominator; (1, 0) for infinity."""
    if trade == math.inf:
        return 1, 0
    value = finite_number(name, trade, above_0=False)
    if isinstance(trade, Rational):
        fraction, is_tiny = Fraction(trade), False
    else:
        fraction = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
        is_tiny = 0 < value < 1 / _LARGEST_DENOMINATOR
    if is_tiny or max(fraction.numerator, fraction.denominator) > _LARGEST_PART:
        raise InvalidInstanceError(
            f"{name} = {shown(trade)} must be 0, infinite, or a fraction with parts up to 2**62; a float: at least 1e-6"
        )
    return fraction.numerator, fraction.denominator


class BbschedParameters(Circumstances):
    """Which jobs are looked at together, and which set of them starts."""

    window_size: int = option(
        "how many waiting jobs are looked at together, from 1 to 64",
        "They are the first in the queue. With 1 the decisions are those of `easy`.",
        default=20,
        check=partial(checked_integer, least=1, most=_LARGEST_WINDOW),
        early=True,
    )
    max_passes: int = option(
        "how many times a job of the window may be passed over",
        "It is passed over where a set of the window starts without it. After that it starts before any set is chosen."
        " The first such job that does not fit holds the others back, as the head of `easy` does. With 0 the decisions"
        " are those of `easy`.",
        default=50,
        check=partial(checked_integer, least=0),
        early=True,
    )
    primary: int = option(
        "the resource whose use counts first, by its number",
        "In the paper that is nodes.",
        default=0,
        check=partial(checked_integer, least=0, most=2**32 - 1),
        early=True,
    )
    trade: float | Fraction = option(
        "how many times the loss in use of the primary resource the others have to gain",
        "Use is in shares of all machines together, and gains of several resources are added. Infinite: nothing is"
        " worth a loss. A float means the fraction a person would write.",
        default=2.0,
        check=_checked_trade,
        takes="float or Fraction",
        early=True,
    )
    work_limit: int = option(
        "how many looks at a job one search may take; then the best set so far starts",
        '``stats["window_searches_cut"]`` counts such searches, and a warning is logged. What is found first is the'
        " first fit in queue order; only where others gain enough does a set use less of the primary resource.",
        default=100_000,
        check=partial(checked_integer, least=1),
        early=True,
    )
    record: bool = option(
        "keep shadow times in stats",
        'They are ``stats["shadow"]``: for every pass with a protected job (time, job, shadow time, machine).',
        default=False,
        early=True,
        kw_only=True,
        recorded=False,
        embedded=RefusedEmbedded(
            "record=True is for solve: an embedded scheduler returns its decisions, record those"
        ),
    )

    def prototype(self) -> _core.engine.Policy:
        """Return the compiled policy."""
        numerator, denominator = self.checked("trade")
        options = {name: value for name, value in self.for_kernel().items() if name != "trade"}
        return _core.backfilling.WindowBackfillPolicy(
            trade_numerator=numerator, trade_denominator=denominator, **options
        )


def _embedded(machines: Machines, parameters: BbschedParameters) -> OnlinePolicy:
    _check_primary(machines, parameters)
    return OnlinePolicy(parameters.prototype())


def _check_primary(machines: Machines, parameters: BbschedParameters) -> None:
    if parameters.primary >= machines.n_resources:
        raise InvalidInstanceError(
            f"primary = {parameters.primary} is no resource of these machines: they have {machines.n_resources}"
        )


@registered(
    BbschedParameters,
    "BBSched",
    BACKFILLING,
    embed=_embedded,
    source="Fan et al., HPDC 2019",
    takes=NATIVE_FEATURES,
    takes_embedded=NATIVE_FEATURES,
)
def bbsched(instance: Instance, parameters: BbschedParameters) -> Result:
    """Start the set of the first waiting jobs that uses the resources best, then let others overtake as under EASY.

    Of the sets of jobs that fit together and that no other set dominates, the one with the most use of the primary
    resource starts, unless another one gains more than `trade` times the loss in the other resources.

    Parameters
    ----------
    instance : Instance
        Machines may differ; a job runs inside one machine. Every job demands something and fits some machine; its
        `estimated_processing_time` is at least its processing time.

    Returns
    -------
    Result
        `objective` is "average_response_time"; no guarantee.

    Raises
    ------
    InvalidInstanceError, InfeasibleError
        See `schedcore.solve`; also for an estimate below the processing time.

    Notes
    -----
    Sets are chosen exactly, in integers, unless `work_limit` ends the search; equal jobs do not multiply it. An event
    costs one look at every job of the window, and the search where several of them fit.
    """
    _check_primary(instance.machines, parameters)
    result = run_policy(
        "bbsched",
        instance,
        parameters.prototype(),
        parameters,
        uses_estimates=True,
        objective="average_response_time",
    )
    if n_cut := result.stats["window_searches_cut"]:
        _logger.warning(
            "bbsched: work_limit = %d ended %d of %d searches early; their sets are the best that had been found",
            parameters.work_limit,
            n_cut,
            result.stats["window_choices"],
        )
    return result
