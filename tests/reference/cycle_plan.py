"""One planning pass of a scheduler that plans over whole machines, as plainly as it can be said.

Sets of machines are Python sets, every question is answered from scratch, and nothing is remembered between two of
them. `schedcore.engine.cycle_plan` makes the same plan; `docs/slurm-plan.md` says the rule in words.
"""

import dataclasses
from collections.abc import Iterable, Sequence
from fractions import Fraction

__all__ = ["Machine", "Pass", "Placement", "Request", "Reservation", "Run", "Settings", "Tally"]

MOST_SHIFTS = 10  # how often advance reservations may move the instant that is tried


@dataclasses.dataclass(frozen=True)
class Machine:
    processors: int
    memory: int
    weight: int
    is_up: bool


@dataclasses.dataclass(frozen=True)
class Run:
    end: int  # as announced, which orders them
    likely_end: int
    held: dict[int, tuple[int, int]]  # machine -> processors, memory


@dataclasses.dataclass(frozen=True)
class Request:
    limit: int
    min_machines: int
    max_machines: int
    n_tasks: int
    processors_per_task: int
    tasks_per_machine: int  # 0: not said
    least_processors: int  # of every machine
    memory_kind: str  # "none", "machine", "processor", "whole"
    memory: int
    is_exclusive: bool
    partition: frozenset[int]
    eligible: frozenset[int] | None  # None: all of the partition
    required: frozenset[int]
    reservation: int  # -1: none
    copies: int  # tasks of an array that are planned at most
    array: int  # -1: none; others with the same number are barred by one that gets no plan
    may_wait: bool  # or it starts now or not at all
    selection: str  # "consecutive", "first", "last", "busy", "spread"


@dataclasses.dataclass(frozen=True)
class Reservation:
    start: int
    end: int
    machines: frozenset[int]
    takes_all: bool
    is_maintenance: bool
    is_flexible: bool


@dataclasses.dataclass(frozen=True)
class Settings:
    now: int
    window: int
    resolution: int
    depth: int
    most_intervals: int
    growth: int  # seconds by which groups of ends widen; 0: they double
    first_width: int = 30


@dataclasses.dataclass(frozen=True)
class Placement:
    outcome: str
    start: int | None = None
    machines: tuple[int, ...] = ()


@dataclasses.dataclass
class Interval:
    begin: int
    end: int
    free: set[int]


@dataclasses.dataclass
class Tally:
    tried: int = 0
    inserted: int = 1


