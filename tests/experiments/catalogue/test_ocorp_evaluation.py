"""The evaluation of OCORP is whole: figures 1 to 12, all start values, loads and ways to serve jobs; it runs."""

import dataclasses
from functools import cache
from pathlib import Path

import pytest

from experiments.described import run_here
from schedcore.experiments import Experiment, load
from schedcore.experiments.running.cells import cells_of_sweep
from schedcore.workloads import mapreduce_standin, slotted_standin

NAMES = ["ocorp-evaluation", "ocorp-google"]
BASELINES = {"SRPT", "SVF", "SRVF", "SRF"}
SERVICES = {"shared": "", "whole": " whole", "repacked": " repacked"}
SERVED = {baseline + suffix for baseline in BASELINES for suffix in SERVICES.values()}
FIGURES = {f"figure-{n}" for n in (*range(1, 11), "11a", "11b", 12)}
STARTS = {"OCORP", "OCORP zero", "OCORP mu,10", "OCORP strict"}


@cache
def described(name: str) -> Experiment:
    return load(name)


def of_figure(experiment: Experiment, name: str) -> list[dict[str, object]]:
    """The arguments of the instances behind a figure."""
    figure = experiment.figures[name]
    part = figure.shown_part(experiment.sweeps[figure.sweep])
    return [dict(member.cell.arguments) for member in cells_of_sweep(experiment, part)]


@pytest.mark.parametrize("name", NAMES)
def test_all_twelve_figures_are_there_with_their_policies(name: str) -> None:
    experiment = described(name)
    assert set(experiment.figures) >= FIGURES
    for label in (2, 3, 4, 8, 9, 10, "11a", "11b", 12):
        figure = experiment.figures[f"figure-{label}"]
        assert set(figure.shown_policies(experiment.sweeps[figure.sweep])) >= BASELINES
    for label in (5, 6, 7):
        figure = experiment.figures[f"figure-{label}"]
        shown = figure.shown_policies(experiment.sweeps[figure.sweep])
        assert [experiment.choices[policy].options["alpha"] for policy in shown] == [0, 10, 100]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("figure", "percent"), [("figure-2-overall", 34), ("figure-8-overall", 24)])
def test_every_gain_of_the_paper_is_compared_with_each_baseline(name: str, figure: str, percent: int) -> None:
    claims = described(name).figures[figure].claims
    of_paper = [c for c in claims if c.quantity == "gain" and c.text.startswith("paper")]
    assert {claim.policies[1] for claim in of_paper} == {p for p in SERVED if not p.startswith("SRF")}
    assert {claim.published for claim in of_paper} == {percent}
    others = {c.policies[1] for c in claims if c.text.startswith("not in the paper")}
    assert others == {p for p in SERVED if p.startswith("SRF")}


@pytest.mark.parametrize("name", NAMES)
def test_claims_of_the_paper_are_its_numbers_and_directions_and_no_ranges(name: str) -> None:
    for figure in described(name).figures.values():
        for claim in figure.claims:
            if claim.text.startswith("paper: "):
                assert claim.expects
                assert claim.between is None


@pytest.mark.parametrize("name", NAMES)
def test_baselines_are_served_in_every_way_wherever_ocorp_is_compared_with_them(name: str) -> None:
    experiment = described(name)
    for service, suffix in SERVICES.items():
        for number in (2, 3, 4, 8, 9, 10):
            figure = experiment.figures[f"figure-{number}" + ("" if service == "shared" else f"-{service}")]
            shown = set(figure.shown_policies(experiment.sweeps[figure.sweep]))
            assert shown & SERVED == {baseline + suffix for baseline in BASELINES}
            assert shown - SERVED == {"OCORP" if number < 8 else "OCORP+M"}
        for baseline in BASELINES:
            options = experiment.choices[baseline + suffix].options
            assert options == ({} if service == "shared" else {"service": service})


@pytest.mark.parametrize("name", NAMES)
def test_multipliers_start_in_every_way_that_is_known(name: str) -> None:
    experiment = described(name)
    for label, lambda0, conserving in (
        ("OCORP", None, None),
        ("OCORP zero", "zero", None),
        ("OCORP mu,10", "mu:10", None),
        ("OCORP strict", "zero", False),
    ):
        options = experiment.choices[label].options
        assert (options.get("lambda0"), options.get("work_conserving")) == (lambda0, conserving)
    horizons = {choice.options.get("gamma") for choice in experiment.choices.values()} - {None}
    assert horizons == ({4000, 1333} if name == "ocorp-evaluation" else {3341})


