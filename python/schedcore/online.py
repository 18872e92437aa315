"""Jobs that arrive over time, run uninterrupted on one of several machines, and count by weight: MRIS and its rivals.

The weighted completion time is to be small. This module holds the policies, their bounds and generators; instances,
`solve` and `OnlineScheduler` are at the top level. Source: Fan and Liang, "Online non-preemptive
multi-resource scheduling for weighted completion time on multiple machines", ICPP 2024.
"""

from .algorithms.online import bf_exec, ca_pq, mris, offline_pq, pq, tetris
from .bounds import awct_lower_bound, lower_bounds, makespan_lower_bound, mean_busy_times
from .workloads import (
    azure_heavy,
    azure_like,
    downsample,
    draw_more_resources,
    half_plus,
    lemma41,
    lemma64,
    list_gap,
    patience,
    uniform,
)

__all__ = [
    "awct_lower_bound",
    "azure_heavy",
    "azure_like",
    "bf_exec",
    "ca_pq",
    "downsample",
    "draw_more_resources",
    "half_plus",
    "lemma41",
    "lemma64",
    "list_gap",
    "lower_bounds",
    "makespan_lower_bound",
    "mean_busy_times",
    "mris",
    "offline_pq",
    "patience",
    "pq",
    "tetris",
    "uniform",
]
