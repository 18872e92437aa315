"""PSRS: tasks of one machine by modified Smith ratio; a wide task preempts all others when it has waited too long.

Times are Fractions. A plan is a list of pieces; what is free is looked up in it anew for every question.
"""

from fractions import Fraction
from itertools import pairwise

from reference.parallel_tasks_instance import Piece, PlainTasks, Time, merged


def avail(
    instance: PlainTasks, machine: int, plan: list[Piece], amount: list[Fraction], not_before: Time
) -> Time:
    """The first instant from which on at least `amount` of every resource is free for good."""
    instants = sorted({time for piece in plan for time in (piece.start, piece.end)})
    last = not_before
    for instant, following in pairwise(instants):
        running = [piece.task for piece in plan if piece.start <= instant < piece.end]
        free = [
            capacity - sum(instance.tasks[t].demand[r] for t in running)
            for r, capacity in enumerate(instance.capacity[machine])
        ]
        if any(there < needed for there, needed in zip(free, amount, strict=True)):
            last = max(last, following)
    return last


def delay(plan: list[Piece], start: Time, by: Time) -> list[Piece]:
    """Everything that would run at or after `start` runs `by` later; pieces that straddle it are cut."""
    moved = []
    for piece in plan:
        if piece.end <= start:
            moved.append(piece)
        elif piece.start >= start:
            moved.append(piece._replace(start=piece.start + by, end=piece.end + by))
        else:
            moved.append(piece._replace(end=start))
            moved.append(piece._replace(start=start + by, end=piece.end + by))
    return moved


def plan_machine(
    instance: PlainTasks, machine: int, remaining: dict[int, Fraction], now: Time, v: Fraction
) -> list[Piece]:
    capacity = instance.capacity[machine]

    def smith_ratio(task: int) -> Fraction:
        volume = remaining[task] * instance.share(task, machine)
        return instance.weight[instance.tasks[task].job] / volume

    plan: list[Piece] = []
    time = now
    for task in sorted(remaining, key=lambda t: (-smith_ratio(t), t)):
        demand = instance.tasks[task].demand
        length = remaining[task]
        start = avail(instance, machine, plan, [Fraction(d) for d in demand], time)
        if any(2 * d > c for d, c in zip(demand, capacity, strict=True)):
            half = avail(instance, machine, plan, [Fraction(c, 2) for c in capacity], time)
            if start - half >= length / v:
                start = half + length / v
                plan = delay(plan, start, length)
        plan.append(Piece(start, task, machine, start + length))
        time = start
    return merged(plan)


def psrs(instance: PlainTasks, v: Fraction = Fraction(209, 250)) -> list[Piece]:
    """Every machine on its own; at each arrival its plan is thrown away and made anew from what remains."""
    pieces: list[Piece] = []
    for machine in range(instance.n_machines):
        tasks = [t for t, task in enumerate(instance.tasks) if machine in task.time]
        remaining = {t: Fraction(instance.tasks[t].time[machine]) for t in tasks}
        plan: list[Piece] = []
        for now in sorted({instance.release_of(t) for t in tasks}):
            past = [piece._replace(end=min(piece.end, now)) for piece in plan if piece.start < now]
            for piece in past:
                remaining[piece.task] -= piece.end - piece.start
            pieces += past
            present = {t: left for t, left in remaining.items() if left and instance.release_of(t) <= now}
            plan = plan_machine(instance, machine, present, now, v)
        pieces += plan
    return merged(pieces)
