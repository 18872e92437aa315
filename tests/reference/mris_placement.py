"""Placing a batch of MRIS into the schedule committed so far: "scan", "list" and "nobackfill"."""

from __future__ import annotations

from dataclasses import dataclass, field

from reference.plain_instance import PlainInstance


@dataclass
class Committed:
    """Everything placed so far; fixed, also where it lies in the future."""

    instance: PlainInstance
    # per machine: (start, end, job)
    placed: list[list[tuple[float, float, int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.placed:
            self.placed = [[] for _ in range(self.instance.n_machines)]

    def copy(self) -> Committed:
        return Committed(self.instance, [list(rows) for rows in self.placed])

    def fits(self, machine: int, start: float, job: int) -> bool:
        """Is there room for `job` on `machine` during all of [start, start + p)?

        Usage rises at starts only, so `start` and the committed starts inside are enough.
        """
        end = start + self.instance.processing_time[job]
        here = self.placed[machine]
        instants = {start} | {s for s, _, _ in here if start < s < end}
        for resource, amount in enumerate(self.instance.demand[job]):
            for instant in instants:
                used = sum(self.instance.demand[j][resource] for s, e, j in here if s <= instant < e)
                if used + amount > self.instance.capacities[machine][resource]:
                    return False
        return True

    def place(self, machine: int, start: float, job: int) -> None:
        self.placed[machine].append((start, start + self.instance.processing_time[job], job))

    def ends(self) -> list[float]:
        return [end for rows in self.placed for _, end, _ in rows]

    def makespan(self) -> float:
        return max(self.ends(), default=0.0)

    def start_and_machine(self) -> dict[int, tuple[float, int]]:
        return {job: (s, i) for i, rows in enumerate(self.placed) for s, _, job in rows}


def place_by_scanning(committed: Committed, batch: list[int], begin: float) -> None:
    """PQ beside what is committed: at `begin` and every later committed end, one pass over the batch."""
    now, rest = begin, list(batch)
    while rest:
        for job in list(rest):
            for machine in range(committed.instance.n_machines):
                if committed.fits(machine, now, job):
                    committed.place(machine, now, job)
                    rest.remove(job)
                    break
        if rest:
            now = min(end for end in committed.ends() if end > now)


def place_by_earliest_fit(committed: Committed, batch: list[int], begin: float) -> None:
    """Each job of the batch in turn at its earliest fit, ties to the lowest machine."""
    for job in batch:
        candidates = [
            (start, machine)
            for machine in range(committed.instance.n_machines)
            for start in [begin, *(end for _, end, _ in committed.placed[machine] if end > begin)]
            if committed.fits(machine, start, job)
        ]
        start, machine = min(candidates)
        committed.place(machine, start, job)


def place(committed: Committed, batch: list[int], gamma: float, placement: str) -> None:
    """Place `batch`, sorted by priority, at times >= gamma."""
    if placement == "scan":
        place_by_scanning(committed, batch, gamma)
    elif placement == "nobackfill":
        place_by_scanning(committed, batch, max(gamma, committed.makespan()))
    elif placement == "list":
        place_by_earliest_fit(committed, batch, gamma)
    else:
        raise ValueError(placement)
