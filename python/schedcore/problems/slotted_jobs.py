"""Jobs that run in slots, on fewer cores than they ask for and on several machines: what OCORP schedules."""

from pathlib import Path
from typing import ClassVar

from schedcore.model import Instance, PreemptiveSchedule
from schedcore.problems.kept_columns import BY_SIZE, CURVES, DEMANDS
from schedcore.problems.problem import ABOUT_WHOLE_JOBS
from schedcore.problems.schedules.pieces import holds_pieces, read_pieces
from schedcore.problems.slots import ProblemInSlots

__all__ = ["JobsInSlotsProblem"]

_SIDE_BY_SIDE = (
    f"{ABOUT_WHOLE_JOBS}; policies that cut them into slots are compared side by side, each named with "
    f"--policy"
)


class JobsInSlotsProblem(ProblemInSlots[Instance]):
    """The jobs of an `Instance` under policies that cut them into slots."""

    name = "slots"
    title = "jobs in slots"
    instance_type = Instance
    about = ("n_machines",)
    keeps = (CURVES, BY_SIZE, DEMANDS)
    default_policies = ("ocorp", "srpt", "srvf", "svf", "srf")
    accepts = frozenset({"slots", "machines", "allow_loss", "censored", "memory_capacity", "missing_memory"})
    help_on_comparing = """Compare policies that cut jobs into slots, by norms of the times from arrival to completion.

    They interrupt jobs, split them over machines and run them on fewer cores than they ask for. They run on any
    workload of jobs whose times are whole numbers.

    schedcore compare slotted_standin:n_jobs=6487,seed=1 -p ocorp:gamma=4000 -p srvf -p srpt
    """
    help_on_workloads = (
        "Any workload of jobs whose times are whole numbers, or the generator "
        "slotted_standin:n_jobs=6487,seed=1."
    )

    refused: ClassVar = {
        "against": _SIDE_BY_SIDE,
        "classes": _SIDE_BY_SIDE,
        "known_jobs_only": ABOUT_WHOLE_JOBS,
    }

    def contents(self) -> str:
        return f"{self.inst.n_jobs:,} jobs"

    def bound_questions(self) -> list[tuple[str, str]]:
        return [*super().bound_questions(), ("fractional_flow_time", "program")]

    def read_schedule(self, path: Path) -> PreemptiveSchedule:
        return read_pieces(path, with_task=False, with_amount=True)

    @staticmethod
    def recognises(path: Path) -> bool:
        return holds_pieces(path)
