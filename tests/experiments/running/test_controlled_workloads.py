"""First jobs, exact estimates and Poisson arrivals are arguments of any workload, a job set a draw."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.described import run_here
from schedcore import InvalidInstanceError
from schedcore.experiments import Experiment, Sweep, Workload
from schedcore.experiments.running.cells import cells_of_sweep
from schedcore.experiments.running.instances import InstanceCache
from schedcore.model import Instance
from schedcore.workloads import exact_estimates, feitelson_k, first_jobs, poisson_arrivals, write_swf

FEITELSON = {"seed": 2, "n_jobs": 150, "estimate_factor": 3}


def described(workload: Workload, **parameters: list[Any]) -> Experiment:
    return Experiment(
        name="controlled",
        workloads={"jobs": workload},
        policies={"easy": "easy", "cons": "conservative"},
        sweeps={"all": Sweep(["jobs"], ["easy", "cons"], parameters)},
        inputs={"log": "a log"},
        job_sets=(1, 2, 3),
    )


def made(experiment: Experiment) -> dict[int, Instance]:
    """Job set -> its instance."""
    cache = InstanceCache()
    members = cells_of_sweep(experiment, experiment.sweeps["all"])
    return {member.cell.job_set: cache.get(member.cell, {}) for member in members}


def test_a_job_set_is_a_draw_of_the_arrivals_of_the_same_jobs() -> None:
    workload = Workload("feitelson_k", {**FEITELSON, "first_jobs": 100, "exact_estimates": True})
    kept = exact_estimates(first_jobs(feitelson_k(**FEITELSON), 100))
    expected = {s: poisson_arrivals(kept, s, average_queue=4) for s in (1, 2, 3)}
    assert made(described(workload, poisson_average_queue=[4])) == expected
    assert len({inst.content_hash() for inst in expected.values()}) == 3


def test_a_mean_gap_is_taken_as_it_is_and_estimates_stay_unless_asked() -> None:
    workload = Workload("feitelson_k", {**FEITELSON, "exact_estimates": False})
    (first, *_) = made(described(workload, poisson_mean_gap=[12.5])).values()
    assert first == poisson_arrivals(feitelson_k(**FEITELSON), 1, mean_gap=12.5)
    assert first.jobs.has_estimates


def test_without_draws_there_is_one_job_set() -> None:
    workload = Workload("feitelson_k", {**FEITELSON, "first_jobs": 100, "exact_estimates": True})
    assert list(made(described(workload))) == [1]


def test_arrivals_of_downsampled_jobs_are_drawn_after_the_downsampling() -> None:
    workload = Workload("feitelson_k", {**FEITELSON, "factor": 3, "poisson_mean_gap": 50})
    for job_set, inst in made(described(workload)).items():
        assert inst.n_jobs == 50
        released = poisson_arrivals(inst, job_set, mean_gap=50)
        np.testing.assert_array_equal(inst.jobs.release_time, released.jobs.release_time)


def test_a_log_runs_at_the_load_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    log = tmp_path / "log.swf"
    write_swf(log, feitelson_k(1, 400, n_resources=2))
    # The log does not say how much memory there was.
    arguments = {"missing_memory": "used", "exact_estimates": True, "memory_capacity": 993_900}
    workload = Workload("input:log", arguments)
    experiment = described(workload, first_jobs=[300], poisson_average_queue=[3, 6])
    results = run_here(experiment, tmp_path / "results", inputs={"log": log})
    assert len(results.rows) == 2 * 3 * 2
    assert not results.failures
    frame = results.sweep("all")
    assert set(frame["n_jobs"]) == {300}
    easy = frame[frame["policy"] == "easy"]
    np.testing.assert_allclose(easy["avg_queue_arrivals"], easy["poisson_average_queue"], rtol=0.05)


def test_a_slice_longer_than_the_log_is_a_failure_that_says_so(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    workload = Workload("feitelson_k", {**FEITELSON, "first_jobs": 151})
    results = run_here(described(workload), tmp_path / "results")
    assert len(results.failures) == 2
    assert all("first 151 jobs: the workload has only 150" in row["error"] for row in results.failures)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"first_jobs": 0}, "first_jobs = 0 must be at least 1"),
        ({"first_jobs": 2.5}, "first_jobs = 2.5 must be an integer"),
        ({"exact_estimates": "yes"}, "exact_estimates = 'yes' must be true or false"),
        ({"exact_estimates": 1}, "exact_estimates = 1 must be true or false"),
        ({"poisson_average_queue": -1}, "poisson_average_queue = -1 must be a number of at least 0"),
        ({"poisson_mean_gap": True}, "poisson_mean_gap = True must be a number"),
        ({"poisson_average_queue": 3, "poisson_mean_gap": 60}, "exclude each other"),
        ({"arrival_seed": 3}, "unknown argument 'arrival_seed' of"),
        ({"poison_mean_gap": 3}, "did you mean 'poisson_mean_gap'"),
    ],
)
@pytest.mark.parametrize("source", ["feitelson_k", "input:log"])
def test_what_makes_no_workload_is_refused(source: str, arguments: dict[str, Any], words: str) -> None:
    own = FEITELSON if source == "feitelson_k" else {}
    with pytest.raises(InvalidInstanceError) as refusal:
        described(Workload(source, {**own, **arguments}))
    assert words in str(refusal.value)


def test_arguments_of_the_source_are_not_those_of_the_arrivals() -> None:
    """``average_queue`` belongs to the generator: with it the instance is the generator's own."""
    own = {"seed": 2, "n_jobs": 150}
    experiment = described(Workload("feitelson_k", own), average_queue=[4])
    assert made(experiment) == {1: feitelson_k(**own, average_queue=4)}
    doubled = dataclasses.replace(experiment, workloads={"jobs": Workload("feitelson_k", {"n_jobs": 150})})
    assert made(doubled)[2] == feitelson_k(2, 150, average_queue=4)
