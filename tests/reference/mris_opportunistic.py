"""MRIS that fills gaps: early starts between the interval ends, and re-planning at them.

An instant-by-instant loop over interval ends gamma_k, arrivals and completions. At gamma_k the
batch is planned first (with `replan`, what is planned and has not started is planned again
with it, if every batch then still ends in time); afterwards, as at every other instant, the
released jobs of no batch are tried in key order and start where they fit beside all that runs
or is planned, provided they are not longer than ``patience * gamma_k``.

Jobs may end before their processing times (`duration`). From the first such end on, while nothing
runs, planned jobs that fit at once beside the rest of the plan start in plan order; if nothing is
planned, the released jobs start like in PQ.
"""

from fractions import Fraction

from reference.mris import Batches, Iteration, committed_schedule, first_gamma
from reference.mris_placement import Committed, place
from reference.plain_instance import PlainInstance, PlainSchedule, scored_demand
from reference.priority_keys import priority_keys, priority_order

INFINITY = float("inf")


def makespan_factor(instance: PlainInstance, knapsack: str, epsilon: Fraction) -> Fraction:
    """c: what one batch can add to the makespan, in units of its gamma."""
    slack = {"exact": Fraction(0), "cadp": epsilon, "greedy": Fraction(1), "greedy_union": Fraction(1)}
    c = 2 * len(scored_demand(instance).resources) * (1 + slack[knapsack])
    return c if instance.n_machines == 1 else c + 1


def mris_opportunistic(
    instance: PlainInstance,
    heuristic: str = "wsjf",
    knapsack: str = "cadp",
    epsilon: Fraction = Fraction(1, 10),
    placement: str = "scan",
    gamma0: float | None = None,
    patience: float = 0.0,
    replan: bool = False,
    duration: list[float] | None = None,
) -> tuple[PlainSchedule, list[Iteration]]:
    """`patience` 0 starts nobody early."""
    batches = Batches(instance, knapsack, epsilon)
    order = priority_order(priority_keys(instance, heuristic))
    rank = {job: position for position, job in enumerate(order)}
    factor = makespan_factor(instance, knapsack, epsilon)
    committed = Committed(instance)
    iterations: list[Iteration] = []
    unplaced = list(range(instance.n_jobs))
    k, gamma = -1, first_gamma(instance, gamma0) / 2
    now = 2 * gamma
    ended_early = False
    while unplaced or any(start > now for rows in committed.placed for start, _, _ in rows):
        ended_early |= duration is not None and end_early(committed, duration, now)
        if now == 2 * gamma:
            k, gamma = k + 1, now
            candidates = batches.candidates(unplaced, gamma)
            if candidates:
                chosen = batches.choose(candidates, gamma)
                unplaced = [j for j in unplaced if j not in set(chosen)]
                iterations.append(Iteration(k, gamma, len(candidates), chosen, 0.0))
                again = plan_again(committed, iterations, rank, placement, factor) if replan else None
                if again is None:
                    place(committed, sorted(chosen, key=rank.__getitem__), gamma, placement)
                else:
                    committed = again
                iterations[-1] = Iteration(k, gamma, len(candidates), chosen, committed.makespan())
        for job in sorted(unplaced, key=rank.__getitem__):
            if instance.release_time[job] > now or instance.processing_time[job] > patience * gamma:
                continue
            for machine in range(instance.n_machines):
                if committed.fits(machine, now, job):
                    committed.place(machine, now, job)
                    unplaced.remove(job)
                    break
        if ended_early and not any(s <= now < e for rows in committed.placed for s, e, _ in rows):
            start_on_idle_machines(committed, unplaced, rank, now)
        arrivals = [instance.release_time[j] for j in unplaced if instance.release_time[j] > now]
        ends = [end for end in committed.ends() if end > now]
        starts = [start for rows in committed.placed for start, _, _ in rows if start > now]
        if duration is not None:
            ends = [s + duration[j] for rows in committed.placed for s, _, j in rows] + starts
            ends = [end for end in ends if end > now]
        now = min([2 * gamma, *arrivals, *ends])
    return committed_schedule(committed), iterations


def end_early(committed: Committed, duration: list[float], now: float) -> bool:
    """Cut off what jobs that have ended by now had still reserved; whether there is one."""
    found = False
    for rows in committed.placed:
        for i, (start, end, job) in enumerate(rows):
            if start + duration[job] <= now < end:
                rows[i], found = (start, now, job), True
    return found


def start_on_idle_machines(
    committed: Committed, unplaced: list[int], rank: dict[int, int], now: float
) -> None:
    """Nothing runs: pull planned jobs forward, or start like PQ if there are none."""
    is_planned = False
    for machine, rows in enumerate(committed.placed):
        for row in sorted((row for row in rows if row[0] > now), key=lambda row: row[0]):
            is_planned = True
            position = rows.index(row)
            rows.pop(position)
            if committed.fits(machine, now, row[2]):
                committed.place(machine, now, row[2])
            else:
                rows.insert(position, row)
    if is_planned:
        return
    for job in sorted(unplaced, key=rank.__getitem__):
        machines = range(committed.instance.n_machines)
        free = [i for i in machines if committed.fits(i, now, job)]
        if committed.instance.release_time[job] <= now and free:
            committed.place(free[0], now, job)
            unplaced.remove(job)


def plan_again(
    committed: Committed,
    iterations: list[Iteration],
    rank: dict[int, int],
    placement: str,
    factor: Fraction,
) -> Committed | None:
    """Newest batch and unstarted planned jobs placed together, or None if a batch ends late.

    What is planned to start at this very instant starts and is not planned again.
    """
    gamma = iterations[-1].gamma
    started = Committed(
        committed.instance, [[row for row in rows if row[0] <= gamma] for rows in committed.placed]
    )
    unstarted = {job for rows in committed.placed for start, _, job in rows if start > gamma}
    to_place = unstarted | set(iterations[-1].chosen)
    batch = sorted(to_place, key=rank.__getitem__)
    place(started, batch, gamma, placement)
    end = {job: e for rows in started.placed for _, e, job in rows}
    in_time = all(
        Fraction(end[job]) <= 2 * factor * Fraction(iteration.gamma)
        for iteration in iterations
        for job in iteration.chosen
        if job in to_place
    )
    return started if in_time else None
