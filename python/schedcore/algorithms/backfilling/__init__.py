"""K-resource backfilling: how supercomputers are run."""

from .backfill import backfill
from .bbsched import bbsched
from .conservative import conservative
from .easy import easy
from .epoch_packing import epochs
from .fcfs import fcfs, first_fit
from .plan_annealing import plan_annealing
from .selection import selection_scores

__all__ = [
    "backfill",
    "bbsched",
    "conservative",
    "easy",
    "epochs",
    "fcfs",
    "first_fit",
    "plan_annealing",
    "selection_scores",
]
