"""Conservative backfilling: every waiting job holds a reservation, and nothing delays one.

Jobs that end before their estimates give room back, and reservations move to earlier places (compression). Decisions
use `estimated_processing_time`, completions the processing time.
Sources: Feitelson and Weil, IPPS 1998; Mu'alem and Feitelson, TPDS 2001; Leinberger, Karypis and Kumar, SC 1999, for
several resources and the selections.
"""

from typing import Literal

from schedcore import _core
from schedcore.errors import UnsupportedError
from schedcore.model import Instance, Machines, Result
from schedcore.parameters import option
from schedcore.registry import registered

from .family import BACKFILLING, PLANNING_FEATURES, BackfillingParameters, embedded, run_backfilling
from .plan import Compressing, protecting_gang_policy, protecting_policy
from .selection import Overtaking, Selection
from .site_limits import PlanLimits

__all__ = ["conservative"]


class _Moving(BackfillingParameters):
    mode: Literal["compress", "rebuild"] = option(
        "compress: reservations only move to earlier starts; rebuild: made anew at every event, for comparison",
        'Rebuilt ones, with the selection "ff" only, may let a job start later than it was promised.',
        default="compress",
        for_kernel=False,
    )
    reservations: Literal["tasks", "machines"] = option(
        "what of its machines a reservation keeps from others: what its tasks take, or all",
        'Running jobs share machines in any case. "machines" is how Slurm plans, with `mode="rebuild"` only.',
        default="tasks",
        for_kernel=False,
    )
    allocation: Literal["first", "consecutive"] = option(
        "where jobs go: on the first machines with room, or on neighbours: the smallest run that suffices",
        'Where no run suffices, the largest is filled first. "consecutive" is how Slurm chooses nodes, with '
        '`mode="rebuild"` only.',
        default="first",
        for_kernel=False,
    )


class ConservativeParameters(PlanLimits, Compressing, _Moving, Overtaking):
    """How reservations move, who takes room that was given back, and what sites set."""

    def check(self) -> None:
        """Refuse what a plan that is made anew does not have."""
        if self.mode != "rebuild":
            for name, default in (("reservations", "tasks"), ("allocation", "first")):
                value = getattr(self, name)
                if value != default:
                    raise UnsupportedError(
                        f"{name}={value!r} exists for mode='rebuild' only, not {self.mode!r}"
                    )
            return
        if self.checked("selection").rule != "ff":
            raise UnsupportedError(f"mode='rebuild' exists for selection='ff' only, not {self.selection!r}")
        if self.compression != "pass":
            raise UnsupportedError("mode='rebuild' makes its plan anew at every event; it has no compression")
        if self.interval is not None:
            raise UnsupportedError("mode='rebuild' makes its plan anew at every event; it has no interval")

    def scored(self, n_resources: int) -> Selection:
        """Return the selection, which in a compression lets jobs start before others move, whatever the scores."""
        selection: Selection = self.checked("selection")
        return selection

    def prototype(self, machines: Machines) -> _core.engine.Policy:
        is_plain = (self.reservations, self.allocation) == ("tasks", "first") and self.is_in_order_of_arrival
        if self.mode == "rebuild" and not is_plain:
            return self.gang_prototype(machines)
        if self.mode == "rebuild":
            limits = self.for_kernel()
            del limits["interval"]
            return _core.backfilling.RebuildPolicy(**limits)
        return protecting_policy(self, None, self.scored(machines.n_resources), self.compression)

    def gang_prototype(self, machines: Machines) -> _core.engine.Policy:
        if self.mode == "rebuild":
            return _core.gangs.GangReservationPolicy(
                rebuilt=(self.reservations, self.allocation), order=self.queue_order, **self.for_kernel()
            )
        return protecting_gang_policy(self, None, self.scored(machines.n_resources), self.compression)


@registered(
    ConservativeParameters,
    "conservative backfilling",
    BACKFILLING,
    embed=embedded,
    takes=PLANNING_FEATURES,
    takes_embedded=PLANNING_FEATURES,
)
def conservative(instance: Instance, parameters: ConservativeParameters) -> Result:
    """Conservative backfilling: every waiting job holds a reservation, and nothing delays one.

    Who overtakes is who takes room that was given back first, where it can start at once; "ff" goes by queue order.

    Parameters
    ----------
    instance : Instance
        As for `schedcore.backfilling.easy`.

    Returns
    -------
    Result
        `objective` is "average_response_time"; no guarantee. ``stats["compression_looks"]`` and
        ``stats["compression_moves"]`` count the reservations looked at and moved.

    Raises
    ------
    InvalidInstanceError, InfeasibleError, UnsupportedError
        See `schedcore.solve`; also for an estimate below the processing time.

    Notes
    -----
    An arrival costs one search of the plan; an early completion a look at every reservation, tens of nanoseconds for
    one that cannot move.
    """
    return run_backfilling("conservative", instance, parameters)
