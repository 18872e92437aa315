"""Who gets the GPU nodes? What labels and weights of machines do for jobs that need GPUs, and for those that do not.

The same jobs run on the same nodes three times: with GPU nodes like all others, with GPU nodes that are filled last,
and with GPU nodes that are closed to jobs without GPUs.
"""

import numpy as np

import schedcore
from schedcore import bounds, metrics

N_CPU_NODES, N_GPU_NODES, N_JOBS = 12, 4, 600


def cluster(weight_of_gpu_nodes: int) -> schedcore.Machines:
    """Nodes of 32 cores, the first of which have four GPUs."""
    return schedcore.Machines(
        capacity=[[32, 256, 4]] * N_GPU_NODES + [[32, 128, 0]] * N_CPU_NODES,
        resource_names=["cores", "memory", "gpus"],
        names=[f"g{number}" for number in range(1, N_GPU_NODES + 1)]
        + [f"c{number}" for number in range(1, N_CPU_NODES + 1)],
        labels=[["gpu"]] * N_GPU_NODES + [["cpu"]] * N_CPU_NODES,
        weight=[weight_of_gpu_nodes] * N_GPU_NODES + [0] * N_CPU_NODES,
    )


def drawn_jobs(constraint_of_others: str) -> schedcore.Jobs:
    """A third of the jobs trains on GPUs, on up to four nodes; the others need cores alone."""
    draw = np.random.default_rng(1)
    on_gpus = draw.random(N_JOBS) < 1 / 3
    tasks = np.where(on_gpus, draw.choice([1, 1, 1, 2, 4], N_JOBS), draw.choice([1, 2, 4, 8], N_JOBS))
    gpus = np.where(on_gpus, draw.choice([1, 2, 4], N_JOBS), 0)
    return schedcore.Jobs(
        processing_time=draw.integers(10, 300, N_JOBS) * 60.0,
        demand=np.column_stack([np.where(on_gpus, 4 * gpus, 8), np.where(on_gpus, 32 * gpus, 16), gpus]),
        release_time=np.sort(draw.integers(0, 72 * 60, N_JOBS)) * 60.0,
        n_tasks=tasks,
        constraint=np.where(on_gpus, "gpu", constraint_of_others).astype(object),
    )


def main() -> None:
    """Print a line for each way to treat GPU nodes."""
    print(f"{'GPU nodes':28}{'wait of GPU jobs':>18}{'of the others':>15}{'makespan':>11}{'at least':>10}")
    for name, weight, others in (
        ("like all others", 0, ""),
        ("filled last", 1, ""),
        ("for jobs with GPUs only", 0, "cpu"),
    ):
        inst = schedcore.Instance(drawn_jobs(others), cluster(weight))
        result = schedcore.solve("easy", inst)
        schedcore.validate(inst, result.schedule, raise_on_error=True)
        wait = metrics.queuing_delay(inst, result.schedule) / 3600
        on_gpus = inst.demand[:, 2] > 0
        makespan = metrics.makespan(inst, result.schedule) / 3600
        bound = bounds.lower_bound(inst, "makespan").value / 3600
        print(
            f"{name:28}{wait[on_gpus].mean():16.2f} h{wait[~on_gpus].mean():13.2f} h{makespan:9.1f} h{bound:8.1f} h"
        )


if __name__ == "__main__":
    main()
