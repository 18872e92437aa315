"""The state of the cluster that this machine belongs to, from Slurm's own commands. None of them changes anything."""

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from schedcore.errors import SchedcoreError, one_line
from schedcore.model.real_numbers import finite_number

from .configuration import read_configuration
from .saved_files import SavedFiles
from .state import SlurmState
from .state_reading import state_of_files

__all__ = ["COMMANDS", "CommandError", "save_state", "take_state"]

#: File -> the command that fills it. They read, and change nothing; ``-a`` is for hidden partitions and their jobs.
COMMANDS: dict[str, tuple[str, ...]] = {
    "scontrol_config.txt": ("scontrol", "show", "config"),
    "scontrol_node.txt": ("scontrol", "-o", "show", "node"),
    "scontrol_partition.txt": ("scontrol", "-a", "-o", "show", "partition"),
    "scontrol_reservation.txt": ("scontrol", "-o", "show", "reservation"),
    "scontrol_job_d.txt": ("scontrol", "-a", "-o", "-d", "show", "job"),
}
#: Asked for where there is an accounting database; ``sacctmgr dump CLUSTER file=...`` is, too.
QOS_COMMAND = ("sacctmgr", "-P", "show", "qos")


class CommandError(SchedcoreError, RuntimeError):
    """A command of Slurm that is not there, failed, or did not end in time; the message has what it said."""


def take_state(timeout: float = 30.0, *, accounting: bool = True) -> SlurmState:
    """Return the present state of the cluster that this machine belongs to.

    Parameters
    ----------
    timeout : float
        Seconds that each command may take.
    accounting : bool
        Whether ``sacctmgr`` is asked for accounts and QOS; where it fails, the state goes without them.

    Returns
    -------
    SlurmState

    Raises
    ------
    CommandError
        If a command is not there, fails, or does not end within `timeout`: names it, with what it said.
    InvalidInstanceError
        For a state that contradicts itself, see `read_state`. Jobs may start and end between two commands; then take
        it again.

    Notes
    -----
    Calls the commands of `COMMANDS` one after another, and the two of sacctmgr, which read and change nothing.
    """
    with tempfile.TemporaryDirectory(prefix="schedcore-slurm-") as folder:
        save_state(folder, timeout, accounting=accounting)
        return state_of_files(SavedFiles.of(folder))


def save_state(
    folder: str | os.PathLike[str], timeout: float = 30.0, *, accounting: bool = True
) -> tuple[str, ...]:
    """Write what the commands print into files of a folder, as `read_state` reads them.

    Parameters
    ----------
    folder : path-like
        Made if it is not there. Files in it are replaced.
    timeout, accounting
        As of `take_state`.

    Returns
    -------
    tuple of str
        What is to be said of the commands of sacctmgr that failed, or did not end in time, though the cluster has an
        accounting database; the state goes without them.

    Raises
    ------
    CommandError
        As `take_state` does.
    """
    limit = finite_number("timeout", timeout, above_0=True)
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for name, command in COMMANDS.items():
        (place / name).write_text(_output(command, limit), encoding="utf-8")
    # After the jobs, so that none of them starts later.
    (place / "now.txt").write_text(f"{int(time.time())}\n", encoding="utf-8")
    if not accounting:
        return ()
    failed = []
    configuration = read_configuration(place / "scontrol_config.txt")
    storage = (configuration.text("AccountingStorageType") or "").lower()
    # This one writes its own file, where it is told to.
    dump = (
        "sacctmgr",
        "dump",
        configuration.text("ClusterName") or "cluster",
        f"file={place / 'sacctmgr.txt'}",
    )
    for name, command in {"sacctmgr.txt": dump, "sacctmgr_qos.txt": QOS_COMMAND}.items():
        (place / name).unlink(missing_ok=True)
        try:
            text = _output(command, limit)
        except CommandError as error:
            (place / name).unlink(missing_ok=True)  # cut
            if storage.endswith("slurmdbd"):  # elsewhere there is nothing to ask
                failed.append(str(error))
            continue
        if command is QOS_COMMAND and text.strip():
            (place / name).write_text(text, encoding="utf-8")
    return tuple(dict.fromkeys(failed))


def _output(command: Sequence[str], timeout: float) -> str:
    shown = " ".join(command)
    environment = {**os.environ, "LC_ALL": "C", "SLURM_TIME_FORMAT": "standard", "SLURM_BITSTR_LEN": "0"}
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
            env=environment,
        )
    except FileNotFoundError:
        raise CommandError(f"{command[0]} is not on this machine; read_state reads saved output") from None
    except subprocess.TimeoutExpired as error:
        said = _said(error.stderr)
        raise CommandError(
            f"{shown} did not end within {timeout:g} s{said and f'; it said: {said}'}"
        ) from None
    except OSError as error:
        raise CommandError(f"{shown} cannot be started: {one_line(error)}") from None
    if done.returncode != 0:
        said = _said(done.stderr) or _said(done.stdout) or "it said nothing"
        raise CommandError(f"{shown} failed with code {done.returncode}: {said}")
    return done.stdout.decode("utf-8", errors="replace")


def _said(output: bytes | str | None) -> str:
    text = output.decode("utf-8", errors="replace") if isinstance(output, bytes) else output or ""
    return one_line(text)
