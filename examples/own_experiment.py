"""An experiment of your own: which policy at which load, with bands over five job sets and a claim to check."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from schedcore import experiments
from schedcore.experiments import Claim, Experiment, Figure, Sweep, Workload
from schedcore.experiments.report.tables import claims_table, markdown

experiment = Experiment(
    name="which-queue",
    workloads={"azure": Workload("azure_like", {"n_machines": 2})},
    policies={
        "PQ": "pq",
        "MRIS": "mris:knapsack=exact",
        "MRIS early": "mris:opportunistic=true,replan=always",
    },
    sweeps={"load": Sweep(["azure"], ["PQ", "MRIS", "MRIS early"], {"n_jobs": [400, 1600, 6400]})},
    figures={
        "load": Figure(
            "load",
            x="n_jobs",
            unit="days",
            lower_bound=True,
            claims=[
                Claim(
                    "MRIS early is never far behind PQ", "ratio", ("MRIS early", "PQ"), (400, 400), (0, 1.05)
                )
            ],
        )
    },
    job_sets=range(1, 6),
)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as threads:
        # Kernels run without the GIL, so threads do for small experiments; without `executor` processes are used.
        results = experiments.run(experiment, Path(folder) / "results", executor=threads)
        print(results, "\n")
        print(markdown(results.table("load")), "\n")
        print(markdown(claims_table(results.claims("load"))))
