"""Jobs of parallel tasks with packing, placement and synchronisation: sum w C is to be small."""

from .jsq_mw import jsq_mw
from .psrs import psrs
from .synchpack1 import synchpack1
from .synchpack2 import synchpack2
from .synchpack3 import synchpack3
from .task_tetris import tetris_np, tetris_p

__all__ = ["jsq_mw", "psrs", "synchpack1", "synchpack2", "synchpack3", "tetris_np", "tetris_p"]
