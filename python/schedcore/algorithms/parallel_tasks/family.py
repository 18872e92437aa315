"""What the algorithms of this family have in common: the name of the group, the paper, shared options and checks."""

import numpy as np

from schedcore.errors import UnsupportedError
from schedcore.model import ParallelTaskInstance
from schedcore.registry import Option

__all__ = [
    "CAP",
    "EPOCHS",
    "FAMILY",
    "LAMBDA",
    "LP_SOLUTION",
    "MACHINES_PER_TASK",
    "OBJECTIVE",
    "PAPER",
    "SEED",
    "SHIFT",
    "SOLVER",
    "TIME_LIMIT",
    "refuse_choice_of_machines",
    "refuse_release_times",
]

FAMILY = "parallel tasks"
PAPER = "Shafiee and Ghaderi, Operations Research 2022"
OBJECTIVE = "weighted_completion_time"

LAMBDA = Option(
    "lam",
    "derand",
    'speed of slow motion: the best that can matter, one drawn with density 2 x ("random"), or a number in [1e-9, 1]',
    examples=("derand", "random"),
)
SEED = Option("seed", 0, 'seed of lam = "random"')
CAP = Option(
    "cap",
    "task",
    "slow motion ends a task at its whole work, or its part on each machine",
    ("task", "machine"),
)
SHIFT = Option("shift", True, "move every piece to the earliest time at which it fits")
LP_SOLUTION = Option("lp_solution", None, "solution to use instead of solving the linear program")
SOLVER = Option(
    "solver",
    "auto",
    "how HiGHS solves the linear program; auto takes the interior point method for large ones",
    ("auto", "simplex", "ipm", "pdlp"),
)
TIME_LIMIT = Option("time_limit", None, "seconds for the linear program (each, if there are several)")
MACHINES_PER_TASK = Option(
    "machines_per_task",
    None,
    "machines of each task that the linear program begins with; others join where they can lower it",
)
EPOCHS = (
    Option("online", False, "decide in epochs, knowing only the jobs released so far"),
    Option("tau0", None, "length that epochs grow to; 5 mean times between arrivals where it is not given"),
    Option("gamma", 50.0, "the first epochs are shorter by the factor 1 + gamma"),
    Option("beta", 3.0, "how fast the length of epochs approaches tau0"),
)


def refuse_release_times(instance: ParallelTaskInstance, algorithm: str) -> None:
    """Raise an `UnsupportedError` that names the first job with a release time above 0."""
    late = instance.release_time > 0
    if late.any():
        job = int(np.argmax(late))
        raise UnsupportedError(
            f"{algorithm} takes all jobs at time 0: job {job} has the release time "
            f"{float(instance.release_time[job])!r}"
        )


def refuse_choice_of_machines(instance: ParallelTaskInstance, algorithm: str) -> None:
    """Raise an `UnsupportedError` that names the first task that may run on several machines."""
    if instance.single_machine:
        return
    counts = np.diff(instance.placement_start)
    task = int(np.argmax(counts > 1))
    raise UnsupportedError(
        f"{algorithm} needs one machine for each task: {instance.task_name(task)} may run on {counts[task]}"
    )
