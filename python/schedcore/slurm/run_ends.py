"""When a running job ends: as announced, and as late as Slurm lets it go on once that is over."""

import math

from .jobs import SlurmJob
from .site import SlurmSite
from .values import seconds
from .waiting_jobs import ONE_YEAR, estimate_of_job

__all__ = ["ends_of_run", "is_past_its_end"]

_KILL_WAIT = 30  # seconds, Slurm's default


def is_past_its_end(site: SlurmSite, job: SlurmJob, now: float) -> bool:
    """Whether a job that runs should have ended."""
    return ends_of_run(site, job, now)[0] <= now


def ends_of_run(site: SlurmSite, job: SlurmJob, now: float) -> tuple[int, int]:
    """Return the announced end, and the one that counts: the same, or a later one if that is over at `now`.

    KillWait and OverTimeLimit say how much later, those of the partition first. Without a limit of these it is the
    limit of the job once more.
    """
    limit = estimate_of_job(site, job, [])
    announced = job.end_time if job.end_time is not None else (job.start_time or now) + limit
    end = math.floor(min(announced, now + ONE_YEAR))
    if end > now:
        return end, end
    record, partition = site.parts.configuration.record, site.partition(job.partition.partition(",")[0])
    of_partition = None if partition is None else dict(partition.others).get("OverTimeLimit")
    over = record.seconds("OverTimeLimit") if of_partition is None else seconds(of_partition)
    if over == math.inf:
        return end, math.floor(now + limit)
    wait = record.count("KillWait")
    return end, max(
        math.floor(now) + 1, math.floor(end + (_KILL_WAIT if wait is None else wait) + (over or 0))
    )
