"""Which features of a cluster does an instance use? Policies that do not heed one refuse it by name.

A feature is used where it can change a decision. Columns that change none by themselves, such as who submitted a job,
are no features.
"""

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import UnsupportedError

from .any_instance import AnyInstance
from .dependencies import AFTER
from .incidents import Incidents
from .instance import Instance
from .jobs import Jobs
from .machines import Machines
from .real_numbers import shown
from .site import Site

__all__ = [
    "FEATURES",
    "check_without",
    "features_of",
    "features_of_incidents",
    "features_of_jobs",
    "features_of_machines",
    "features_of_site",
]

#: Name -> what messages call it.
FEATURES: Mapping[str, str] = {
    "gangs": "jobs of several tasks",
    "spread": "bounds on the tasks on one machine",
    "exclusive": "jobs that want machines for themselves",
    "constraints": "constraints over labels of machines",
    "dependencies": "jobs that wait for others",
    "outages": "announced outages",
    "weights": "machines of different weights",
    "failures": "failures of machines",
    "cancellations": "jobs that are cancelled",
    "site": "rules of a site",
    "preemption": "jobs that end others",
}


def features_of(instance: AnyInstance) -> dict[str, str]:
    """Return the features that an instance uses, and where: "gangs" -> "n_tasks[3] = 4 (job 3)".

    O(1) for an instance that uses none, and for other kinds than `Instance` O(n_machines) at most.
    """
    used = features_of_jobs(instance.jobs) if isinstance(instance, Instance) else {}
    if isinstance(instance, Instance) and instance.outages is not None:
        used["outages"] = f"{len(instance.outages)} of them"
    machines = getattr(instance, "machines", None)
    return used | features_of_machines(machines) if isinstance(machines, Machines) else used


def features_of_jobs(jobs: Jobs) -> dict[str, str]:
    """Return the features that jobs use, and where; O(1) if they use none, otherwise O(n_jobs)."""
    used = {}
    if jobs.uses("n_tasks"):
        used["gangs"] = _first(jobs, "n_tasks", jobs.n_tasks > 1)
        if jobs.uses("max_tasks_per_machine"):
            bounded = (jobs.max_tasks_per_machine > 0) & (jobs.n_tasks > 1)
            if bounded.any():
                used["spread"] = _first(jobs, "max_tasks_per_machine", bounded)
    if jobs.uses("exclusive"):
        used["exclusive"] = _first(jobs, "exclusive", jobs.exclusive)
    if jobs.uses("constraint"):
        used["constraints"] = _first(jobs, "constraint", jobs.coded("constraint").codes >= 0)
    for name in AFTER:
        if jobs.uses(name) and "dependencies" not in used:
            used["dependencies"] = _first(jobs, name, np.diff(jobs.id_lists(name).offsets) > 0)
    return used


def features_of_machines(machines: Machines) -> dict[str, str]:
    """Return the features that machines use, and where; O(1) if they use none, otherwise O(n_machines)."""
    if not machines.has_weights:
        return {}
    different = machines.weight != machines.weight[0]
    if not different.any():
        return {}
    machine = int(np.argmax(different))
    return {"weights": f"weight[{machine}] = {machines.weight[machine]}, weight[0] = {machines.weight[0]}"}


def features_of_incidents(incidents: Incidents | None) -> dict[str, str]:
    """Return the features that incidents use, and where; O(1)."""
    used: dict[str, str] = {}
    if incidents is not None and incidents.failures is not None:
        used["failures"] = f"{len(incidents.failures)} of them"
    if incidents is not None and incidents.cancellations:
        job, time = next(iter(incidents.cancellations.items()))
        used["cancellations"] = f"job with id {job} at {time!r}"
    return used


def features_of_site(site: Site | None) -> dict[str, str]:
    """Return the features that the rules of a site use, and where; O(1)."""
    if site is None or site.changes_nothing:
        return {}
    used = {"site": repr(site)}
    if site.preempt is not None:
        used["preemption"] = f"preempt = {site.preempt!r}"
    return used


def check_without(name: str, instance: AnyInstance, features: Collection[str], hint: str = "") -> None:
    """Raise an `UnsupportedError` that names the function and the first of these features that an instance uses."""
    for feature, where in features_of(instance).items():
        if feature in features:
            raise UnsupportedError(
                f"{name} does not take {FEATURES[feature]} ({where}){'; ' if hint else ''}{hint}"
            )


def _first(jobs: Jobs, column: str, where: NDArray[np.bool_]) -> str:
    job = int(np.argmax(where))
    value = getattr(jobs, column)[job]
    plain = value.item() if isinstance(value, np.generic) else value
    return f"{column}[{job}] = {shown(repr(plain))} (job {job})"
