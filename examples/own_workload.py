"""From measured fractions of a machine to an instance on disk, a schedule, and its certificate."""

import tempfile
from pathlib import Path

import schedcore


def main() -> None:
    jobs = schedcore.Jobs(
        processing_time=[300, 45, 120, 60, 600],
        demand=[[0.5, 0.25], [0.1, 0.7], [0.5, 0.05], [0.3, 0.3], [0.9, 0.1]],  # shares of a machine
        release_time=[0, 10, 10, 20, 30],
        weight=[1, 5, 1, 2, 1],
        resolution=1_000_000,
    )
    machines = schedcore.Machines([[1.0, 1.0]], resource_names=["cpu", "memory"], resolution=1_000_000)
    inst = schedcore.Instance(jobs, machines)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "workload.parquet"
        inst.to_parquet(path)
        again = schedcore.Instance.from_parquet(path)
    assert again == inst
    assert again.content_hash() == inst.content_hash()

    result = schedcore.solve("pq", again)
    print(result)
    for job, (start, machine) in enumerate(
        zip(result.schedule.start_time, result.schedule.machine, strict=True)
    ):
        print(f"job {job} starts at {start:g} on machine {machine}")
    print(f"no schedule is better by more than {100 * (result.gap() or 0.0):.1f} %")


if __name__ == "__main__":
    main()
