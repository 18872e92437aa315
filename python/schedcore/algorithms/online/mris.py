"""MRIS: knapsack batches at geometrically growing instants, each scheduled by PQ with backfilling.

The only policy of this family with a bounded competitive ratio: sum w C is at most 4c times optimal, c = 2R(1 + eps)
and 1 more on several machines (eps is 0 for the exact knapsack, 1 for the greedy ones). Source: Fan and Liang, ICPP
2024, sections 5 and 6, with the corrections listed in the documentation. `opportunistic` and `replan` go beyond the
paper and keep the constant; the proofs are in the documentation, too.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from schedcore import _core
from schedcore.algorithms.workload_run import Progress, run_policy
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import Instance, Machines, Result
from schedcore.model.choices import check_choice, checked_flag
from schedcore.model.epsilon import Epsilon, decimal_fraction
from schedcore.model.integers import checked_integer
from schedcore.model.real_numbers import finite_number
from schedcore.registry import Algorithm, OnlinePolicy, Option, register

from .family import FAMILY, PAPER
from .priority_key import HEURISTIC, Heuristic, PriorityKey

__all__ = ["mris"]

#: The knapsacks by name, and the eps of the bound (None: the option `epsilon`).
_KNAPSACK_EPS: dict[str, int | None] = {"cadp": None, "greedy": 1, "greedy_union": 1, "exact": 0}
_PLACEMENTS = ("scan", "list", "nobackfill")
_DEFAULT_MEMORY_LIMIT = 1 << 30

_OPTIONS = (
    HEURISTIC,
    Option("knapsack", "cadp", "how a batch is chosen", tuple(_KNAPSACK_EPS)),
    Option(
        "epsilon", 0.1, "accuracy of cadp in (0, 1): a float, a Fraction or a pair (numerator, denominator)"
    ),
    Option("placement", "scan", "how a batch is placed; list has no bounded ratio", _PLACEMENTS),
    Option("gamma0", None, "first interval; default the shortest processing time"),
    Option(
        "origin",
        0.0,
        "where the intervals begin: a time, or busy: the beginning of the busy period (default when embedded)",
        ("busy",),
        later=True,
    ),
    Option("opportunistic", False, "start jobs early that disturb nothing planned"),
    Option("patience", 2.0, "opportunistic: longest early job, in units of gamma_k, at most 2c - 2"),
    Option(
        "replan",
        False,
        "True: place planned jobs again with every new batch; always: plan nothing before it starts",
        ("always",),
    ),
    Option("memory_limit", _DEFAULT_MEMORY_LIMIT, "bytes that one knapsack may take"),
)


def mris(
    instance: Instance,
    heuristic: Heuristic = "wsjf",
    knapsack: str = "cadp",
    epsilon: Epsilon = 0.1,
    placement: str = "scan",
    gamma0: float | None = None,
    origin: float | str = 0.0,
    opportunistic: bool = False,
    patience: float = 2.0,
    replan: bool | str = False,
    memory_limit: int = _DEFAULT_MEMORY_LIMIT,
    *,
    progress: Progress = None,
) -> Result:
    """Schedule online with a proven constant: batches chosen by a knapsack of volume at gamma0, 2 gamma0, 4 gamma0, ...

    Parameters
    ----------
    instance : Instance
        As for `schedcore.pq`.
    heuristic : str, callable or (n_jobs,) array
        Order within a batch, see `schedcore.pq`. Any key keeps the guarantee.
    knapsack : {"cadp", "greedy", "greedy_union", "exact"}
        How a batch is chosen, see `schedcore.knapsack`.
    epsilon : float, Fraction or (numerator, denominator)
        Accuracy of "cadp" in (0, 1), accepted with every knapsack. A float means the fraction a person would write.
    placement : {"scan", "list", "nobackfill"}
        PQ with backfilling into what is committed, earliest fit in list order, or behind everything committed.
        "list" has no bounded ratio.
    gamma0 : float, optional
        Length of the first interval; default the shortest processing time. Above it there is no guarantee.
    origin : float or "busy"
        Where the intervals begin. A time, at least 0: batches are taken at ``gamma_k = origin + gamma0 * 2**k``; jobs
        that arrive before it wait for it, and there is no guarantee with such jobs. "busy": the arrival that ended the
        last instant at which nothing waited, was planned or ran; the intervals begin anew whenever all work is done.
    opportunistic : bool
        Between batches, start jobs that no batch has taken where they disturb nothing that runs or is planned. Only
        with "scan" and "nobackfill".
    patience : float
        Longest job that may start early, in units of the current interval ``gamma0 * 2**k``; in (0, 2c - 2]. The
        default was chosen by measurement.
    replan : bool or "always"
        True: at every gamma, place planned but unstarted jobs again together with the new batch in key order, if every
        job still ends within its proven bound. "always": plan nothing; at every event try all jobs that batches have
        taken in key order, and with `opportunistic` early ones, as far as the proven bounds allow. This is the best
        form known at light and heavy load alike. Only with "scan".
    memory_limit : int
        Bytes that one knapsack may take; above, UnsupportedError.
    progress : callable, optional
        ``progress(jobs_started, n_jobs)``.

    Returns
    -------
    Result
        `objective` is "awct". `guarantee` is 4c, None for "list", for gamma0 above the shortest processing time, for
        jobs released before a given origin, and where capacities have no common multiple below 2**53.
        `stats["iterations"]` lists the non-empty iterations as dicts: `k`, `gamma` (the instant), `origin` (of that
        iteration), `n_candidates`, `chosen` (ascending job indices), `makespan`.

    Raises
    ------
    InvalidInstanceError, InfeasibleError, UnsupportedError, PolicyError
        See `schedcore.solve`.

    Notes
    -----
    O(log(horizon / gamma0)) knapsacks; placing costs a search of the batch's distinct demand vectors and O(R log k) in
    a timeline for every start and completion.
    """
    key = PriorityKey.of(heuristic)
    shortest = float(instance.jobs.processing_time.min(initial=math.inf))
    first_gamma = _checked_gamma0(shortest if gamma0 is None else gamma0, n_jobs=instance.n_jobs)
    bound = _Bound.of(instance.machines, knapsack, epsilon)
    guarantee = None
    begin = _checked_origin(origin)
    is_in_time = begin is None or begin <= instance.jobs.release_time.min(initial=math.inf)
    if placement != "list" and first_gamma <= shortest and is_in_time and bound.has_exact_volumes:
        guarantee = float(4 * bound.constant)
    options = {
        "heuristic": heuristic,
        "knapsack": knapsack,
        "epsilon": epsilon,
        "placement": placement,
        "gamma0": gamma0,
        "origin": origin,
        "opportunistic": opportunistic,
        "patience": patience,
        "replan": replan,
        "memory_limit": memory_limit,
    }
    prototype = _prototype(
        key,
        bound,
        knapsack,
        placement,
        first_gamma,
        begin,
        opportunistic,
        patience,
        replan,
        memory_limit,
        record=True,
    )
    return run_policy(
        "mris",
        instance,
        prototype,
        custom_key=key.column(instance.jobs),
        guarantee=guarantee,
        options=options,
        progress=progress,
    )


class _Bound:
    """The constant c of the analysis, and whether volumes are exact enough for it to hold."""

    def __init__(self, constant: Fraction, epsilon: Fraction, has_exact_volumes: bool) -> None:
        self.constant = constant
        self.epsilon = epsilon
        self.has_exact_volumes = has_exact_volumes

    @classmethod
    def of(cls, machines: Machines, knapsack: str, epsilon: Epsilon) -> "_Bound":
        check_choice("knapsack", knapsack, _KNAPSACK_EPS)
        fraction = decimal_fraction(epsilon)
        counted = [int(amount) for amount in machines.capacity[0] if amount > 0]
        eps = _KNAPSACK_EPS[knapsack]
        n_counted = max(len(counted), 1)  # without any capacity no job can run, and any constant holds
        constant = 2 * n_counted * (1 + (fraction if eps is None else eps)) + (
            1 if machines.n_machines > 1 else 0
        )
        return cls(Fraction(constant), fraction, math.lcm(*counted) <= 1 << 53)


def _prototype(
    key: PriorityKey,
    bound: _Bound,
    knapsack: str,
    placement: str,
    gamma0: float,
    origin: float | None,
    opportunistic: bool,
    patience: float,
    replan: bool | str,
    memory_limit: int,
    *,
    record: bool,
) -> _core.Policy:
    check_choice("placement", placement, _PLACEMENTS)
    if opportunistic and placement == "list":
        raise UnsupportedError(
            "opportunistic=True needs placement 'scan' or 'nobackfill': 'list' has no bound to keep"
        )
    opportunistic = checked_flag("opportunistic", opportunistic)
    if isinstance(replan, str):
        check_choice("replan", replan, ("always",))
    elif not isinstance(replan, (bool, np.bool_)) and replan not in (0, 1):
        raise InvalidInstanceError(f"replan = {replan!r} must be True, False or 'always'")
    if replan and placement != "scan":
        raise UnsupportedError(f"replan={replan!r} needs placement 'scan', not {placement!r}")
    most_memory = checked_integer("memory_limit", memory_limit, 1)
    most_patience = float(2 * bound.constant - 2)
    if finite_number("patience", patience, above_0=True) > most_patience:
        raise InvalidInstanceError(f"patience = {patience} must lie in (0, 2c - 2] = (0, {most_patience:g}]")
    plans_nothing = isinstance(replan, str)
    form = _core.MrisDynamicPolicy if plans_nothing else _core.MrisPolicy
    return form(
        key.rule,
        knapsack,
        bound.epsilon.numerator,
        bound.epsilon.denominator,
        most_memory,
        placement,
        gamma0,
        origin,
        opportunistic,
        float(patience),
        bool(replan) and not plans_nothing,
        record,
    )


def _checked_gamma0(gamma0: Any, n_jobs: int = 1) -> float:
    if n_jobs == 0 and gamma0 == math.inf:
        return 1.0
    return finite_number("gamma0", gamma0, above_0=True)


def _checked_origin(origin: Any) -> float | None:
    """The time, or None for the beginning of the busy period."""
    if isinstance(origin, str):
        check_choice("origin", origin, ("busy",))
        return None
    return finite_number("origin", origin, above_0=False, kind="a time or 'busy'")


def _embed(
    machines: Machines,
    heuristic: Heuristic = "wsjf",
    knapsack: str = "cadp",
    epsilon: Epsilon = 0.1,
    placement: str = "scan",
    gamma0: float | None = None,
    origin: float | str = "busy",
    opportunistic: bool = False,
    patience: float = 2.0,
    replan: bool | str = False,
    memory_limit: int = _DEFAULT_MEMORY_LIMIT,
) -> OnlinePolicy:
    if gamma0 is None:
        raise InvalidInstanceError(
            "mris needs gamma0 when embedded: no job to come may have a shorter processing time"
        )
    key = PriorityKey.embedded(heuristic)
    bound = _Bound.of(machines, knapsack, epsilon)
    prototype = _prototype(
        key,
        bound,
        knapsack,
        placement,
        _checked_gamma0(gamma0),
        _checked_origin(origin),
        opportunistic,
        patience,
        replan,
        memory_limit,
        record=False,
    )
    return OnlinePolicy(prototype, key.numbers)


register(Algorithm("mris", "MRIS", FAMILY, PAPER, mris, _OPTIONS, "awct", guarantee=True, embed=_embed))
