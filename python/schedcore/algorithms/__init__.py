"""The algorithms, by problem family; importing this package fills the registry."""

from .backfilling import backfill, conservative, easy, epochs, fcfs, first_fit, selection_scores
from .knapsack import knapsack
from .online import bf_exec, ca_pq, mris, offline_pq, pq, tetris

__all__ = [
    "backfill",
    "bf_exec",
    "ca_pq",
    "conservative",
    "easy",
    "epochs",
    "fcfs",
    "first_fit",
    "knapsack",
    "mris",
    "offline_pq",
    "pq",
    "selection_scores",
    "tetris",
]
