"""Files as Slurm's accounting writes them, and what is read from one."""

import gzip
from pathlib import Path
from typing import Any

from schedcore.workloads import DataReport, read_sacct

GB = 1024 * 1024  # KB

# Slurm 21.08 and later: memory of the whole job.
EXAMPLE = """\
JobIDRaw|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|ReqCPUS|AllocCPUS|NNodes|ReqMem|ReqTRES|AllocTRES
11|1706695200|1706695205|1706695305|100|10|COMPLETED|8|8|1|32G|billing=8,cpu=8,mem=32G|billing=8,cpu=8,mem=32G
12|1706695210|1706695220|1706695240|20|UNLIMITED|FAILED|4|6|1|4000M|cpu=4,gres/gpu:a100=2|cpu=6,mem=6000M,gres/gpu=2
13|1706695215|1706695215|1706695276|61|1|TIMEOUT|2|2|1|1G|cpu=2,gres/gpu=1,mem=1G|cpu=2,gres/gpu=1,mem=1G
14|1706695230|1706695300|1706695330|30|Partition_Limit|CANCELLED by 1001|1|1|1|2.50G|cpu=1,mem=2.50G|cpu=1,mem=2.50G
15|1706695231|None|1706695300|0|10|CANCELLED by 1001|1|0|1|1G|cpu=1,mem=1G,node=1|
16|1706695232|1706695300|Unknown|500|10|RUNNING|1|1|1|1G|cpu=1,mem=1G,node=1|cpu=1,mem=1G,node=1
17|1706695233|Unknown|Unknown|0|10|PENDING|1|0|1|1G|cpu=1,mem=1G,node=1|
"""

HEADER = "JobIDRaw|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|ReqCPUS|NNodes|ReqMem"


def write(folder: Path, text: str, name: str = "log.sacct") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def read_jobs(path: Path, **options: Any) -> tuple[list[tuple[int, ...]], DataReport]:
    """Rows (id, release time, processing time, estimate, demands...)."""
    instance, report = read_sacct(path, **options)
    jobs = instance.jobs
    times = (jobs.release_time, jobs.processing_time, jobs.estimated_processing_time)
    table = zip(*(column.tolist() for column in (jobs.id, *times, *jobs.demand.T)), strict=True)
    return [tuple(int(value) for value in row) for row in table], report


def row(
    number: object = 1,
    submit: object = 1000,
    start: object = 1000,
    end: object = 1010,
    elapsed: object = 10,
    limit: object = 1,
    state: str = "COMPLETED",
    cpus: object = 2,
    nodes: object = 1,
    memory: str = "1M",
) -> str:
    return "|".join(map(str, (number, submit, start, end, elapsed, limit, state, cpus, nodes, memory)))


def table(folder: Path, *rows: str) -> Path:
    return write(folder, "\n".join([HEADER, *rows]) + "\n")
