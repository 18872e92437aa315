"""What a validator says of a schedule."""

from dataclasses import dataclass

__all__ = ["FEASIBLE", "ValidationReport"]


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """The verdict on a schedule, with the first violation if there is one; true in a condition if feasible.

    Attributes
    ----------
    ok : bool
        Whether the schedule is feasible.
    message : str
        One sentence that says what is wrong, or that nothing is.
    kind : str or None
        ``"start_not_finite"``, ``"unknown_machine"``, ``"start_before_release"``, ``"no_progress"`` (the
        processing time is lost in the rounding of start + processing_time) or ``"capacity_exceeded"``. For pieces
        of tasks also ``"time_not_finite"``, ``"unknown_job"``, ``"unknown_task"``, ``"machine_not_allowed"``,
        ``"task_overlaps_itself"``, ``"task_migrated"``, ``"task_interrupted"``, ``"task_missing"`` or
        ``"wrong_processing"``.

        For pieces in slots also ``"time_not_integer"``, ``"unknown_job"``, ``"unknown_task"``, ``"no_cores"`` (an
        amount below 1), ``"reduce_before_map"``, ``"piece_overlaps"`` (two pieces of a job or task hold cores of one
        machine at once), ``"demand_exceeded"`` (more cores than the job or task asks for, over all machines),
        ``"work_exceeded"`` (more cores in a slot than it can still use, in particular any after it is done) or
        ``"work_missing"`` (it is not done in the end).
    job, machine, instant : int, int, float or None
        Index of the job whose start breaks a rule, the machine that the schedule gives it, and its start
        time. For ``"wrong_processing"`` those of the task's last piece, and when it ends; for ``"work_exceeded"`` no
        machine, and the start of the slot.
    resource : int or None
        Index of the exceeded resource, for ``"capacity_exceeded"``.
    excess : int, float or None
        By how much: units above the capacity, time before the release, length of an overlap, the processed share
        of a task minus 1, or cores above what a job may hold; core-slots that are missing.
    task : int or None
        Number of the task within its job, for schedules of parallel tasks, map tasks and reduce tasks.
    """

    ok: bool
    message: str
    kind: str | None = None
    job: int | None = None
    machine: int | None = None
    instant: float | None = None
    resource: int | None = None
    excess: float | None = None
    task: int | None = None

    def __bool__(self) -> bool:
        return self.ok


#: What is said of a schedule in which nothing is wrong.
FEASIBLE = ValidationReport(True, "the schedule is feasible")
