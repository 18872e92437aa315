"""The example that decides for a Slurm loses no job and starts none twice, whatever fails and whoever kills it."""

import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from schedcore.workloads.reading.hostlists import expand_hostlist
from slurm.real_slurm import RealSlurm, real_slurm

PROGRAM = Path(__file__).parents[2] / "examples" / "drive_slurm.py"
CONFIGURATION = """\
SlurmdTimeout=10
NodeName=n[1-4] HOST Port=[17001-17004] CPUs=4 CoresPerSocket=4 RealMemory=8000 Feature=thin
PartitionName=batch Nodes=ALL Default=YES MaxTime=60
"""
N_JOBS = 28
# Each run leaves a line: job, node that it has first, how often it was killed before.
SCRIPT = """\
#!/bin/sh
echo $SLURM_JOB_ID $SLURM_JOB_NODELIST ${SLURM_RESTART_COUNT:-0} >> runs.log
exec sleep $1
"""


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[RealSlurm]:
    with real_slurm(tmp_path, CONFIGURATION) as started:
        (tmp_path / "job.sh").write_text(SCRIPT)
        yield started


class Program:
    """The example as a process of its own that can be killed and started again."""

    def __init__(self, slurm: RealSlurm, *options: str) -> None:
        self.slurm, self.options = slurm, options
        self.log = slurm.folder / "driver.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        command = [
            sys.executable,
            str(PROGRAM),
            "--state",
            "driver.state",
            "--interval",
            "0.3",
            *self.options,
        ]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, env=self.slurm.environment, cwd=self.slurm.folder, stdout=log, stderr=log
            )

    def kill(self) -> None:
        assert self.process is not None
        assert self.process.poll() is None, f"it has ended by itself:\n{self.log.read_text()[-3000:]}"
        self.process.kill()
        self.process.wait()

    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def decided(self) -> dict[str, list[list[str]]]:
        """Return the nodes of each start that it has told, by what Slurm calls the job."""
        starts: dict[str, list[list[str]]] = {}
        for called, nodes in re.findall(r"job (\S+) starts on (\S+)", self.log.read_text()):
            starts.setdefault(called, []).append(nodes.split(","))
        return starts


@contextmanager
def running_program(slurm: RealSlurm, *options: str) -> Iterator[Program]:
    program = Program(slurm, *options)
    try:
        yield program
    finally:
        if program.is_alive():
            program.kill()


def wait_until(happens: Callable[[], bool], what: str, program: Program, most: float = 90.0) -> None:
    until = time.monotonic() + most
    while not happens():
        assert program.is_alive(), f"it has ended by itself:\n{program.log.read_text()[-3000:]}"
        told = program.slurm.run("squeue", "-a", "-o", "%i %j %T %r %N %R")
        assert time.monotonic() < until, f"{what} did not happen:\n{told}\n{program.log.read_text()[-3000:]}"
        time.sleep(0.2)


def in_queue(slurm: RealSlurm) -> dict[str, tuple[str, str]]:
    """Return number -> state and nodes of the jobs that are alive."""
    lines = slurm.run("squeue", "-h", "-a", "-r", "-o", "%i|%T|%N").splitlines()
    return {called: (state, nodes) for called, state, nodes in (line.split("|") for line in lines)}


def runs(slurm: RealSlurm) -> dict[str, int]:
    """Return number -> how often a job has begun, as the jobs say themselves."""
    log = slurm.folder / "runs.log"
    return Counter(line.split()[0] for line in log.read_text().splitlines()) if log.exists() else {}


def submit(slurm: RealSlurm, random: Random) -> dict[str, str]:
    """Submit jobs that are given to the program; return number -> name."""
    lines = ["set -eu"]
    for number in range(N_JOBS):
        options = [f"--job-name=driven-{number}", f"--nodes={random.choice([1, 1, 1, 2, 3])}", "--time=1"]
        options += [f"--ntasks-per-node={random.randint(1, 4)}", f"--mem={random.choice([500, 1000, 3000])}"]
        if number == N_JOBS - 1:
            options.append("--dependency=afterok:$first")
        lines.append(
            f"id=$(sbatch --parsable --hold -o /dev/null {' '.join(options)} job.sh {random.randint(1, 4)})"
        )
        lines += ["first=$id"] if number == 0 else []
        lines.append(f"echo $id driven-{number}")
    lines.append(
        "id=$(sbatch --parsable --hold -o /dev/null --array=1-3 --job-name=driven-array --time=1 --mem=500 job.sh 2)"
    )
    lines.append("for task in 1 2 3; do echo ${id}_$task driven-array; done")
    told = slurm.run("bash", "-c", "\n".join(lines)).split()
    return dict(zip(told[::2], told[1::2], strict=True))


