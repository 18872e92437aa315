"""What the slotted preemptive algorithms have in common: options, and what may be said in them.

An algorithm derives from the groups of options that it has, and lists them from the last to the first: the groups stand
in the order of the documentation that way. `SlotRun` and `PhaseRun` are what the two kernels are told of all of them.
"""

import math
from functools import partial
from typing import Any, Literal

from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.choices import check_choice
from schedcore.model.integers import checked_integer
from schedcore.model.real_numbers import finite_number
from schedcore.parameters import Parameters, option, optional
from schedcore.registry import Family

__all__ = [
    "PREEMPTIVE",
    "FlowPower",
    "Lambda0",
    "Memory",
    "Multipliers",
    "OrderedRun",
    "PhasePlacement",
    "PhaseRun",
    "Service",
    "ServiceRun",
    "SlotPacking",
    "SlotRun",
    "strict_slots",
]

PREEMPTIVE = Family(
    "preemptive",
    {
        "source": "Xu, Liu and Lau, IEEE/ACM Transactions on Networking 2021",
        "objective": "flow_power_sum",
        "reads": frozenset(),
        "slotted": True,
        "machines_may_differ": True,
    },
    progress="``progress(jobs completed, n_jobs)``.",
)

Lambda0 = str | tuple[str, float]

_HIGHEST_POWER = 64
_KINDS_WITH_NUMBER = {"mu": "steps", "const": "constant"}
_FEWEST_STRICT_SLOTS = 1000
_STRICT_FACTOR = 64


def _checked_step(name: str, mu: object) -> float | None:
    """The constant step, None for the one that grows."""
    if isinstance(mu, str):
        check_choice(name, mu, ("sim",))
        return None
    return finite_number(name, mu, above_0=False, kind='"sim" or a number')


def _checked_multiplier(name: str, lambda0: object) -> tuple[str, float]:
    """The word of the kernel, and its number."""
    if isinstance(lambda0, str):
        kind, colon, number = lambda0.partition(":")
        if not colon or kind not in _KINDS_WITH_NUMBER:
            check_choice(name, lambda0, ("big", "zero"))
            return lambda0, 0.0
        try:
            value: Any = float(number)
        except ValueError:
            raise InvalidInstanceError(f"{name} = {lambda0!r}: {number!r} is no number") from None
    elif isinstance(lambda0, (tuple, list)) and len(lambda0) == 2:
        kind, value = lambda0
        check_choice(name, kind, _KINDS_WITH_NUMBER)
    else:
        raise InvalidInstanceError(f'{name} = {lambda0!r} must be "big", "zero", ("mu", c) or ("const", v)')
    return _KINDS_WITH_NUMBER[kind], finite_number(f"{name} = {lambda0!r}: the number", value, above_0=False)


class FlowPower(Parameters, kw_only=True):
    """What is minimised."""

    k: int = option(
        "power of the flow times in the objective, 1 to 64",
        default=2,
        check=partial(checked_integer, least=1, most=_HIGHEST_POWER),
        early=True,
        for_kernel=False,
    )


class Multipliers(Parameters, kw_only=True):
    """How who waits earns its turn."""

    gamma: float | None = option(
        "slots after which all work ought to be done; equation (27) where it is not given",
        "Above 0.",
        default=None,
        check=optional(partial(finite_number, above_0=True)),
        early=True,
    )
    mu: float | Literal["sim"] = option(
        "step of the multipliers: t^(k + 1/2), or a constant",
        "A constant is at least 0.",
        default="sim",
        check=_checked_step,
        early=True,
        examples=("sim",),
    )
    lambda0: Lambda0 = option(
        "multiplier of a job in its first slot: more than the recursion can take away, 0, c steps, or v",
        '"big" is gamma^(k + 3/2). "mu:c" and "const:v" say the same as the pairs.',
        default="big",
        check=_checked_multiplier,
        early=True,
        examples=("big", "zero", "mu:10", "const:1000"),
        takes='{"big", "zero"}, ("mu", c) or ("const", v)',
    )
    work_conserving: bool = option(
        "jobs that gain nothing in a slot get what the others leave; otherwise nothing",
        "False is the paper's literal text.",
        default=True,
        early=True,
    )


