"""What an embedded scheduler was made with, and how it is copied, saved and loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from numpy.typing import ArrayLike

from schedcore import _core, registry
from schedcore.errors import (
    InvalidInstanceError,
    PolicyError,
    SchedcoreError,
    UnsupportedError,
    one_line,
)
from schedcore.model import Jobs, Machines, Site
from schedcore.model.site_columns import site_rules
from schedcore.model.site_json import site_from_json

from .embedded_columns import described_machines
from .own_policy import Policy, check_is_policy, chosen_algorithm
from .snapshots import SavedScheduler, damaged, other_format
from .submissions import Submissions

__all__ = ["Persistence"]


class Persistence(Submissions):
    """The part of `OnlineScheduler` that keeps what it was made with, copies it, saves it and loads it."""

    def _prepare(
        self,
        policy: str | Policy,
        machines: Machines,
        options: dict[str, Any],
        killed: str,
        infeasible: str,
        site: Site | None,
    ) -> _core.engine.Policy:
        """Take note of what the caller chose, and return the compiled policy."""
        algorithm = chosen_algorithm(policy)
        if not isinstance(machines, Machines):
            raise TypeError(f"machines must be schedcore.Machines, not {type(machines).__name__}")
        if site is not None and not isinstance(site, Site):
            raise TypeError(f"site must be a Site, not {type(site).__name__}")
        embedded = algorithm.embedded(machines, options, site)
        if embedded is None:
            others = ", ".join(each.name for each in registry.algorithms() if each.embeddable)
            raise UnsupportedError(f"{policy!r} has no embedded form; {others} have one")
        self._policy = algorithm.name
        self._own_policy = policy if isinstance(policy, Policy) else None
        self._check_features = algorithm.check_features
        self._check_features_with_options = embedded.check_features
        self._machines = machines
        self._killed = killed
        self._infeasible = infeasible
        self._site = site
        self._rules = None if site is None else site_rules(site, machines)
        self._users = {}
        self._most_users = 1024
        self._for_clusters = embedded.for_clusters
        self._options = dict(options)
        self._custom_key = embedded.custom_key
        self._takes_tasks = embedded.prototype.heeds_placements
        self._decides_in_python = isinstance(embedded.prototype, _core.engine.PythonPolicy)
        self._uses_estimates = algorithm.decides_with == "estimated_processing_time"
        return embedded.prototype

    def copy(self) -> Self:
        """Return an independent scheduler in the same state; costs a memory copy of the state."""
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied._core = self._core.copy()
        copied._users = dict(self._users)
        return copied

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def save(self) -> bytes:
        """Return the state as bytes, records included; `load` goes on from them identically.

        They name the format, the library's version, the policy, its options and the machines, and carry a checksum. A
        callable heuristic, or a callable order of the site, is not in them. 40 to 70 bytes a job that waits or runs,
        and 8 for each resource; the same state has the same bytes.
        """
        return SavedScheduler.of(
            self._policy,
            self._machines,
            self._options,
            self._killed,
            self._infeasible,
            self._site,
            self._users_of_jobs(),
            self._own_policy is not None,
            self._core.snapshot(),
        ).to_bytes()

    @classmethod
    def load(
        cls,
        data: bytes | bytearray | memoryview,
        heuristic: Callable[[Jobs], ArrayLike] | None = None,
        policy: Policy | None = None,
    ) -> Self:
        """Return the scheduler that was saved as these bytes.

        Parameters
        ----------
        data : bytes
            What `save` returned. Nothing in it is executed, and nothing is believed: lengths, numbers and their
            agreement with each other are checked, so the bytes may come from anywhere.
        heuristic : callable, optional
            The callable that orders the jobs, if the saved scheduler had one, as its heuristic or as ``Site.order``;
            for jobs to come, since the keys of those that were submitted are in the bytes.
        policy : Policy, optional
            The policy of your own, if the saved scheduler had one; what it remembered is in the bytes.

        Raises
        ------
        InvalidInstanceError
            Bytes that are not a saved scheduler, have changed, or are of another format; a callable that is missing,
            or given where none was used.
        """
        try:
            content = bytes(memoryview(data))
        except TypeError:
            raise TypeError(f"data must be bytes, not {one_line(repr(data))}") from None
        saved = SavedScheduler.from_bytes(content)
        options = dict(saved.options)
        if saved.has_callable:
            if not callable(heuristic):
                raise InvalidInstanceError(
                    f"the saved scheduler had a callable {'Site.order' if saved.orders_by_callable else 'heuristic'}, "
                    "which is not in the bytes: give it again, load(data, heuristic=...)"
                )
            if not saved.orders_by_callable:
                options["heuristic"] = heuristic
        elif heuristic is not None:
            raise InvalidInstanceError("heuristic is given, but the saved scheduler had no callable")
        _check_own(saved, policy)
        scheduler = object.__new__(cls)
        try:
            prototype = scheduler._prepare(
                saved.policy if policy is None else policy,
                saved.machines,
                options,
                saved.killed,
                saved.infeasible,
                None if saved.site is None else site_from_json(saved.site, heuristic),
            )
            scheduler._core = _core.engine.OnlineScheduler.load(
                prototype,
                described_machines(saved.machines),
                saved.engine,
                for_clusters=scheduler._for_clusters,
                killed=saved.killed,
                infeasible=saved.infeasible,
                site=scheduler._rules,
            )
            scheduler._users = saved.users
        except PolicyError:  # of the caller's own
            raise
        except (SchedcoreError, TypeError, ValueError, ArithmeticError) as error:
            message = str(error)
            raise (error if message.startswith("the snapshot") else damaged(message)) from None
        return scheduler

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        heuristic = self._options.get("heuristic")
        if self._site is not None and callable(self._site.order):
            heuristic = self._site.order
        given = (heuristic if callable(heuristic) else None, self._own_policy)
        return type(self).load, (self.save(), *(given if any(each is not None for each in given) else ()))

    def __setstate__(self, state: object) -> None:
        raise other_format(1)  # only pickles of that format call it


def _check_own(saved: SavedScheduler, policy: Policy | None) -> None:
    """Raise an `InvalidInstanceError` unless the policy of somebody's own is given that was saved, and no other."""
    if policy is not None:
        check_is_policy(policy)
    if saved.is_own and policy is None:
        raise InvalidInstanceError(
            f"the saved scheduler had {saved.policy!r}, a policy of somebody's own, which is not in the bytes: "
            "give it again, load(data, policy=...)"
        )
    if policy is None:
        return
    if not saved.is_own:
        raise InvalidInstanceError(
            f"policy is given, but the saved scheduler had {saved.policy!r} of the library"
        )
    if policy.label != saved.policy:
        raise InvalidInstanceError(
            f"the saved scheduler had the policy {saved.policy!r}, not {policy.label!r}"
        )
