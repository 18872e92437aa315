"""Thousands of cells are told in a few lines."""

import json
from typing import Any

from schedcore.experiments import Experiment, Sweep, Workload
from schedcore.experiments.report.origin import policy_groups, workload_groups


def row(job_set: int, n_jobs: int, **arguments: Any) -> dict[str, Any]:
    return {
        "workload": "input:log", "workload_arguments": json.dumps(arguments), "workload_hash": f"{job_set}-{n_jobs}",
        "n_jobs": n_jobs - job_set % 2, "n_machines": 20, "n_resources": 2,
    }  # fmt: skip


def test_a_thousand_job_sets_are_one_line_with_the_first_hashes_in_the_order_of_their_draws() -> None:
    rows = [row(s, 4000, factor=1000, offset=s) for s in reversed(range(1000))]
    rows += [row(s, 90, factor=5, offset=s) for s in range(5)]
    few, many = workload_groups(rows)
    assert (few.arguments, few.n_jobs, few.cells, few.unlisted) == ({"factor": 5}, "89 to 90", 5, 0)
    assert (many.arguments, many.n_jobs, many.cells) == ({"factor": 1000}, "3,999 to 4,000", 1000)
    assert [draw for draw, _ in many.hashes[:3]] == ["offset 0", "offset 1", "offset 2"]
    assert len(many.hashes) + many.unlisted == 1000
    assert len(many.hashes) <= 20


def test_cells_that_failed_before_they_had_an_instance_are_counted_without_a_hash() -> None:
    lost = row(1, 50, seed=1) | {
        "workload_hash": None,
        "n_jobs": None,
        "n_machines": None,
        "n_resources": None,
    }
    (group,) = workload_groups([lost])
    assert (group.n_jobs, group.cells, list(group.hashes)) == ("-", 1, [])


def test_labels_with_equal_options_are_one_policy_and_options_of_a_sweep_make_more() -> None:
    experiment = Experiment(
        name="few",
        job_sets=tuple(range(1, 101)),
        workloads={"azure": Workload("azure_like", {"n_jobs": 9})},
        policies={"B": "pq", "A": "pq:heuristic=wsjf", "M": "mris"},
        sweeps={
            "plain": Sweep(["azure"], ["A", "B", "M"]),
            "options": Sweep(["azure"], ["M"], {"policy.epsilon": [0.1, 0.5]}),
        },
    )
    both, default, other = policy_groups(experiment, [])
    assert list(both.labels) == ["B", "A"]
    assert all(option.is_default for option in (*both.options, *default.options))
    assert [(option.name, option.text) for option in other.options if not option.is_default] == [
        ("epsilon", "0.5")
    ]
    assert (both.cells, both.mean_solve, both.jobs_per_second, both.peak_memory) == (0, "-", "-", "-")
