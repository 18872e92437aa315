"""One comparison for all algorithms: the library's decisions against those of the reference implementation."""

from typing import Any

import schedcore
from reference.plain_instance import PlainInstance
from reference.solving import solve_with_reference

KEYS = ["wsjf", "wsvf", "wsdf", "sjf", "svf", "sdf", "erf"]
MODES = ["inverse", "minus", "plus"]
KNAPSACKS = ["exact", "cadp", "greedy", "greedy_union"]
PLACEMENTS = ["scan", "list", "nobackfill"]


def assert_equals_reference(name: str, instance: schedcore.Instance, **options: Any) -> None:
    result = schedcore.solve(name, instance, **options)
    reference = solve_with_reference(name, PlainInstance.from_instance(instance), **options)
    assert result.schedule.start_time.tolist() == reference.schedule.start_time
    assert result.schedule.machine.tolist() == reference.schedule.machine
    records = [
        (row["k"], row["gamma"], row["n_candidates"], list(row["chosen"]), row["makespan"])
        for row in result.stats.get("iterations", [])
    ]
    assert records == [
        (row.k, row.gamma, row.n_candidates, row.chosen, row.makespan) for row in reference.iterations
    ]
