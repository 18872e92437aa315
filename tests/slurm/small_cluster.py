"""A small cluster in Slurm's own words: four nodes, two partitions, a few jobs; tests change one thing of it."""

from pathlib import Path

from schedcore.slurm import SlurmState, read_state

__all__ = [
    "CONFIGURATION",
    "NODES",
    "ON_N1",
    "PARTITIONS",
    "a_job",
    "a_node",
    "not_modelled",
    "running",
    "saved",
    "state",
]

CONFIGURATION = """\
ClusterName=small
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
NodeName=n[1-2] CPUs=8 RealMemory=32000 Feature=thin Weight=2
NodeName=n[3-4] CPUs=16 RealMemory=64000 Feature=fat,ssd Gres=gpu:a100:4
PartitionName=batch Nodes=ALL Default=YES MaxTime=1-00:00:00 PriorityTier=1
PartitionName=urgent Nodes=n[3-4] MaxTime=60 MaxNodes=1 PriorityTier=10 PriorityJobFactor=4
"""


def a_node(name: str, **fields: str) -> str:
    """A line of ``scontrol -o show node``."""
    told = {
        "NodeName": name, "Arch": "x86_64", "CPUAlloc": "0", "CPUTot": "8", "AvailableFeatures": "thin",
        "ActiveFeatures": "thin", "Gres": "(null)", "OS": "Linux 6.1 #1 SMP", "RealMemory": "32000", "State": "IDLE",
        "ThreadsPerCore": "1", "Weight": "1", "Partitions": "batch",
    }  # fmt: skip
    return " ".join(f"{key}={value}" for key, value in {**told, **fields}.items())


NODES = "\n".join(
    [a_node("n1"), a_node("n2"), a_node("n3", CPUTot="16", RealMemory="64000", Gres="gpu:a100:4")]
)
PARTITIONS = (
    "PartitionName=batch AllowGroups=ALL Default=YES MaxTime=UNLIMITED Nodes=n[1-3] State=UP PriorityTier=1"
)

ON_N1 = "Nodes=n1 CPU_IDs=0-3 Mem=4000 GRES="


def a_job(number: int, **fields: str) -> str:
    """A line of ``scontrol -o -d show job`` for a job that waits; `fields` replace what it says, "" takes it away."""
    told = {
        "JobId": str(number), "ArrayJobId": "", "ArrayTaskId": "", "ArrayTaskThrottle": "", "HetJobId": "",
        "HetJobOffset": "", "JobName": "j", "UserId": "ann(7)", "GroupId": "g(7)", "MCS_label": "N/A",
        "Priority": "100", "Nice": "0", "Account": "physics", "QOS": "normal", "JobState": "PENDING",
        "Reason": "Resources", "Dependency": "(null)", "TimeLimit": "01:00:00", "SubmitTime": "1000",
        "EligibleTime": "1000", "StartTime": "Unknown", "EndTime": "Unknown", "Partition": "batch",
        "ReqNodeList": "(null)", "ExcNodeList": "(null)", "NodeList": "", "NumNodes": "1-1", "NumCPUs": "2",
        "NumTasks": "1", "CPUs/Task": "2", "TRES": "cpu=2,mem=1000M,node=1", "NtasksPerN:B:S:C": "0:0:*:*",
        "Detail": "", "MinCPUsNode": "2", "MinMemoryNode": "1000M", "MinMemoryCPU": "", "Features": "(null)",
        "OverSubscribe": "OK", "Licenses": "(null)", "Reservation": "", "WorkDir": "/",
        "TresPerNode": "", "TresPerTask": "",
    }  # fmt: skip
    told.update(
        {
            key.replace("__", "/").replace("NtasksPerN", "NtasksPerN:B:S:C"): value
            for key, value in fields.items()
        }
    )
    detail = told.pop("Detail")
    line = " ".join(f"{key}={value}" for key, value in told.items() if value or key == "NodeList")
    return line.replace(" MinCPUsNode=", f"   {detail} MinCPUsNode=") if detail else line


def running(number: int, where: str, **fields: str) -> str:
    """The same for a job that runs since 5000 on `where`, as ``Nodes=n1 CPU_IDs=0-1 Mem=1000 GRES=``."""
    nodes = ",".join(word.removeprefix("Nodes=") for word in where.split() if word.startswith("Nodes="))
    told = {"JobState": "RUNNING", "Reason": "None", "StartTime": "5000", "EndTime": "8600", "NumNodes": "1"}
    return a_job(number, **{**told, "NodeList": nodes, "Detail": where, **fields})


def saved(folder: Path, jobs: str, **files: str) -> Path:
    """Write a state at the instant 6000 into a folder; `files` replace what is there, by names without ``.txt``."""
    told = {
        "now": "6000\n", "scontrol_node": NODES, "scontrol_partition": PARTITIONS,
        "scontrol_job_d": jobs or "No jobs in the system\n",
        "scontrol_reservation": "No reservations in the system\n",
    }  # fmt: skip
    (folder / "slurm.conf").write_text("SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n")
    for name, text in {**told, **files}.items():
        path = folder / (name if "." in name else f"{name}.txt")
        path.write_text(text)
    return folder


def state(folder: Path, *jobs: str, **files: str) -> SlurmState:
    """Write such a state, and read it."""
    return read_state(saved(folder, "\n".join(jobs), **files), timezone="UTC")


def not_modelled(read: SlurmState) -> dict[str, int | None]:
    """What of a state is not modelled, and for how many jobs."""
    return {finding.setting: finding.n_jobs for finding in read.not_modelled}
