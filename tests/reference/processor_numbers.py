"""Which processors each job of a schedule holds, with sets of numbers, one job after another."""

from schedcore import Instance, Schedule


def lowest_free_processors(instance: Instance, schedule: Schedule) -> list[set[int]]:
    """At its start a job takes the lowest numbers of its machine that no running job holds."""
    capacity = instance.machines.capacity[:, 0].tolist()
    first = [sum(capacity[:i]) for i in range(len(capacity))]
    start, machine = schedule.start_time.tolist(), schedule.machine.tolist()
    end = (schedule.start_time + instance.jobs.processing_time).tolist()
    held: list[set[int]] = [set() for _ in start]
    for job in sorted(range(len(start)), key=lambda j: (start[j], j)):
        free = set(range(first[machine[job]], first[machine[job]] + capacity[machine[job]]))
        for other in range(len(start)):
            if held[other] and end[other] > start[job]:
                free -= held[other]
        held[job] = set(sorted(free)[: int(instance.jobs.demand[job, 0])])
    return held
