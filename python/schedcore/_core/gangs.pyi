from . import _Int64Array
from .engine import ClusterJobs, OnlineScheduler, Policy

class GangQueuePolicy(Policy):
    def __init__(
        self,
        overtaking: str,
        *,
        order: str = "erf",
        selection: tuple[str, int, int, int] = ("ff", 0, 0, 0),
        queue_depth: int | None = None,
        window: float | None = None,
        resolution: float | None = None,
        interval: float | None = None,
        record: bool = False,
        last_release_time: float | None = None,
        ties_by_id: bool = False,
    ) -> None: ...

class GangReservationPolicy(Policy):
    def __init__(
        self,
        *,
        protected_jobs: int | None = None,
        compression: str = "pass",
        rebuilt: tuple[str, str] | None = None,
        selection: tuple[str, int, int, int] = ("ff", 0, 0, 0),
        queue_depth: int | None = None,
        window: float | None = None,
        resolution: float | None = None,
        interval: float | None = None,
        record: bool = False,
        order: str = "erf",
    ) -> None: ...

def tasks_on_empty_cluster(
    demand: _Int64Array, capacity: _Int64Array, cluster_jobs: ClusterJobs
) -> _Int64Array: ...
def explanations(
    scheduler: OnlineScheduler, ids: _Int64Array | None = None
) -> list[tuple[int, str, list[int], _Int64Array, float | None, list[int], int | None, int | None]]: ...
