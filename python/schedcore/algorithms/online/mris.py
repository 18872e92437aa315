"""MRIS: knapsack batches at geometrically growing instants, each scheduled by PQ with backfilling.

The only policy of this family with a bounded competitive ratio: sum w C is at most 4c times optimal, c = 2R(1 + eps)
and 1 more on several machines (eps is 0 for the exact knapsack, 1 for the greedy ones). Source: Fan and Liang, ICPP
2024, sections 5 and 6, with the corrections listed in the documentation. `opportunistic` and `replan` go beyond the
paper and keep the constant; the proofs are in the documentation, too.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np

from schedcore import _core
from schedcore.algorithms.priority_key import HeuristicParameters, PriorityKey
from schedcore.engine.policy_simulation import run_policy
from schedcore.engine.queue_features import SINGLE_TASK_FEATURES
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import Instance, Jobs, Machines, Result
from schedcore.model.choices import check_choice
from schedcore.model.cluster_workload import ClusterWorkload, tasks_with_room
from schedcore.model.epsilon import Epsilon, decimal_fraction
from schedcore.model.integers import checked_integer
from schedcore.model.real_numbers import finite_number
from schedcore.parameters import NeededEmbedded, option, optional
from schedcore.registry import OnlinePolicy, registered

from .family import ONLINE

__all__ = ["mris"]


def _checked_origin(name: str, origin: Any) -> float | None:
    """The time, or None for the beginning of the busy period."""
    if isinstance(origin, str):
        check_choice(name, origin, ("busy",))
        return None
    return finite_number(name, origin, above_0=False, kind="a time or 'busy'")


def _checked_replan(name: str, replan: Any) -> Any:
    if isinstance(replan, str):
        check_choice(name, replan, ("always",))
    elif not isinstance(replan, (bool, np.bool_)) and replan not in (0, 1):
        raise InvalidInstanceError(f"{name} = {replan!r} must be True, False or 'always'")
    return replan


class MrisParameters(HeuristicParameters):
    """How MRIS forms batches, and how it places them."""

    knapsack: Literal["cadp", "greedy", "greedy_union", "exact"] = option(
        "how a batch is chosen", "See `schedcore.knapsack`.", default="cadp"
    )
    epsilon: Epsilon = option(
        "accuracy of cadp in (0, 1): a float, a Fraction or a pair (numerator, denominator)",
        "Accepted with every knapsack. A float means the fraction a person would write.",
        default=0.1,
        check=lambda _, value: decimal_fraction(value),
        takes="float, Fraction or (numerator, denominator)",
    )
    placement: Literal["scan", "list", "nobackfill"] = option(
        "how a batch is placed; list has no bounded ratio",
        "PQ with backfilling into what is committed, earliest fit in list order, or behind everything committed.",
        default="scan",
    )
    gamma0: float | None = option(
        "first interval; default the shortest processing time",
        "Above that there is no guarantee.",
        default=None,
        check=optional(partial(finite_number, above_0=True)),
        embedded=NeededEmbedded("no job to come may have a shorter processing time"),
    )
    origin: float | Literal["busy"] = option(
        "where the intervals begin: a time, or busy: the beginning of the busy period (default when embedded)",
        "From a time, at least 0, on batches are taken at ``gamma_k = origin + gamma0 * 2**k``; jobs that arrive before"
        " it wait for it, and there is no guarantee with such jobs. A busy period begins with the arrival that ended"
        " the last instant at which nothing waited, was planned or ran; the intervals begin anew whenever all work is"
        " done.",
        default=0.0,
        embedded="busy",
        check=_checked_origin,
        choices=("busy",),
        later=True,
    )
    opportunistic: bool = option(
        "start jobs early that disturb nothing planned",
        "These are jobs that no batch has taken, between batches. Only with a placement other than list.",
        default=False,
    )
    patience: float = option(
        "opportunistic: longest early job, in units of gamma_k, at most 2c - 2",
        "Here gamma_k is the length ``gamma0 * 2**k`` of the current interval. The default was chosen by measurement.",
        default=2.0,
        check=partial(finite_number, above_0=True),
    )
    replan: bool | Literal["always"] = option(
        "True: place planned jobs again with every new batch; always: plan nothing before it starts",
        "Planned but unstarted jobs are placed together with the batch, in key order, if every job still ends within"
        ' its proven bound. With "always", at every event all jobs that batches have taken are tried in key order, and'
        " with `opportunistic` early ones, as far as the proven bounds allow: the best form known at light and heavy"
        ' load alike. Only with the placement "scan".',
        default=False,
        check=_checked_replan,
        choices=("always",),
    )
    memory_limit: int = option(
        "bytes that one knapsack may take",
        "Above, UnsupportedError.",
        default=1 << 30,
        check=partial(checked_integer, least=1),
    )

    def check(self) -> None:
        """Refuse what needs another placement."""
        if self.opportunistic and self.placement == "list":
            raise UnsupportedError(
                "opportunistic=True needs placement 'scan' or 'nobackfill': 'list' has no bound to keep"
            )
        if self.replan and self.placement != "scan":
            raise UnsupportedError(f"replan={self.replan!r} needs placement 'scan', not {self.placement!r}")

    def prototype(
        self,
        constant: Fraction,
        key: PriorityKey,
        gamma0: float,
        *,
        record: bool,
        on_clusters: bool = False,
    ) -> _core.engine.Policy:
        """Return the compiled policy, for the constant of the machines."""
        most_patience = float(2 * constant - 2)
        if self.patience > most_patience:
            raise InvalidInstanceError(
                f"patience = {self.patience} must lie in (0, 2c - 2] = (0, {most_patience:g}]"
            )
        plans_nothing = self.replan == "always"
        return _form(plans_nothing, on_clusters)(
            **self.for_kernel(
                rule=key.rule,
                epsilon=self.checked("epsilon").as_integer_ratio(),
                gamma0=gamma0,
                replan=bool(self.replan) and not plans_nothing,
                record=record,
            )
        )

    def constant(self, machines: Machines) -> Fraction:
        """Return the c of the analysis, whose guarantee is 4c."""
        eps = self.checked("epsilon") if self.knapsack == "cadp" else Fraction(self.knapsack != "exact")
        # without any capacity no job can run, and any constant holds
        n_counted = max(int((machines.capacity > 0).any(axis=0).sum()), 1)
        return Fraction(2 * n_counted * (1 + eps) + (1 if machines.n_machines > 1 else 0))


def _form(plans_nothing: bool, on_clusters: bool) -> Callable[..., _core.engine.Policy]:
    forms = _core.online
    if on_clusters:
        return forms.ClusterMrisDynamicPolicy if plans_nothing else forms.ClusterMrisPolicy
    return forms.MrisDynamicPolicy if plans_nothing else forms.MrisPolicy


def _embedded(machines: Machines, parameters: MrisParameters) -> OnlinePolicy:
    key = PriorityKey.embedded(parameters.heuristic)
    assert parameters.gamma0 is not None
    constant = parameters.constant(machines)
    plain, for_clusters = (
        parameters.prototype(constant, key, float(parameters.gamma0), record=False, on_clusters=on_clusters)
        for on_clusters in (False, True)
    )
    return OnlinePolicy(plain, key.numbers, for_clusters)


def _that_can_run(instance: Instance, parameters: MrisParameters) -> Jobs:
    """Return the jobs that arrive: nothing is known of those that are left out."""
    if parameters.infeasible != "drop":
        return instance.jobs
    room = tasks_with_room(instance, ClusterWorkload.of(instance))
    return instance.jobs[room >= instance.jobs.n_tasks]


@registered(
    MrisParameters,
    "MRIS",
    ONLINE,
    reads=frozenset({"weight"}),
    guarantee=True,
    embed=_embedded,
    takes=SINGLE_TASK_FEATURES,
    takes_embedded=SINGLE_TASK_FEATURES,
)
def mris(instance: Instance, parameters: MrisParameters) -> Result:
    """Schedule online with a proven constant: batches chosen by a knapsack of volume at gamma0, 2 gamma0, 4 gamma0, ...

    Any key keeps the guarantee.

    Parameters
    ----------
    instance : Instance
        As for `schedcore.online.pq`.

    Returns
    -------
    Result
        `objective` is "awct". `guarantee` is 4c, None for "list", for gamma0 above the shortest processing time, for
        jobs released before a given origin, where capacities have no common multiple below 2**53, and where machines
        differ or features of a cluster are used.
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
    key = PriorityKey.of(parameters.heuristic)
    jobs, machines = _that_can_run(instance, parameters), instance.machines
    shortest = float(jobs.processing_time.min(initial=math.inf))
    gamma0 = shortest if parameters.gamma0 is None else float(parameters.gamma0)
    is_in_time = parameters.origin == "busy" or parameters.origin <= jobs.release_time.min(initial=math.inf)
    has_exact_volumes = math.lcm(*(int(amount) for amount in machines.capacity[0] if amount > 0)) <= 1 << 53
    is_proven = (
        parameters.placement != "list"
        and gamma0 <= shortest
        and is_in_time
        and has_exact_volumes
        and machines.are_identical
    )
    constant = parameters.constant(machines)
    prototype = partial(parameters.prototype, constant, key, gamma0 if jobs.n_jobs else 1.0, record=True)
    return run_policy(
        "mris",
        instance,
        prototype(),
        parameters,
        cluster_policy=lambda: prototype(on_clusters=True),
        custom_key=key.column(instance.jobs),
        guarantee=float(4 * constant) if is_proven else None,
    )
