"""Preemption: a candidate that does not fit now may end running jobs of lower levels that may be preempted."""

from reference.cluster_state import ClusterState


def make_room(state: ClusterState, job: int) -> bool:
    """Whether the candidate fits now, perhaps because others have been preempted for it."""
    if state.fits_at(job, state.now) is not None:
        return True
    chosen = victims(state, job)
    if chosen:
        state.preempt(chosen)
    return bool(chosen)


def victims(state: ClusterState, job: int) -> list[int]:
    """Who has to go so that the job fits now; nobody if even all together do not suffice."""

    def fits_without(gone: list[int]) -> bool:
        return state.fits_at(job, state.now, without_running=frozenset(gone)) is not None

    taken: list[int] = []
    for victim in possible_victims(state, job):
        taken.append(victim)
        if fits_without(taken):
            break
    else:
        return []
    for spared in reversed(list(taken)):
        others = [victim for victim in taken if victim != spared]
        if fits_without(others):
            taken = others
    return taken


def possible_victims(state: ClusterState, job: int) -> list[int]:
    """In the order in which they are taken."""
    site = state.site
    if site.preempt is None:
        return []
    level = site.class_of(state.jobs[job]).level
    machines = set(state.machines_of(job))
    found = []
    for other, run in state.running.items():
        of_other = site.class_of(state.jobs[other])
        is_in_the_way = any(m in machines for m, _ in run.allocation)
        if of_other.preemptible and of_other.level < level and run.start < state.now and is_in_the_way:
            found.append((of_other.level, -run.start, -other))
    return [-negated for _, _, negated in sorted(found)]
