"""What ``squeue --start`` said of a queue, beside what `SlurmState.planned_starts` says."""

import dataclasses
import datetime
import math
import re
from pathlib import Path

from schedcore.slurm import SlurmState
from schedcore.slurm.values import instant
from schedcore.workloads.reading.hostlists import expand_hostlist

__all__ = ["Agreement", "agreement"]


@dataclasses.dataclass(frozen=True)
class Agreement:
    """How far two plans agree, counted in jobs; an array is one.

    Parameters
    ----------
    n_planned, n_same : int
        Jobs for which Slurm shows a start; those with the same start, to the second, and the same nodes.
    n_without, n_without_both : int
        Jobs without one; those for which nothing is planned here, either.
    differences : tuple of str
        Each other job.
    """

    n_planned: int
    n_same: int
    n_without: int
    n_without_both: int
    differences: tuple[str, ...]


def agreement(state: SlurmState, folder: Path) -> Agreement:
    """Compare the plan of a state with ``squeue_start.txt`` of a folder, which is in UTC."""
    told, planned = _told_by_squeue(folder), state.planned_starts()
    assert planned.id.tolist() == state.waiting.jobs.id.tolist()
    counts, differences, row = dict.fromkeys(("planned", "same", "without", "both"), 0), [], 0
    for job in state.jobs:
        if not job.is_waiting:
            continue
        start, nodes = told.pop(str(job.array_job_id or job.job_id))
        tasks = range(row, row + job.n_jobs)
        row += job.n_jobs
        found = {(planned.start_time[task], planned.nodes[task]) for task in tasks}
        # Of a job that is to begin later, Slurm shows when.
        if start is None or planned.reason[tasks[0]] == "begin time":
            counts["without"] += 1
            same = all(math.isnan(planned.start_time[task]) and planned.reason[task] for task in tasks)
            counts["both"] += same and nodes == ()
        else:
            counts["planned"] += 1
            same = found == {(start, nodes)}
            counts["same"] += same
        if not same:
            differences.append(f"{job.called}: {start} on {nodes}, here {sorted(found, key=str)}")
    assert not told, "squeue tells of jobs that the state does not have"
    return Agreement(counts["planned"], counts["same"], counts["without"], counts["both"], tuple(differences))


def _told_by_squeue(folder: Path) -> dict[str, tuple[float | None, tuple[str, ...]]]:
    """Number of a job or an array -> start and nodes."""
    told = {}
    for line in (folder / "squeue_start.txt").read_text().splitlines()[1:]:
        number, _, _, _, _, start, _, nodes, _ = line.split(maxsplit=8)
        found = None if start == "N/A" else instant(start, datetime.UTC)
        told[re.sub(r"_.*", "", number)] = (found, () if nodes == "(null)" else expand_hostlist(nodes))
    return told
