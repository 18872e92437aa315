"""What the algorithms of this family have in common: the papers, what they minimise, and how one is run."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from schedcore import _core
from schedcore.algorithms.queue_order import STANDING_ORDERS, checked_order, order_of
from schedcore.engine.policy_simulation import run_policy
from schedcore.engine.queue_features import SITE_FEATURES
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import Instance, Machines, Result, features_of
from schedcore.model.arrays import IntArray
from schedcore.model.features import FEATURES
from schedcore.model.queue_keys import QUEUE_FORMULAS, QUEUE_KEYS, key_columns
from schedcore.parameters import Circumstances, RefusedEmbedded, option
from schedcore.registry import Family, OnlinePolicy

__all__ = ["BACKFILLING", "PLANNING_FEATURES", "BackfillingParameters", "embedded", "run_backfilling"]

#: Of those that promise a start to more than one job: nobody may be ended for another.
PLANNING_FEATURES = SITE_FEATURES

_OBJECTIVE = "average_response_time"
_logger = logging.getLogger("schedcore")

BACKFILLING = Family(
    "backfilling",
    {
        "source": "Leinberger, Karypis and Kumar, SC 1999",
        "objective": _OBJECTIVE,
        "decides_with": "estimated_processing_time",
        "reads": frozenset(),
        "machines_may_differ": True,
        "takes": SITE_FEATURES | {"preemption"},
        "takes_embedded": SITE_FEATURES | {"preemption"},
    },
    progress="``progress(jobs_started, n_jobs)``.",
)


class BackfillingParameters(Circumstances, ABC):
    """What every policy is asked to keep, and the policy itself."""

    order: str = option(
        "in what order jobs wait: arrival, a key (sjf, svf, sdf, wsjf, wsvf, wsdf), or a formula of the field "
        "(saf, lxf, wfp3, unicef, f1 to f4)",
        "A short form of ``site=Site(order=...)``, where a site gives no order. Smaller first: "
        + ", ".join(f"{name} = {key}" for name, key in {**QUEUE_KEYS, **QUEUE_FORMULAS}.items())
        + ", where p and r are the estimate, and n and s are what `schedcore.Site` says. Formulas that count the wait"
        " are computed anew at every event. The head of that queue is the one that is protected.",
        default="arrival",
        check=checked_order,
        examples=("arrival", "sjf", "saf", "lxf", "wfp3"),
        early=True,
        later=True,
        kw_only=True,
        for_kernel=False,
    )
    predictions: Literal["none", "last_two"] = option(
        "what is planned with in place of estimates: nothing, or the mean of the last two completed runs of the user",
        "A job without two such runs as of its release, or without a `user`, is planned with its estimate, which no"
        " prediction exceeds. A run that outlives its prediction is predicted to take a minute more, then 5, 15, 30"
        " minutes, 1, 2, 5, 10, 20, 50, 100 hours, then its estimate; times are seconds. `easy` with it and"
        ' ``selection="sjbf"`` is EASY++. Outages, failures and sites that preempt, by which runs are killed, are'
        " refused.",
        default="none",
        later=True,
        kw_only=True,
        for_kernel=False,
        embedded=RefusedEmbedded(
            "predictions are for solve: an embedded scheduler is told by submit and update what its caller predicts"
        ),
    )
    record: bool = option(
        "keep reservations in stats",
        'They are ``stats["reservations"]``: job -> list of (decision time, start, machine), one for each change.',
        default=False,
        early=True,
        kw_only=True,
        recorded=False,
        embedded=RefusedEmbedded(
            "record=True is for solve: an embedded scheduler returns its decisions, record those"
        ),
    )

    @abstractmethod
    def prototype(self, machines: Machines) -> _core.engine.Policy:
        """Return the compiled policy."""

    @property
    def queue_order(self) -> str:
        """How the core names the order of the queue."""
        order: str = self.checked("order")
        return order_of(self.site).rule if order == "erf" else order

    @property
    def is_in_order_of_arrival(self) -> bool:
        """Whether no option says otherwise; policies for single tasks know no site."""
        return bool(self.checked("order") == "erf")

    @property
    def has_standing_order(self) -> bool:
        """Whether the policy for single tasks that protects at most one job takes the order: keys that never change."""
        return self.checked("order") in STANDING_ORDERS

    def predicted_by(self, instance: Instance) -> IntArray | None:
        """(n_jobs,) Return by whose runs jobs are predicted: numbers of users, -1 for nobody's; None: not at all."""
        if self.predictions == "none":
            return None
        users = instance.jobs.coded("user")
        if instance.n_jobs and not users.names:
            _logger.warning(
                "predictions = %r are by the runs of each user, and no job has a user: all are planned with their "
                "estimates; logs keep users where they are read with columns=True",
                self.predictions,
            )
        return users.codes.astype(np.int64)

    def features(self) -> dict[str, str]:
        used = super().features()
        by_site = self.site is not None and not (
            isinstance(self.site.order, str) and self.site.order == "arrival"
        )
        if by_site and not self.is_in_order_of_arrival:
            raise InvalidInstanceError(
                f"order = {self.order!r} is a short form of Site(order=...), and the site has an order of its own"
            )
        return used

    def check_predictions(self, used: Mapping[str, str]) -> None:
        """Refuse features by which a run may be killed, as one that outlives its prediction is by an outage."""
        for feature in ("outages", "failures", "preemption"):
            if self.predictions != "none" and feature in used:
                raise UnsupportedError(
                    f"predictions = {self.predictions!r} does not take {FEATURES[feature]} ({used[feature]})"
                )

    def columns_read(self) -> frozenset[str]:
        by_predictions = frozenset() if self.predictions == "none" else frozenset({"user"})
        return super().columns_read() | key_columns(self.checked("order")) | by_predictions

    @abstractmethod
    def gang_prototype(self, machines: Machines) -> _core.engine.Policy:
        """Return the compiled policy for clusters as they are."""

    def check_features(self, used: Mapping[str, str], machines: Machines) -> None:
        """Refuse features of a cluster that these options cannot take; `used` is what `features_of` returns."""


def embedded(machines: Machines, parameters: BackfillingParameters) -> OnlinePolicy:
    """Return the policy for an embedded scheduler."""
    parameters.check_features(parameters.features(), machines)
    prototype = parameters.prototype(machines)
    return OnlinePolicy(
        prototype,
        order_of(parameters.site, embedded=True).numbers,
        for_clusters=None if prototype.heeds_clusters else parameters.gang_prototype(machines),
        check_features=lambda used: parameters.check_features(used, machines),
    )


def run_backfilling(
    algorithm: str,
    instance: Instance,
    parameters: BackfillingParameters,
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Run a policy on a workload, with estimates; the result records `options`, or the parameters."""
    used = features_of(instance) | parameters.features()
    parameters.check_features(used, instance.machines)
    parameters.check_predictions(used)
    return run_policy(
        algorithm,
        instance,
        parameters.prototype(instance.machines),
        parameters,
        cluster_policy=lambda: parameters.gang_prototype(instance.machines),
        custom_key=order_of(parameters.site).column(instance.jobs),
        uses_estimates=True,
        predicted_by=parameters.predicted_by(instance),
        objective=_OBJECTIVE,
        options=options,
    )