def test_jobs_end_as_they_should_whatever_fails(slurm: RealSlurm) -> None:
    random = Random(7)
    jobs = submit(slurm, random)
    # Jobs of others: one runs, one waits, held by its user; nobody touches them.
    other = slurm.run(
        "sbatch", "--parsable", "-o", "/dev/null", "-w", "n4", "-c2", "--mem=500", "job.sh", "12"
    ).strip()
    held = slurm.run("sbatch", "--parsable", "--hold", "-o", "/dev/null", "--mem=500", "job.sh", "1").strip()
    # Long ones: one to be cancelled by its user, and one that is on the node which fails.
    long = ("--hold", "-o", "/dev/null", "--time=5", "--mem=500", "job.sh")
    cancelled = slurm.run(
        "sbatch", "--parsable", "--job-name=driven-cancelled", "--priority=1", *long, "60"
    ).strip()
    failed = slurm.run(
        "sbatch", "--parsable", "--job-name=driven-fails", "-C", "thin", "-N2", *long, "8"
    ).strip()
    with running_program(slurm) as program:
        for _ in range(2):  # killed at any moment
            time.sleep(random.uniform(1.0, 3.0))
            program.kill()
            program.start()
        wait_until(lambda: failed in runs(slurm), "the long job starts", program)
        (failing, *_) = expand_hostlist(in_queue(slurm)[failed][1])
        slurm.kill_node(failing)
        slurm.run("scancel", cancelled)
        wait_until(
            lambda: "DOWN" in slurm.run("scontrol", "show", "node", failing),
            "Slurm knows of the failure",
            program,
        )
        wait_until(lambda: runs(slurm)[failed] > 1, "the job that was killed runs again", program)
        slurm.start_node(failing)
        wait_until(lambda: in_queue(slurm).keys() == {held}, "all jobs end", program)
        decided = program.decided()
    assert in_queue(slurm)[held] == ("PENDING", "")
    assert "JobHeldUser" in slurm.run("scontrol", "show", "job", held)

    # Tasks of an array have numbers of their own in the log; a task is called by its array and its place in it.
    called = {
        line.split("|")[1]: line.split("|")[0]
        for line in slurm.run("squeue", "-h", "-a", "-r", "-t", "all", "-o", "%i|%A").splitlines()
    }
    ends: dict[str, list[tuple[str, list[str]]]] = {}
    for end in slurm.jobs_that_ended():
        own = ends.setdefault(called[end["JobId"]], [])
        own.append((end["JobState"], list(expand_hostlist(end["NodeList"].replace("(null)", "")))))
    given = {*jobs, cancelled, failed}
    assert ends.keys() == {*given, other}, "a job is lost"
    assert decided.keys() == given, "a job that was not given to it was touched"
    begun = {called[number]: times for number, times in runs(slurm).items()}
    killed = {name for name in given if len(ends[name]) > 1}
    assert failed in killed
    for name in given:
        *failures, (state, nodes) = ends[name]
        assert state == ("CANCELLED" if name == cancelled else "COMPLETED"), name
        for why, where in failures:
            assert why == "NODE_FAIL", name
            assert failing in where, name
        if name != cancelled:
            assert begun[name] == len(ends[name]), f"job {name} ran more often than its nodes failed"
            # What was taken back before it began was decided again.
            assert sorted(nodes) == sorted(decided[name][-1]), name
            assert all(sorted(where) in map(sorted, decided[name]) for _, where in failures), name
    assert [state for state, _ in ends[other]] == ["COMPLETED"]


def test_two_programs_do_not_work_with_one_file(slurm: RealSlurm) -> None:
    with running_program(slurm) as program:
        wait_until(lambda: (slurm.folder / "driver.state").exists(), "the first state is saved", program)
        command = [sys.executable, str(PROGRAM), "--state", str(slurm.folder / "driver.state")]
        second = subprocess.run(command, env=slurm.environment, capture_output=True, text=True, timeout=60)
    assert second.returncode == 1
    assert "somebody else works with" in second.stderr
