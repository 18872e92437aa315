"""The baselines of the family on jobs of map and reduce tasks: what "srpt", "srvf", "svf", "srf" and "fifo" do there.

Every slot is decided anew, the phase that a job is in being served by the key of the job [Xu2021]_:

* srpt: the largest remaining time of a map task plus the largest of a reduce task;
* srvf: the core-slots that remain in both phases;
* svf: the core-slots of both phases;
* srf: the cores of a task of the active phase;
* fifo: the release time.

Smallest first, ties by job. The loop is in ``src/cpp/preemptive/mapreduce_simulation``.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers",
   IEEE/ACM Transactions on Networking 29(4), 2021.
"""

from typing import Literal

from numpy.typing import ArrayLike

from schedcore.model import MapReduceInstance, PreemptiveResult

from .family import Progress, run_rules
from .mapreduce_run import checked_latency, run_mapreduce

__all__ = ["run_mapreduce_baseline"]


def run_mapreduce_baseline(
    name: str,
    instance: MapReduceInstance,
    *,
    k: int = 2,
    packing: Literal["ffd", "sticky"] = "ffd",
    placement: Literal["pack", "latency"] = "pack",
    latency: ArrayLike | None = None,
    max_slots: int | None = None,
    record: bool = False,
    progress: Progress = None,
) -> PreemptiveResult:
    """Run a baseline, by its name in the kernel; options, result and errors as of `ocorp_mapreduce`.

    There are no multipliers to record, and "gamma" is None.
    """
    return run_mapreduce(
        name,
        instance,
        name,
        run_rules(k, packing, max_slots, record),
        latency=checked_latency(instance, placement, latency),
        options={
            "k": k,
            "packing": packing,
            "placement": placement,
            "max_slots": max_slots,
            "record": record,
        },
        progress=progress,
    )
