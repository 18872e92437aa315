"""One door to the reference implementations, with the names and options of ``schedcore.solve``."""

from dataclasses import dataclass, field
from typing import Any

from reference.backfilling import simulate
from reference.backfilling_cluster import PlaceRow, ShadowRow
from reference.backfilling_instance import BackfillInstance
from reference.bf_exec import bf_exec
from reference.mris import Iteration, mris
from reference.mris_opportunistic import mris_opportunistic
from reference.online_pq import ca_pq, offline_pq, pq
from reference.plain_instance import PlainInstance, PlainSchedule
from reference.tetris import tetris

BACKFILLING = ("fcfs", "first_fit", "easy", "conservative", "backfill")


@dataclass(frozen=True)
class ReferenceResult:
    """A schedule and what was recorded beside it: MRIS's iterations, the shadows and reservations of backfilling."""

    schedule: PlainSchedule
    iterations: list[Iteration] = field(default_factory=list)
    shadow: list[ShadowRow] = field(default_factory=list)
    reservations: dict[int, list[PlaceRow]] = field(default_factory=dict)


def solve_with_reference(
    name: str, instance: PlainInstance | BackfillInstance, **options: Any
) -> ReferenceResult:
    if name in BACKFILLING:
        jobs = instance if isinstance(instance, BackfillInstance) else BackfillInstance.from_plain(instance)
        run = simulate(jobs, name, **options)
        schedule = PlainSchedule(run.start_time, run.machine)
        return ReferenceResult(schedule, shadow=run.shadow, reservations=run.reservations)
    if name == "mris" and (options.get("opportunistic") or options.get("replan")):
        patience = options.get("patience", 0.0) if options.pop("opportunistic", False) else 0.0
        return ReferenceResult(*mris_opportunistic(instance, **{**options, "patience": patience}))
    if name == "mris":
        return ReferenceResult(*mris(instance, **options))
    plain = {"pq": pq, "offline_pq": offline_pq, "ca_pq": ca_pq, "tetris": tetris, "bf_exec": bf_exec}
    return ReferenceResult(plain[name](instance, **options))
