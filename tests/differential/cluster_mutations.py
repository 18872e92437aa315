"""Small changes of runs on a cluster, or of what is asked of them, most of which make them infeasible.

Each is a function of a random source.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from reference.cluster_dependencies import named_by
from reference.cluster_instance import KILLED as KILLED_RULES
from reference.cluster_instance import ClusterInstance
from reference.cluster_random import CONSTRAINTS
from reference.cluster_site import COLUMNS, Limit, Site
from reference.cluster_state import CANCELLED, COMPLETED, KILLED, RunRecord

Runs = list[RunRecord]
Mutation = Callable[[Random, ClusterInstance, Runs, int], Runs]
RuleMutation = Callable[[Random, ClusterInstance, Site], tuple[ClusterInstance, Site]]


def mutated(random: Random, instance: ClusterInstance, runs: Runs) -> Runs:
    """One to three changes; the runs are not empty."""
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        if runs:
            runs = random.choice(MUTATIONS)(random, instance, runs, random.randrange(len(runs)))
    return runs


def with_fields(runs: Runs, row: int, **fields: object) -> Runs:
    return [replace(run, **fields) if i == row else run for i, run in enumerate(runs)]  # type: ignore[arg-type]


def shifted(random: Random, instance: ClusterInstance, runs: Runs, row: int) -> Runs:
    by = random.choice([-1, 1, -0.5, 3])
    return with_fields(runs, row, start=runs[row].start + by, end=runs[row].end + by)


def prolonged(random: Random, instance: ClusterInstance, runs: Runs, row: int) -> Runs:
    return with_fields(runs, row, end=runs[row].end + random.choice([-1, 1, 0.5]))


def begun_otherwise(random: Random, instance: ClusterInstance, runs: Runs, row: int) -> Runs:
    return with_fields(runs, row, start=runs[row].start + random.choice([-1, 1]))


def moved(random: Random, instance: ClusterInstance, runs: Runs, row: int) -> Runs:
    """One of its places is on another machine, which may not exist."""
    places = list(runs[row].allocation)
    if places:
        index = random.randrange(len(places))
        places[index] = (random.randint(-1, len(instance.machines)), places[index][1])
    return with_fields(runs, row, allocation=tuple(places))


def with_other_tasks(random: Random, instance: ClusterInstance, runs: Runs, row: int) -> Runs:
    """More or fewer on one machine, or one moved to another machine."""
    places = dict(runs[row].allocation)
    if not places:
        return runs
    source = random.choice(sorted(places))
    match random.randrange(3):
        case 0:
            places[source] += random.choice([-1, 1])
        case 1:
            del places[source]
        case _:
            target = random.randrange(len(instance.machines))
            places[source] -= 1
            places[target] = places.get(target, 0) + 1
            places = {machine: n for machine, n in places.items() if n > 0 or random.random() < 0.2}
    return with_fields(runs, row, allocation=tuple(places.items()))


def named_twice(random: Random, instance: ClusterInstance, runs: Runs, row: int) -> Runs:
    """The tasks of one place are told in two rows."""
    places = [
        part
        for machine, n in runs[row].allocation
        for part in ([(machine, 1), (machine, n - 1)] if n > 1 else [(machine, n)])
    ]
    return with_fields(runs, row, allocation=tuple(places))


def dropped(random: Random, instance: ClusterInstance, runs: Runs, row: int) -> Runs:
    return runs[:row] + runs[row + 1 :]


def repeated(random: Random, instance: ClusterInstance, runs: Runs, row: int) -> Runs:
    """The same once more, when it has ended, or with the next number."""
    run = runs[row]
    by = random.choice([0, run.end - run.start])
    again = replace(run, attempt=run.attempt + random.choice([0, 1]), start=run.start + by, end=run.end + by)
    return [*runs, again]


def of_another_attempt(random: Random, instance: ClusterInstance, runs: Runs, row: int) -> Runs:
    return with_fields(runs, row, attempt=max(0, runs[row].attempt + random.choice([-1, 1])))


def ended_otherwise(random: Random, instance: ClusterInstance, runs: Runs, row: int) -> Runs:
    return with_fields(runs, row, outcome=random.choice([COMPLETED, KILLED, CANCELLED]))


def cut(random: Random, instance: ClusterInstance, runs: Runs, row: int) -> Runs:
    """It ends early, and says that it was killed or cancelled."""
    run = runs[row]
    instants = [down.start for down in instance.failures] + list(instance.cancellations.values())
    end = random.choice([*instants, run.end - 1])
    return with_fields(runs, row, end=end, outcome=random.choice([KILLED, CANCELLED]))


def exchanged(random: Random, instance: ClusterInstance, runs: Runs, row: int) -> Runs:
    """Two runs have each other's places."""
    other = random.randrange(len(runs))
    swapped = with_fields(runs, row, allocation=runs[other].allocation)
    return with_fields(swapped, other, allocation=runs[row].allocation)


