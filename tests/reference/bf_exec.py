"""BF-EXEC as a baseline: arrivals go to the fullest machine with room, completions pull the shortest jobs.

The order within one instant: ends are freed; each machine where a job ended scans the queue
by length; then the arrivals, in index order, each to the machine with the smallest squared
norm of free capacity, in shares of the machine's own. Queued jobs wait for a completion,
arrivals never wait for the queue.
"""

from reference.online_pq import FreeCapacity
from reference.plain_instance import CommonScale, PlainInstance, PlainSchedule


def bf_exec(instance: PlainInstance) -> PlainSchedule:
    scale = CommonScale.of([amount for row in instance.capacities for amount in row])
    state = FreeCapacity(instance)
    schedule = PlainSchedule([-1.0] * instance.n_jobs, [-1] * instance.n_jobs)
    queue: list[int] = []
    arriving = sorted(range(instance.n_jobs), key=lambda j: (instance.release_time[j], j))

    def start(job: int, machine: int, now: float) -> None:
        state.start(job, machine, now)
        schedule.start_time[job], schedule.machine[job] = now, machine

    while arriving or queue:
        next_arrival = instance.release_time[arriving[0]] if arriving else float("inf")
        now = min(state.next_end(), next_arrival)
        for machine in state.release_until(now):
            for job in sorted(queue, key=lambda j: (instance.processing_time[j], j)):
                if state.fits(job, machine):
                    start(job, machine, now)
                    queue.remove(job)
        while arriving and instance.release_time[arriving[0]] == now:
            job = arriving.pop(0)
            feasible = [i for i in range(instance.n_machines) if state.fits(job, i)]
            if feasible:
                start(job, min(feasible, key=lambda i: (free_norm(state, scale, i), i)), now)
            else:
                queue.append(job)
    return schedule


def free_norm(state: FreeCapacity, scale: CommonScale, machine: int) -> int:
    """Squared norm of the free amounts as shares of the machine's own capacities."""
    capacity = state.instance.capacities[machine]
    return sum(
        scale.scaled(free, whole) ** 2
        for free, whole in zip(state.free[machine], capacity, strict=True)
        if whole > 0
    )
