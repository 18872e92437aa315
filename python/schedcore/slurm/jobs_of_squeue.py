"""Jobs from the text of ``squeue`` with ``|`` between its fields, as ``squeue -a -o '%i|%P|%T|...'`` prints it.

The names in the first line say what the fields are, so any choice and order of them can be read, also that of
``squeue -O 'JobID:|,State:|,...'``. JOBID, PARTITION and STATE are needed.
"""

import re

from schedcore.errors import InvalidInstanceError
from schedcore.model.real_numbers import shown
from schedcore.workloads.logs.sacct_fields import state as full_state
from schedcore.workloads.reading.hostlists import expand_hostlist

from .array_tasks import array_tasks
from .jobs import ENDED, HOLDING, STATES, SlurmJob
from .jobs_of_scontrol import gres_list
from .records import Record, quoted
from .values import Zone, tres_amounts

__all__ = ["SQUEUE_FORMAT", "jobs_of_squeue"]

#: What `squeue -o` is asked for; every version knows these.
SQUEUE_FORMAT = "%i|%A|%P|%T|%r|%Q|%l|%S|%e|%V|%D|%C|%m|%c|%f|%h|%N|%E|%v|%u|%a|%q|%b|%x|%n"

_ID = re.compile(r"(\d+)(?:_(\d+|\[.*\]))?(?:\+(\d+))?")
_NEEDED = ("JOBID", "PARTITION", "STATE")
#: What else `SQUEUE_FORMAT` tells of demands and of the order, by the names of different versions.
_WANTED = (
    *(
        ("REASON",),
        ("PRIORITY",),
        ("TIME_LIMIT",),
        ("START_TIME",),
        ("END_TIME",),
        ("SUBMIT_TIME",),
        ("NODES",),
    ),
    *(
        ("CPUS",),
        ("MIN_MEMORY",),
        ("FEATURES",),
        ("OVER_SUBSCRIBE", "SHARED"),
        ("NODELIST",),
        ("DEPENDENCY",),
    ),
    *(
        ("RESERVATION",),
        ("USER",),
        ("ACCOUNT",),
        ("QOS",),
        ("TRES_PER_NODE", "GRES"),
        ("EXC_NODES",),
        ("REQ_NODES",),
    ),
)


def jobs_of_squeue(text: str, source: str, zone: Zone = None) -> list[SlurmJob]:
    """Return the jobs of an output, in its order.

    Raises
    ------
    InvalidInstanceError
        For an output without the needed fields, or without ``|`` between them, and a line of another number of fields;
        names the file and the line.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        return []
    columns = [name.strip().upper() for name in lines[0][1].split("|")]
    absent = [name for name in _NEEDED if name not in columns]
    if absent:
        raise InvalidInstanceError(
            f"{source}: line {lines[0][0]}: no {', '.join(absent)} among names with | between them in "
            f"{quoted(lines[0][1])}; save squeue --json, or squeue -a -o '{SQUEUE_FORMAT}'"
        )
    untold = tuple(names[0] for names in _WANTED if not any(name in columns for name in names))
    jobs = []
    for number, line in lines[1:]:
        place, fields = f"{source}: line {number}", [field.strip() for field in line.split("|")]
        surplus = len(fields) - len(columns)
        if surplus > 0 and "FEATURES" in columns:  # thin|ssd: squeue puts nothing in quotes
            at = columns.index("FEATURES")
            fields[at : at + surplus + 1] = ["|".join(fields[at : at + surplus + 1])]
        if len(fields) != len(columns):
            raise InvalidInstanceError(
                f"{place}: {len(fields)} fields, but the first line names {len(columns)}"
            )
        # %i and %A are both called JOBID; the first is the one with the task of the array.
        named: dict[str, str] = {}
        for column, field in zip(columns, fields, strict=True):
            named.setdefault(column if column not in named else f"{column}_AGAIN", field)
        jobs.append(_job(Record(named, place, zone=zone), untold))
    return jobs


def _job(record: Record, untold: tuple[str, ...]) -> SlurmJob:
    match = _ID.fullmatch(record.needed("JOBID"))
    if match is None:
        raise InvalidInstanceError(f"{record.place}: JOBID = {shown(repr(record.text('JOBID')))} is no job")
    number, own, state = int(match[1]), record.count("JOBID_AGAIN"), full_state(record.needed("STATE"))
    if state not in STATES:
        raise InvalidInstanceError(f"{record.place}: STATE = {shown(repr(state))} is no state of a job")
    tasks: tuple[int, ...] = ()
    throttle = None
    try:
        if match[2]:
            tasks, throttle = array_tasks(match[2])
        nodes = expand_hostlist(record.text("NODELIST") or "")
        excluded, required = (expand_hostlist(record.text(name) or "") for name in ("EXC_NODES", "REQ_NODES"))
        tres = tres_amounts(record.text("TRES", "TRES_ALLOC") or "")
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"{record.place}: {error}") from None
    memory = record.text("MIN_MEMORY") or ""
    shared = (record.text("OVER_SUBSCRIBE", "SHARED") or "OK").upper()
    return SlurmJob(
        job_id=number if own is None else own,
        state=state,
        array_job_id=number if match[2] else None,
        array_tasks=tasks,
        array_throttle=throttle,
        het_job_id=number if match[3] else None,
        het_offset=int(match[3]) if match[3] else None,
        name=record.text("NAME") or "",
        user=record.text("USER") or "",
        account=record.text("ACCOUNT") or "",
        partition=record.needed("PARTITION"),
        qos=record.text("QOS") or "",
        reason=(record.text("REASON") or "").replace(" ", "_"),  # as scontrol writes it
        dependency=record.text("DEPENDENCY") or "",
        features=record.text("FEATURES") or "",
        reservation=record.text("RESERVATION") or "",
        licenses=record.text("LICENSES") or "",
        submit_time=record.instant("SUBMIT_TIME"),
        eligible_time=record.instant("ELIGIBLE_TIME"),
        start_time=record.instant("START_TIME"),
        end_time=record.instant("END_TIME"),
        time_limit=record.seconds("TIME_LIMIT"),
        priority=record.count("PRIORITY"),
        min_nodes=record.count("NODES"),
        max_nodes=record.count("MAX_NODES") or None,
        n_tasks=record.count("TASKS"),
        cpus_per_task=record.count("CPUS_PER_TASK"),
        cpus=record.count("CPUS"),
        least_cpus=record.count("MIN_CPUS"),
        # squeue does not tell whether it is that of a processor or of a node, but for one word of 17.x to 20.02
        memory_per_node=None if memory.endswith("c") else record.megabytes("MIN_MEMORY"),
        memory_per_cpu=record.megabytes("MIN_MEMORY") if memory.endswith("c") else None,
        gres_per_node=gres_list(record.text("TRES_PER_NODE", "GRES"), record.place),
        tres=tuple(tres.items()),
        exclusive=shared in ("NO", "EXCLUSIVE"),
        shares_nodes=shared if shared in ("YES", "USER", "MCS", "TOPO") else "",
        required_nodes=required,
        excluded_nodes=excluded,
        nodes=nodes if state in HOLDING | ENDED else (),
        untold=untold,
        place=record.place,
    )