MUTATIONS: list[Mutation] = [
    shifted,
    prolonged,
    begun_otherwise,
    moved,
    with_other_tasks,
    named_twice,
    dropped,
    repeated,
    of_another_attempt,
    ended_otherwise,
    cut,
    exchanged,
]


def mutated_rules(random: Random, instance: ClusterInstance, site: Site) -> tuple[ClusterInstance, Site]:
    """One change of what is asked of the runs."""
    return random.choice(RULE_MUTATIONS)(random, instance, site)


def with_column(instance: ClusterInstance, job: int, **columns: object) -> ClusterInstance:
    rows = list(instance.jobs)
    rows[job] = replace(rows[job], **columns)  # type: ignore[arg-type]
    return replace(instance, jobs=tuple(rows))


def waiting_for_another(
    random: Random, instance: ClusterInstance, site: Site
) -> tuple[ClusterInstance, Site]:
    """A job names one that waits for nobody, and so makes no circle."""
    free = [j for j, row in enumerate(instance.jobs) if not named_by(row)]
    job, other = random.randrange(len(instance.jobs)), random.choice(free)
    if job == other:
        return instance, site
    column = random.choice(["after_ok", "after_any", "after_not_ok"])
    named = tuple(sorted({*getattr(instance.jobs[job], column), other}))
    return with_column(instance, job, **{column: named}), site


def waiting_otherwise(random: Random, instance: ClusterInstance, site: Site) -> tuple[ClusterInstance, Site]:
    """Those that a job waited for to complete have to end in another way, or the like; perhaps it waits for nobody."""
    waiting = [j for j, row in enumerate(instance.jobs) if named_by(row)]
    if not waiting:
        return instance, site
    job = random.choice(waiting)
    columns = ["after_ok", "after_any", "after_not_ok"]
    lists = [getattr(instance.jobs[job], column) for column in columns]
    if random.random() < 0.3:
        lists[random.randrange(3)] = ()
    random.shuffle(lists)
    return with_column(instance, job, **dict(zip(columns, lists, strict=True))), site


def limited_otherwise(random: Random, instance: ClusterInstance, site: Site) -> tuple[ClusterInstance, Site]:
    """A limit is tighter, looser, or new."""
    limits = list(site.limits)
    if limits and random.random() < 0.5:
        row = random.randrange(len(limits))
        limits[row] = replace(limits[row], most=max(0, limits[row].most + random.choice([-1, -1, 1])))
    else:
        what = random.choice(["jobs", "tasks", 0])
        limits.insert(
            random.randint(0, len(limits)), Limit(random.choice(COLUMNS), what, random.randint(1, 4))
        )
    return instance, replace(site, limits=tuple(limits))


def partitioned_otherwise(
    random: Random, instance: ClusterInstance, site: Site
) -> tuple[ClusterInstance, Site]:
    parts = list(site.partitions)
    if not parts:
        return instance, site
    row = random.randrange(len(parts))
    changes: list[dict[str, object]] = [
        {"constraint": random.choice(CONSTRAINTS)},
        {"max_time": random.randint(1, 9)},
        {"max_tasks": random.randint(1, 2)},
    ]
    parts[row] = replace(parts[row], **random.choice(changes))  # type: ignore[arg-type]
    return instance, replace(site, partitions=tuple(parts))


def preempted_otherwise(
    random: Random, instance: ClusterInstance, site: Site
) -> tuple[ClusterInstance, Site]:
    """By another rule, or by nobody; or with other levels or classes."""
    classes = list(site.service_classes)
    if not classes or random.random() < 0.5:
        return instance, replace(site, preempt=random.choice([None, *KILLED_RULES]))
    row = random.randrange(len(classes))
    one = classes[row]
    classes[row] = random.choice(
        [
            replace(one, preemptible=not one.preemptible),
            replace(one, level=one.level + random.choice([-2, -1, 1])),
        ]
    )
    return instance, replace(site, service_classes=tuple(classes))


def killed_otherwise(random: Random, instance: ClusterInstance, site: Site) -> tuple[ClusterInstance, Site]:
    return replace(instance, killed=random.choice(KILLED_RULES)), site


RULE_MUTATIONS: list[RuleMutation] = [
    waiting_for_another,
    waiting_otherwise,
    limited_otherwise,
    partitioned_otherwise,
    preempted_otherwise,
    killed_otherwise,
]
