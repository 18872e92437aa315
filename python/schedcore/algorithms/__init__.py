"""The algorithms, by problem family; importing this package fills the registry."""

from .backfilling import backfill, conservative, easy, epochs, fcfs, first_fit, selection_scores
from .colocation import (
    best_schedule,
    colocate,
    fill_greedy,
    fill_rebalance,
    greedy_dedicated,
    greedy_for_2_types,
    mct_exact,
    mct_ptas,
    sched_juxtapose,
    sched_mixed,
)
from .knapsack import knapsack
from .list_scheduling import partition
from .online import bf_exec, ca_pq, mris, offline_pq, pq, tetris
from .parallel_tasks import jsq_mw, psrs, synchpack1, synchpack2, synchpack3, tetris_np, tetris_p
from .preemptive import (
    fifo,
    ocorp,
    ocorp_m,
    ocorp_mapreduce,
    ocorp_plus,
    srf,
    srpt,
    srvf,
    svf,
    svf_transient,
)
from .preemptive.switching_slots import place_by_latency

__all__ = [
    "backfill",
    "best_schedule",
    "bf_exec",
    "ca_pq",
    "colocate",
    "conservative",
    "easy",
    "epochs",
    "fcfs",
    "fifo",
    "fill_greedy",
    "fill_rebalance",
    "first_fit",
    "greedy_dedicated",
    "greedy_for_2_types",
    "jsq_mw",
    "knapsack",
    "mct_exact",
    "mct_ptas",
    "mris",
    "ocorp",
    "ocorp_m",
    "ocorp_mapreduce",
    "ocorp_plus",
    "offline_pq",
    "partition",
    "place_by_latency",
    "pq",
    "psrs",
    "sched_juxtapose",
    "sched_mixed",
    "selection_scores",
    "srf",
    "srpt",
    "srvf",
    "svf",
    "svf_transient",
    "synchpack1",
    "synchpack2",
    "synchpack3",
    "tetris",
    "tetris_np",
    "tetris_p",
]
