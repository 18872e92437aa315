"""MRIS on clusters, event by event: batches at the interval ends, planned beside what runs and is planned.

What is planned is a reservation of the state. At an interval end gamma_k the waiting jobs without a plan that are known
and short enough are the candidates, as far as they have any place by what is known (the machines of a job may be down);
a knapsack chooses, and the chosen are placed in key order. Who finds no place then, or whose machine fails before the
planned start, waits for a later batch.

Once a run has ended early or was cut, planned jobs that fit at once start while nothing runs, or, if nothing is
planned, the waiting jobs as in PQ.

Intervals count from the origin: a given time, or the beginning of the busy period, at which everything begins anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from reference.cluster_instance import ClusterMachine, preference_order, with_anything
from reference.cluster_keys import demand_of_a_task, priority_key
from reference.cluster_state import ClusterState, PlannedStart
from reference.mris import Iteration
from reference.mris_knapsack import choose
from reference.mris_opportunistic import makespan_factor
from reference.plain_instance import PlainInstance, scored_demand


@dataclass(frozen=True)
class MrisOptions:
    """``patience`` 0 starts nobody early; the ``origin`` is a time or "busy"."""

    gamma0: float
    heuristic: Any = "wsjf"
    knapsack: str = "cadp"
    epsilon: Fraction = Fraction(1, 10)
    placement: str = "scan"
    patience: float = 0
    replan: bool = False
    origin: float | str = 0


class Mris:
    """Batches and their placement; ``gamma`` is the length of the last interval that has ended, ``k`` its number."""

    def __init__(self, state: ClusterState, options: MrisOptions) -> None:
        self.state = state
        self.options = options
        self.begin_at(0 if isinstance(options.origin, str) else options.origin)
        self.iterations: list[Iteration] = []
        self.gamma_of: dict[int, float] = {}  # of the batch that a job was last in

    @property
    def empty(self) -> PlainInstance:
        return empty_cluster(self.state.machines)

    def machines_changed(self) -> None:
        pass

    def begin_at(self, origin: float) -> None:
        self.origin = origin
        self.k = -1
        self.gamma: float = 0
        self.next_gamma = self.options.gamma0

    def run_pass(self) -> None:
        state = self.state
        self.begin_busy_period()
        self.start_due()
        if self.move_on():
            self.plan_batch()
            self.start_due()
        for job in self.unplanned():
            if state.jobs[job].processing_time <= self.options.patience * self.gamma:
                self.start_if_it_fits(job)
        if state.ended_early and not state.running and self.k >= 0:
            self.start_on_idle_machines()

    def wakeup(self) -> float:
        """Starts of the plan, and interval ends while somebody waits who could be placed."""
        due = [start for start, _ in self.state.reservations.values() if start > self.state.now]
        waits = any(self.state.earliest(j) is not None for j in self.unplanned())
        return min([*due, self.gamma_after_now() if waits else inf], default=inf)

    def begin_busy_period(self) -> bool:
        """Whether one begins: somebody comes, and nobody else waits or runs; who was killed just now still does."""
        state = self.state
        come = set(state.arrived) - state.killed_now
        is_new = self.options.origin == "busy" and come and not (state.running or set(state.queue()) - come)
        if is_new:
            self.begin_at(state.now)
            state.ended_early = False
        return bool(is_new)

    def gamma_after_now(self) -> float:
        length = self.next_gamma
        while self.origin + length <= self.state.now:
            length *= 2
        return self.origin + length

    def move_on(self) -> bool:
        """Whether an interval ends now; each ends once, also where several passes are held at its end."""
        before = self.k
        while self.origin + self.next_gamma <= self.state.now:
            self.k, self.gamma, self.next_gamma = self.k + 1, self.next_gamma, 2 * self.next_gamma
        return self.k > before and self.origin + self.gamma == self.state.now

    def in_key_order(self, jobs: Sequence[int]) -> list[int]:
        machines = self.state.machines
        return sorted(
            jobs, key=lambda j: (priority_key(self.options.heuristic, j, self.state.jobs[j], machines), j)
        )

    def unplanned(self) -> list[int]:
        """Who waits and has no plan, in key order."""
        return self.in_key_order([j for j in self.state.queue() if j not in self.state.reservations])

    def planned(self) -> list[int]:
        """In the order of planning."""
        return list(self.state.reservations)

    def start_due(self) -> None:
        """What does not fit, because others run late, waits."""
        state = self.state
        due = [j for j in self.planned() if state.reservations[j][0] <= state.now]
        for job in sorted(due, key=lambda j: state.reservations[j][0]):
            if state.can_start_as_reserved(job):
                state.start(job, state.reservations[job][1])

    def start_if_it_fits(self, job: int) -> None:
        allocation = self.state.fits_at(job, self.state.now)
        if allocation is not None:
            self.state.start(job, allocation)

    # Batches

    def plan_batch(self) -> None:
        rows = self.state.jobs
        candidates = sorted(
            j
            for j in self.unplanned()
            if rows[j].processing_time <= self.gamma and self.state.earliest(j) is not None
        )
        if not candidates:
            return
        chosen = self.chosen(candidates)
        self.gamma_of.update(dict.fromkeys(chosen, self.gamma))
        if not (self.options.replan and self.plan_again(chosen)):
            self.place(self.in_key_order(chosen))
        gamma = self.origin + self.gamma
        self.iterations.append(Iteration(self.k, gamma, len(candidates), chosen, self.makespan()))

    def chosen(self, candidates: list[int]) -> list[int]:
        """B_k, ascending; the knapsack holds what all machines together do until gamma."""
        scored = scored_demand(self.empty)
        capacity = len(scored.resources) * scored.n_capacities * Fraction(self.gamma) * scored.capacity
        positions = choose(
            [Fraction(self.state.jobs[j].weight) for j in candidates],
            [self.volume(j) for j in candidates],
            capacity,
            self.options.knapsack,
            self.options.epsilon,
        )
        return [candidates[i] for i in positions]

    def volume(self, job: int) -> Fraction:
        row = self.state.jobs[job]
        return Fraction(row.processing_time) * demand_of_a_task(row, self.state.machines)

    def makespan(self) -> float:
        """When all that ran, runs or is planned has ended."""
        return max([*(run.end for run in self.state.runs), *self.ends()], default=0)

    def ends(self) -> list[float]:
        """Of what runs or is planned; what others hold up counts from now on."""
        state = self.state
        planned = [
            state.end_if_started(j, max(start, state.now)) for j, (start, _) in state.reservations.items()
        ]
        return [*(run.planned_end for run in state.running.values()), *planned]

    def place(self, batch: list[int]) -> None:
        """At times from now on; who has no place stays unplanned."""
        if self.options.placement == "list":
            for job in batch:
                place = self.state.earliest(job)
                if place is not None:
                    self.state.reservations[job] = place
            return
        begin = self.makespan() if self.options.placement == "nobackfill" else self.state.now
        self.place_by_scanning(batch, max(begin, self.state.now))

    def place_by_scanning(self, batch: list[int], begin: float) -> None:
        """At ``begin`` and at every later instant at which something becomes free, one pass over the batch."""
        at: float | None = begin
        rest = list(batch)
        while rest and at is not None:
            for job in list(rest):
                allocation = self.state.fits_at(job, at)
                if allocation is not None:
                    self.state.reservations[job] = (at, allocation)
                    rest.remove(job)
            others = [o.end for o in (*self.state.outages, *self.state.booked)]
            later = [x for x in (*self.ends(), *others) if at < x < inf]
            at = min(later, default=None)

    def plan_again(self, chosen: list[int]) -> bool:
        """Plan what has not started together with the new batch, if all of every batch then still ends in time."""
        state = self.state
        before = dict(state.reservations)
        to_place = {*before, *chosen}
        state.reservations.clear()
        self.place(self.in_key_order(sorted(to_place)))
        factor = 2 * makespan_factor(self.empty, self.options.knapsack, self.options.epsilon)
        ends = {j: state.end_if_started(j, start) for j, (start, _) in state.reservations.items()}
        if set(ends) == to_place and all(
            Fraction(end) - Fraction(self.origin) <= factor * Fraction(self.gamma_of[j])
            for j, end in ends.items()
        ):
            return True
        state.reservations = before
        return False

    # While nothing runs

    def start_on_idle_machines(self) -> None:
        """Planned jobs that fit beside the rest of the plan, in its order; without a plan, waiting jobs as in PQ."""
        state = self.state
        planned = self.planned()
        if not planned:
            for job in self.unplanned():
                self.start_if_it_fits(job)
            return
        preference = preference_order(state.machines)

        def in_plan(job: int) -> tuple[int, float]:
            start, allocation = state.reservations[job]
            return preference.index(allocation[0][0]), start

        for job in sorted(planned, key=in_plan):
            ((machine, _),) = state.reservations[job][1]
            if state.fits_on(job, machine):
                state.start_on(job, machine)

    def plan(self) -> list[PlannedStart]:
        """By start; what others hold up counts from now on."""
        rows = [(j, max(s, self.state.now), a) for j, (s, a) in self.state.reservations.items()]
        return sorted(rows, key=lambda row: (row[1], row[0]))


def empty_cluster(machines: Sequence[ClusterMachine]) -> PlainInstance:
    """The machines that have anything, for what the references of single-machine jobs count."""
    return PlainInstance([], [], [], [], with_anything(machines))
