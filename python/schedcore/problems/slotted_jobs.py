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

    title = "jobs in slots"
    instance_type = Instance
    about = ("n_machines",)
    keeps = (CURVES, BY_SIZE, DEMANDS)
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
