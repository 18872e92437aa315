"""The state of a cluster from saved output of ``squeue``, ``sinfo`` and ``scontrol show``, and when that was."""

import datetime
import math
import os
from collections.abc import Iterable, Sequence

from schedcore.errors import InvalidInstanceError

from .configuration import Configuration
from .jobs import SlurmJob
from .parts_of_site import SiteParts
from .saved_files import SavedFiles
from .site import site_of_parts
from .state import SlurmState
from .values import checked_instant, clock_zone, instant

__all__ = ["read_state", "state_of_files"]

_CLOCKS_DIFFER = 60.0  # seconds by which the clocks of two machines may differ
_COMMANDS_TAKE = 600.0  # seconds within which all commands are called


def read_state(
    folder: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    now: float | None = None,
    timezone: str | datetime.tzinfo | None = None,
) -> SlurmState:
    """Read the state of a cluster from saved output of Slurm's commands.

    Parameters
    ----------
    folder : path-like, or iterable of path-like
        With one of each of these, the first that is there; or the files by name, of which the contents say what they
        are:

        * jobs: ``scontrol_job_d.txt`` (``scontrol -o -d show job``), ``scontrol_job.txt`` (without ``-d``),
          ``scontrol_job.json``, ``squeue.json`` (``squeue --json``), ``squeue.txt`` (``squeue -a -o`` with
          `SQUEUE_FORMAT`);
        * nodes: ``scontrol_node.txt`` (``scontrol -o show node``), ``scontrol_node.json``, ``sinfo.json``,
          ``sinfo.txt`` (``sinfo -N -o`` with `SINFO_FORMAT`);
        * partitions: ``scontrol_partition.txt`` or ``.json``; reservations: ``scontrol_reservation.txt`` or ``.json``;
        * ``slurm.conf``, ``scontrol_config.txt`` (``scontrol show config``), or both; without them, all settings are
          Slurm's defaults;
        * ``sacctmgr.txt`` (``sacctmgr dump CLUSTER file=...``), ``sacctmgr_qos.txt`` (``sacctmgr -P show qos``);
        * ``now.txt``: the instant, as ``date +%s`` prints it.
    now : float, optional
        The instant in seconds since 1970. Default: that of ``now.txt``, else that of ``scontrol_config.txt``, else the
        latest instant that a job tells (when it was submitted, eligible, started, ended).
    timezone : str or tzinfo, optional
        Of the dates in texts, such as ``"Europe/Berlin"``. Default: that of this machine. Where ``now.txt`` and
        ``scontrol_config.txt`` are more than 10 minutes apart by it, the state is refused.

    Returns
    -------
    SlurmState

    Raises
    ------
    InvalidInstanceError
        For output that cannot be read (names file, line and field), and a state that contradicts itself: a job that
        runs on a node that does not exist, or holds more than the node has (names the job, the node and the bound).
    FileNotFoundError
        If there is no such folder or file.

    Notes
    -----
    O(size of the files). Nothing is asked of the cluster.
    """
    return state_of_files(SavedFiles.of(folder, clock_zone(timezone)), now)


def state_of_files(files: SavedFiles, now: float | None = None) -> SlurmState:
    """Return the state that saved output describes."""
    configuration = files.configuration() if files.has("configuration") else Configuration({})
    site = site_of_parts(SiteParts.of_files(files, configuration))
    jobs = files.jobs()
    instant_of_state = _now(now, files, configuration, jobs)
    return SlurmState(instant_of_state, site, tuple(jobs), tuple(files.reservations()))


def _now(
    given: float | None, files: SavedFiles, configuration: Configuration, jobs: Sequence[SlurmJob]
) -> float:
    if given is not None:
        if not math.isfinite(given):
            raise InvalidInstanceError(f"now = {given} must be finite")
        try:
            return checked_instant(float(given))
        except InvalidInstanceError as error:
            raise InvalidInstanceError(f"now: {error}") from None
    starts = [job.start_time for job in jobs if job.is_running and job.start_time is not None]
    if files.has("instant") or configuration.as_of is not None:
        told = _told_instant(files, configuration)
        latest = max(starts, default=told)
        return latest if told < latest <= told + _CLOCKS_DIFFER else told
    # Times to come are not the present: waiting jobs tell when they are expected to start and to be eligible.
    others = [job.submit_time for job in jobs]
    others += [job.end_time for job in jobs if not job.is_waiting and not job.is_running]
    known = [*starts, *(time for time in others if time is not None)]
    if not known:
        raise InvalidInstanceError(f"{files.where}: nothing tells the instant of the state; give now=")
    return max(known)


def _told_instant(files: SavedFiles, configuration: Configuration) -> float:
    dates = {}
    if configuration.as_of is not None:
        dates["scontrol_config.txt"] = configuration.as_of
    if files.has("instant"):
        text, source = files.text("instant")
        dates[source] = text.strip()
    told = {}
    for source, date in dates.items():
        try:
            moment = instant(date, files.zone)
        except InvalidInstanceError as error:
            raise InvalidInstanceError(f"{source}: {error}") from None
        if moment is None:
            raise InvalidInstanceError(f"{source}: {date!r} is no instant")
        told[source] = moment
    (first, earlier), (last, later) = (*told.items(),)[0], (*told.items(),)[-1]
    if abs(later - earlier) > _COMMANDS_TAKE:
        raise InvalidInstanceError(
            f"{first} is of {dates[first]}, which is {earlier:.0f}, but {last} says {later:.0f}: more than "
            f"{_COMMANDS_TAKE:.0f} s apart; tell the zone of the cluster (timezone=, --timezone), or save both anew"
        )
    return later
