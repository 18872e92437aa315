"""What a reader warns of reaches whoever runs an experiment, once a worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedcore.experiments import Experiment, Sweep, Workload
from schedcore.experiments.cells import cells_of_sweep
from schedcore.experiments.instances import InstanceCache


def test_work_that_a_log_loses_is_a_warning_on_stderr(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.swf"
    rows = [
        f"{job} {job} 0 100 {size} -1 -1 {size} 200 -1 1 1 1 1 1 1 -1 -1"
        for job, size in ((1, 1), (2, 1), (3, 2))
    ]
    log.write_text("; MaxProcs: 4\n" + "\n".join(rows) + "\n")
    experiment = Experiment(
        name="lossy",
        workloads={"log": Workload(str(log), {"machines": "4x1"})},
        policies={"pq": "pq"},
        sweeps={"all": Sweep(["log"], ["pq"], {"first_jobs": [1, 2]})},
    )
    for _ in range(2):
        cache = InstanceCache()
        for member in cells_of_sweep(experiment, experiment.sweeps["all"]):
            assert cache.get(member.cell, {}).n_jobs == member.cell.arguments["first_jobs"]
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"WARNING: {log}: 50.0 % of the work left out, mostly as too_big")
    assert line.endswith('machines="1x4"')
