"""The slotted preemptive algorithms, slot by slot: OCORP, OCORP+, OCORP+M, the transient scheme and the baselines.

Every slot is decided anew and nothing is skipped but slots without any job. Keys and multipliers are Python floats
in the documented order, so that a library has to agree with them bit for bit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from .fair_sharing import FairState, Pool
from .gittins import gittins_key
from .slotted_instance import Placement, SlottedJobs, totals
from .slotted_keys import Lambda0, Multipliers, baseline_key, gamma_of, weight
from .slotted_memory import Choice, MemoryOutcome, best_jobs, memory_step
from .slotted_packing import pack, slot_rates
from .slotted_switching import best_slot, cut_job, greedy, joblevel
from .slotted_whole import serve_whole

DUAL_POLICIES = ("ocorp", "ocorp_plus", "ocorp_m")
BASELINES = ("srpt", "srvf", "svf", "srf", "fifo", "las", "gittins")
FAIR = ("proportional_fairness", "drf")


@dataclass(frozen=True)
class Settings:
    """The options of all algorithms under the names that they have in the library."""

    k: int = 2
    gamma: float | None = None
    mu: str | float = "sim"
    lambda0: Lambda0 = "big"
    work_conserving: bool = True
    packing: str = "ffd"
    mem_mode: str = "backfill"
    alpha: float = 10.0
    solver: str = "joblevel"
    service: str = "shared"
    skip: bool = False
    remainders: str = "carried"
    max_slots: int | None = None


@dataclass(frozen=True)
class PlainSlot:
    """What happened in slot `number`; `multiplier` is lambda_j(t) before the slot, `updated` after it."""

    number: int
    placed: Placement
    refused: list[tuple[int, int]]
    remaining: dict[int, int]
    multiplier: dict[int, float] = field(default_factory=dict)
    updated: dict[int, float] = field(default_factory=dict)


@dataclass
class PlainRun:
    """All slots with active jobs, and the last slot of each job (None for what is not finished)."""

    jobs: SlottedJobs
    settings: Settings
    gamma: float
    completion: list[int | None]
    slots: list[PlainSlot]

    @property
    def status(self) -> str:
        return "max_slots" if None in self.completion else "finished"

    @property
    def flows(self) -> list[int]:
        """Flow times of a finished run."""
        return [c - a for c, a in zip(self.completion, self.jobs.release_time, strict=True) if c is not None]

    def pieces(self) -> list[tuple[int, int, int, int, int]]:
        """(start, job, machine, end, cores): slots in a row in which a job has as many cores on a machine."""
        pieces, running = [], dict[tuple[int, int, int], int]()
        for number, placed in [*((s.number, s.placed) for s in self.slots), (None, {})]:
            now = {(job, machine, cores) for (job, machine), cores in placed.items()}
            for piece, (start, end) in [(p, v) for p, v in running.items()]:
                if piece not in now or end != (number or 0) - 1:
                    job, machine, cores = piece
                    pieces.append((start, job, machine, end, cores))
                    del running[piece]
            for piece in now:
                running[piece] = (running[piece][0] if piece in running else number - 1, number)
        return sorted(pieces)


@dataclass
class _Slot:
    """What is known of a slot before it is decided."""

    active: list[int]
    order: list[int]
    limit: dict[int, int]
    cost: dict[int, float] | None
    first: dict[int, bool]
    previous: Placement
    fair_cores: dict[int, int] | None = None  # of policies that share fairly


def run(
    jobs: SlottedJobs,
    policy: str,
    settings: Settings,
    follow: Callable[[int, Placement], Placement] | None = None,
    choice: Callable[[int], Choice] | None = None,
) -> PlainRun:
    """Schedule all jobs, or as many slots as allowed.

    `follow` may put another placement in place of a slot's, `choice` another choice of the jobs that get memory.
    """
    gamma = gamma_of(jobs) if settings.gamma is None else float(settings.gamma)
    dual = Multipliers(settings.k, gamma, settings.mu, settings.lambda0)
    remaining = {job: jobs.volume(job) for job in range(jobs.n_jobs)}
    outcome = PlainRun(jobs, settings, gamma, [None] * jobs.n_jobs, [])
    multiplier: dict[int, float] = {}
    previous: Placement = {}
    fair = FairState(policy, settings.remainders) if policy in FAIR else None
    slot = 1
    while remaining:
        active = [job for job in remaining if jobs.release_time[job] < slot]
        if not active:
            slot = min(jobs.release_time[job] for job in remaining) + 1
            previous = {}
            continue
        if settings.max_slots is not None and slot > settings.max_slots:
            break
        for job in active:
            multiplier.setdefault(job, dual.first(jobs.release_time[job]))
        known = _look(
            jobs,
            policy,
            settings,
            slot,
            {j: remaining[j] for j in active},
            multiplier,
            previous,
            fair,
            [jobs.volume(job) for job, last in enumerate(outcome.completion) if last is not None],
        )
        placed, refused = _decide(
            jobs, policy, settings, known, best_jobs if choice is None else choice(slot)
        )
        if follow is not None:
            placed = follow(slot, placed)
        if fair is not None:
            fair.served(totals(placed))
        before = {job: multiplier[job] for job in active}
        work = {job: jobs.progress(job, remaining[job], cores) for job, cores in totals(placed).items()}
        for job in active:
            multiplier[job] = dual.after(
                multiplier[job],
                slot,
                dual.target_rate(jobs.release_time[job], jobs.processing_time[job]),
                work.get(job, 0) / jobs.demand[job][0],
            )
        outcome.slots.append(
            PlainSlot(
                slot,
                placed,
                refused,
                {job: remaining[job] for job in active},
                before if policy in DUAL_POLICIES else {},
                {job: multiplier[job] for job in active} if policy in DUAL_POLICIES else {},
            )
        )
        for job, done in work.items():
            remaining[job] -= done
            if remaining[job] == 0:
                del remaining[job], multiplier[job]
                outcome.completion[job] = slot
        previous = {pair: cores for pair, cores in placed.items() if pair[0] in remaining}
        slot += 1
    return outcome


def _look(
    jobs: SlottedJobs,
    policy: str,
    settings: Settings,
    slot: int,
    remaining: Mapping[int, int],
    multiplier: Mapping[int, float],
    previous: Placement,
    fair: FairState | None,
    completed: Sequence[int],
) -> _Slot:
    """Keys, order and limits of the active jobs; `completed` are the core-slots of jobs that are done."""
    limit = {job: jobs.limit(job, left) for job, left in remaining.items()}
    first = {job: slot == jobs.release_time[job] + 1 for job in remaining}
    if fair is not None:
        pool = Pool(
            {job: jobs.believed[job] for job in remaining},
            limit,
            {job: jobs.weight[job] for job in remaining},
            [sum(column) for column in zip(*jobs.capacity, strict=True)],
        )
        order, cores = fair.decide(pool)
        return _Slot(list(remaining), order, limit, None, first, previous, cores)
    if policy not in DUAL_POLICIES:
        key = {
            job: gittins_key(jobs.weight[job], jobs.volume(job) - left, completed)
            if policy == "gittins"
            else baseline_key(policy, jobs, job, left)
            for job, left in remaining.items()
        }
        order = sorted(remaining, key=lambda job: (key[job], job))
        return _Slot(list(remaining), order, limit, None, first, previous)
    cost = {
        job: weight(slot, jobs.release_time[job], jobs.processing_time[job], settings.k) - multiplier[job]
        for job in remaining
    }
    omega = {job: cost[job] / jobs.believed[job][0] for job in remaining}
    order = sorted(remaining, key=lambda job: (omega[job], job))
    return _Slot(list(remaining), order, limit, cost, first, previous)


def _decide(
    jobs: SlottedJobs, policy: str, settings: Settings, known: _Slot, choice: Choice
) -> tuple[Placement, list[tuple[int, int]]]:
    """Rates, placement and memory of a slot."""
    order: Sequence[int] = known.order
    if settings.service != "shared":
        ran_on = {job: machine for job, machine in known.previous if settings.service == "whole"}
        return serve_whole(jobs, order, known.limit, ran_on, skip=settings.skip), []
    strict = known.cost is not None and not settings.work_conserving
    if strict and known.cost is not None:
        order = [job for job in order if known.cost[job] / jobs.believed[job][0] < 0]
    if policy == "ocorp_plus" and settings.solver != "joblevel":
        return _placed_by_switching(jobs, settings, known), []
    cut: int | None = None
    if known.fair_cores is not None:
        cores = known.fair_cores
    elif policy == "ocorp_plus" and known.cost is not None:
        cores = joblevel(
            known.cost,
            {job: jobs.believed[job][0] for job in known.active},
            known.limit,
            totals(known.previous),
            known.first,
            jobs.total_cores,
            settings.alpha,
            work_conserving=settings.work_conserving,
        )
        cut = cut_job(known.order, cores, known.limit)
    else:
        cores, cut = slot_rates(order, known.limit, jobs.total_cores)
    placed = pack(
        cores,
        cut,
        [row[0] for row in jobs.capacity],
        known.previous if settings.packing == "sticky" else None,
    )
    if len(jobs.capacity[0]) == 1:
        return placed, []
    outcome: MemoryOutcome = memory_step(
        jobs,
        placed,
        order,
        known.limit,
        None if known.cost is None else {job: -cost for job, cost in known.cost.items()},
        mode=settings.mem_mode,
        work_conserving=settings.work_conserving,
        choice=choice,
    )
    return outcome.placed, outcome.refused


def _placed_by_switching(jobs: SlottedJobs, settings: Settings, known: _Slot) -> Placement:
    solve = {"greedy": greedy, "flow": best_slot}[settings.solver]
    assert known.cost is not None
    return solve(
        known.cost,
        {job: jobs.believed[job][0] for job in known.active},
        known.limit,
        known.previous,
        known.first,
        [row[0] for row in jobs.capacity],
        settings.alpha,
        work_conserving=settings.work_conserving,
    )
