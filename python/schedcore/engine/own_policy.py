"""Policies of your own: what `decide` is told, what it may do, and how such a policy is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core, registry
from schedcore.errors import InvalidInstanceError, PolicyError, UnsupportedError, one_line
from schedcore.metrics import OBJECTIVES
from schedcore.model import FEATURES, Instance, Jobs, Machines, Result
from schedcore.model.choices import check_choice
from schedcore.model.real_numbers import shown
from schedcore.parameters import Circumstances
from schedcore.registry import Algorithm, OnlinePolicy

from .call_arguments import id_array, instant_of, whole_number
from .policy_simulation import run_policy
from .queue_features import QUEUE_FEATURES, SINGLE_TASK_FEATURES

__all__ = [
    "Event",
    "Policy",
    "RunningJobs",
    "Turn",
    "TurnMachines",
    "algorithm_of",
    "check_is_policy",
    "chosen_algorithm",
]

_GANGS = QUEUE_FEATURES - SINGLE_TASK_FEATURES


class Event:
    """What happened at one instant: ids of jobs as int64 arrays, in increasing order. Of use while `decide` runs."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.engine.PolicyEvent) -> None:
        self._core = core

    @property
    def now(self) -> float:
        """The instant."""
        return self._core.now

    @property
    def arrived(self) -> NDArray[np.int64]:
        """Jobs that have arrived."""
        return self._core.arrived

    @property
    def completed(self) -> NDArray[np.int64]:
        """Jobs that have ended."""
        return self._core.completed

    @property
    def killed(self) -> NDArray[np.int64]:
        """Jobs that ran and wait again; those that are dropped count as cancelled."""
        return self._core.killed

    @property
    def cancelled(self) -> NDArray[np.int64]:
        """Jobs that are gone without having ended: first those that ran, then those that waited."""
        return self._core.cancelled

    @property
    def held(self) -> NDArray[np.int64]:
        """Jobs that waited and are passed over until they are released."""
        return self._core.held

    @property
    def released(self) -> NDArray[np.int64]:
        """Jobs that were held and wait again."""
        return self._core.released

    @property
    def updated(self) -> NDArray[np.int64]:
        """Jobs that wait or run, of which something else is said than before."""
        return self._core.updated

    @property
    def adopted(self) -> NDArray[np.int64]:
        """Jobs that nobody knew of, and that run already."""
        return self._core.adopted

    @property
    def machines_changed(self) -> NDArray[np.int64]:
        """Indices of machines that are up or down now, or have other outages, reservations or capacities."""
        return self._core.machines_changed

    def __repr__(self) -> str:
        return f"Event(now={self.now:g}, ...)"


@dataclass(frozen=True, slots=True, eq=False)
class RunningJobs:
    """The running jobs, a row each, in order of their estimated ends, then of their ids.

    Attributes
    ----------
    id : (n,) int64
    machine : (n,) int64
        The first one of a job of several tasks.
    start_time : (n,) float64
    estimated_end : (n,) float64
        By what the policy is told; of a late job that is over.
    """

    id: NDArray[np.int64]
    machine: NDArray[np.int64]
    start_time: NDArray[np.float64]
    estimated_end: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, slots=True, eq=False)
class TurnMachines:
    """The machines that are not removed, a row each, by index.

    Attributes
    ----------
    machine : (n,) int64
        Indices.
    capacity : (n, n_resources) int64
    up : (n,) bool
        Whether jobs may start there: it has not failed, is not closed and in no outage.
    usable_until : (n,) float64
        When the next announced outage begins; inf if there is none.
    """

    machine: NDArray[np.int64]
    capacity: NDArray[np.int64]
    up: NDArray[np.bool_]
    usable_until: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.machine)


