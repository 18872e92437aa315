"""The algorithms, by problem family; importing this package fills the registry."""

from .knapsack import knapsack
from .online import bf_exec, ca_pq, mris, offline_pq, pq, tetris

__all__ = ["bf_exec", "ca_pq", "knapsack", "mris", "offline_pq", "pq", "tetris"]
