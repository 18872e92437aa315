"""Which saved output of which command is there: files of a folder by name, or files given by hand by what they hold."""

import dataclasses
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from schedcore.errors import InvalidInstanceError

from .configuration import Configuration, read_configuration
from .jobs import SlurmJob
from .jobs_of_json import jobs_of_json
from .jobs_of_scontrol import jobs_of_records
from .jobs_of_squeue import jobs_of_squeue
from .json_output import read_json_list
from .nodes import SlurmNode, nodes_of_json, nodes_of_records
from .nodes_of_sinfo import nodes_of_sinfo, nodes_of_sinfo_text
from .partitions import SlurmPartition, partitions_of_json, partitions_of_records
from .records import read_records
from .reservations import SlurmReservation, reservations_of_json, reservations_of_records
from .values import Zone

__all__ = ["FILES", "SavedFiles"]

#: What is looked for -> names of files, the most telling one first.
FILES: Mapping[str, tuple[str, ...]] = {
    "configuration": ("slurm.conf", "scontrol_config.txt"),
    "jobs": (
        *("scontrol_job_d.txt", "scontrol_job.txt", "scontrol_job.json"),
        *("squeue.json", "squeue.txt", "squeue_o.txt"),
    ),
    "nodes": ("scontrol_node.txt", "scontrol_node.json", "sinfo.json", "sinfo.txt"),
    "partitions": ("scontrol_partition.txt", "scontrol_partition.json"),
    "reservations": ("scontrol_reservation.txt", "scontrol_reservation.json"),
    "associations": ("sacctmgr.txt", "sacctmgr_dump.txt", "sacctmgr.cfg"),
    "qos": ("sacctmgr_qos.txt",),
    "instant": ("now.txt", "when.txt"),
}
# The first line with anything on it -> what a file is.
_SIGNS = (
    (re.compile(r"JobId="), "jobs"),
    (re.compile(r"ReservationName=|No reservations"), "reservations"),
    (re.compile(r"NodeName=\S+ (?:Arch=|CoresPerSocket=\d+ +CPUAlloc)"), "nodes"),
    (re.compile(r"PartitionName=\S+ +AllowGroups="), "partitions"),
    (re.compile(r"(?:Cluster|Parent|Account|User)\s*-\s|# To edit this file"), "associations"),
    (re.compile(r"Name\|", re.IGNORECASE), "qos"),
    (re.compile(r"(?:.*\|)?NODELIST\|.*STATE", re.IGNORECASE), "nodes"),
    (re.compile(r"JOBID\|", re.IGNORECASE), "jobs"),
)


