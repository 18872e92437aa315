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

        For runs on a cluster also ``"time_not_finite"``, ``"unknown_job"``, ``"job_forbidden"`` (by the rules of the
        site, whatever else runs), ``"limit_exceeded"``, ``"attempt_out_of_order"``,
        ``"job_runs_twice"`` (two runs of a job at once), ``"job_has_ended"`` (a run after the last one),
        ``"past_cancellation"``, ``"dependency_unmet"``, ``"wrong_n_tasks"``, ``"wrong_length"`` (a completed run),
        ``"not_cut_short"`` (a killed or cancelled run is as long as the job needs), ``"killed_by_nothing"``,
        ``"cancelled_by_nobody"``, ``"machine_twice"``, ``"no_tasks"``, ``"machine_not_allowed"``,
        ``"too_many_tasks"``, ``"during_outage"``, ``"during_failure"``, ``"not_alone"`` (beside an exclusive job) or
        ``"wrong_outcome"`` (of a job).
    job, machine, instant : int, int, float or None
        Index of the job whose start breaks a rule, the machine that the schedule gives it, and its start
        time. For ``"wrong_processing"`` those of the task's last piece, and when it ends; for ``"work_exceeded"`` no
        machine, and the start of the slot. What a run gets wrong as a whole is told with its lowest machine, and None
        where it has none; for ``"wrong_outcome"`` there is no machine and no instant.
    resource : int or None
        Index of the exceeded resource, for ``"capacity_exceeded"``.
    excess : int, float or None
        By how much: units above the capacity, time before the release, length of an overlap, the processed share
        of a task minus 1, or cores above what a job may hold; core-slots that are missing; tasks above what a job has
        or one machine may have; jobs, tasks or units above a limit; how much later than it should a run ends.
    task : int or None
        Number of the task within its job, for schedules of parallel tasks, map tasks and reduce tasks.
    run : int or None
        Row of the run, for runs.
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
    run: int | None = None

    def __bool__(self) -> bool:
        return self.ok


#: What is said of a schedule in which nothing is wrong.
FEASIBLE = ValidationReport(True, "the schedule is feasible")