def test_the_table_has_the_families_and_loads_that_are_known_elsewhere() -> None:
    experiment = described("ocorp-evaluation")
    for family, loads in (
        ("thin", {0.8, 0.9, 0.95, 1.0, 1.1}),
        ("mixed", {0.9, 0.95}),
        ("heavy", {0.8, 0.9}),
    ):
        arguments = of_figure(experiment, f"table-{family}")
        assert {entry["load"] for entry in arguments} == loads
        assert {(entry["family"], entry["n_jobs"], entry["window"]) for entry in arguments} == {
            (family, 6487, 3600)
        }
        assert {entry["seed"] for entry in arguments} == set(range(1, 11))
        figure = experiment.figures[f"table-{family}"]
        assert set(figure.shown_policies(experiment.sweeps[figure.sweep])) == BASELINES | STARTS
        assert len(figure.claims) == 8 * len(loads)


def test_figures_over_time_are_at_the_loads_at_which_the_paper_can_be_right() -> None:
    experiment = described("ocorp-evaluation")
    for label in ("figure-2", "figure-3", "figure-4", "figure-5", "figure-6", "figure-7"):
        assert {entry["load"] for entry in of_figure(experiment, label)} == {0.9, 0.95}
    memory = of_figure(experiment, "figure-8")
    assert {(entry["resources"], entry["memory_per_core"]) for entry in memory} == {
        ("cores_memory", 1.0),
        ("cores_memory", 1.25),
    }


@pytest.mark.parametrize("name", NAMES)
def test_estimates_are_drawn_five_times_for_one_list_of_jobs(name: str) -> None:
    for label in ("figure-11a", "figure-11b"):
        arguments = of_figure(described(name), label)
        assert {entry["misestimate_seed"] for entry in arguments} == {1, 2, 3, 4, 5}
        assert {entry["misestimate_variance"] for entry in arguments} == {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}
        assert len({entry.get("seed") for entry in arguments}) == 1


def test_a_small_evaluation_runs_and_measures_its_claims(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    whole = described("ocorp-evaluation")
    workloads = {
        name: dataclasses.replace(workload, arguments={**workload.arguments, "n_jobs": 40, "window": 100})
        for name, workload in whole.workloads.items()
    }
    sweeps = {name: dataclasses.replace(sweep, job_sets=(1,)) for name, sweep in whole.sweeps.items()}
    experiment = dataclasses.replace(whole, workloads=workloads, sweeps=sweeps)
    shown = [
        "figure-1",
        "figure-2",
        "figure-2-overall",
        "figure-4",
        "figure-6",
        "figure-8",
        "figure-8-once",
        "figure-12",
        "table-heavy",
    ]
    results = run_here(experiment, tmp_path / "results", figures=shown)
    assert {row["status"] for row in results.rows} == {"ok"}
    for name in shown:
        for outcome in results.claims(name):
            is_of_large_jobs = bool(outcome.claim.at) and name in ("figure-4", "figure-6")
            assert is_of_large_jobs or outcome.measured is not None
    assert len(results.plot("figure-2").child_axes) == 2
    assert [len(panel.lines) for panel in results.plot("figure-2").child_axes] == [7, 7]


def test_files_of_the_trace_are_read_with_and_without_memory(tmp_path: Path) -> None:
    jobs, mapreduce = tmp_path / "jobs.parquet", tmp_path / "mapreduce.parquet"
    slotted_standin(30, 1, window=60, resources="cores_memory").to_parquet(jobs)
    mapreduce_standin(10, 1, window=60).to_parquet(mapreduce)
    inputs = {name: mapreduce if "map" in name else jobs for name in described("ocorp-google").inputs}
    results = run_here(
        described("ocorp-google"),
        tmp_path / "results",
        inputs=inputs,
        figures=["figure-2", "figure-8", "figure-12"],
    )
    assert {row["status"] for row in results.rows} == {"ok"}
    assert sorted({(row["n_jobs"], row["n_resources"]) for row in results.rows}) == [
        (10, 1),
        (30, 1),
        (30, 2),
    ]
