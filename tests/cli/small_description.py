"""A description of an experiment that takes a second, with policies of which the outcome is known."""

from pathlib import Path

from experiments.small_experiments import MODULE

DESCRIPTION = """
name = "{name}"
title = "Sizes"
job_sets = 2
{modules}

[workloads]
azure = {{ source = "azure_like", n_machines = 2 }}

[policies]
PQ = "pq"
MRIS = "mris"
{policies}

[sweeps.sizes]
workloads = ["azure"]
policies = ["PQ", "MRIS"{labels}]
parameters = {{ n_jobs = [30, 60] }}

[figures.sizes]
sweep = "sizes"
title = "AWCT by number of jobs"
x = "n_jobs"
y = "awct"

[[figures.sizes.claims]]
text = "PQ is no better than twice MRIS"
ratio = ["PQ", "MRIS"]
at = [60, 60]
between = [0.1, 2.0]
"""


def describe(folder: Path, name: str = "sizes", **policies: str) -> Path:
    """Write a description; `policies` are those of `difficult_policies`."""
    path = folder / f"{name}.toml"
    path.write_text(
        DESCRIPTION.format(
            name=name,
            modules=f'modules = ["{MODULE}"]' if policies else "",
            policies="\n".join(f'{label} = "{word}"' for label, word in policies.items()),
            labels="".join(f', "{label}"' for label in policies),
        )
    )
    return path
