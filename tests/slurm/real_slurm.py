"""A real Slurm for tests: started in a folder of its own, and gone when the test is, whatever becomes of it.

``real_slurm.sh`` beside this file starts the daemons and ends them when its standard input does. That is a pipe of
this process, so even a killed pytest leaves nothing behind. One Slurm at a time runs on a machine, since ports are
fixed: whoever comes second waits for a lock, also in another process of pytest-xdist.
"""

import contextlib
import dataclasses
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

__all__ = ["RealSlurm", "real_slurm"]

SCRIPT = Path(__file__).with_suffix(".sh")
PACKAGES = "slurmctld slurmd slurm-client munge"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "sinfo", "scancel")
MOST_SECONDS = 60  # of any command


@dataclasses.dataclass(frozen=True)
class RealSlurm:
    """A Slurm that runs.

    Parameters
    ----------
    folder : Path
        Of its configuration, its logs and all else that it writes.
    """

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Of programs that are to find it."""
        return {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "LC_ALL": "C"}

    def run(self, *command: str) -> str:
        """Return what a command prints; an error that tells what it said if it fails."""
        done = subprocess.run(
            command,
            env={**self.environment, "SLURM_BITSTR_LEN": "0"},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            check=False,
        )
        assert done.returncode == 0, (
            f"{' '.join(command)[:2000]}: code {done.returncode}: {done.stdout}{done.stderr}"
        )
        return done.stdout

    def jobs_that_ended(self) -> list[dict[str, str]]:
        """Return the lines of ``jobcomp.log``, which tell of each end of a job."""
        lines = (self.folder / "jobcomp.log").read_text().splitlines()
        return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]

    def kill_node(self, name: str) -> None:
        """Kill the daemon of a node and what jobs run there, all at once, as where the power fails."""
        os.kill(int((self.folder / f"slurmd-{name}.pid").read_text()), signal.SIGKILL)
        own = {f"SLURM_CONF={self.folder / 'slurm.conf'}".encode(), f"SLURMD_NODENAME={name}".encode()}
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                if own <= set((process / "environ").read_bytes().split(b"\0")):
                    parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
                    # The one that looks after the job first: else it tells that the job has failed.
                    if b"slurmstepd" in Path(f"/proc/{parent}/cmdline").read_bytes():
                        os.kill(parent, signal.SIGKILL)
                    os.kill(int(process.name), signal.SIGKILL)

    def start_node(self, name: str) -> None:
        """Start the daemon of a node again."""
        self.run("bash", str(SCRIPT), "node", str(self.folder), name)


@contextlib.contextmanager
def real_slurm(folder: Path, configuration: str, *, gres: str = "") -> Iterator[RealSlurm]:
    """Start a Slurm, and end it in any case. Skips the test where there is none to be started.

    Parameters
    ----------
    folder : Path
        Empty.
    configuration : str
        Lines of ``slurm.conf``, ``NodeName`` and ``PartitionName`` among them; ``HOST`` in them is this machine.
    gres : str
        Lines of ``gres.conf``.
    """
    _skip_without_slurm()
    host = socket.gethostname().partition(".")[0]
    extra = folder / "extra.conf"
    extra.write_text(configuration.replace("HOST", f"NodeHostname={host} NodeAddr=127.0.0.1"))
    if gres:
        (folder / "gres.conf").write_text(gres)
    slurm = RealSlurm(folder)
    n_nodes = sum(line.count("Name=") and _n_nodes(line) for line in configuration.splitlines())
    command = ["bash", str(SCRIPT), "hold", str(folder), str(n_nodes), "0", "0", str(extra)]
    with (
        (Path(tempfile.gettempdir()) / "schedcore-real-slurm.lock").open("a") as lock,
        pytest.MonkeyPatch.context() as patch,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        patch.setenv("SLURM_CONF", str(folder / "slurm.conf"))
        with subprocess.Popen(
            command,
            env=slurm.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for pytest, which then ends it
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                assert process.stdout.readline() == "ready\n", f"Slurm did not start:\n{_logs(folder)}"
                yield slurm
            finally:
                process.stdin.close()
                process.wait(timeout=MOST_SECONDS)


def _n_nodes(line: str) -> int:
    """Return how many nodes a line ``NodeName=n[1-5] ...`` has."""
    name, _, numbers = line.partition(" ")[0].partition("[")
    if not name.startswith("NodeName="):
        return 0
    first, _, last = numbers.rstrip("]").partition("-")
    return int(last) - int(first) + 1 if last else 1


def _skip_without_slurm() -> None:
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    absent = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    if absent:
        pytest.skip(f"no {', '.join(absent)} here: a real Slurm needs the packages {PACKAGES}")
    if os.geteuid() != 0:
        pytest.skip("a real Slurm can be started by root alone")


def _logs(folder: Path) -> str:
    told = []
    for file in sorted((folder / "log").glob("*")) if (folder / "log").is_dir() else ():
        told.append(f"{file.name}:\n" + "\n".join(file.read_text(errors="replace").splitlines()[-10:]))
    return "\n".join(told)
