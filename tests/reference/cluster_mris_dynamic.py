"""MRIS that plans nothing, on clusters: in every pass the jobs of all batches are tried, as far as the bound allows.

The rules are those of the form on identical machines: a job of the lowest unfinished batch may start wherever it fits,
any other only if all unfinished batches keep their bound. What is new: a job that has no place by what is known,
because machines are down, is in no batch, and one that was killed leaves its batch; machines are served in order of
preference.
"""

from fractions import Fraction

from reference.cluster_instance import preference_order
from reference.cluster_mris import Mris, MrisOptions
from reference.cluster_state import ClusterState
from reference.mris import Iteration
from reference.mris_dynamic import FACTOR_LOSS, SAFETY
from reference.mris_opportunistic import makespan_factor
from reference.plain_instance import scored_demand


class DynamicMris(Mris):
    """``gamma_of`` has the waiting jobs that are in a batch."""

    def __init__(self, state: ClusterState, options: MrisOptions) -> None:
        super().__init__(state, options)
        self.left_behind: list[Fraction] = []  # their densities

    @property
    def factor(self) -> Fraction:
        return 2 * makespan_factor(self.empty, self.options.knapsack, self.options.epsilon) * FACTOR_LOSS

    def machines_changed(self) -> None:
        self.left_behind = []  # densities by other volumes

    def run_pass(self) -> None:
        state = self.state
        if self.begin_busy_period():
            self.left_behind = []
        self.gamma_of = {
            j: gamma
            for j, gamma in self.gamma_of.items()
            if j in state.queue() and j not in state.arrived and state.earliest(j) is not None
        }
        before = self.k
        ends_now = self.move_on()
        if self.k > before:
            self.left_behind = []  # where an interval has ended before now, nobody was a candidate
        if ends_now:
            self.take_batch()
        if self.k < 0:
            return
        while self.start_round():
            pass
        if state.ended_early and self.options.patience == 0 and not state.running:
            for job in self.in_key_order(state.queue()):
                self.start_if_it_fits(job)

    def wakeup(self) -> float:
        in_none = [j for j in self.state.queue() if j not in self.gamma_of]
        waits = any(self.state.earliest(j) is not None for j in in_none)
        return self.gamma_after_now() if waits else float("inf")

    def take_batch(self) -> None:
        rows = self.state.jobs
        candidates = sorted(
            j
            for j in self.state.queue()
            if j not in self.gamma_of
            and rows[j].processing_time <= self.gamma
            and self.state.earliest(j) is not None
        )
        chosen = self.chosen(candidates) if candidates else []
        self.left_behind = [self.density(j) for j in candidates if j not in chosen]
        self.gamma_of.update(dict.fromkeys(chosen, self.gamma))
        if chosen:
            gamma = self.origin + self.gamma
            self.iterations.append(Iteration(self.k, gamma, len(candidates), chosen, 0.0))

    def start_round(self) -> bool:
        """Each machine in turn, as long as it finds a job; whether one started."""
        started = False
        for machine in preference_order(self.state.machines):
            while (job := self.first_job(machine)) is not None:
                self.state.start_on(job, machine)
                started = True
        return started

    def first_job(self, machine: int) -> int | None:
        for job in self.in_key_order(self.state.queue()):
            if (
                self.state.fits_on(job, machine)
                and (job in self.gamma_of or self.may_start_early(job))
                and self.keeps_the_bound(job)
            ):
                return job
        return None

    def may_start_early(self, job: int) -> bool:
        length = self.state.jobs[job].processing_time
        if self.state.ended_early and self.options.patience > 0:
            return Fraction(length) <= (self.factor - 2) * Fraction(self.gamma)
        if length > self.options.patience * self.gamma:
            return False
        return all(self.density(job) > density for density in self.left_behind)

    def density(self, job: int) -> Fraction:
        return Fraction(self.state.jobs[job].weight) / self.volume(job)

    def keeps_the_bound(self, job: int) -> bool:
        state = self.state
        waiting_gammas = {j: g for j, g in self.gamma_of.items() if j in state.waiting}
        unfinished = sorted(set(waiting_gammas.values()))
        if not unfinished or waiting_gammas.get(job) == unfinished[0]:
            return True
        busy_until = max(
            [
                Fraction(state.now) + Fraction(state.length(job)),
                *(Fraction(run.start) + Fraction(state.length(j)) for j, run in state.running.items()),
            ]
        )
        total = Fraction(0)
        for gamma in unfinished:
            total += SAFETY * self.alone([j for j, g in waiting_gammas.items() if g == gamma])
            if busy_until - Fraction(self.origin) + total > self.factor * Fraction(gamma):
                return False
        return True

    def alone(self, jobs: list[int]) -> Fraction:
        """The time that PQ needs for these jobs alone."""
        longest = max(Fraction(self.state.jobs[j].processing_time) for j in jobs)
        scored = scored_demand(self.empty)
        volume = sum((self.volume(j) for j in jobs), Fraction(0)) / scored.capacity
        by_volume = 2 * volume / scored.n_capacities
        return max(2 * longest, by_volume) + (longest if self.empty.n_machines > 1 else 0)
