"""Random jobs as they are submitted to a real Slurm, beside what a reader of its state has to find of each.

The cluster has five thin nodes and three fat ones. What is expected follows from what was asked for alone, by the table
in `schedcore.slurm.job_shapes`; no output of Slurm is looked at.
"""

import dataclasses
from random import Random

from slurm.real_slurm import RealSlurm

__all__ = ["CONFIGURATION", "NODES", "Asked", "draw_jobs", "submit"]

CONFIGURATION = """\
GresTypes=gpu
Licenses=matlab:1000
NodeName=n[1-5] HOST Port=[17001-17005] CPUs=16 CoresPerSocket=16 RealMemory=64000 Feature=thin Weight=1
NodeName=n[6-8] HOST Port=[17006-17008] CPUs=32 CoresPerSocket=32 RealMemory=128000 Feature=fat,ssd Weight=5
PartitionName=batch Nodes=ALL Default=YES MaxTime=2-0 DefaultTime=45 PriorityTier=1
PartitionName=urgent Nodes=n[3-8] MaxTime=600 PriorityTier=10
"""
NODES = {f"n{k}": (16, 64_000) if k <= 5 else (32, 128_000) for k in range(1, 9)}  # processors, MB
THIN = frozenset(f"n{k}" for k in range(1, 6))
FAT = frozenset(NODES) - THIN
PARTITIONS = {"batch": frozenset(NODES), "urgent": frozenset(NODES) - {"n1", "n2"}}
FEATURES = {"thin": THIN, "fat": FAT, "fat&ssd": FAT, "thin|ssd": THIN | FAT}
NEVER = 1_893_492_000  # in 2030: a begin that no test lives to see
# Tells where it runs, and does not end.
SCRIPT = """\
#!/bin/sh
env | grep ^SLURM_ > told.$SLURM_JOB_ID.new && mv told.$SLURM_JOB_ID.new told.$SLURM_JOB_ID
exec sleep 3000
"""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Asked:
    """A job, or an array of them, that was submitted.

    Parameters
    ----------
    name : str
    options : tuple of str
        Of sbatch; ``${j3}`` is the number that job j3 got.
    n_tasks, per_machine : int
    demand : (int, int)
        Processors and MB of one task.
    minutes : int
        The limit of time.
    partition : str
    nodes : frozenset of str
        Where it may run.
    exclusive, held, requeue : bool
    by_admin : bool
        Whether it is held by the administrator.
    nice : int
    priority : int or None
        As asked for; None: Slurm's own.
    begin : int or None
        Seconds since 1970.
    tasks : tuple of int
        Of an array.
    throttle : int
        How many of them may run at once; 0: all.
    awaited : tuple of (str, str, int or None)
        Column of `Jobs`, the name of the job that it waits for, and the task of that (None: all).
    account, licenses : str
    shares_nodes : str
        The word for ``--oversubscribe``.
    n_gpus : int
        Of each node. There are none, so only jobs that are held ask for them.
    corresponding : str
        The array whose task of the same number each task waits for.
    """

    name: str
    options: tuple[str, ...]
    n_tasks: int
    per_machine: int
    demand: tuple[int, int]
    minutes: int
    partition: str
    nodes: frozenset[str]
    exclusive: bool = False
    held: bool = False
    by_admin: bool = False
    requeue: bool = True
    nice: int = 0
    priority: int | None = None
    begin: int | None = None
    tasks: tuple[int, ...] = ()
    throttle: int = 0
    awaited: tuple[tuple[str, str, int | None], ...] = ()
    account: str = ""
    licenses: str = ""
    shares_nodes: str = ""
    n_gpus: int = 0
    corresponding: str = ""


