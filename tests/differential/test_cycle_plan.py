"""A planning pass over whole machines is what the plain reference says: starts, machines, reasons and counts."""

import os

import numpy as np
import pytest

from differential.cycle_cases import random_case, reference_plan
from schedcore.engine.cycle_plan import OUTCOMES, plan_cycle

N_CASES = int(os.environ.get("SCHEDCORE_CYCLE_CASES", "1500"))
N_GROUPS = 10


@pytest.mark.parametrize("group", range(N_GROUPS))
def test_a_pass_is_what_the_reference_says(group: int) -> None:
    for seed in range(group, N_CASES, N_GROUPS):
        case = random_case(seed)
        expected, planned = case.plan(reference_plan), case.plan(plan_cycle)
        for name in ("start", "outcome"):
            np.testing.assert_array_equal(
                getattr(planned, name), getattr(expected, name), err_msg=f"{name}, seed {seed}"
            )
        assert planned.machines.offset.tolist() == expected.machines.offset.tolist(), seed
        assert planned.machines.machine.tolist() == expected.machines.machine.tolist(), seed
        assert (planned.n_tried, planned.n_inserted) == (expected.n_tried, expected.n_inserted), seed


def test_the_random_passes_come_to_every_outcome() -> None:
    outcomes = np.concatenate([random_case(seed).plan(plan_cycle).outcome for seed in range(600)])
    counts = np.bincount(outcomes, minlength=len(OUTCOMES))
    assert counts.min() >= 5, dict(zip(OUTCOMES, counts.tolist(), strict=True))
    assert counts[OUTCOMES.index("planned")] >= 0.2 * counts.sum()
