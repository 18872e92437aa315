"""Online, non-preemptive, several machines, weighted completion time: MRIS and its rivals."""

from .best_fit_execution import bf_exec
from .mris import mris
from .priority_queue import ca_pq, offline_pq, pq
from .tetris import tetris

__all__ = ["bf_exec", "ca_pq", "mris", "offline_pq", "pq", "tetris"]
