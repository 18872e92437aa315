"""What the planning policies are made of: how many waiting jobs are protected, and how reservations move.

`easy`, `conservative` and `backfill` name corners of one space; a `Plan` is a point of it, checked, and becomes the
compiled policy that covers it.
"""

from dataclasses import dataclass
from typing import Any

from schedcore import _core
from schedcore.algorithms.workload_run import Progress, run_policy
from schedcore.errors import UnsupportedError
from schedcore.model import Instance, Machines, Result
from schedcore.model.choices import check_choice
from schedcore.registry import Option

from .family import OBJECTIVE
from .selection import Selection
from .site_limits import SiteLimits, checked_record

__all__ = ["COMPRESSION", "MODE", "Plan", "run_plan"]

MODE = Option(
    "mode",
    "compress",
    "compress: reservations only move to earlier starts; rebuild: made anew at every event, for comparison",
    ("compress", "rebuild"),
)
COMPRESSION = Option(
    "compression",
    "pass",
    "after early completions: one pass in queue order, passes until nothing moves (fixpoint), or none",
    ("pass", "fixpoint", "none"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """One planning policy; with `protected` None every waiting job holds a reservation."""

    protected: int | None
    selection: str
    compression: str
    mode: str
    limits: SiteLimits
    record: bool

    def prototype(self, machines: Machines) -> _core.Policy:
        chosen = Selection.parse(self.selection)
        check_choice("mode", self.mode, MODE.choices or ())
        check_choice("compression", self.compression, COMPRESSION.choices or ())
        limits: dict[str, Any] = self.limits.arguments()
        if self.mode == "rebuild":
            return self._rebuilding(chosen, limits)
        scores: dict[str, Any] = chosen.arguments()
        # With equal scores alone whoever overtakes does so in queue order. (In a compression the selection also lets
        # jobs start before the others move, whatever the scores.)
        if self.protected is not None and chosen.in_queue_order(machines.n_resources):
            scores = {}
        if self.protected == 1:
            return _core.BackfillPolicy(
                "protected_head", **scores, **limits, record=checked_record(self.record)
            )
        return _core.ReservationPolicy(
            self.protected, self.compression, **scores, **limits, record=checked_record(self.record)
        )

    def _rebuilding(self, chosen: Selection, limits: dict[str, Any]) -> _core.Policy:
        if chosen.rule != "ff":
            raise UnsupportedError(f"mode='rebuild' exists for selection='ff' only, not {self.selection!r}")
        if self.compression != "pass":
            raise UnsupportedError("mode='rebuild' makes its plan anew at every event; it has no compression")
        if limits.pop("interval") is not None:
            raise UnsupportedError("mode='rebuild' makes its plan anew at every event; it has no interval")
        return _core.RebuildPolicy(**limits, record=checked_record(self.record))


def run_plan(
    name: str, instance: Instance, plan: Plan, options: dict[str, Any], progress: Progress
) -> Result:
    """Run the policy `plan` on a workload under the name of one of the algorithms."""
    return run_policy(
        name,
        instance,
        plan.prototype(instance.machines),
        uses_estimates=True,
        objective=OBJECTIVE,
        options=options,
        progress=progress,
    )
