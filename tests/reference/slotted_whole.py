"""A slot in which every job has all its cores on one server, or does not run: who runs, and where."""

from collections.abc import Mapping, Sequence

from .slotted_instance import Placement, SlottedJobs


def serve_whole(
    jobs: SlottedJobs,
    order: Sequence[int],
    limit: Mapping[int, int],
    ran_on: Mapping[int, int],
    *,
    skip: bool,
) -> Placement:
    """Walk the order: stay where one `ran_on`, or go beside all who run, or take the place of those who come later."""
    servers = range(len(jobs.capacity))
    runs_on: dict[int, int] = {}
    for position, job in enumerate(order):
        to_come = {other: ran_on[other] for other in order[position + 1 :] if other in ran_on}
        beside_all = [s for s in servers if _has_room(jobs, job, s, runs_on | to_come)]
        beside_those_before = [s for s in servers if _has_room(jobs, job, s, runs_on)]
        if ran_on.get(job) in beside_those_before:
            runs_on[job] = ran_on[job]
        elif beside_all:
            runs_on[job] = min(beside_all)
        elif beside_those_before:
            runs_on[job] = min(beside_those_before)
        elif not skip:
            break
    return {(job, server): limit[job] for job, server in runs_on.items()}


def _has_room(jobs: SlottedJobs, job: int, server: int, held_on: Mapping[int, int]) -> bool:
    """Whether the server holds all that the job is believed to ask for beside those that are held on it."""
    held = [jobs.believed[other] for other, where in held_on.items() if where == server]
    return all(
        sum(amounts) <= capacity
        for *amounts, capacity in zip(jobs.believed[job], *held, jobs.capacity[server], strict=True)
    )
