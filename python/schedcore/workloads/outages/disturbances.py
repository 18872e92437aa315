"""What disturbs a workload, as people write it: maintenance, failures, cancellations, what becomes of killed jobs."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import AnyInstance, Incidents, Instance, Machines, Outages
from schedcore.workloads.outages.cancellation_table import read_cancellations
from schedcore.workloads.outages.failure_text import parse_failures
from schedcore.workloads.outages.outage_table import read_outages
from schedcore.workloads.outages.times import Origin
from schedcore.workloads.outages.windows import parse_outage
from schedcore.workloads.reading.machine_names import numbered_machines
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["Disturbances"]


@dataclass(frozen=True, slots=True)
class Disturbances:
    """Texts and files that say what disturbs a workload.

    Attributes
    ----------
    outage : sequence of str
        Each an outage in words (`parse_outage`), or the path of a table (`read_outages`).
    failures : str, optional
        The path of a table, or words that draw them (`parse_failures`).
    cancellations : path-like, optional
        The path of a table (`read_cancellations`).
    killed : str, optional
        As `Incidents` takes it.
    """

    outage: Sequence[str] = ()
    failures: str | None = None
    cancellations: FilePath | None = None
    killed: str | None = None

    def __bool__(self) -> bool:
        return bool(self.outage) or not (
            self.failures is None and self.cancellations is None and self.killed is None
        )

    def of(self, inst: AnyInstance, origin: Origin = None) -> tuple[AnyInstance, Incidents | None]:
        """Return the instance with its outages, those that it had before among them, and what happens unannounced.

        Machines without names get n1, n2, ... for names. Failures that are drawn begin until the last job could have
        ended that never waits, unless they say ``horizon=``.

        Raises
        ------
        InvalidInstanceError
            For whatever the texts and files do not say rightly, and for `killed` where nothing can kill a job.
        UnsupportedError
            For another kind of instance.
        FileNotFoundError
            If there is no such table of cancellations.
        """
        if not self:
            return inst, None
        if not isinstance(inst, Instance):
            given = ("outage", "failures", "cancellations", "killed")
            first = next(name for name in given if getattr(self, name))
            raise UnsupportedError(f"{spelled(first)}: that is about jobs that run in one piece")
        if self.killed is not None and self.failures is None:
            raise InvalidInstanceError(
                f"{spelled('killed', self.killed)}: nothing kills a job without {spelled('failures')}"
            )
        inst = inst.replace(machines=numbered_machines(inst.machines))
        if self.outage:
            inst = inst.replace(outages=self._outages(inst, origin))
        incidents = None
        if self.failures is not None or self.cancellations is not None:
            incidents = Incidents(
                None if self.failures is None else self._failures(inst, origin),
                None if self.cancellations is None else read_cancellations(self.cancellations, inst, origin),
                "requeue" if self.killed is None else self.killed,
            )
        return inst, incidents

    def _outages(self, inst: Instance, origin: Origin) -> Outages:
        known = [] if inst.outages is None else [inst.outages]
        return _joined([*known, *(_outage(text, inst.machines, origin) for text in self.outage)])

    def _failures(self, inst: Instance, origin: Origin) -> Outages:
        jobs = inst.jobs
        horizon = float(np.max(jobs.release_time + jobs.processing_time, initial=0.0))
        return parse_failures(self.failures or "", inst.machines, origin, horizon or None)


def _outage(text: str, machines: Machines, origin: Origin) -> Outages:
    if os.path.isfile(text):
        return read_outages(text, machines, origin)
    return parse_outage(text, machines, origin)


def _joined(parts: Sequence[Outages]) -> Outages:
    columns = ((part.machine, part.start_time, part.end_time) for part in parts)
    return Outages(*(np.concatenate(column) for column in zip(*columns, strict=True)))
