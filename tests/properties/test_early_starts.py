"""MRIS with early starts and re-planning keeps the proof of plain MRIS.

A job of no batch that starts at t in [gamma_k, gamma_{k+1}) counts with iteration k + 1; it is
at most ``patience * gamma_k`` long and so ends by (1 + patience / 2) gamma_{k+1}.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from properties.mris_constants import KNAPSACKS, batch_factor, ends, sum_weighted_ends
from reference.optimum import optimum
from strategies import instances

# planning again needs "scan"
ways = st.sampled_from(
    [
        {"opportunistic": True},
        {"opportunistic": True, "placement": "nobackfill"},
        {"opportunistic": True, "replan": True},
        {"opportunistic": True, "replan": "always"},
    ]
)
# 2 is the largest patience that every instance allows: 2c - 2 with c = 2 (one machine, one resource, exact)
patiences = st.sampled_from([{}, {"patience": 0.25}, {"patience": 1.0}, {"patience": 2.0}])
choices: st.SearchStrategy[dict[str, Any]] = st.builds(
    lambda way, patience, knapsack, heuristic: {
        **way,
        **patience,
        "knapsack": knapsack,
        "heuristic": heuristic,
    },
    ways,
    patiences,
    st.sampled_from(KNAPSACKS),
    st.sampled_from(["wsjf", "svf", "erf"]),
)


def early_jobs(instance: schedcore.Instance, result: schedcore.Result) -> list[int]:
    """The jobs that no batch took."""
    in_batches = {job for row in result.stats["iterations"] for job in row["chosen"]}
    return [job for job in range(instance.n_jobs) if job not in in_batches]


def interval_end(instance: schedcore.Instance, start: float) -> Fraction:
    """gamma_{k+1} of the interval [gamma_k, gamma_{k+1}) that holds `start`."""
    gamma = Fraction(instance.jobs.processing_time.min())
    assert gamma <= Fraction(start), "nothing starts before gamma_0"
    while gamma <= Fraction(start):
        gamma *= 2
    return gamma


@given(instance=instances(max_jobs=12), choice=choices)
def test_p9_batches_and_early_jobs_partition_the_jobs(
    instance: schedcore.Instance, choice: dict[str, Any]
) -> None:
    result = schedcore.solve("mris", instance, **choice)
    schedcore.validate(instance, result.schedule, raise_on_error=True)
    in_batches = [job for row in result.stats["iterations"] for job in row["chosen"]]
    assert len(in_batches) == len(set(in_batches))
    for row in result.stats["iterations"]:
        chosen = list(row["chosen"])
        assert np.all(result.schedule.start_time[chosen] >= row["gamma"])
        assert np.all(instance.jobs.processing_time[chosen] <= row["gamma"])
        assert np.all(instance.jobs.release_time[chosen] <= row["gamma"])


@given(instance=instances(max_jobs=12), choice=choices)
def test_planned_jobs_end_by_2c_gamma_of_their_batch(
    instance: schedcore.Instance, choice: dict[str, Any]
) -> None:
    result = schedcore.solve("mris", instance, **choice)
    if result.guarantee is None:
        return
    end = ends(instance, result)
    c = batch_factor(instance, choice["knapsack"])
    for row in result.stats["iterations"]:
        assert max(end[job] for job in row["chosen"]) <= 2 * c * Fraction(row["gamma"])


@given(instance=instances(max_jobs=12), choice=choices)
def test_early_jobs_end_by_2c_gamma_of_the_iteration_they_count_with(
    instance: schedcore.Instance, choice: dict[str, Any]
) -> None:
    result = schedcore.solve("mris", instance, **choice)
    end = ends(instance, result)
    c = batch_factor(instance, choice["knapsack"])
    patience = Fraction(choice["patience"]) if "patience" in choice else 2 * c - 2
    for job in early_jobs(instance, result):
        gamma = interval_end(instance, result.schedule.start_time[job])
        assert Fraction(instance.jobs.processing_time[job]) <= patience * gamma / 2
        assert end[job] <= (1 + patience / 2) * gamma
        assert end[job] <= 2 * c * gamma


@given(instance=instances(min_jobs=1, max_jobs=5, max_machines=3), choice=choices)
def test_sum_weighted_completion_stays_within_4c_of_the_optimum(
    instance: schedcore.Instance, choice: dict[str, Any]
) -> None:
    result = schedcore.solve("mris", instance, **choice)
    if result.guarantee is None:
        return
    factor = 4 * batch_factor(instance, choice["knapsack"])
    assert result.guarantee == pytest.approx(float(factor))
    assert sum_weighted_ends(instance, result) <= factor * optimum(instance).sum_weighted_completion


@pytest.mark.parametrize(
    ("option", "placement"), [("opportunistic", "list"), ("replan", "list"), ("replan", "nobackfill")]
)
def test_placements_that_cannot_keep_the_proof_are_refused(option: str, placement: str) -> None:
    instance = schedcore.Instance(
        schedcore.Jobs(processing_time=[1, 2], demand=[[1], [1]]), schedcore.Machines.identical(1, [2])
    )
    with pytest.raises(schedcore.UnsupportedError, match=option):
        schedcore.solve("mris", instance, placement=placement, **{option: True})


def test_an_early_start_uses_the_gap_that_plain_mris_leaves() -> None:
    # gamma_0 = 2 plans J0 during [2, 4). J1 (length 2) arrives at 3, after gamma_0; plain MRIS lets it wait
    # for gamma_1 = 4, an early start takes the free half of the machine at 3.
    instance = schedcore.Instance(
        schedcore.Jobs(processing_time=[2, 2], demand=[[1], [1]], release_time=[0, 3]),
        schedcore.Machines.identical(1, [2]),
    )
    plain = schedcore.solve("mris", instance)
    early = schedcore.solve("mris", instance, opportunistic=True, patience=1.0)
    assert plain.schedule.start_time.tolist() == [2, 4]
    assert early.schedule.start_time.tolist() == [2, 3]
    assert [list(row["chosen"]) for row in early.stats["iterations"]] == [[0]]
