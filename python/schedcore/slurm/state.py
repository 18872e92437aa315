"""The present state of a Slurm cluster: what runs where, what waits for what, which nodes are there.

A state knows its instant and is saved as one Parquet file.
"""

import dataclasses
import functools
import itertools
import math
import os
from collections.abc import Iterable

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Jobs, Limit, Machines, Outages, Site
from schedcore.model.arrays import IntArray
from schedcore.model.real_numbers import shown

from .cluster_machines import machines_of_nodes
from .divided_shares import Held, shares_of_jobs, within_nodes
from .jobs import STATES, SlurmJob
from .not_modelled import NotModelled, merged
from .planned_starts import PlannedStarts, cycle_instant, not_in_the_plan, planned_starts
from .reservations import SlurmReservation
from .run_ends import is_past_its_end
from .running_jobs import HeldShape, RunningJobs, equal_parts, held_shape
from .site import SlurmSite, site_of_parts
from .state_checks import nodes_with_hidden_jobs, refuse_contradictions
from .state_file import SavedState, read_state_file, write_state
from .tables_of_jobs import columns_of_jobs, demands, placed_jobs
from .waiting_jobs import Ids, WaitingJobs, WaitingRow, ids_of_jobs, waiting_rows, what_squeue_leaves_open

__all__ = ["SlurmState"]


