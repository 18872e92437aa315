"""Jobs that wait for others: what they wait for still, when that can no longer be, and what is no order at all.

``ended`` tells of jobs that have ended for good how that was.
"""

from collections.abc import Container, Mapping

from reference.cluster_instance import ClusterJob

COMPLETED = "completed"


def named_by(job: ClusterJob) -> set[int]:
    return {*job.after_ok, *job.after_any, *job.after_not_ok}


def waits_for(job: ClusterJob, ended: Mapping[int, str]) -> list[int]:
    """Those that have not ended, ascending."""
    return sorted(named_by(job) - set(ended))


def is_impossible(job: ClusterJob, ended: Mapping[int, str]) -> bool:
    """Whether one of them has ended otherwise than the job needs it."""
    failed = any(other in ended and ended[other] != COMPLETED for other in job.after_ok)
    return failed or any(ended.get(other) == COMPLETED for other in job.after_not_ok)


def check_dependencies(jobs: Mapping[int, ClusterJob], before: Container[int] = ()) -> None:
    """A ValueError if they name others than each other and those before, or wait in a circle."""
    for job, row in jobs.items():
        for other in named_by(row):
            if other not in jobs and other not in before:
                raise ValueError(f"job {job} waits for {other}, which nobody knows")
    left = dict(jobs)
    while left:
        free = [job for job, row in left.items() if not named_by(row) & set(left)]
        if not free:
            raise ValueError(f"the jobs {sorted(left)} wait for each other")
        for job in free:
            del left[job]
