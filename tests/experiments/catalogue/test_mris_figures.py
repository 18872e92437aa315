"""The first job set of the evaluation, run as an experiment, has the published reference values in every digit."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from experiments.described import run_here
from papers import reference_values as reference
from schedcore.experiments import Experiment, Results, Sweep, load
from schedcore.experiments.results.statistics import share_within

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

pytestmark = pytest.mark.slow

#: Row of the published tables -> policy of the experiment.
POLICIES = {
    "MRIS scan": "MRIS",
    "MRIS list": "MRIS list",
    "MRIS-GREEDY scan": "MRIS-GREEDY",
    "PQ": "PQ",
    "TETRIS": "TETRIS",
    "BF-EXEC": "BF-EXEC",
    "CA-PQ": "CA-PQ",
}
PATIENCE = {"MRIS scan": "MRIS-WSVF", "PQ": "PQ-WSVF", "TETRIS": "TETRIS", "BF-EXEC": "BF-EXEC"}


def first_job_set(experiment: Experiment) -> Experiment:
    """The cells of job set 1 that have a published value."""
    published = {*POLICIES.values(), *PATIENCE.values(), *map(str.upper, reference.BY_KEY)}

    def cut(sweep: Sweep) -> Sweep:
        wanted: dict[str, list[Any]] = {"n_jobs": reference.N_JOBS, "n_resources": [4, 20]}
        return dataclasses.replace(
            sweep,
            policies=[policy for policy in sweep.policies if policy in published],
            parameters={
                name: [value for value in values if value in wanted.get(name, values)]
                for name, values in sweep.parameters.items()
            },
        )

    sweeps = {name: cut(sweep) for name, sweep in experiment.sweeps.items()}
    return dataclasses.replace(experiment, job_sets=(1,), sweeps=sweeps, figures={})


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run_here(first_job_set(load("mris-figures")), tmp_path_factory.mktemp("mris") / "results")


@pytest.fixture(scope="module")
def days(results: Results) -> Callable[..., Mapping[str, str]]:
    """Policy -> AWCT in days as printed, of a sweep where its parameters have the given values."""

    def of(sweep: str, **parameters: int) -> dict[str, str]:
        frame = results.sweep(sweep)
        for name, value in parameters.items():
            frame = frame[frame[name] == value]
        assert frame["policy"].is_unique
        return {row.policy: reference.in_days(row.awct) for row in frame.itertuples()}

    return of


def test_every_cell_is_valid(results: Results) -> None:
    assert results.n_missing == 0
    assert not results.failures
    assert {row["verdict"] for row in results.rows} == {"valid"}
    assert all(row["lower_bound"] <= row["awct"] for row in results.rows)


@pytest.mark.parametrize("n_jobs", reference.N_JOBS)
def test_awct_by_number_of_jobs(days: Any, n_jobs: int) -> None:
    index = reference.N_JOBS.index(n_jobs)
    measured = days("load", n_jobs=n_jobs)
    assert {row: measured[policy] for row, policy in POLICIES.items()} == {
        row: values[index] for row, values in reference.BY_N_JOBS.items()
    }


@pytest.mark.parametrize("n_machines", reference.N_MACHINES)
def test_awct_by_number_of_machines(days: Any, n_machines: int) -> None:
    index = reference.N_MACHINES.index(n_machines)
    measured = days("machines", n_machines=n_machines)
    assert {row: measured[POLICIES[row]] for row in reference.BY_N_MACHINES} == {
        row: values[index] for row, values in reference.BY_N_MACHINES.items()
    }


def test_awct_by_priority_key(days: Any) -> None:
    assert days("keys", n_jobs=64000) == {key.upper(): value for key, value in reference.BY_KEY.items()}


def test_awct_with_twenty_resources(days: Any) -> None:
    measured = days("resources", n_resources=20)
    for row, value in reference.WITH_TWENTY_RESOURCES.items():
        assert measured[POLICIES[row]] == value


def test_lower_bounds_are_not_below_the_published_ones(results: Results) -> None:
    frame = results.sweep("load")
    for n_jobs, value in zip(reference.N_JOBS, reference.LOWER_BOUND_BY_N_JOBS, strict=True):
        best = frame[frame["n_jobs"] == n_jobs]["lower_bound"].max()
        assert float(reference.in_days(best)) >= float(value)


def test_patience_pays_threefold(results: Results) -> None:
    frame = results.sweep("patience")
    measured = {row.policy: reference.in_units(row.awct) for row in frame.itertuples()}
    assert {row: measured[policy] for row, policy in PATIENCE.items()} == {
        row: reference.PATIENCE[row] for row in PATIENCE
    }


def test_shares_of_queuing_delay(results: Results) -> None:
    frame = results.sweep("delays").set_index("policy")
    large = results.large_columns("delay_quantiles")
    for row, shares in reference.DELAY_SHARES.items():
        quantiles = large[str(frame.loc[POLICIES[row], "cell"])]["delay_quantiles"]
        for limit, share in zip(reference.DELAY_DAYS, shares, strict=True):
            measured = share_within([quantiles], limit * reference.TICKS_PER_DAY).mean
            # printed to 0.01, and known to one over the number of quantiles
            assert measured == pytest.approx(float(share), abs=0.005 + 1 / 1000)
