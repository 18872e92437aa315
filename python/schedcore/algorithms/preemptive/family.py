"""What the slotted preemptive algorithms have in common: names, options, and what may be said in them."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from schedcore.errors import InfeasibleError, InvalidInstanceError, UnsupportedError
from schedcore.model.amounts import exact_total
from schedcore.model.arrays import EXACT_BOUND, IntArray, first_index
from schedcore.model.choices import check_choice, checked_flag
from schedcore.model.integers import checked_integer
from schedcore.model.real_numbers import finite_number
from schedcore.model.slots import SlotColumns, packing_order
from schedcore.registry import Option

__all__ = [
    "ALPHA",
    "BASELINE_MEM_MODE",
    "FAMILY",
    "GAMMA",
    "LAMBDA0",
    "LATENCY",
    "MAX_SLOTS",
    "MEM_MODE",
    "MU",
    "OBJECTIVE",
    "PACKING",
    "PAPER",
    "PLACEMENT",
    "POWER",
    "RECORD",
    "SOLVER",
    "WORK_CONSERVING",
    "DualRules",
    "Lambda0",
    "Progress",
    "RunRules",
    "check_room",
    "checked_power",
    "dual_rules",
    "run_rules",
    "strict_slots",
]

FAMILY = "preemptive"
PAPER = "Xu, Liu and Lau, IEEE/ACM Transactions on Networking 2021"
OBJECTIVE = "flow_power_sum"

Progress = Callable[[int, int], object] | None
Lambda0 = str | tuple[str, float]

_HIGHEST_POWER = 64
_MEM_MODES = ("backfill", "once", "twice")
_SOLVERS = ("joblevel", "greedy", "flow")
_PACKINGS = ("ffd", "sticky")
_LAMBDA0_WORDS = ("big", "zero", "mu:10", "const:1000")
_KINDS_WITH_NUMBER = {"mu": "steps", "const": "constant"}
_FEWEST_STRICT_SLOTS = 1000
_STRICT_FACTOR = 64


class DualRules(NamedTuple):
    """The recursion of the multipliers, in the words of the kernels; `constant_step` None is mu(t) = t^(k + 1/2)."""

    k: int
    gamma: float
    constant_step: float | None
    initial: str
    initial_value: float


class RunRules(NamedTuple):
    """The options of all runs in slots, by their names."""

    k: int
    packing: str
    max_slots: int | None
    record: bool

    @property
    def sticky(self) -> bool:
        """Whether jobs stay where they ran in the slot before."""
        return self.packing == "sticky"


def dual_rules(k: int, gamma: float, mu: object, lambda0: object) -> DualRules:
    """Check the parameters of the multipliers.

    Raises
    ------
    InvalidInstanceError
        For a Gamma that is not above 0, a negative mu, and a lambda0 that is none of its words.
    TypeError
        For a mu that is neither "sim" nor a number, and a lambda0 with something else than a number.
    """
    initial, value = _first_multiplier(lambda0)
    return DualRules(checked_power(k), gamma, _constant_step(mu), initial, value)


def run_rules(k: int, packing: str, max_slots: int | None, record: bool) -> RunRules:
    """Check the options of all runs in slots."""
    check_choice("packing", packing, _PACKINGS)
    last = None if max_slots is None else checked_integer("max_slots", max_slots, 1)
    return RunRules(checked_power(k), packing, last, checked_flag("record", record))


def checked_power(k: int) -> int:
    """Return k, an integer from 1 to 64."""
    return checked_integer("k", k, 1, _HIGHEST_POWER)


def strict_slots(gamma: float) -> int:
    """Return the default end of strict runs, of which some never end: 1000 slots, or 64 Gamma of equation (27)."""
    return int(min(max(_FEWEST_STRICT_SLOTS, math.ceil(_STRICT_FACTOR * gamma)), EXACT_BOUND))


def check_room(columns: SlotColumns, ids: IntArray) -> None:
    """Raise an `InfeasibleError` that names a job which can wait for ever, in truth or as its demand is estimated.

    A job may be split over all machines but needs, on one machine at least, all it asks for beside cores: it must fit
    the first machine in packing order.
    """
    capacity = columns.capacity
    cores = exact_total(capacity[:, 0])
    if cores >= EXACT_BOUND:
        raise UnsupportedError(f"all machines together have {cores} cores; it must be less than 2**53")
    first = int(packing_order(capacity)[0])
    for name, demand in (("demand", columns.demand), ("estimated_demand", columns.estimated_demand)):
        if demand is None:
            continue
        most = np.append(cores, capacity[first, 1:])
        beyond = demand > most
        if beyond.any():
            job, column = first_index(beyond)
            label = f"job {job}" if ids[job] == job else f"job {job} (id {ids[job]})"
            where = f"capacity[{first}, {column}]" if column else "the cores of all machines"
            raise InfeasibleError(
                f"{label} asks for {name}[{job}, {column}] = {demand[job, column]}, more than {where} = {most[column]}"
                + (", the first machine in packing order: it could wait for ever" if column else "")
            )


def _constant_step(mu: object) -> float | None:
    if isinstance(mu, str):
        check_choice("mu", mu, ("sim",))
        return None
    return finite_number("mu", mu, above_0=False, kind='"sim" or a number')


def _first_multiplier(lambda0: object) -> tuple[str, float]:
    if isinstance(lambda0, str):
        kind, colon, number = lambda0.partition(":")
        if not colon or kind not in _KINDS_WITH_NUMBER:
            check_choice("lambda0", lambda0, ("big", "zero"))
            return lambda0, 0.0
        try:
            value: Any = float(number)
        except ValueError:
            raise InvalidInstanceError(f"lambda0 = {lambda0!r}: {number!r} is no number") from None
    elif isinstance(lambda0, (tuple, list)) and len(lambda0) == 2:
        kind, value = lambda0
        check_choice("lambda0", kind, _KINDS_WITH_NUMBER)
    else:
        raise InvalidInstanceError(f'lambda0 = {lambda0!r} must be "big", "zero", ("mu", c) or ("const", v)')
    return _KINDS_WITH_NUMBER[kind], finite_number(f"lambda0 = {lambda0!r}: the number", value, above_0=False)


POWER = Option("k", 2, "power of the flow times in the objective, 1 to 64", check=checked_power)
GAMMA = Option(
    "gamma",
    None,
    "slots after which all work ought to be done; equation (27) where it is not given",
    check=lambda gamma: None if gamma is None else finite_number("gamma", gamma, above_0=True),
)
MU = Option(
    "mu",
    "sim",
    "step of the multipliers: t^(k + 1/2), or a constant",
    examples=("sim",),
    check=_constant_step,
)
LAMBDA0 = Option(
    "lambda0",
    "big",
    "multiplier of a job in its first slot: more than the recursion can take away, 0, c steps, or v",
    examples=_LAMBDA0_WORDS,
    check=_first_multiplier,
)
WORK_CONSERVING = Option(
    "work_conserving",
    True,
    "jobs that gain nothing in a slot get what the others leave; otherwise nothing",
    check=partial(checked_flag, "work_conserving"),
)
PACKING = Option(
    "packing", "ffd", "pack every slot anew, or keep jobs on the machines of the slot before", _PACKINGS
)
MEM_MODE = Option(
    "mem_mode",
    "backfill",
    "cores of jobs without memory: offered to others, idle, or shared anew among those with memory",
    _MEM_MODES,
)
BASELINE_MEM_MODE = Option(
    "mem_mode", "backfill", "cores of jobs without memory: offered to others, or idle", _MEM_MODES[:2]
)
ALPHA = Option(
    "alpha",
    10.0,
    "price of changing rates: times the square of every change, at least 0",
    check=partial(finite_number, "alpha", above_0=False),
)
SOLVER = Option(
    "solver",
    "joblevel",
    "how a slot is solved: by the rates of jobs, or machine by machine, greedily or exactly",
    _SOLVERS,
)
PLACEMENT = Option(
    "placement",
    "pack",
    "MapReduce: pack the tasks, or place them where latency is least",
    ("pack", "latency"),
)
LATENCY = Option("latency", None, "MapReduce: (n_tasks, n_machines) latencies for placement = latency")
MAX_SLOTS = Option("max_slots", None, "end the run after this slot, finished or not")
RECORD = Option(
    "record", False, "keep the refusals of every slot, and OCORP's multipliers, in the statistics"
)
