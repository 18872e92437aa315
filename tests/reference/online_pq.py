"""PRIORITY-QUEUE: online, offline, and after collecting everything.

At every arrival and completion one pass over the released waiting jobs in key order; each
starts on the lowest machine that has room now, the others are passed over.
"""

from reference.plain_instance import PlainInstance, PlainSchedule
from reference.priority_keys import priority_keys, priority_order


class FreeCapacity:
    """The free amounts of every machine, and the ends of what runs."""

    def __init__(self, instance: PlainInstance) -> None:
        self.instance = instance
        self.free = [list(row) for row in instance.capacities]
        self.running: list[tuple[float, int, int]] = []  # (end, machine, job)

    def fits(self, job: int, machine: int) -> bool:
        demand, time_on = self.instance.demand[job], self.instance.time_on
        if time_on is not None and machine not in time_on[job]:
            return False
        return all(d <= f for d, f in zip(demand, self.free[machine], strict=True))

    def start(self, job: int, machine: int, now: float) -> None:
        self._add(job, machine, -1)
        time_on = self.instance.time_on
        time = self.instance.processing_time[job] if time_on is None else time_on[job][machine]
        self.running.append((now + time, machine, job))

    def release_until(self, now: float) -> list[int]:
        """Free what ends by `now`; the machines concerned, ascending."""
        ended = [run for run in self.running if run[0] <= now]
        self.running = [run for run in self.running if run[0] > now]
        for _, machine, job in ended:
            self._add(job, machine, +1)
        return sorted({machine for _, machine, _ in ended})

    def next_end(self) -> float:
        return min((end for end, _, _ in self.running), default=float("inf"))

    def _add(self, job: int, machine: int, sign: int) -> None:
        for resource, amount in enumerate(self.instance.demand[job]):
            self.free[machine][resource] += sign * amount


def priority_queue(instance: PlainInstance, order: list[int], release_time: list[float]) -> PlainSchedule:
    """The event loop that the three forms share."""
    state = FreeCapacity(instance)
    schedule = PlainSchedule([-1.0] * instance.n_jobs, [-1] * instance.n_jobs)
    waiting = list(order)
    now = min(release_time, default=0.0)
    while waiting:
        state.release_until(now)
        for job in list(waiting):
            if release_time[job] > now:
                continue
            for machine in range(instance.n_machines):
                if state.fits(job, machine):
                    state.start(job, machine, now)
                    schedule.start_time[job], schedule.machine[job] = now, machine
                    waiting.remove(job)
                    break
        arrivals = (release_time[job] for job in waiting if release_time[job] > now)
        now = min(state.next_end(), min(arrivals, default=float("inf")))
        assert not waiting or now < float("inf"), "a waiting job fits on no empty machine"
    return schedule


def pq(instance: PlainInstance, heuristic: str = "wsjf") -> PlainSchedule:
    order = priority_order(priority_keys(instance, heuristic))
    return priority_queue(instance, order, instance.release_time)


def offline_pq(instance: PlainInstance, heuristic: str = "wsjf", begin: float = 0.0) -> PlainSchedule:
    """All jobs together from `begin` on; release times, also those in the keys, count as 0."""
    order = priority_order(priority_keys(instance, heuristic, [0.0] * instance.n_jobs))
    return priority_queue(instance, order, [begin] * instance.n_jobs)


def ca_pq(instance: PlainInstance, heuristic: str = "wsjf") -> PlainSchedule:
    """Wait for the last release, then offline PQ (run from there, so that ends are doubles of one sum)."""
    return offline_pq(instance, heuristic, begin=max(instance.release_time, default=0.0))
