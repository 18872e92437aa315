"""Which workload does somebody give in Python: a file, the text of a generator, an instance?"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from schedcore.comparisons.agreement import ReadWorkload
from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model import AnyInstance, ColocationInstance, Incidents, ParallelTaskInstance
from schedcore.problems import PROBLEMS
from schedcore.workloads.generators import with_seed
from schedcore.workloads.loading import STANDARD_INPUT, load
from schedcore.workloads.parquet_readers import chosen_machines, refuse_machines, task_report
from schedcore.workloads.reading.machines_spec import MachineChoice
from schedcore.workloads.reading.report import DataReport, make_report

__all__ = ["AskedWorkload", "Workload"]

#: What a workload may be given as.
Workload = str | os.PathLike[str] | AnyInstance | tuple[AnyInstance, DataReport]

_IN_MEMORY = "instance"
_INSTANCES = tuple(kind.instance_type for kind in PROBLEMS)


@dataclass(frozen=True)
class AskedWorkload:
    """A workload as somebody gave it, with the options of its reader.

    Attributes
    ----------
    given : path-like, str, instance, or (instance, DataReport)
    options : mapping
    allow_loss : bool
        Whether to go on where the reader lost more than 10 % of the work of any resource.
    """

    given: object
    options: Mapping[str, Any]
    allow_loss: bool = False

    def read(self, machines: MachineChoice | None = None) -> ReadWorkload:
        """Return the workload, on other machines than its own if some are named.

        Raises
        ------
        InvalidInstanceError
            For something that is no workload, options of a reader beside an instance, and as `load`. For a file that
            cannot be compared as it was read, as the account of its reader says.
        """
        if isinstance(self.given, (str, os.PathLike)):
            inst, report = self._load(machines)
            _, reason = report.warnings_and_refusal(self.allow_loss)
            if reason:
                raise InvalidInstanceError(reason)
            return ReadWorkload(inst, report)
        inst, told = self._instance()
        if self.options:
            raise InvalidInstanceError(
                f"{', '.join(self.options)}: neither options of a comparison, nor is anything read: the workload is an "
                f"instance"
            )
        if machines is None:
            return ReadWorkload(inst, _report(inst) if told is None else told)
        if isinstance(inst, ColocationInstance):
            refuse_machines(_IN_MEMORY, machines)
        if isinstance(inst, ParallelTaskInstance):
            raise InvalidInstanceError("machines: tasks name theirs")
        changed: Any = inst
        changed = changed.replace(machines=chosen_machines(changed.machines, machines))
        about = _report(changed) if told is None else told
        now = make_report(about.source, changed, units=about.units)
        return ReadWorkload(changed, replace(about, capacity=now.capacity, load=now.load))

    def check_incidents(self, incidents: object, inst: AnyInstance) -> None:
        """Raise an `InvalidInstanceError` for incidents that are none, or do not belong to the instance."""
        if incidents is None:
            return
        if not isinstance(incidents, Incidents):
            raise InvalidInstanceError(f"incidents must be Incidents, not {one_line(repr(incidents))}")
        incidents.check_for(inst)  # type: ignore[arg-type]

    def _load(self, machines: MachineChoice | None) -> tuple[AnyInstance, DataReport]:
        source, options = os.fspath(self.given), dict(self.options)  # type: ignore[call-overload]
        if not os.path.exists(source) and source != STANDARD_INPUT:
            source = with_seed(source, options.pop("seed", None))
        return load(source, machines, **options)

    def _instance(self) -> tuple[AnyInstance, DataReport | None]:
        given = self.given
        if isinstance(given, _INSTANCES):
            return given, None
        if isinstance(given, tuple) and len(given) == 2:
            inst, report = given
            if isinstance(inst, _INSTANCES) and isinstance(report, DataReport):
                return inst, report
        raise InvalidInstanceError(
            f"a workload is the path of a file, the text of a generator, an instance, or (instance, DataReport), not "
            f"{one_line(repr(given))}"
        )


def _report(inst: Any) -> DataReport:
    """An account of an instance that nobody read from anywhere."""
    if isinstance(inst, ColocationInstance):
        return task_report(_IN_MEMORY, inst.n_tasks, inst)
    return make_report(_IN_MEMORY, inst)
