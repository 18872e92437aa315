"""Jobs of map and reduce tasks, which run in slots."""

from pathlib import Path

from schedcore.model import MapReduceInstance, PreemptiveSchedule
from schedcore.problems.kept_columns import BY_SIZE, CURVES
from schedcore.problems.schedules.pieces import read_pieces
from schedcore.problems.slots import ProblemInSlots
from schedcore.registry import Algorithm

__all__ = ["MapReduceProblem"]


class MapReduceProblem(ProblemInSlots[MapReduceInstance]):
    """Jobs of two phases, each of equal tasks."""

    name = "map-reduce"
    title = "jobs of map and reduce tasks"
    instance_type = MapReduceInstance
    sizes = ("n_jobs", "n_tasks", "n_machines", "n_resources")
    about = ("n_tasks", "n_machines")
    keeps = (CURVES, BY_SIZE)
    default_policies = ("ocorp_mapreduce", "srpt", "srvf", "svf", "srf")
    help_on_comparing = """Compare policies on jobs of map and reduce tasks, by norms of the times to completion.

    The reduce tasks of a job begin when its map tasks are done. Tasks may be interrupted, slot by slot.

    schedcore compare mapreduce_standin:n_jobs=2500,seed=1
    """
    help_on_workloads = (
        "Jobs of map and reduce tasks as Parquet, or the generator mapreduce_standin:n_jobs=2500,seed=1."
    )

    @classmethod
    def takes(cls, algorithm: Algorithm) -> bool:
        """Whether an algorithm solves such instances: all that do work in slots, whether they say so or not."""
        return algorithm.solves(cls.instance_type)

    def contents(self) -> str:
        return f"{self.inst.n_jobs:,} jobs of {self.inst.n_tasks:,} map and reduce tasks"

    def read_schedule(self, path: Path) -> PreemptiveSchedule:
        return read_pieces(path, with_task=True, with_amount=True)
