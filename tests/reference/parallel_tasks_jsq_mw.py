"""JSQ-MW: arriving tasks join the shortest queue, local or remote; machines serve by MaxWeight the first that fits."""

from reference.parallel_tasks_instance import Piece, PlainTasks, Time, merged

REMOTE = -1  # the common queue of all machines


def jsq_mw(instance: PlainTasks) -> tuple[list[Piece], dict[int, int]]:
    """The schedule, and the queue that each task joined."""
    queues: dict[int, list[int]] = {REMOTE: [], **{i: [] for i in range(instance.n_machines)}}
    joined: dict[int, int] = {}
    pieces: list[Piece] = []

    def route(task: int) -> None:
        plain = instance.tasks[task]
        open_to_it = sorted(plain.local)
        if set(plain.time) - plain.local:
            open_to_it.append(REMOTE)
        joined[task] = min(open_to_it, key=lambda q: len(queues[q]))  # min keeps the first of equals
        queues[joined[task]].append(task)

    def serve(machine: int, now: Time) -> bool:
        prefers_local = instance.remote_penalty * len(queues[machine]) >= len(queues[REMOTE])
        running = [p.task for p in pieces if p.machine == machine and p.end > now]
        for queue in (machine, REMOTE) if prefers_local else (REMOTE, machine):
            for task in queues[queue]:
                time = instance.tasks[task].time
                if machine in time and instance.fits(machine, [task, *running]):
                    queues[queue].remove(task)
                    pieces.append(Piece(now, task, machine, now + time[machine]))
                    return True
        return False

    arrivals = sorted({instance.release_of(t) for t in range(len(instance.tasks))})
    instants: set[Time] = set(arrivals)
    while instants:
        now = min(instants)
        for task in range(len(instance.tasks)):
            if instance.release_of(task) == now:
                route(task)
        for machine in range(instance.n_machines):
            while serve(machine, now):
                pass
        instants = {time for time in [*arrivals, *(piece.end for piece in pieces)] if time > now}
    return merged(pieces), joined