class SlotPacking(Parameters, kw_only=True):
    """Where cores are."""

    packing: Literal["ffd", "sticky"] = option(
        "pack every slot anew, or keep jobs on the machines of the slot before",
        "Jobs that are kept come first, as far as they fit.",
        default="ffd",
    )


class Service(Parameters, kw_only=True):
    """Whether a job may be split and slowed down."""

    service: Literal["shared", "whole", "repacked"] = option(
        "give cores one by one on any servers, or all that a job asks for on one server, kept or chosen in each slot",
        'With "whole" and "repacked" jobs are placed in their order, each on the lowest server with room for all that'
        ' it asks for, memory included. With "whole" who runs keeps its server until it is preempted: another job takes'
        ' its place only if it comes before it and finds room nowhere else. With "repacked" all are placed anew in'
        " every slot. Neither has another `packing` or `mem_mode`, and a `MapReduceInstance` takes neither.",
        default="shared",
        later=True,
    )
    skip: bool = option(
        "whole and repacked: jobs after one that does not fit are tried, too; otherwise none of them runs",
        default=False,
        later=True,
    )


class Memory(Parameters, kw_only=True):
    """What becomes of the cores of jobs that get no memory."""

    mem_mode: Literal["backfill", "once", "twice"] = option(
        "cores of jobs without memory: offered to others, idle, or shared anew among those with memory",
        "Without a second resource nobody is refused.",
        default="backfill",
    )


class _OrderedMemory(Parameters, kw_only=True):
    mem_mode: Literal["backfill", "once"] = option(
        "cores of jobs without memory: offered to others, or idle", default="backfill"
    )


class PhasePlacement(Parameters, kw_only=True):
    """Where the tasks of map and reduce phases are."""

    placement: Literal["pack", "latency"] = option(
        "MapReduce: pack the tasks, or place them where latency is least",
        "It changes no completion time.",
        default="pack",
        for_kernel=False,
    )
    latency: ArrayLike | None = option(
        "MapReduce: (n_tasks, n_machines) latencies for placement = latency",
        "What a task pays on a machine, finite and at least 0; the sum over all cores of latency / cores of the task is"
        " least in every slot. Tasks as in `MapReduceInstance.task_start`.",
        default=None,
        takes="(n_tasks, n_machines) array_like, optional",
        recorded=False,
        for_kernel=False,
    )


class SlotRun(SlotPacking, FlowPower, kw_only=True):
    """When a run ends, and what it keeps."""

    max_slots: int | None = option(
        "end the run after this slot, finished or not",
        "Strict runs (``work_conserving=False``), of which some never end, end without it after 1000 slots or 64 times"
        " the default of gamma, whichever is more.",
        default=None,
        check=optional(partial(checked_integer, least=1)),
    )
    record: bool = option(
        "keep the refusals of every slot, and OCORP's multipliers, in the statistics",
        "It takes memory for each slot and active job.",
        default=False,
    )


class OrderedRun(SlotRun, _OrderedMemory, SlotPacking, FlowPower, kw_only=True):
    """The options of policies without multipliers, which grant memory in the order of the jobs."""


class ServiceRun(SlotRun, _OrderedMemory, Service, SlotPacking, FlowPower, kw_only=True):
    """Those of policies that can serve jobs whole, too."""

    def check(self) -> None:
        """Refuse what belongs to one kind of service alone."""
        if self.service == "shared":
            if self.skip:
                raise UnsupportedError(
                    "skip=True needs service 'whole' or 'repacked': where cores are shared nobody is passed over"
                )
            return
        for name in ("packing", "mem_mode"):
            value = getattr(self, name)
            if value != getattr(ServiceRun, name):
                raise UnsupportedError(
                    f"{name}={value!r} exists for service='shared' only, not {self.service!r}"
                )


class PhaseRun(SlotRun, PhasePlacement, SlotPacking, FlowPower, kw_only=True):
    """Those of all policies on jobs of map and reduce tasks."""


def strict_slots(gamma: float) -> int:
    """Return the default end of strict runs, of which some never end: 1000 slots, or 64 Gamma of equation (27)."""
    return int(min(max(_FEWEST_STRICT_SLOTS, math.ceil(_STRICT_FACTOR * gamma)), EXACT_BOUND))
