"""One door to the slow twins, with the names and options of ``schedcore.solve``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from reference.bf_exec import bf_exec
from reference.mris import Iteration, mris
from reference.mris_opportunistic import mris_opportunistic
from reference.online_pq import ca_pq, offline_pq, pq
from reference.plain_instance import PlainInstance, PlainSchedule
from reference.tetris import tetris


@dataclass(frozen=True)
class TwinResult:
    """A schedule and, for MRIS, its iteration records."""

    schedule: PlainSchedule
    iterations: list[Iteration] = field(default_factory=list)


def solve_with_twin(name: str, instance: PlainInstance, **options: Any) -> TwinResult:
    if name == "mris" and (options.get("opportunistic") or options.get("replan")):
        patience = options.get("patience", 0.0) if options.pop("opportunistic", False) else 0.0
        return TwinResult(*mris_opportunistic(instance, **{**options, "patience": patience}))
    if name == "mris":
        return TwinResult(*mris(instance, **options))
    plain = {"pq": pq, "offline_pq": offline_pq, "ca_pq": ca_pq, "tetris": tetris, "bf_exec": bf_exec}
    return TwinResult(plain[name](instance, **options))