@dataclasses.dataclass(frozen=True)
class SavedFiles:
    """The files that are there.

    Parameters
    ----------
    found : mapping of str to tuple of Path
        What -> its files, the most telling one first.
    where : str
        The folder or the files, for messages.
    zone : tzinfo or None
        Of the dates in texts; None: that of this machine.
    """

    found: Mapping[str, tuple[Path, ...]]
    where: str
    zone: Zone = None

    @classmethod
    def of(
        cls, paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], zone: Zone = None
    ) -> "SavedFiles":
        """Return the files of a folder, or files that are named."""
        if isinstance(paths, (str, os.PathLike)):
            folder = Path(paths)
            if folder.is_dir():
                found = {
                    what: tuple(folder / name for name in names if (folder / name).is_file())
                    for what, names in FILES.items()
                }
                return cls(found, str(folder), zone)
            paths = [folder]
        files = [Path(path) for path in paths]
        kinds: dict[str, tuple[Path, ...]] = {}
        for file in files:
            for what in _kinds(file):
                kinds[what] = (*kinds.get(what, ()), file)
        return cls(kinds, ", ".join(map(str, files)), zone)

    def has(self, what: str) -> bool:
        """Whether there is a file for it."""
        return bool(self.found.get(what))

    def text(self, what: str) -> tuple[str, str]:
        """Return the text of the most telling file, and its name."""
        file = self.found[what][0]
        return _text(file), file.name

    def configuration(self) -> Configuration:
        """Return ``slurm.conf``, and what ``scontrol show config`` printed, which is what is in force, before that."""
        if not self.has("configuration"):
            raise InvalidInstanceError(f"{self.where}: no {' or '.join(FILES['configuration'])} is there")
        for file in self.found["configuration"]:
            _text(file)
        first, *others = map(read_configuration, self.found["configuration"])
        for other in others:
            settings = (
                {**first.settings, **other.settings} if other.as_of else {**other.settings, **first.settings}
            )
            first = dataclasses.replace(first, settings=settings, as_of=first.as_of or other.as_of)
        return first

    def nodes(self) -> list[SlurmNode]:
        """Return the nodes as commands told them; none if no such output is there."""
        if not self.has("nodes"):
            return []
        text, source = self.text("nodes")
        if not _is_json(text):
            if "|" in text.partition("\n")[0]:
                return nodes_of_sinfo_text(text, source)
            return nodes_of_records(read_records(text, source, "NodeName", self.zone))
        if re.search(r'"sinfo"\s*:\s*\[', text):
            return nodes_of_sinfo(read_json_list(text, source, "sinfo"))
        return nodes_of_json(read_json_list(text, source, "nodes"))

    def partitions(self, nodes: Sequence[SlurmNode]) -> list[SlurmPartition]:
        """Return the partitions as commands told them; none if no such output is there."""
        if not self.has("partitions"):
            return []
        known = [node.name for node in nodes]
        text, source = self.text("partitions")
        if _is_json(text):
            return partitions_of_json(read_json_list(text, source, "partitions"), known, {})
        return partitions_of_records(read_records(text, source, "PartitionName", self.zone), known, {})

    def reservations(self) -> list[SlurmReservation]:
        """Return the reservations; none if no such output is there."""
        if not self.has("reservations"):
            return []
        text, source = self.text("reservations")
        if _is_json(text):
            return reservations_of_json(read_json_list(text, source, "reservations"))
        return reservations_of_records(read_records(text, source, "ReservationName", self.zone))

    def jobs(self) -> list[SlurmJob]:
        """Return the jobs of the most telling file, with what they hold from another one where it does not tell."""
        if not self.has("jobs"):
            raise InvalidInstanceError(
                f"{self.where}: no jobs are there; save scontrol -o -d show job, or squeue --json"
            )
        first, *others = self.found["jobs"]
        jobs = self._jobs_of(first)
        lacking = {job.job_id for job in jobs if job.is_running and not job.allocation}
        for file in others if lacking else ():
            if file.suffix != ".json":
                continue
            told = {job.job_id: job for job in self._jobs_of(file) if job.is_running}
            jobs = [
                dataclasses.replace(job, allocation=told[job.job_id].allocation)
                if job.job_id in lacking and job.job_id in told and told[job.job_id].nodes == job.nodes
                else job
                for job in jobs
            ]
        return jobs

    def _jobs_of(self, file: Path) -> list[SlurmJob]:
        text = _text(file)
        if _is_json(text):
            return jobs_of_json(read_json_list(text, file.name, "jobs"))
        if re.match(r"\s*(?:JobId=|No jobs in the system)", text):
            return jobs_of_records(read_records(text, file.name, "JobId", self.zone))
        return jobs_of_squeue(text, file.name, self.zone)


def _text(file: Path) -> str:
    """Return the text of a file; an error for an empty one, because no command prints nothing."""
    text = file.read_text(encoding="utf-8", errors="replace")
    if not text.strip():
        raise InvalidInstanceError(f"{file.name} is empty; save it anew, or take the file away")
    return text


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] == "{"


def _kinds(file: Path) -> tuple[str, ...]:
    """Return what a file is, by its name if that is one of `FILES`, else by its first line."""
    by_name = tuple(what for what, names in FILES.items() if file.name in names)
    if by_name:
        return by_name
    text = file.read_text(encoding="utf-8", errors="replace")
    if _is_json(text):
        for name, what in (("jobs", "jobs"), ("reservations", "reservations"), ("partitions", "partitions")):
            if re.search(rf'"{name}"\s*:\s*\[', text):
                return (what,)
        return ("nodes",)
    first = next((line for line in text.splitlines() if line.strip()), "")
    return next(((what,) for sign, what in _SIGNS if sign.match(first)), ("configuration",))