class Turn:
    """What a policy sees of the cluster, and what it may do. Of use while `decide` runs."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.engine.PolicyTurn) -> None:
        self._core = core

    @property
    def free(self) -> NDArray[np.int64]:
        """(n_machines, n_resources) int64: what is free now, nothing where a machine is down.

        A read-only view that follows the starts of this turn; later ones do not count on it. Row i is the machine
        ``turn.machines.machine[i]``, which is i as long as no machine was removed. The first access costs a copy; from
        then on it costs O(n_resources) a job.
        """
        return self._core.free

    @property
    def waiting(self) -> NDArray[np.int64]:
        """The ids of the jobs that waited when the turn began, by release time, then by id. O(n_waiting)."""
        return self._core.waiting

    @property
    def running(self) -> RunningJobs:
        """The running jobs, those that this turn has started among them. O(n_running log n_running)."""
        return RunningJobs(*self._core.running)

    @property
    def machines(self) -> TurnMachines:
        """The machines. O(n_machines)."""
        return TurnMachines(*self._core.machines)

    def jobs(self, ids: ArrayLike) -> Jobs:
        """Return what the policy is told of jobs that wait, run, or have just ended, in the order of `ids`.

        `processing_time` is what they take by what the policy is told: the estimate where `Policy.decides_with` says
        so, and less by the work that checkpoints have saved. Constraints are not among the columns: `fits` heeds them.
        """
        return Jobs.of_checked_columns(**self._core.jobs(id_array(ids)))

    def fits(self, id: SupportsIndex) -> NDArray[np.int64]:
        """Return the machines where a job may start now, those that are preferred first, beside what has started.

        It may use them, there is room for it, or for one of its tasks, and they are up until it ends. Nothing for a job
        that does not wait (any more).
        """
        return self._core.fits(_asked(id, "machines that fit"))

    def room(self, id: SupportsIndex) -> NDArray[np.int64]:
        """Return how many tasks of a job may start now on each of the machines of ``fits(id)``, in their order.

        At least one, and at most as many as the job has or lets a machine have. Free amounts alone do not tell, where
        an advance reservation begins before the job would end.
        """
        return self._core.room(_asked(id, "machines with room for"))

    def start(self, id: SupportsIndex, machine: SupportsIndex | Sequence[tuple[int, int]]) -> None:
        """Start a job now.

        Parameters
        ----------
        id : int
            Of a job that waits.
        machine : int or list of (int, int)
            Where; for a job of several tasks the machines, each with the number of its tasks there.

        Raises
        ------
        PolicyError
            Where it does not wait, does not fit, may not run there, would run into an outage, or where the tasks are
            not all of its tasks; and for ids and machines that are no integers. Nothing has happened then.
        """
        job, place = whole_number(id), whole_number(machine)
        if job is None:
            raise PolicyError(
                f"job {_text(id)} was started on machine {_text(machine)}; ids of jobs are integers"
            )
        if place is None:
            self._core.start_tasks(_known(job), _places(job, machine))
        else:
            self._core.start(_known(job), _existing(job, place))

    def wake(self, at: SupportsFloat) -> None:
        """Ask to decide again at an instant to come, if jobs wait then.

        Where jobs wait, a policy is asked anyway when an announced outage ends.
        """
        self._core.wake(instant_of(at, called="at"))


def _text(value: object) -> str:
    return one_line(repr(value))


def _asked(id: SupportsIndex, what: str) -> int:
    """The id of a job of which something is asked."""
    job = whole_number(id)
    if job is None:
        raise PolicyError(f"{what} job {_text(id)} were asked for; ids of jobs are integers")
    return _known(job)


def _known(job: int) -> int:
    """The id of a job as the engine takes it."""
    if not -(2**63) <= job < 2**63:
        raise PolicyError(f"job {shown(job)} neither waits nor runs")
    return job


def _existing(job: int, machine: int) -> int:
    """The index of a machine as the engine takes it."""
    if not -(2**63) <= machine < 2**63:
        raise PolicyError(f"job {job} was started on machine {shown(machine)}, which is not there")
    return machine


def _places(job: int, given: Any) -> list[tuple[int, int]]:
    """Machines with numbers of tasks as the engine takes them."""
    try:
        pairs = [(whole_number(machine), whole_number(n_tasks)) for machine, n_tasks in given]
    except (TypeError, ValueError):
        pairs = [(None, None)]
    places = []
    for machine, n_tasks in pairs:
        if machine is None or n_tasks is None:
            raise PolicyError(
                f"job {job} was started on machine {_text(given)}; "
                "that must be an integer, or a list of pairs of integers (machine, number of tasks)"
            )
        if not -(2**63) <= n_tasks < 2**63:
            raise PolicyError(
                f"job {job} was started on machine {shown(machine)} with {shown(n_tasks)} tasks; "
                "numbers of tasks are at most 2**63 - 1"
            )
        places.append((_existing(job, machine), n_tasks))
    return places


class Policy:
    """A policy of your own: derive from it, and write `decide`.

    ``schedcore.solve(MyPolicy(), instance)`` and ``OnlineScheduler(MyPolicy(), machines)`` run it. Both work on deep
    copies of the object, and so do copies of a scheduler; what `decide` remembers belongs into attributes of the
    object, and has to be something that ``copy.deepcopy`` copies. It has to decide alike whenever it is told the same:
    after an error a scheduler makes the decisions since its last copy again, and where these differ it cannot go on.

    Attributes
    ----------
    name : str
        What results call it; by default the name of the class.
    takes : frozenset of str
        The features of a cluster that it heeds, of `schedcore.model.FEATURES`; instances that use others are refused.
        By default those that need nothing of it: "constraints", "outages", "weights", "failures" and "cancellations".
        A policy for jobs of several tasks and exclusive ones adds "gangs", "spread" and "exclusive".
    decides_with : {"processing_time", "estimated_processing_time"}
        What it is told of how long jobs take.
    objective : str
        What `Result.value` measures, of `schedcore.metrics.OBJECTIVES`.

    Notes
    -----
    An embedded scheduler can be saved and pickled if the object has no attributes, or if its ``__getstate__`` returns
    bytes, which ``__setstate__`` of a new object takes back.

    Waking often is paid for. A wake-up that the caller lets pass is served late: at the first recorded instant, or at
    the `now` of the `advance`. Behind the first recorded instant, an `advance` over a long time makes every decision
    that was asked for on the way, each at its own time.
    """

    name: ClassVar[str] = ""
    takes: ClassVar[frozenset[str]] = SINGLE_TASK_FEATURES
    decides_with: ClassVar[Literal["processing_time", "estimated_processing_time"]] = "processing_time"
    objective: ClassVar[str] = "awct"

    def decide(self, event: Event, turn: Turn) -> None:
        """Start jobs, after everything of an instant has happened.

        It is called at every instant at which something happens, and at those that `Turn.wake` names.
        """
        raise NotImplementedError(f"{type(self).__name__} has no decide(event, turn)")

    @property
    def label(self) -> str:
        """The name, or that of the class."""
        return self.name or type(self).__name__

    def prototype(self) -> _core.engine.Policy:
        """Return the policy as the engine takes it."""
        return _core.engine.PythonPolicy(self, takes_gangs=bool(frozenset(self.takes) & _GANGS))

    def _decide(self, event: _core.engine.PolicyEvent, turn: _core.engine.PolicyTurn) -> object:
        """What the engine calls."""
        return self.decide(Event(event), Turn(turn))  # type: ignore[func-returns-value]  # checked by the engine


@dataclass(frozen=True, slots=True)
class _OwnRun:
    """What `Algorithm.run` and `Algorithm.embed` are of a policy: objects, as these can be pickled."""

    policy: Policy
    name: str

    def __call__(self, instance: Instance, **given: Any) -> Result:
        told = Circumstances.of_call(self.name, (), given)
        algorithm = algorithm_of(self.policy, self.name)
        algorithm.check_features(told.features())
        prototype = self.policy.prototype()
        result = run_policy(
            self.name,
            instance,
            prototype,
            told,
            cluster_policy=lambda: prototype,
            uses_estimates=self.policy.decides_with == "estimated_processing_time",
            objective=self.policy.objective,
            options={},
        )
        result.stats["ignored"] = algorithm.ignored(instance, told)
        return result

    def embedded(self, machines: Machines) -> OnlinePolicy:
        """Return the policy for `OnlineScheduler`."""
        return OnlinePolicy(self.policy.prototype())


def check_is_policy(policy: object, called: str = "policy") -> None:
    """Raise a `TypeError` unless it is an object of `Policy`."""
    if not isinstance(policy, Policy):
        raise TypeError(
            f"{called} must be an object of a class derived from schedcore.Policy, not {_kind(policy)}"
        )


def chosen_algorithm(policy: str | Policy, called: str = "policy") -> Algorithm:
    """Return the algorithm of a name, or a policy of somebody's own as one; or raise an `InvalidInstanceError`."""
    if isinstance(policy, Policy):
        return algorithm_of(policy)
    if not isinstance(policy, str):
        raise InvalidInstanceError(
            f"{called} must be the name of an algorithm, or an object of a class derived from schedcore.Policy, "
            f"not {_kind(policy)}"
        )
    return registry.get(policy)