class Pass:
    """The pass; `placements` has one entry for each request."""

    def __init__(
        self,
        machines: Sequence[Machine],
        runs: Iterable[Run],
        reservations: Sequence[Reservation],
        settings: Settings,
    ) -> None:
        self.machines = machines
        self.runs = list(runs)
        self.reservations = reservations
        self.settings = settings
        self.up = {m for m, machine in enumerate(machines) if machine.is_up}
        self.in_use_now = {m for run in self.runs for m, held in run.held.items() if any(held)}
        begin, end = self.floor(settings.now), self.floor(settings.now + settings.window)
        self.intervals = [Interval(begin, end, set(self.up))]
        self.tally = Tally()

    def placements(self, requests: Sequence[Request]) -> list[Placement]:
        found: list[Placement] = []
        barred: set[int] = set()
        for request in requests:
            if request.array >= 0 and request.array in barred:
                found.append(Placement("array"))
                continue
            found.append(self.place_record(request))
            if found[-1].start is None:
                barred.add(request.array)
        return found

    def place_record(self, request: Request) -> Placement:
        """The last one planned; nothing if one of its tasks gets nothing."""
        placement = Placement("limit")
        for _ in range(request.copies):
            if self.is_exhausted():
                return placement
            placement = self.place(request)
            if placement.start is None:
                return placement
        return placement

    def is_exhausted(self) -> bool:
        return self.tally.tried >= self.settings.depth or self.tally.inserted >= self.settings.most_intervals

    # The plan of one job.

    def place(self, request: Request) -> Placement:
        now, limit = self.settings.now, request.limit
        instant, is_counted = now, False
        while True:
            reserved = self.beside_reservations(request, instant)
            if reserved is None:
                return Placement("reservation")
            instant, unreserved, reserved_until = reserved
            base = unreserved & request.partition & self.up
            free = set(base)
            later, saw_the_end = None, True
            ahead = [interval for interval in self.intervals if interval.end > instant]
            for position, interval in enumerate(ahead):
                if later is None and position + 1 < len(ahead):
                    successor = ahead[position + 1]
                    if base & successor.free - (free & interval.free):
                        later = interval.end
                if interval.begin > instant + limit:
                    saw_the_end = position + 1 == len(ahead)
                    break
                free &= interval.free
            if reserved_until is not None:
                later = reserved_until if later is None else min(later, reserved_until)
            eligible = {m for m in free if self.is_able(request, m)}
            answer = None
            if len(eligible) >= self.fewest(request) and request.required <= eligible:
                if not is_counted:
                    self.tally.tried += 1
                    is_counted = True
                answer = self.first_moment(request, eligible)
            if answer is None:
                if later is None:
                    return Placement(self.why_nothing(request, saw_the_end))
                instant = later
                continue
            moment, chosen = answer
            start = max(moment, instant)
            if later is not None and start > later:
                instant = later
                continue
            if not request.may_wait and start > now:
                return Placement("now only")
            if start > now + self.settings.window:
                return Placement("after window", start)
            begin, end = self.floor(start), self.floor(start + limit)
            if start > now and any(
                not set(chosen) <= interval.free
                for interval in self.intervals
                if interval.end > begin and interval.begin < end
            ):
                instant = start
                continue
            if start <= now:
                self.start(request, chosen)
            else:
                self.hold(set(chosen), begin, max(end, begin + self.settings.resolution))
            return Placement("planned", start, tuple(sorted(chosen)))

    def why_nothing(self, request: Request, saw_the_end: bool) -> str:
        able = {m for m in request.partition & self.up if self.is_able(request, m)}
        if request.reservation >= 0:
            able &= self.of_reservation(self.reservations[request.reservation])
        enough = len(able) >= self.fewest(request) and request.required <= able
        if not enough or self.first_moment(request, able) is None:
            return "never fits"
        return "window" if saw_the_end else "dead end"

    def beside_reservations(self, request: Request, instant: int) -> tuple[int, set[int], int | None] | None:
        """The instant, perhaps moved, the machines that are left, and when the next reservation is over."""
        if request.reservation >= 0:
            own = self.reservations[request.reservation]
            if not own.start <= self.settings.now or instant >= own.end:
                return None
            return instant, self.of_reservation(own), None
        for _ in range(MOST_SHIFTS + 1):
            in_the_way = [
                r for r in self.reservations if r.start < instant + request.limit and r.end > instant
            ]
            whole = request.partition
            moving = [
                r
                for r in in_the_way
                if r.takes_all or (r.is_maintenance and whole <= r.machines) or r.machines & request.required
            ]
            if moving:
                instant = moving[0].end
                continue
            taken = set().union(*(r.machines for r in in_the_way))
            until = None
            if taken & whole:
                ends = [r.end for r in self.reservations if r.end >= instant]
                until = -(-min(ends) // self.settings.resolution) * self.settings.resolution + 1
                if until > self.settings.now + self.settings.window:
                    until = None
            return instant, set(range(len(self.machines))) - taken, until
        return None

    def of_reservation(self, own: Reservation) -> set[int]:
        return set(range(len(self.machines))) if own.is_flexible else set(own.machines)

    def is_able(self, request: Request, m: int) -> bool:
        """Whether the machine, were it empty, could be one of those that the job has."""
        machine = self.machines[m]
        if request.eligible is not None and m not in request.eligible:
            return False
        needed = {
            "none": 0,
            "machine": request.memory,
            "processor": request.memory * self.least(request),
            "whole": 0,
        }
        return (
            machine.processors >= request.least_processors and machine.memory >= needed[request.memory_kind]
        )

    def floor(self, instant: int) -> int:
        return instant // self.settings.resolution * self.settings.resolution

    def hold(self, chosen: set[int], begin: int, end: int) -> None:
        """Take machines out of what is free from `begin` to `end`."""
        if begin >= self.intervals[-1].end:
            return
        for edge in (begin, end):
            for at, interval in enumerate(self.intervals):
                if interval.begin < edge < interval.end:
                    self.intervals[at : at + 1] = [
                        Interval(interval.begin, edge, set(interval.free)),
                        Interval(edge, interval.end, set(interval.free)),
                    ]
                    self.tally.inserted += 1
                    break
        inside = [
            at for at, interval in enumerate(self.intervals) if interval.begin < end and interval.end > begin
        ]
        for at in inside:
            self.intervals[at].free -= chosen
        for at in range(max(0, inside[0] - 1), min(inside[-1] + 1, len(self.intervals) - 1)):
            if self.intervals[at].free == self.intervals[at + 1].free:
                self.intervals[at].end = self.intervals[at + 1].end
                del self.intervals[at + 1]
                break

    def start(self, request: Request, chosen: dict[int, int]) -> None:
        """It runs from now on."""
        held = {}
        for m, processors in chosen.items():
            machine = self.machines[m]
            memory = {
                "none": 0,
                "machine": request.memory,
                "processor": request.memory * processors,
                "whole": machine.memory,
            }
            given = machine.processors if request.is_exclusive else processors
            held[m] = (given, memory[request.memory_kind])
        self.runs.append(Run(self.settings.now + request.limit, self.settings.now + request.limit, held))

    # The first moment, given what runs.

    def first_moment(self, request: Request, eligible: set[int]) -> tuple[int, dict[int, int]] | None:
        settings, now = self.settings, self.settings.now
        left = sorted(self.runs, key=lambda run: run.end)
        chosen = self.chosen(request, eligible, left, at_once=True)
        if chosen is not None:
            return now, chosen
        order, width, base, at = list(left), settings.first_width, None, 0
        while at < len(order):
            last = None
            while at < len(order):
                run = order[at]
                at += 1
                if eligible.isdisjoint(run.held):
                    continue
                left.remove(run)
                last = run
                if base is None:
                    base = (run.end // settings.first_width + 1) * settings.first_width
                if at == len(order) or order[at].end > base + width:
                    break
            if last is None:
                return None
            if at < len(order):
                assert base is not None
                while True:
                    width += settings.growth or width
                    if order[at].end <= base + width:
                        break
            chosen = self.chosen(request, eligible, left)
            if chosen is not None:
                return last.likely_end, chosen
        return None

    def least(self, request: Request) -> int:
        return max(request.tasks_per_machine, request.least_processors, request.processors_per_task)

    def fewest(self, request: Request) -> int:
        least = max(request.min_machines, len(request.required))
        if request.tasks_per_machine:
            return max(least, -(-request.n_tasks // request.tasks_per_machine))
        return least

    def most(self, request: Request) -> int:
        return max(self.fewest(request), min(request.max_machines, request.n_tasks))

    def chosen(
        self, request: Request, eligible: set[int], runs: Iterable[Run], at_once: bool = False
    ) -> dict[int, int] | None:
        """The machines with the processors of each, or none."""
        used = dict.fromkeys(eligible, (0, 0))
        for run in runs:
            for m in eligible & run.held.keys():
                used[m] = (used[m][0] + run.held[m][0], used[m][1] + run.held[m][1])
        offers = self.offers(request, used)
        found = self.selected(request, offers, used, at_once)
        if found is None:
            return None
        idle = {m: (0, memory) for m, (_, memory) in used.items()}
        if self.selected(request, self.offers(request, idle), idle, at_once) is None:
            return None
        return found

    def offers(self, request: Request, used: dict[int, tuple[int, int]]) -> dict[int, int]:
        """The processors that every machine could give; machines without any are left out."""
        offers = {}
        for m, (processors, memory) in used.items():
            machine = self.machines[m]
            left = machine.memory - memory
            if request.memory_kind == "machine" and left < request.memory:
                continue
            if request.memory_kind == "processor" and left < request.memory * self.least(request):
                continue
            if request.memory_kind == "whole" and memory > 0:
                continue
            if request.is_exclusive and processors > 0:
                continue
            offer = machine.processors - processors
            if request.memory_kind == "processor":
                offer = min(offer, left // request.memory if request.memory else offer)
                offer -= offer % request.processors_per_task
            tasks = request.tasks_per_machine or (request.n_tasks if self.most(request) == 1 else 1)
            needed = max(
                request.least_processors, request.tasks_per_machine, tasks * request.processors_per_task
            )
            if offer > 0 and offer >= needed:
                offers[m] = offer
        return offers

    # Which machines.

    def selected(
        self, request: Request, offers: dict[int, int], used: dict[int, tuple[int, int]], at_once: bool
    ) -> dict[int, int] | None:
        """One try with all machines; then without those that offer least, and so on."""
        offers = dict(offers)
        wanted = request.n_tasks * request.processors_per_task
        fewest = self.fewest(request)
        found = self.one_try(request, offers, used, wanted, at_once)
        least = 1
        while found is None and len(offers) > fewest:
            smaller = {m: offer for m, offer in offers.items() if offer > least}
            if not smaller:
                return None
            if len(smaller) < len(offers):
                offers = smaller
                found = self.one_try(request, offers, used, wanted, at_once)
            least += 1
        return found

    def one_try(
        self,
        request: Request,
        offers: dict[int, int],
        used: dict[int, tuple[int, int]],
        wanted: int,
        at_once: bool,
    ) -> dict[int, int] | None:
        """Choose; `offers` of machines that are taken become what they give."""
        if not request.required <= offers.keys():
            return None
        fewest, most = self.fewest(request), self.most(request)
        taken: dict[int, int] = {}
        selection = "consecutive" if request.selection == "busy" and at_once else request.selection
        parts = self.parts(request, offers, used, selection)
        left = wanted

        def take(m: int) -> None:
            nonlocal left
            if not request.is_exclusive:
                to_come = max(0, fewest - len(taken) - 1)
                offers[m] = max(min(offers[m], left - to_come), request.least_processors, 1)
            taken[m] = offers[m]
            left -= offers[m]

        def suffices() -> bool:
            return left <= 0 and len(taken) >= fewest and request.required <= taken.keys()

        while parts and not suffices() and len(taken) < most:
            part = self.best_part(request, parts, offers, left, fewest - len(taken), taken)
            parts.remove(part)
            for m in sorted(request.required & set(part)):
                take(m)
            if suffices():
                break
            rest = [m for m in part if m not in taken]
            anchors = [m for m in part if m in taken]
            if anchors:
                rest = [m for m in rest if m > anchors[0]] + [m for m in rest if m < anchors[0]][::-1]
            if selection == "consecutive" and not anchors and fewest - len(taken) <= 1:
                alone = [m for m in rest if offers[m] >= left]
                if alone:
                    take(min(alone, key=lambda m: offers[m]))
                    continue
            for m in rest:
                missing = len(request.required - taken.keys())
                if suffices() or len(taken) + missing >= most:
                    break
                if len(taken) + 1 == most and offers[m] < left:
                    continue
                take(m)
        return taken if suffices() else None

    def parts(
        self,
        request: Request,
        offers: dict[int, int],
        used: dict[int, tuple[int, int]],
        selection: str,
    ) -> list[list[int]]:
        """Runs of neighbours of equal weight; or all machines in an order."""
        if selection == "consecutive":
            parts: list[list[int]] = []
            for m in sorted(offers):
                if (
                    parts
                    and parts[-1][-1] == m - 1
                    and self.machines[m].weight == self.machines[m - 1].weight
                ):
                    parts[-1].append(m)
                else:
                    parts.append([m])
            return parts

        def order(m: int) -> tuple[Fraction | int, ...]:
            weight, total = self.machines[m].weight, self.machines[m].processors
            if selection == "busy":
                return weight, m not in self.in_use_now, m
            if selection == "spread":
                return weight, -Fraction(total - used[m][0], total), m
            return weight, -m if selection == "last" else m

        return [sorted(offers, key=order)] if offers else []

    def best_part(
        self,
        request: Request,
        parts: list[list[int]],
        offers: dict[int, int],
        left: int,
        n_left: int,
        taken: dict[int, int],
    ) -> list[int]:
        """One after the other against the best so far.

        So one that has more, but not enough, takes the place of one that has enough.
        """
        best: list[int] | None = None
        for part in parts:
            if best is None or self.is_better(request, part, best, offers, left, n_left, taken):
                best = part
        assert best is not None
        return best

    def is_better(
        self,
        request: Request,
        part: list[int],
        best: list[int],
        offers: dict[int, int],
        left: int,
        n_left: int,
        taken: dict[int, int],
    ) -> bool:
        needed = [bool(request.required & set(each) - taken.keys()) for each in (part, best)]
        weight = [self.machines[each[0]].weight for each in (part, best)]
        total = [sum(offers[m] for m in each) for each in (part, best)]
        suffices = [
            total_of >= left and len(each) >= n_left
            for total_of, each in zip(total, (part, best), strict=True)
        ]
        if needed[0] != needed[1]:
            return needed[0]
        if weight[0] != weight[1]:
            return weight[0] < weight[1]
        if suffices[0]:
            return not suffices[1] or total[0] < total[1]
        return total[0] > total[1]
