"""A synthetic stand-in for the jobs of Google's trace of 2011, as OCORP was tried on.

The evaluation [Xu2021]_ took 6487 jobs of ten hours of the trace, in slots of ten seconds; of those hours only a part
is at hand, and what it says of the jobs leaves most of their distribution open. Here jobs are short, medium or long and
arrive evenly. The families differ in what long jobs amount to: in "thin" they need few cores and make a tenth of the
work, as the evaluation says of its jobs, in "heavy" more than two thirds.

All logarithms come from `portable_functions`, so the same seed gives the same instance everywhere.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal Job Scheduling With Resource Packing for Heterogeneous Servers",
   IEEE/ACM Transactions on Networking, 2021.
"""

from typing import Literal

import numpy as np

from schedcore.model import Instance, Jobs
from schedcore.model.integers import checked_integer
from schedcore.workloads.draws.splitmix import Draws, check_seed, scaled_u53, u53
from schedcore.workloads.models.slotted_machines import (
    SlottedResources,
    check_slotted_machines,
    log_load,
    slotted_machines,
)
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.standins.slotted_classes import (
    SLOTTED_FAMILIES,
    ClassTimes,
    class_times,
    demands,
    draw_one_of,
)

__all__ = ["slotted_standin"]

_TIMES = ClassTimes(short=(4, 0.8), medium=(30, 0.7), long=(200, 2600))
_MEMORY_PER_CORE = ((0.25, 0.5, 1, 2), (20, 20, 40, 20))  # GB, and percent of the jobs
_MOST_MEMORY = 16
_MOST_SLOTS = 2**30

_PER_JOB = 5  # class, processing time, release time, cores, memory per core


@checks_choices
def slotted_standin(
    n_jobs: int,
    seed: int,
    *,
    family: Literal["thin", "mixed", "heavy"] = "thin",
    window: int = 3600,
    load: float = 0.95,
    memory_per_core: float = 1.0,
    resources: SlottedResources = "cores",
) -> Instance:
    """Draw jobs in whole slots in the image of Google's trace of 2011, and servers of 64, 32 and 16 cores for them.

    Parameters
    ----------
    n_jobs : int
        At least 0; 6487 as in the evaluation.
    seed : int
        In [0, 2**64).
    family : {"thin", "mixed", "heavy"}
        Long jobs make about 12%, 25% or 70% of the work.
    window : int
        Slots in which jobs arrive, and by whose end each could be done; a job that would not fit is cut to it.
    load : float
        Work over what the servers can do within the window, above 0: as near as servers of 16 cores come. What came
        out is logged, as a warning if it is more than 1% off; `offered_load` of the instance has it until the last
        arrival.
    memory_per_core : float
        GB of memory per core of a server, above 0; with less than 1 a job may ask for more than a server has.
    resources : {"cores", "cores_memory"}
        Whether there is a column for memory; the jobs are the same.

    Returns
    -------
    Instance
        Jobs in the order of arrival; resources "cores" and "memory" (GB).

    Raises
    ------
    InvalidInstanceError
        For an argument out of range; names it.

    Notes
    -----
    O(n_jobs log n_jobs) time. The servers follow from the work that was drawn, so instances with another load, memory
    or resources have the same jobs.

    Processing times are lognormal with median 4 and sigma 0.8 (short) or median 30 and sigma 0.7 (medium), or
    log-uniform between 200 and 2600 (long), rounded to at least 1; a job arrives at a uniform slot from which it can
    still be done within the window. A job asks for 1/4, 1/2, 1 or 2 GB a core with probabilities 0.2, 0.2, 0.4 and
    0.2, rounded and kept within 1 and 16 GB.
    """
    draws = Draws(check_seed(seed), checked_integer("n_jobs", n_jobs, 0), _PER_JOB)
    checked_integer("window", window, 1, _MOST_SLOTS)
    check_slotted_machines(load, memory_per_core)
    drawn = SLOTTED_FAMILIES[family]
    job_class = draw_one_of(draws.column(0), range(3), drawn.percent).astype(np.int64)
    processing_time = class_times(job_class, draws.column(1), _TIMES, window)
    latest = (window - processing_time + 1).astype(np.uint64)
    release_time = scaled_u53(u53(draws.column(2)), latest, np.uint64(1)).astype(np.int64)
    cores = demands(job_class, draws.column(3), drawn)
    columns = [cores]
    if resources == "cores_memory":
        memory = np.rint(cores * draw_one_of(draws.column(4), *_MEMORY_PER_CORE))
        columns.append(np.clip(memory, 1, _MOST_MEMORY).astype(np.int64))
    order = np.argsort(release_time, kind="stable")
    volume = int(processing_time @ cores)
    machines = slotted_machines(volume, window, load, memory_per_core, resources)
    log_load("slotted_standin", load, machines, volume, window)
    return Instance(
        Jobs(
            processing_time=processing_time[order],
            demand=np.column_stack(columns)[order],
            release_time=release_time[order],
        ),
        machines,
    )