# Submitted first, where nodes are empty: how many of the others start is for Slurm to say, and differs between runs.
STARTS_AT_ONCE = Asked(
    name="first",
    options=(
        "--job-name=first", "--output=/dev/null", "--partition=urgent", "--nodelist=n3", "--array=0-7", "--time=240",
        "--ntasks=1", "--cpus-per-task=1", "--mem-per-cpu=100",
    ),
    n_tasks=1,
    per_machine=0,
    demand=(1, 100),
    minutes=240,
    partition="urgent",
    nodes=frozenset({"n3"}),
    tasks=tuple(range(8)),
)  # fmt: skip


def draw_jobs(seed: int, n_jobs: int) -> list[Asked]:
    """Return jobs of all kinds, in order of submission; an array that starts at once comes first."""
    random, jobs = Random(seed), [STARTS_AT_ONCE]
    for number in range(n_jobs - 1):
        jobs.append(_draw(random, f"j{number}", jobs))
    return jobs


def _draw(random: Random, name: str, earlier: list[Asked]) -> Asked:
    options = [f"--job-name={name}", "--output=/dev/null"]
    partition = random.choice(["batch", "batch", "urgent"])
    nodes = PARTITIONS[partition]
    options += [f"--partition={partition}"] if partition != "batch" or random.random() < 0.5 else []
    if random.random() < 0.4:
        features = random.choice(list(FEATURES))
        nodes &= FEATURES[features]
        options.append(f"--constraint='{features}'")
    if random.random() < 0.2:
        excluded = random.choice(sorted(nodes))
        nodes -= {excluded}
        options.append(f"--exclude={excluded}")
    n_named = random.choice([0, 0, 0, 0, 1, 2])
    if n_named:
        nodes = frozenset(random.sample(sorted(nodes), min(n_named, len(nodes))))
        options.append(f"--nodelist={','.join(sorted(nodes))}")
    shape, of_shape = _draw_shape(random, nodes, with_names=bool(n_named))
    options += of_shape
    minutes = random.choice([20, 59, 60, 90, 240])
    if partition == "batch" and random.random() < 0.1:
        minutes = 45  # the default of the partition
    else:
        options.append(f"--time={minutes}")
    rest = _draw_times_and_order(random, options, earlier)
    return Asked(
        name=name, options=tuple(options), minutes=minutes, partition=partition, nodes=nodes, **shape, **rest
    )


