"""Jobs that run in slots, on fewer cores than they ask for and on several machines: everything of OCORP in one place.

This module holds the algorithms, the steps of one slot, bounds, generators and measures. Instances, results and `solve`
are at the top level (`schedcore.Instance`, `schedcore.solve`). Source: H. Xu, Y. Liu, W. C. Lau, "Optimal job
scheduling with resource packing for heterogeneous servers", IEEE/ACM ToN 2021.
"""

from .algorithms.preemptive import (
    drf,
    fifo,
    gittins,
    las,
    ocorp,
    ocorp_m,
    ocorp_mapreduce,
    ocorp_plus,
    proportional_fairness,
    srf,
    srpt,
    srvf,
    svf,
    svf_transient,
)
from .algorithms.preemptive.fair_kernels import fair_shares, whole_cores
from .algorithms.preemptive.gittins import gittins_index
from .algorithms.preemptive.slot_kernels import memory_step, pack_slot, slot_rates
from .algorithms.preemptive.switching_slots import place_by_latency, switching_slot
from .bounds import flow_power_lower_bound, fractional_lower_bound
from .metrics import (
    PreemptionCounts,
    SlotFacts,
    WaitingBySize,
    WorkOverTime,
    dynamic_fit,
    dynamic_regret,
    flow_norm,
    flow_power_sum,
    fractional_flow_time,
    preemption_counts,
    slot_facts,
    slot_summary,
    waiting_by_size,
    work_over_time,
)
from .model import Instance, MapReduceInstance, PreemptiveResult, PreemptiveSchedule
from .workloads import (
    google_mapreduce_jobs,
    google_slotted_jobs,
    mapreduce_standin,
    misestimate,
    slotted_standin,
)

__all__ = [
    "Instance",
    "MapReduceInstance",
    "PreemptionCounts",
    "PreemptiveResult",
    "PreemptiveSchedule",
    "SlotFacts",
    "WaitingBySize",
    "WorkOverTime",
    "drf",
    "dynamic_fit",
    "dynamic_regret",
    "fair_shares",
    "fifo",
    "flow_norm",
    "flow_power_lower_bound",
    "flow_power_sum",
    "fractional_flow_time",
    "fractional_lower_bound",
    "gittins",
    "gittins_index",
    "google_mapreduce_jobs",
    "google_slotted_jobs",
    "las",
    "mapreduce_standin",
    "memory_step",
    "misestimate",
    "ocorp",
    "ocorp_m",
    "ocorp_mapreduce",
    "ocorp_plus",
    "pack_slot",
    "place_by_latency",
    "preemption_counts",
    "proportional_fairness",
    "slot_facts",
    "slot_rates",
    "slot_summary",
    "slotted_standin",
    "srf",
    "srpt",
    "srvf",
    "svf",
    "svf_transient",
    "switching_slot",
    "waiting_by_size",
    "whole_cores",
    "work_over_time",
]
