"""A job as Slurm describes it, whatever command said it."""

import dataclasses

__all__ = ["ENDED", "HOLDING", "STATES", "NodeShare", "SlurmJob"]

#: States of jobs that hold nodes.
HOLDING = frozenset({"RUNNING", "SUSPENDED", "CONFIGURING", "STOPPED", "SIGNALING", "RESIZING", "STAGE_OUT"})
#: States of jobs that are over; COMPLETING ones are, too, but for what is left to clean.
ENDED = frozenset(
    {
        "COMPLETED",
        "COMPLETING",
        "CANCELLED",
        "FAILED",
        "TIMEOUT",
        "NODE_FAIL",
        "PREEMPTED",
        "BOOT_FAIL",
        "DEADLINE",
    }
) | {"OUT_OF_MEMORY", "REVOKED"}
#: All states, those in which a job waits among them.
STATES = (
    HOLDING
    | ENDED
    | {"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT", "LAUNCH_FAILED"}
    | {"RECONFIG_FAIL", "POWER_UP_NODE", "EXPEDITING", "UPDATE_DB"}
)


@dataclasses.dataclass(frozen=True, slots=True)
class NodeShare:
    """What a running job holds on one node.

    Parameters
    ----------
    node : str
    cpus : int
    memory : int
        MB.
    gres : tuple of (str, str, int)
        Name, type and number.
    """

    node: str
    cpus: int
    memory: int
    gres: tuple[tuple[str, str, int], ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SlurmJob:
    """A job, or all tasks of an array that still wait.

    Parameters
    ----------
    job_id : int
    state : str
        In capitals, as RUNNING or PENDING.
    array_job_id : int or None
        The number of its array.
    array_tasks : tuple of int
        Which tasks of the array it is; empty for what is no array.
    array_throttle : int or None
        How many tasks of the array may run at once.
    het_job_id, het_offset : int or None
        The number of the heterogeneous job that it is a part of, and which part.
    name, user, account, partition, qos, reason, dependency, features, reservation, licenses : str
        Empty where nothing is said; `partition` may name several, and `reason` has ``_`` for spaces.
    submit_time, eligible_time, start_time, end_time : float or None
        Seconds since 1970; the start and end of a waiting job are what Slurm expects.
    considered_time : float or None
        When Slurm last looked whether it may start, in seconds since 1970.
    time_limit : float or None
        Seconds; infinite without a limit.
    priority : float or None
        As Slurm computed it; 0 where the job is held.
    nice : int
    min_nodes, max_nodes : int or None
        How many nodes it asks for; of a running job how many it has.
    n_tasks, tasks_per_node, cpus_per_task, cpus : int or None
    least_cpus : int or None
        What each of its nodes has to give.
    memory_per_node, memory_per_cpu : float or None
        MB.
    gres_per_node, gres_per_task, gres_per_job : tuple of (str, str, int)
        Name, type and number.
    tres : tuple of (str, int)
        All that it asks for, or holds where it runs; memory in MB.
    exclusive : bool
        Whether it wants its nodes for itself.
    shares_nodes : str
        Other words of OverSubscribe: YES, USER, MCS, TOPO; else empty.
    required_nodes, excluded_nodes, nodes : tuple of str
    allocation : tuple of NodeShare
        What it holds; empty where no command told.
    requeue : bool
    restarts : int
    untold : tuple of str
        Columns of a table that would tell more of it, and are not there.
    place : str
        Where it is written.
    """

    job_id: int
    state: str
    array_job_id: int | None = None
    array_tasks: tuple[int, ...] = ()
    array_throttle: int | None = None
    het_job_id: int | None = None
    het_offset: int | None = None
    name: str = ""
    user: str = ""
    account: str = ""
    partition: str = ""
    qos: str = ""
    reason: str = ""
    dependency: str = ""
    features: str = ""
    reservation: str = ""
    licenses: str = ""
    submit_time: float | None = None
    eligible_time: float | None = None
    start_time: float | None = None
    end_time: float | None = None
    considered_time: float | None = None
    time_limit: float | None = None
    priority: float | None = None
    nice: int = 0
    min_nodes: int | None = None
    max_nodes: int | None = None
    n_tasks: int | None = None
    tasks_per_node: int | None = None
    cpus_per_task: int | None = None
    cpus: int | None = None
    least_cpus: int | None = None
    memory_per_node: float | None = None
    memory_per_cpu: float | None = None
    gres_per_node: tuple[tuple[str, str, int], ...] = ()
    gres_per_task: tuple[tuple[str, str, int], ...] = ()
    gres_per_job: tuple[tuple[str, str, int], ...] = ()
    tres: tuple[tuple[str, int], ...] = ()
    exclusive: bool = False
    shares_nodes: str = ""
    required_nodes: tuple[str, ...] = ()
    excluded_nodes: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    allocation: tuple[NodeShare, ...] = ()
    requeue: bool = True
    restarts: int = 0
    untold: tuple[str, ...] = ()
    place: str = ""

    @property
    def called(self) -> str:
        """As Slurm writes it: ``17``, ``17_3``, or ``17+1`` for a part of a heterogeneous job."""
        if self.array_job_id is not None and len(self.array_tasks) == 1:
            return f"{self.array_job_id}_{self.array_tasks[0]}"
        if self.het_job_id is not None:
            return f"{self.het_job_id}+{self.het_offset or 0}"
        return str(self.job_id)

    @property
    def is_running(self) -> bool:
        """Whether it holds nodes."""
        return self.state in HOLDING

    @property
    def is_waiting(self) -> bool:
        """Whether it is yet to start."""
        return self.state not in HOLDING and self.state not in ENDED

    @property
    def is_held(self) -> bool:
        """Whether somebody keeps it from starting: a user, an administrator, or a failure to start."""
        return self.is_waiting and (
            self.priority == 0
            or self.reason in ("JobHeldUser", "JobHeldAdmin", "JobHoldMaxRequeue", "DependencyNeverSatisfied")
            or self.reason.lower().endswith("requeued_held")
            or self.state in ("REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD")
        )

    @property
    def n_jobs(self) -> int:
        """How many jobs it stands for: the tasks of an array that wait, else 1."""
        return max(1, len(self.array_tasks))
