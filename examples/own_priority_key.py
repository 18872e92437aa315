"""A priority key of your own: the oldest hour of release goes first, short jobs first within it."""

import numpy as np
from numpy.typing import NDArray

import schedcore
from schedcore import metrics, workloads


def oldest_hour_first(jobs: schedcore.Jobs) -> NDArray[np.float64]:
    """Hour of release, then processing time: a column in, a column out."""
    key: NDArray[np.float64] = np.floor(jobs.release_time / 3600)
    key += jobs.processing_time / (1 + jobs.processing_time.max())
    return key


def main() -> None:
    inst = workloads.azure_like(seed=2, n_jobs=4000, n_machines=5)
    for title, heuristic in [("wsjf", "wsjf"), ("oldest hour first", oldest_hour_first)]:
        schedule = schedcore.solve("pq", inst, heuristic=heuristic).schedule
        delay = metrics.queuing_delay(inst, schedule) / 3600
        print(f"{title:18} mean wait {delay.mean():7.1f} h, longest wait {delay.max():7.1f} h")


if __name__ == "__main__":
    main()
