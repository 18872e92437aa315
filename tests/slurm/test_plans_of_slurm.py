"""A real Slurm plans what its state lets expect, for at least nineteen of twenty jobs that wait.

Queues of a hundred random jobs are submitted, and read right after a cycle of backfilling: for two partitions of
different tiers, and with all that a queue may have. Limits are the estimates. ``queues`` has more of them, saved.
"""

import re
import time
from pathlib import Path
from random import Random

import pytest

from schedcore.slurm import read_state, save_state, when
from slurm.real_slurm import RealSlurm, real_slurm
from slurm.squeue_start import Agreement, agreement

N_JOBS = 100
LEAST_AGREED = 0.95
NODES = """\
NodeName=n[1-4] HOST Port=[17001-17004] CPUs=16 CoresPerSocket=16 RealMemory=64000 Feature=thin
NodeName=n[5-6] HOST Port=[17005-17006] CPUs=8 CoresPerSocket=8 RealMemory=32000 Feature=thin,ssd
NodeName=n[7-8] HOST Port=[17007-17008] CPUs=24 CoresPerSocket=24 RealMemory=128000 Feature=fat
PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE PriorityTier=1
PartitionName=urgent Nodes=n[3-8] MaxTime=INFINITE PriorityTier=10
SchedulerParameters=bf_interval=8,bf_resolution={resolution},bf_window={window},bf_continue,sched_min_interval=0
"""
KINDS = {  # resolution in seconds, window in minutes
    "tiers": (1, 14 * 1440),
    "everything": (60, 1440),
}


def options_of_job(random: Random, kind: str, submitted: int) -> list[str]:
    """What a job asks sbatch for; ``$jK`` is the number that job K got."""
    n_nodes = random.choice([1, 1, 1, 2, 2, 3, 4, 6, 8])
    cpus, tasks = random.choice([1, 2, 3, 4]), random.choice([1, 1, 2])
    shape = random.random()
    if shape < 0.7:
        options = [f"-N{n_nodes}", f"--ntasks-per-node={tasks}", f"-c{cpus}"]
    elif shape < 0.8:
        options = [f"-N{n_nodes}", f"-n{n_nodes * random.choice([1, 2, 3]) + random.randrange(3)}"]
    elif shape < 0.9:
        options = [f"-n{random.choice([1, 2, 4, 7, 10, 16, 20])}", f"-c{cpus}"]
    else:
        options = [f"-N{n_nodes}", f"-c{random.choice([4, 8])}", "--exclusive"]
    memory = random.random()
    if memory < 0.8:
        options.append(f"--mem={random.choice([500, 1000, 2000, 4000, 8000, 16000])}")
    elif memory < 0.95:
        options.append(f"--mem-per-cpu={random.choice([500, 1000, 2000])}")
    if n_nodes <= 2 and random.random() < 0.2:
        options.append(random.choice(["-Cthin", "-Cfat", "-Cssd", "'-Cfat|ssd'"]))
    options.append(f"-t{random.choice([5, 10, 20, 30, 60, 90, 180, 360])}")
    if kind == "tiers" and random.random() < 0.4:
        options.append(random.choice(["-purgent", "-purgent", "-pbatch,urgent"]))
    if kind == "everything":
        options += _other_options(random, submitted)
    return options


def _other_options(random: Random, submitted: int) -> list[str]:
    lot, options = random.random(), list[str]()
    if lot < 0.1:
        options = [random.choice(["-a0-3", "-a0-5%2", "-a1-8%1"])]
    elif lot < 0.2 and submitted:
        options = [f"-d{random.choice(['afterok', 'afterany'])}:$j{random.randrange(submitted)}"]
    elif lot < 0.26:
        options = ["--hold"]
    elif lot < 0.3:
        options = [f"--begin=now+{random.choice([30, 100])}minutes"]
    elif lot < 0.36:
        options = [random.choice(["-wn3", "-xn[1-4]"])]
    return [*options, *([f"--nice={random.choice([5, 20])}"] if random.random() < 0.05 else [])]


def submit(slurm: RealSlurm, kind: str, seed: int) -> None:
    """Submit the jobs from one shell, since each start of a program takes its time."""
    random = Random(f"{kind} {seed}")
    (slurm.folder / "job.sh").write_text("#!/bin/sh\nexec sleep 100000\n")
    lines = ["set -u"]
    for number in range(N_JOBS):
        options = " ".join(options_of_job(random, kind, number))
        # A job that no node can run is refused.
        lines.append(
            f"j{number}=$(sbatch --parsable -o /dev/null {options} job.sh 2>/dev/null || echo $j{number - 1})"
        )
    slurm.run("bash", "-c", "j=1; " + "\n".join(lines).replace("$j-1", "1"))


def last_cycle(slurm: RealSlurm) -> int:
    """Return when the last cycle of backfilling began, in seconds since 1970; 0 before the first."""
    told = re.search(r"Backfilling.*?Last cycle when:[^(]*\((\d+)\)", slurm.run("sdiag"), re.DOTALL)
    return int(told[1]) if told else 0


def save_right_after_a_cycle(slurm: RealSlurm, folder: Path) -> None:
    """Save state and plan as one cycle left them: nothing starts any more, and no other cycle comes in between."""
    running, since, end = "", time.monotonic(), time.monotonic() + 100
    while time.monotonic() < min(since + 9, end):  # longer than the interval of the cycles
        if (now := slurm.run("squeue", "-h", "-t", "R,CG", "-o", "%i")) != running:
            running, since = now, time.monotonic()
        time.sleep(0.5)
    while True:
        before = last_cycle(slurm)
        while last_cycle(slurm) == before:
            assert time.monotonic() < end, "Slurm makes no plans any more"
            time.sleep(0.1)
        time.sleep(0.3)
        cycle = last_cycle(slurm)
        save_state(folder, accounting=False)
        (folder / "squeue_start.txt").write_text(slurm.run("squeue", "--start"))
        if last_cycle(slurm) == cycle:
            return


@pytest.fixture(scope="module", params=KINDS)
def queue(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    kind, folder = request.param, tmp_path_factory.mktemp("saved")
    resolution, window = KINDS[kind]
    configuration = NODES.format(resolution=resolution, window=window)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        with real_slurm(tmp_path_factory.mktemp("slurm"), configuration) as slurm:
            if kind == "everything":
                slurm.run("scontrol", "update", "nodename=n2", "state=drain", "reason=test")
                slurm.run(
                    "scontrol", "create", "reservation", "reservationname=service", "starttime=now+90minutes",
                    "duration=120", "user=root", "nodes=n[7-8]", "flags=maint,ignore_jobs",
                )  # fmt: skip
            submit(slurm, kind, 1)
            save_right_after_a_cycle(slurm, folder)
    return kind, folder


def test_planned_starts_and_nodes_are_those_that_squeue_shows(queue: tuple[str, Path]) -> None:
    kind, folder = queue
    state = read_state(folder, timezone="UTC")
    found = agreement(state, folder)
    assert found.n_planned >= 20, "a queue that tells something"
    n_jobs = found.n_planned + found.n_without
    told = f"{kind}: {_figures(found)}\n" + "\n".join(found.differences)
    print(told)
    assert found.n_same + found.n_without_both >= LEAST_AGREED * n_jobs, told
    planned = when(state).planned
    assert planned.tobytes() == state.planned_starts().start_time.tobytes()


def _figures(found: Agreement) -> str:
    return (
        f"{found.n_same} of {found.n_planned} starts with the same nodes, "
        f"{found.n_without_both} of {found.n_without} jobs without one"
    )
