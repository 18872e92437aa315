"""No writer destroys what it should replace: a disk that is full half way leaves the old file and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

WRITER = """
import resource, sys
from pathlib import Path
import numpy as np
from schedcore import Instance, Jobs, Machines, Schedule
from schedcore.problems.schedules.job_starts import table_of_starts
from schedcore.problems.schedules.table_file import write_table
from schedcore.workloads import write_batsim_jobs, write_swf
from schedcore.workloads.reading.instance_file import write_instance

n = 20_000
jobs = Jobs(np.arange(1, n + 1) * 7919 % 10_007 + 1, np.ones((n, 1), dtype=np.int64))
inst = Instance(jobs, Machines([[n]]))
plan = Schedule(np.zeros(n), np.zeros(n, dtype=np.int64))
kind, name = sys.argv[1:]
write = {
    "swf": lambda: write_swf(name, inst, overwrite=True),
    "batsim": lambda: write_batsim_jobs(name, inst, plan, overwrite=True),
    "instance": lambda: inst.to_parquet(name, overwrite=True),
    "units": lambda: write_instance(name, inst, {}, overwrite=True),
    "schedule": lambda: write_table(Path(name), table_of_starts(inst, plan)),
}[kind]
write()  # would be as long as this
size = Path(name).stat().st_size
Path(name).write_text("precious")
resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2))
try:
    write()
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("swf", "log.swf"),
        ("swf", "log.swf.gz"),
        ("batsim", "jobs.csv"),
        ("instance", "instance.parquet"),
        ("units", "instance.parquet"),
        ("schedule", "plan.csv"),
        ("schedule", "plan.parquet"),
    ],
)
def test_a_write_that_fails_half_way_leaves_the_old_file_and_no_other(
    tmp_path: Path, kind: str, name: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WRITER, kind, name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "File too large"), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "precious"
