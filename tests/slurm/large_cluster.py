"""A saved state of a large cluster: what Slurm's commands would print of thousands of nodes and jobs, as files."""

from pathlib import Path

import numpy as np

from slurm.small_cluster import a_job, a_node

__all__ = ["write_large_state"]

NOW = 1_700_000_000


def write_large_state(folder: Path, n_nodes: int, n_waiting: int, seed: int = 0) -> None:
    """Write a state with jobs of 1 to 64 nodes that run on nine tenths of the nodes, and jobs that wait for more.

    Four in ten wait for a part of one node, the others for nodes; estimates are 10 minutes to 2 days. Among them are
    features, exclusive jobs, dependencies, holds and begin times; two partitions, one of them more urgent.
    """
    rng = np.random.default_rng(seed)
    fat = n_nodes - n_nodes // 4
    used = np.zeros(n_nodes, dtype=int)
    jobs, node, number = [], 0, 1
    while node < n_nodes * 9 // 10:
        wide = min(int(2 ** rng.integers(0, 7)), n_nodes - node)
        cpus = int(rng.choice([16, 32, 64]))
        used[node : node + wide] = cpus
        start = NOW - int(rng.integers(0, 36_000))
        limit = max(int(rng.integers(1, 288)) * 600, NOW - start + 60)
        hosts = f"n[{node + 1}-{node + wide}]"
        jobs.append(
            a_job(
                number,
                JobState="RUNNING",
                Reason="None",
                Priority="4000000000",
                UserId=f"user{number % 97}({number % 97})",
                StartTime=str(start),
                EndTime=str(start + limit),
                TimeLimit=str(limit // 60),
                NodeList=hosts,
                NumNodes=str(wide),
                NumCPUs=str(cpus * wide),
                NumTasks=str(wide),
                CPUs__Task=str(cpus),
                Detail=f"Nodes={hosts} CPU_IDs=0-{cpus - 1} Mem=64000 GRES=",
                MinMemoryNode="64000M",
            )
        )
        node, number = node + wide, number + 1
    for _ in range(n_waiting):
        wide = 1 if rng.random() < 0.6 else int(2 ** rng.integers(0, 7))
        cpus = int(rng.choice([1, 2, 4, 8, 16, 32, 64])) if wide == 1 else int(rng.choice([32, 64]))
        kind = rng.random()
        jobs.append(
            a_job(
                number,
                Priority="0" if kind < 0.01 else str(4_000_000_000 - number),
                Reason="JobHeldUser" if kind < 0.01 else "Priority",
                Dependency=f"afterany:{number - 1}(unfulfilled)" if 0.01 < kind < 0.02 else "(null)",
                UserId=f"user{number % 97}({number % 97})",
                Account=f"group{number % 11}",
                TimeLimit=str(int(rng.integers(1, 288)) * 10),
                SubmitTime=str(NOW - n_waiting + number),
                EligibleTime=str(NOW + 3600 if 0.02 < kind < 0.025 else NOW - n_waiting + number),
                Partition="urgent" if wide <= 4 and rng.random() < 0.1 else "batch",
                NumNodes=f"{wide}-{wide}",
                NumCPUs=str(cpus * wide),
                NumTasks=str(wide),
                CPUs__Task=str(cpus),
                MinMemoryNode=f"{1000 * cpus}M",
                Features="fat" if kind > 0.9 else "(null)",
                OverSubscribe="NO" if 0.85 < kind < 0.9 else "OK",
            )
        )
        number += 1
    nodes = [
        a_node(
            f"n{index + 1}",
            CPUTot="64",
            CPUAlloc=str(used[index]),
            RealMemory="256000",
            AvailableFeatures="fat" if index >= fat else "thin",
            ActiveFeatures="fat" if index >= fat else "thin",
            State="MIXED" if used[index] else "IDLE",
            Partitions="batch,urgent",
        )
        for index in range(n_nodes)
    ]
    partitions = [
        f"PartitionName={name} AllowGroups=ALL Default={'YES' if name == 'batch' else 'NO'} MaxTime=UNLIMITED "
        f"Nodes=n[1-{n_nodes}] State=UP PriorityTier={tier}"
        for name, tier in (("batch", 1), ("urgent", 10))
    ]
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in {
        "scontrol_node.txt": nodes,
        "scontrol_job_d.txt": jobs,
        "scontrol_partition.txt": partitions,
        "slurm.conf": ["SelectType=select/cons_tres", "SelectTypeParameters=CR_Core_Memory"],
        "now.txt": [str(NOW)],
    }.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