def _kind(value: object) -> str:
    """What is there in place of a policy."""
    if not isinstance(value, type):
        return _text(value)
    own = issubclass(value, Policy)
    return f"the class {value.__name__}" + (f" itself; {value.__name__}(...) makes an object" if own else "")


def algorithm_of(policy: Policy, name: str | None = None) -> Algorithm:
    """Return a policy as one of the algorithms, though none that is registered; by its label, or by another name."""
    label = name or policy.label
    takes = frozenset(policy.takes)
    for feature in sorted(takes):
        check_choice(f"feature that {label!r} takes", feature, FEATURES)
        if feature not in QUEUE_FEATURES:
            raise UnsupportedError(
                f"{label!r} takes {feature!r}, which policies of somebody's own cannot heed yet"
            )
    check_choice(f"objective of {label!r}", policy.objective, OBJECTIVES)
    check_choice(
        f"decides_with of {label!r}", policy.decides_with, ("processing_time", "estimated_processing_time")
    )
    run = _OwnRun(policy, label)
    return Algorithm(
        label,
        label,
        "own",
        source="",
        run=run,
        options=(),
        objective=policy.objective,
        decides_with=policy.decides_with,
        reads=frozenset({"weight"}),  # which it is told
        machines_may_differ=True,
        takes=takes,
        takes_embedded=takes,
        heeds_circumstances=True,
        embed=run.embedded,
    )
