"""What running jobs hold on each of their nodes where no command tells it: divided over what the others leave free.

Jobs of one node, and those of which the allocation is told, hold what they hold. Of the others the total is known, and
of many nodes how much is handed out there. Each is divided as evenly as what is left allows; where that is too little
for one job, others give way on the nodes that they share with it, along a path to a node with room. So whatever can be
divided is divided; what then is too much is a contradiction, which the caller finds on the first node of the job.
"""

import dataclasses
import functools
import itertools
from collections.abc import Callable, Collection, Mapping, Sequence

from .jobs import NodeShare, SlurmJob
from .nodes import SlurmNode
from .running_jobs import divided, gres_of_whole_job, shares_of_job

__all__ = ["Held", "shares_of_jobs", "within_nodes"]

Held = tuple[SlurmJob, tuple[NodeShare, ...], bool]


def shares_of_jobs(
    jobs: Sequence[SlurmJob], nodes: Mapping[str, SlurmNode], *, shared: Collection[str], memory: bool
) -> list[Held]:
    """Return the jobs that run, each with what it holds on each node, and whether that is told.

    Parameters
    ----------
    shared : collection of str
        Partitions whose jobs share processors, which are not divided over what is left.
    memory : bool
        Whether memory is handed out.

    Raises
    ------
    InvalidInstanceError
        As `shares_of_job` does.

    Notes
    -----
    O(number of shares) where an even division fits; a search among the jobs of these nodes where one must give way.
    """
    held = [(job, *shares_of_job(job, nodes)) for job in jobs if job.is_running]
    rows = [row for row, (_, _, told) in enumerate(held) if not told]
    if not rows:
        return held
    found = {row: held[row][1] for row in rows}

    def divide(
        amount: Callable[[NodeShare], int],
        totals: Mapping[int, int],
        size: Mapping[str, int],
        used: Mapping[str, int],
        *,
        of_cpus: bool = False,
    ) -> dict[int, tuple[int, ...]]:
        taken = dict.fromkeys(nodes, 0)
        for row, (job, shares, _) in enumerate(held):
            if row not in totals and (not of_cpus or _counts(job, shared)):
                for share in found.get(row, shares):
                    taken[share.node] += amount(share)
        division = _Division(
            {name: used.get(name, most) - taken[name] for name, most in size.items()}, int(of_cpus)
        )
        for row in sorted(totals, key=lambda row: (len(found[row]), row)):
            division.add(row, [share.node for share in found[row]], totals[row])
        # What is handed out may have changed between two commands; the size of a node does not.
        division.settle()
        division.widen({name: most - used.get(name, most) for name, most in size.items()})
        division.settle()
        return {row: division.parts(row) for row in totals}

    free = [row for row in rows if _counts(held[row][0], shared) and not _is_fixed(held[row][0], found[row])]
    sizes = {name: node.cpus for name, node in nodes.items()}
    totals = {row: sum(share.cpus for share in found[row]) for row in free}
    cpus = divide(lambda share: share.cpus, totals, sizes, _handed_out(nodes), of_cpus=True)
    for row, parts in cpus.items():
        found[row] = _with_cpus(found[row], parts)
    free = [row for row in rows if memory and not held[row][0].memory_per_node]
    for row in free:
        if held[row][0].memory_per_node is not None:
            continue  # it asks for all memory, which stands in `found` already
        # What a processor gets is where the processors are.
        total = dict(held[row][0].tres).get("mem", sum(share.memory for share in found[row]))
        n_cpus = sum(share.cpus for share in found[row])
        of_node = [total * share.cpus // max(1, n_cpus) for share in found[row]]
        of_node[0] += total - sum(of_node)
        found[row] = _with_memory(found[row], of_node)
    sizes = {name: node.memory for name, node in nodes.items()}
    if any(_is_too_much(held, found, sizes)):
        totals = {row: sum(share.memory for share in found[row]) for row in free}
        for row, parts in divide(lambda share: share.memory, totals, sizes, {}).items():
            found[row] = _with_memory(found[row], parts)
    of_rows = {row: gres_of_whole_job(held[row][0]) for row in rows}
    for kind in sorted({kind for of_job in of_rows.values() for kind in of_job}):
        totals = {row: of_job[kind] for row, of_job in of_rows.items() if kind in of_job}
        sizes = {name: node.of_gres(kind) for name, node in nodes.items()}
        of_kind = functools.partial(_of_gres, kind)
        for row, parts in divide(of_kind, totals, sizes, {}).items():
            found[row] = _with_gres(found[row], kind, parts)
    return [(job, found.get(row, shares), told) for row, (job, shares, told) in enumerate(held)]


def within_nodes(held: Sequence[Held], nodes: Mapping[str, SlurmNode]) -> list[Held]:
    """Return the same with no more processors on a node than it has, for an engine in which nobody shares them.

    Of jobs that share processors, and of those that are suspended, the later ones hold what is left.
    """
    left = {name: node.cpus for name, node in nodes.items()}
    within: dict[int, Held] = {}
    for row in sorted(range(len(held)), key=lambda row: held[row][0].state == "SUSPENDED"):
        job, shares, told = held[row]
        parts = [min(share.cpus, left[share.node]) for share in shares]
        for share, part in zip(shares, parts, strict=True):
            left[share.node] -= part
        within[row] = (job, _with_cpus(shares, parts), told)
    return [within[row] for row in range(len(held))]


def _counts(job: SlurmJob, shared: Collection[str]) -> bool:
    """Whether nobody else has the processors that a job holds."""
    return job.state != "SUSPENDED" and job.partition not in shared and not job.shares_nodes


def _is_fixed(job: SlurmJob, shares: Sequence[NodeShare]) -> bool:
    """Whether every node gives the same, because the job asks for so many tasks on each."""
    return (job.tasks_per_node or 0) * (job.cpus_per_task or 0) * len(shares) == (job.cpus or 0) > 0


def _handed_out(nodes: Mapping[str, SlurmNode]) -> dict[str, int]:
    return {
        host: min(node.cpus_allocated, node.cpus)
        for host, node in nodes.items()
        if node.cpus_allocated is not None
    }


def _is_too_much(
    held: Sequence[Held], found: Mapping[int, tuple[NodeShare, ...]], sizes: Mapping[str, int]
) -> list[bool]:
    sums = dict.fromkeys(sizes, 0)
    for row, (_, shares, _) in enumerate(held):
        for share in found.get(row, shares):
            sums[share.node] += share.memory
    return [sums[name] > most for name, most in sizes.items()]


def _with_cpus(shares: Sequence[NodeShare], parts: Sequence[int]) -> tuple[NodeShare, ...]:
    return tuple(dataclasses.replace(share, cpus=part) for share, part in zip(shares, parts, strict=True))


def _with_memory(shares: Sequence[NodeShare], parts: Sequence[int]) -> tuple[NodeShare, ...]:
    return tuple(dataclasses.replace(share, memory=part) for share, part in zip(shares, parts, strict=True))


def _with_gres(shares: Sequence[NodeShare], kind: str, parts: Sequence[int]) -> tuple[NodeShare, ...]:
    return tuple(
        dataclasses.replace(share, gres=(*(each for each in share.gres if each[0] != kind), (kind, "", part)))
        for share, part in zip(shares, parts, strict=True)
    )


def _of_gres(kind: str, share: NodeShare) -> int:
    return sum(number for name, _, number in share.gres if name == kind)


class _Division:
    """Totals of rows over places with bounds; every row has at least `least`, 0 or 1, at each of its places.

    `_left` is what no row has, and below 0 only where even that is too much.
    """

    def __init__(self, left: Mapping[str, int], least: int) -> None:
        self._least = least
        self._left = dict(left)
        self._parts: dict[int, dict[str, int]] = {}
        self._missing: dict[int, int] = {}
        self._at: dict[str, list[int]] = {}

    def add(self, row: int, places: Sequence[str], total: int) -> None:
        """Take a row; it is divided by `settle`."""
        least = min(self._least, total // len(places))
        self._parts[row] = dict.fromkeys(places, least)
        self._missing[row] = total - least * len(places)
        for place in places:
            self._left[place] -= least
            self._at.setdefault(place, []).append(row)

    def widen(self, more: Mapping[str, int]) -> None:
        """Leave more at places."""
        for place, amount in more.items():
            self._left[place] += amount

    def settle(self) -> None:
        """Divide what is missing, as far as there is room."""
        for row, missing in self._missing.items():
            places = list(self._parts[row])
            room = [max(0, self._left[place]) for place in places]
            amount = min(missing, sum(room))
            for place, part in zip(places, divided(amount, room), strict=True):
                self._move(row, place, part)
            self._missing[row] -= amount
        for row in self._missing:
            while self._missing[row] and (path := self._path(row)):
                self._push(row, path)

    def parts(self, row: int) -> tuple[int, ...]:
        """Return what the row has at its places; what has no room is at the first one."""
        first, *others = self._parts[row].values()
        return (first + self._missing[row], *others)

    def _move(self, row: int, place: str, amount: int) -> None:
        self._parts[row][place] += amount
        self._left[place] -= amount

    def _path(self, row: int) -> list[tuple[int, str]]:
        """Return (row that gains, place) from a place with room back to one of this row; none if there is no way."""
        before: dict[str, tuple[int, str | None]] = dict.fromkeys(self._parts[row], (row, None))
        queue = list(before)
        for place in queue:
            if self._left[place] > 0:
                path = [(before[place][0], place)]
                while (earlier := before[path[-1][1]][1]) is not None:
                    path.append((before[earlier][0], earlier))
                return path
            for other in self._at[place]:
                if self._parts[other][place] > self._least:
                    for further in self._parts[other]:
                        if further not in before:
                            before[further] = (other, place)
                            queue.append(further)
        return []

    def _push(self, row: int, path: Sequence[tuple[int, str]]) -> None:
        amounts = [self._missing[row], self._left[path[0][1]]]
        amounts += [
            self._parts[gains][place] - self._least for (gains, _), (_, place) in itertools.pairwise(path)
        ]
        amount = min(amounts)
        for (gains, place), following in zip(path, [*path[1:], None], strict=True):
            self._move(gains, place, amount)
            if following is not None:
                self._move(gains, following[1], -amount)
        self._missing[row] -= amount
