"""Why jobs of an embedded cluster wait: of each the first reason that holds, as the specification orders them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from reference.cluster_baselines import BestFitExecution, Tetris
from reference.cluster_dependencies import waits_for
from reference.cluster_embedded import EmbeddedCluster
from reference.cluster_mris import Mris
from reference.cluster_placement import amounts, place
from reference.cluster_pq import PriorityQueue
from reference.cluster_profile import Place
from reference.cluster_queue_policies import Easy


@dataclass(frozen=True)
class Why:
    """Why a job waits."""

    reason: str
    jobs: list[int] = field(default_factory=list)
    machines: list[int] = field(default_factory=list)
    time: float | None = None
    shortage: list[int] = field(default_factory=list)
    before: int | None = None
    limit: int | None = None  # its number in the site


def explain(cluster: EmbeddedCluster) -> dict[int, Why]:
    """Of every waiting job the first reason that holds."""
    promises = promises_of(cluster)
    order = policy_order(cluster)
    return {job: why(cluster, job, promises, order) for job in sorted(cluster.all_waiting())}


def why(cluster: EmbeddedCluster, job: int, promises: Mapping[int, Place], order: Sequence[int]) -> Why:
    state = cluster.state
    row, now, end = state.jobs[job], state.now, state.end_if_started(job, state.now)
    if job in state.on_hold:
        return Why("held")
    if job in cluster.inside.waiting:
        booking = cluster.inside.bookings[cluster.inside.named[job]]
        time = booking.begin if booking.begin > now else booking.end
        return Why("reservation", machines=sorted(booking.shares), time=time)
    if job in state.kept_back:
        return Why("dependency", jobs=waits_for(row, state.ended))
    limit = state.limit_that_holds(job)
    if limit is not None:
        return Why("limit", limit=limit)
    allowed = state.machines_of(job)
    whole = {
        m: [0] * len(c.capacity) if m in state.down() else c.capacity for m, c in enumerate(state.machines)
    }
    if place(row, state.machines, whole) is None:
        return Why("down", machines=sorted((state.down() - state.gone) & set(allowed)))
    running = state.profile(with_reservations=False)
    if running.place_at(row, now, end) is None:
        booked = set(map(id, state.booked))
        unreserved = replace(running, held=[held for held in running.held if id(held) not in booked])
        found = unreserved.place_at(row, now, end)
        if found is not None:
            met = {held.machine for held in state.booked if held.start < end}
            return Why("reservation", machines=sorted(met & {m for m, _ in found}))
        in_service = replace(unreserved, outages=()).place_at(row, now, end)
        if in_service is not None:
            out = {o.machine for o in state.outages if o.start < end and now < o.end}
            return Why("outage", machines=sorted(out & {m for m, _ in in_service}))
        earliest = running.earliest(row, lambda start: state.end_if_started(job, start), now)
        if earliest is None:
            return Why("resources", time=inf, shortage=[0] * len(row.demand))
        time, allocation = earliest
        wanted = amounts(row, allocation, state.machines)
        lacks = [
            [max(0, w - f) for w, f in zip(wanted[m], running.free(m, now), strict=True)] for m in wanted
        ]
        shortage = [sum(column) for column in zip(*lacks, strict=True)]
        return Why("resources", machines=list(wanted), time=time, shortage=shortage)
    for other, (start, allocation) in promises.items():
        if other != job:
            other_end = state.end_if_started(other, start)
            whole_machines = state.reserves_machines
            running.add(state.jobs[other], allocation, start, other_end, all_of_them=whole_machines)
    if running.place_at(row, now, end) is None:
        in_the_way = [
            j
            for j in order
            if j in promises
            and j != job
            and promises[j][0] < end
            and any(m in allowed for m, _ in promises[j][1])
        ]
        return Why("reserved", jobs=in_the_way)
    if job in promises:
        return Why("planned", time=promises[job][0])
    candidates = set(state.queue())
    before = [j for j in order[: order.index(job)] if j in candidates and state.limit_that_holds(j) is None]
    return Why("order", jobs=before[:1], before=len(before))


def promises_of(cluster: EmbeddedCluster) -> dict[int, Place]:
    """What is overdue counts from now on; of EASY the head that it protects."""
    state = cluster.state
    if not isinstance(cluster.policy, Easy):
        return {j: (max(start, state.now), places) for j, (start, places) in state.reservations.items()}
    return {job: (start, allocation) for job, start, allocation in cluster.policy.plan()}


def policy_order(cluster: EmbeddedCluster) -> list[int]:
    """Who waits in the order in which the policy serves them; also those who are preempted just now."""
    state, policy = cluster.state, cluster.policy
    waiting = state.candidates_from_now_on()
    if isinstance(policy, Mris):
        return policy.in_key_order(state.queue())
    if isinstance(policy, PriorityQueue):
        return sorted(waiting, key=policy.order)
    if isinstance(policy, Tetris):
        return sorted(waiting)
    if isinstance(policy, BestFitExecution):
        return sorted(waiting, key=lambda j: (state.jobs[j].processing_time, j))
    return sorted(waiting, key=lambda j: state.order.key(j, state.jobs[j], state.machines))
