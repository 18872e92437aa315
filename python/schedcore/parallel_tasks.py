"""Jobs of parallel tasks, each with its demands and a set of machines: SynchPack-1, -2, -3 and their rivals.

A job is complete when all of its tasks are. This module holds the algorithms, the linear programs behind them, and
generators; instances, results and `solve` are at the top level. Source: Shafiee and Ghaderi, Operations Research 2022.
"""

from .algorithms.parallel_tasks import jsq_mw, psrs, synchpack1, synchpack2, synchpack3, tetris_np, tetris_p
from .bounds.parallel_tasks import relaxation_bound, solve_interval_program, solve_order_program
from .metrics import remote_share, synchronisation_delay, task_completion_time, task_summary
from .model import ParallelTaskInstance, ParallelTaskResult, PreemptiveSchedule, usable
from .workloads import (
    draw_placements,
    draw_weights,
    google_parallel_tasks,
    parallel_task_standin,
    restrict_machines,
)

__all__ = [
    "ParallelTaskInstance",
    "ParallelTaskResult",
    "PreemptiveSchedule",
    "draw_placements",
    "draw_weights",
    "google_parallel_tasks",
    "jsq_mw",
    "parallel_task_standin",
    "psrs",
    "relaxation_bound",
    "remote_share",
    "restrict_machines",
    "solve_interval_program",
    "solve_order_program",
    "synchpack1",
    "synchpack2",
    "synchpack3",
    "synchronisation_delay",
    "task_completion_time",
    "task_summary",
    "tetris_np",
    "tetris_p",
    "usable",
]
