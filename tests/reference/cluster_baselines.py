"""TETRIS and BF-EXEC on clusters: machines in order of preference, jobs where their constraints allow.

A job fits a machine if there is room for its whole processing time. Scores use the lengths and demands that a job came
with, whatever was saved of its work.
"""

from math import fsum, inf

from reference.cluster_instance import preference_order
from reference.cluster_keys import plain_job
from reference.cluster_state import ClusterState, PlannedStart
from reference.plain_instance import CommonScale, scored_demand
from reference.tetris import best_position


class Tetris:
    """In every pass, machine by machine, the best-scored job that fits starts, until none does."""

    def __init__(self, state: ClusterState, mode: str = "inverse") -> None:
        self.state = state
        self.mode = mode

    def wakeup(self) -> float:
        return inf

    def plan(self) -> list[PlannedStart]:
        return []

    def run_pass(self) -> None:
        for machine in preference_order(self.state.machines):
            while fitting := [j for j in sorted(self.state.queue()) if self.state.fits_on(j, machine)]:
                alignment = [self.alignment(j, machine) for j in fitting]
                best = best_position(alignment, [self.volume(j) for j in fitting], self.mode)
                self.state.start_on(fitting[best], machine)

    def alignment(self, job: int, machine: int) -> float:
        capacity = self.state.machines[machine].capacity
        demand, used = self.state.jobs[job].demand, self.state.used(machine)
        return fsum(
            (demand[k] / whole) * ((whole - used[k]) / whole) for k, whole in enumerate(capacity) if whole > 0
        )

    def volume(self, job: int) -> float:
        row = self.state.jobs[job]
        scored = scored_demand(plain_job(row, self.state.machines))
        return row.processing_time * (scored.total[0] / scored.capacity)


class BestFitExecution:
    """Machines with room that was not there before pull the shortest jobs; then arrivals choose the fullest machine.

    Room comes from runs that ended, and with machines that come back or whose outage is over. Jobs that were killed are
    among the arrivals.
    """

    def __init__(self, state: ClusterState) -> None:
        self.state = state

    @property
    def scale(self) -> CommonScale:
        return CommonScale.of([amount for machine in self.state.machines for amount in machine.capacity])

    def wakeup(self) -> float:
        return inf

    def plan(self) -> list[PlannedStart]:
        return []

    def run_pass(self) -> None:
        state = self.state
        preference = preference_order(state.machines)
        waiting = [j for j in state.queue() if j not in state.arrived]
        for machine in sorted(state.freed, key=preference.index):
            for job in sorted(waiting, key=lambda j: (state.jobs[j].processing_time, j)):
                if job in state.waiting and state.fits_on(job, machine):
                    state.start_on(job, machine)
        for job in state.arrived:
            feasible = [m for m in preference if state.fits_on(job, m)]
            if feasible:
                state.start_on(job, min(feasible, key=self.free_norm))

    def free_norm(self, machine: int) -> int:
        """Squared norm of the free amounts as shares of the machine's own capacities."""
        capacity, used = self.state.machines[machine].capacity, self.state.used(machine)
        return sum(
            self.scale.scaled(whole - u, whole) ** 2
            for whole, u in zip(capacity, used, strict=True)
            if whole > 0
        )