@dataclasses.dataclass(frozen=True)
class SlurmState:
    """A Slurm cluster at one instant.

    Parameters
    ----------
    now : float
        The instant, in seconds since 1970; all times are.
    site : SlurmSite
        Nodes, partitions and rules.
    jobs : tuple of SlurmJob
        In the words of Slurm, also those that have just ended.
    reservations : tuple of SlurmReservation

    Raises
    ------
    InvalidInstanceError
        For a state that contradicts itself: names the job, the node, the value and the bound.
    """

    now: float
    site: SlurmSite
    jobs: tuple[SlurmJob, ...]
    reservations: tuple[SlurmReservation, ...] = ()

    def __post_init__(self) -> None:
        nodes = {node.name: node for node in self.site.nodes}
        refuse_contradictions(self.site, self._shares, self.jobs, self.now)
        for reservation in self.reservations:
            for host in reservation.nodes:
                if host not in nodes:
                    raise InvalidInstanceError(
                        f"{reservation.place}: reservation {reservation.name} has node {shown(host)}, "
                        "which does not exist"
                    )

    @functools.cached_property
    def machines(self) -> Machines:
        """The nodes, also those that are down; a node that jobs name carries the label ``node=NAME``."""
        named = {host for job in self.jobs for host in (*job.excluded_nodes, *job.required_nodes)}
        return machines_of_nodes(self.site.nodes, self.site.partitions, self.site.resources, sorted(named))[0]

    @property
    def down(self) -> IntArray:
        """Indices of the machines on which nothing can run, ascending; those that still have jobs are in `closed`."""
        busy = self._busy
        down = [m for m, node in enumerate(self.site.nodes) if node.is_down and node.name not in busy]
        return np.array(down, dtype=np.int64)

    @property
    def closed(self) -> IntArray:
        """Indices of the machines that take no more jobs, though those on them run on; without those in `down`."""
        busy = self._busy
        nodes = enumerate(self.site.nodes)
        closed = [m for m, node in nodes if node.is_closed and (not node.is_down or node.name in busy)]
        return np.array(closed, dtype=np.int64)

    @property
    def _busy(self) -> set[str]:
        return {host for job in self.jobs if job.is_running for host in job.nodes}

    @property
    def rules(self) -> Site:
        """The rules of the site with throttles of arrays, and jobs in order of the priorities that Slurm computed."""
        rules = self.site.site
        throttles = {
            job.array_job_id: job.array_throttle
            for job in self.jobs
            if job.is_waiting and job.array_job_id is not None and job.array_throttle
        }
        limits = [Limit(f"array={array}", "jobs", most) for array, most in throttles.items()]
        return Site(
            "priority",
            rules.partitions,
            rules.service_classes,
            (*rules.limits, *limits),
            preempt=rules.preempt,
        )

    @functools.cached_property
    def waiting(self) -> WaitingJobs:
        """The jobs that wait."""
        rows = self._waiting_rows[0]
        estimates = [row.estimate for row in rows]
        jobs = Jobs(
            estimates,
            demands(self.site, [row.shape.demand for row in rows]),
            [row.release_time for row in rows],
            estimated_processing_time=estimates,
            id=[row.id for row in rows],
            n_tasks=[row.shape.n_tasks for row in rows],
            max_tasks_per_machine=[row.shape.per_machine for row in rows],
            constraint=[row.constraint for row in rows],
            after_ok=[row.awaited.get("after_ok", ()) for row in rows],
            after_any=[row.awaited.get("after_any", ()) for row in rows],
            after_not_ok=[row.awaited.get("after_not_ok", ()) for row in rows],
            **columns_of_jobs(self.site, [row.job for row in rows]),
        )
        return WaitingJobs(
            jobs,
            np.array([row.held for row in rows], dtype=np.bool_),
            tuple(row.job.reason for row in rows),
            tuple(row.called for row in rows),
            tuple(row.job.reservation for row in rows),
            tuple(row.kept_back for row in rows),
            np.array([self._is_releasable(row.job) for row in rows], dtype=np.bool_),
        )

    @functools.cached_property
    def running(self) -> RunningJobs:
        """The jobs that run, one row each; see `occupancy` where nodes give unequal shares."""
        return placed_jobs(
            self.site,
            self.machines,
            self.now,
            [(job, self._id_of(job), shape) for job, shape in self._held[0]],
        )

    @functools.cached_property
    def occupancy(self) -> RunningJobs:
        """What the jobs that run hold, exactly: one with unequal shares of its nodes is a row for each kind of share.

        Of jobs that share processors, and of those that are suspended, the later ones hold what is left of these.

        The first of these rows has the number of the job as its id, the others have ids above all other ones, also
        those of `waiting`. For forecasts; a scheduler that goes on with the jobs takes `running`.
        """
        fresh = itertools.count(
            1 + max((own for of_job in self._ids.values() for own in of_job.values()), default=0)
        )
        parts = []
        nodes = {node.name: node for node in self.site.nodes}
        for job, shares, told in within_nodes(self._shares, nodes):
            shapes = equal_parts(job, shares, told, self.site.resources)
            ids = itertools.chain([self._id_of(job)], fresh)
            parts += [(job, own, shape) for shape, own in zip(shapes, ids, strict=False)]
        return placed_jobs(self.site, self.machines, self.now, parts)

    @functools.cached_property
    def not_modelled(self) -> tuple[NotModelled, ...]:
        """What of the site and its state cannot be modelled, with the number of waiting and running jobs it touches."""
        waits, runs = self.waiting.jobs, self.running.jobs
        of_site = [
            dataclasses.replace(finding, n_jobs=(finding.n_jobs or 0) + (other.n_jobs or 0))
            for finding, other in zip(self.site.touched_by(waits), self.site.touched_by(runs), strict=True)
        ]
        completing = sum(job.state == "COMPLETING" for job in self.jobs)
        found = [*of_site, *self._waiting_rows[1], *self._held[1], *self._of_reservations()]
        found += self._of_what_is_not_known()
        if completing:
            why = "counts as ended; what it still holds is free here"
            found.append(NotModelled("job: COMPLETING", "", why, n_jobs=completing))
        return merged([*found, *not_in_the_plan(self.site, self.jobs, self.reservations)])

    @property
    def n_inexact(self) -> int:
        """How many waiting and running jobs are not modelled exactly; without those that settings of the site touch."""
        return sum(not row.is_exact for row in self._waiting_rows[0]) + self._held[2]

    def outages(self) -> Outages:
        """Return the maintenance that is announced, in seconds since 1970; what began before `now` begins at `now`."""
        index = {node.name: machine for machine, node in enumerate(self.site.nodes)}
        rows = [
            (index[host], max(each.start_time, self.now), each.end_time)
            for each in self.reservations
            if each.is_maintenance and each.end_time > self.now
            for host in each.nodes
        ]
        machine, start, end = zip(*rows, strict=True) if rows else ((), (), ())
        return Outages(
            np.array(machine, dtype=np.int64),
            np.array(start, dtype=np.float64),
            np.array(end, dtype=np.float64),
        )

    def planned_starts(self, now: float | None = None) -> PlannedStarts:
        """Return when and where a pass of Slurm's backfilling plans the jobs that wait, as ``squeue --start`` shows it.

        Parameters
        ----------
        now : float, optional
            The instant of the pass, in seconds since 1970. Default: the latest at which Slurm says that it looked at a
            job that waits, else that of the state.

        Returns
        -------
        PlannedStarts
            A row for each of `waiting`, in its order.

        Raises
        ------
        InvalidInstanceError
            If `now` is not finite or below 0, and for settings of the scheduler that are no numbers.

        Notes
        -----
        ``docs/slurm-plan.md`` says the rule. What it does not know is in `not_modelled`, as ``planned_starts: ...``.
        """
        if now is not None and not (math.isfinite(now) and now >= 0):
            raise InvalidInstanceError(f"now = {now} must be finite and at least 0")
        instant = cycle_instant(self.jobs, self.now) if now is None else now
        ids = self.waiting.jobs.id
        return planned_starts(
            self.site, self.machines, self.jobs, self._shares, self.reservations, ids, instant
        )

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the whole state as a Parquet file, which is there whole or not at all.

        Raises
        ------
        FileExistsError
            If the file exists and `overwrite` is false.
        ImportError
            If pyarrow is missing; names the extra.
        """
        saved = SavedState(self.now, self.site.parts, self.jobs, self.reservations)
        write_state(saved, path, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "SlurmState":
        """Return the state that `save` wrote.

        Raises
        ------
        InvalidInstanceError
            For any other file.
        FileNotFoundError
            If there is no such file.
        """
        saved = read_state_file(path)
        return cls(saved.now, site_of_parts(saved.parts), tuple(saved.jobs), tuple(saved.reservations))

    @functools.cached_property
    def _waiting_rows(self) -> tuple[list[WaitingRow], list[NotModelled]]:
        return waiting_rows(self.site, self.machines, self.jobs, self.now)

    @functools.cached_property
    def _shares(self) -> list[Held]:
        """The jobs that run with what each holds on each node."""
        return shares_of_jobs(
            self.jobs,
            {node.name: node for node in self.site.nodes},
            shared={each.name for each in self.site.partitions if each.shares_processors},
            memory=self.site.resources.memory,
        )

    @functools.cached_property
    def _held(self) -> tuple[list[tuple[SlurmJob, HeldShape]], list[NotModelled], int]:
        held, findings, n_inexact = [], list[NotModelled](), 0
        for job, shares, told in self._shares:
            shape = held_shape(job, shares, told, self.site.resources)
            held.append((job, shape))
            notes = [
                *((setting, "", why) for setting, why in shape.notes),
                *what_squeue_leaves_open(self.site, job),
            ]
            if job.state == "SUSPENDED":
                notes.append(("running job: SUSPENDED", "", "counts as running, with its processors"))
            if is_past_its_end(self.site, job, self.now):
                why = "ends as late as KillWait and OverTimeLimit let it, a second from now at least"
                notes.append(("running job: past its end", "", why))
            if job.licenses:
                notes.append(("job: licenses", job.licenses, "licenses are not modelled"))
            findings += [NotModelled(setting, value, why, n_jobs=1) for setting, value, why in notes]
            n_inexact += bool(notes)
        return held, findings, n_inexact

    @functools.cached_property
    def _ids(self) -> Ids:
        return ids_of_jobs(self.jobs)

    def _is_releasable(self, job: SlurmJob) -> bool:
        partition = self.site.partition(job.partition.partition(",")[0])
        return job.reason != "DependencyNeverSatisfied" and (partition is None or partition.starts_jobs)

    def _id_of(self, job: SlurmJob) -> int:
        """The id of a job that runs."""
        return self._ids[job.array_job_id or job.job_id][job.array_tasks[0] if job.array_tasks else None]

    def _of_what_is_not_known(self) -> Iterable[NotModelled]:
        strange = [job for job in self.jobs if job.state not in STATES]
        for state in sorted({job.state for job in strange}):
            n_jobs = sum(job.n_jobs for job in strange if job.state == state)
            yield NotModelled(
                "job: JobState", state, "is no state that is known; counts as waiting", n_jobs=n_jobs
            )
        hidden = nodes_with_hidden_jobs(self.site.nodes, self._shares, self.jobs, self.now)
        if hidden:
            some = ", ".join(hidden[:5]) + (f" and {len(hidden) - 5} more" if len(hidden) > 5 else "")
            why = "processors there are allocated to jobs that the state does not show, and count as free"
            yield NotModelled("nodes: jobs not shown", some, why)

    def _of_reservations(self) -> Iterable[NotModelled]:
        for each in self.reservations:
            inside = sum(job.n_jobs for job in self.jobs if job.reservation == each.name and job.is_waiting)
            if not each.nodes:
                yield NotModelled("reservation", each.name, "licenses are not modelled", n_jobs=inside)
            elif not each.is_maintenance:
                why = (
                    "in forecasts whole nodes of it are out of service, also for its own jobs, and of parts of"
                    " nodes nothing is set aside; see OnlineScheduler.reserve"
                )
                yield NotModelled("reservation", each.name, why, n_jobs=inside)
            for flag in sorted({"DAILY", "WEEKLY", "HOURLY", "WEEKDAY", "WEEKEND"}.intersection(each.flags)):
                yield NotModelled(
                    f"reservation: {flag}", each.name, "its next time alone counts", n_jobs=inside
                )