def _draw_shape(
    random: Random, nodes: frozenset[str], *, with_names: bool
) -> tuple[dict[str, object], list[str]]:
    """Return the shape as fields of `Asked`, and the options that ask for it."""
    least_cpus = min(NODES[name][0] for name in nodes)
    whole_memory = min(NODES[name][1] for name in nodes)
    n_nodes = len(nodes) if with_names else min(len(nodes), random.choice([1, 1, 1, 1, 2, 2, 3, 5, 8]))
    per_cpu, cpus = random.choice([100, 1000, 2500]), random.choice([1, 1, 2, 4])
    tasks_per_node = random.randint(1, min(4, least_cpus // cpus))
    kind = random.choice(["per node"] * 3 + ["-N and -n", "-n"] * 2 + ["exclusive", "all memory"])
    if kind == "-n" and not with_names:
        n_tasks = random.randint(1, 12)
        options = [f"--ntasks={n_tasks}", f"--cpus-per-task={cpus}", f"--mem-per-cpu={per_cpu}"]
        return {"n_tasks": n_tasks, "per_machine": 0, "demand": (cpus, per_cpu * cpus)}, options
    options = [f"--nodes={n_nodes}", f"--cpus-per-task={cpus}"]
    if kind == "-N and -n":
        options.append(f"--ntasks={n_nodes * tasks_per_node}")
    else:
        options.append(f"--ntasks-per-node={tasks_per_node}")
    of_node = cpus * tasks_per_node
    if kind == "all memory":
        options.append("--mem=0")
        memory = whole_memory
    elif random.random() < 0.5:
        options.append(f"--mem-per-cpu={per_cpu}")
        memory = per_cpu * of_node
    else:
        memory = random.randint(1, 12) * 1000
        options.append(f"--mem={memory}")
    if kind == "exclusive":
        options.append("--exclusive")
    return {
        "n_tasks": n_nodes,
        "per_machine": 1,
        "demand": (of_node, memory),
        "exclusive": kind == "exclusive",
    }, options


def _draw_times_and_order(random: Random, options: list[str], earlier: list[Asked]) -> dict[str, object]:
    """Append options that say when and after whom, and return the fields of `Asked` that they fill."""
    fields: dict[str, object] = {}
    if random.random() < 0.25:
        tasks = tuple(sorted(random.sample(range(10), random.randint(2, 4))))
        throttle = random.choice([0, 1, 2])
        options.append(f"--array={','.join(map(str, tasks))}" + (f"%{throttle}" if throttle else ""))
        fields |= {"tasks": tasks, "throttle": throttle}
    if random.random() < 0.15:
        options.append("--hold")
        fields["held"] = True
    if random.random() < 0.1:
        begin = NEVER + 60 * random.randint(0, 1000)
        options.append(f"--begin=$(date -d @{begin} +%Y-%m-%dT%H:%M:%S)")
        fields["begin"] = begin
    if random.random() < 0.1:
        fields["nice"] = random.randint(1, 90)
        options.append(f"--nice={fields['nice']}")
    elif random.random() < 0.15:
        fields["priority"] = random.randint(1, 10_000)
        options.append(f"--priority={fields['priority']}")
    if random.random() < 0.2:
        fields["requeue"] = False
        options.append("--no-requeue")
    for option, field, told in (
        ("--account=physics", "account", "physics"),
        ("--licenses=matlab:2", "licenses", "matlab:2"),
        ("--gres=gpu:2", "n_gpus", 2),
    ):
        if random.random() < 0.1 and (field != "n_gpus" or "held" in fields):
            options.append(option)
            fields[field] = told
    if "--exclusive" not in options and random.random() < 0.1:
        options.append("--oversubscribe")
        fields["shares_nodes"] = "YES"
    if earlier and random.random() < 0.3:
        fields |= _draw_dependencies(random, options, earlier, fields)
    if fields.get("awaited") and not fields.get("held") and random.random() < 0.3:
        fields |= {"held": True, "by_admin": True}
    return fields


def _draw_dependencies(
    random: Random, options: list[str], earlier: list[Asked], fields: dict[str, object]
) -> dict[str, object]:
    arrays = [job for job in earlier if job.tasks]
    if "tasks" in fields and arrays and random.random() < 0.5:
        other = random.choice(arrays)
        options[:] = [option for option in options if not option.startswith("--array")]
        options += [
            f"--array={','.join(map(str, other.tasks))}",
            f"--dependency=aftercorr:${{{other.name}}}",
        ]
        return {"tasks": other.tasks, "throttle": 0, "corresponding": other.name}
    words, awaited = [], []
    for other in random.sample(earlier, min(len(earlier), random.randint(1, 2))):
        column = random.choice(["after_ok", "after_any", "after_not_ok"])
        task = random.choice(other.tasks) if other.tasks and random.random() < 0.5 else None
        of_task = "" if task is None else f"_{task}"
        words.append(f"{column.replace('_', '')}:${{{other.name}}}{of_task}")
        awaited.append((column, other.name, task))
    options.append(f"--dependency={','.join(words)}")
    return {"awaited": tuple(awaited)}


def submit(slurm: RealSlurm, jobs: list[Asked]) -> dict[str, int]:
    """Submit jobs from one shell, since each start of a program takes its time; return name -> number."""
    (slurm.folder / "job.sh").write_text(SCRIPT)
    lines = ["set -eu"]
    for job in jobs:
        lines += [
            f"{job.name}=$(sbatch --parsable {' '.join(job.options)} job.sh)",
            f"echo {job.name} ${{{job.name}}}",
        ]
        lines += [f"scontrol hold ${{{job.name}}}"] if job.by_admin else []
    told = slurm.run("bash", "-c", "\n".join(lines)).split()
    return dict(zip(told[::2], map(int, told[1::2]), strict=True))
