"""Jobs as a scheduler takes them: released at the instant of the submission, under the ids that the scheduler uses."""

from collections.abc import Sequence

import numpy as np

from .arrays import IntArray
from .jobs import NONE_STORED, Jobs

__all__ = ["submitted_job", "submitted_jobs"]


def submitted_jobs(jobs: Jobs, instant: float, ids: IntArray) -> Jobs:
    """Return the same jobs released at `instant` under other ids, both checked before; shares what stays."""
    return jobs._with(release_time=np.full(jobs.n_jobs, instant), id=ids, has_ids=True)


def submitted_job(
    processing_time: float,
    demand: Sequence[int],
    instant: float,
    weight: float,
    estimated_processing_time: float | None,
    id: int,
) -> Jobs:
    """Return one job of numbers that were checked before."""
    estimate = processing_time if estimated_processing_time is None else estimated_processing_time
    times = np.array((processing_time, instant, weight, estimate), dtype=np.float64)
    times.setflags(write=False)
    amounts = np.array((demand,), dtype=np.int64)
    amounts.setflags(write=False)
    return Jobs._restore(
        {
            "processing_time": times[:1],
            "demand": amounts,
            "release_time": times[1:2],
            "weight": times[2:3],
            "estimated_processing_time": times[3:],
            "has_estimates": estimated_processing_time is not None,
            "estimated_demand": amounts,
            "has_demand_estimates": False,
            "id": np.array((id,), dtype=np.int64),
            "has_ids": True,
            "_stored": NONE_STORED,
        }
    )
