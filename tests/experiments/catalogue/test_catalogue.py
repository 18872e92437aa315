"""The experiments of the library are whole: every figure of the evaluation, on the workloads that were asked for."""

import re
from pathlib import Path

import pytest

from schedcore import InvalidInstanceError
from schedcore.experiments import Experiment, load, n_cells, names, source
from schedcore.experiments.results.figure_data import figure_data
from schedcore.experiments.running.cells import cells_of_sweep, unique_cells

BEYOND_THE_PAPER = {"MRIS CADP", "MRIS opportunistic", "MRIS replan", "MRIS replan always"}
ONLINE = {"MRIS", "PQ", "TETRIS", "BF-EXEC", "CA-PQ"}
KEYS = {"WSJF", "SJF", "WSVF", "SVF", "WSDF", "SDF", "ERF"}


def arguments(experiment: Experiment, figure: str) -> list[dict[str, object]]:
    """The distinct arguments of the instances behind a figure."""
    found = []
    for member in cells_of_sweep(experiment, experiment.sweeps[experiment.figures[figure].sweep]):
        if member.cell.arguments not in found:
            found.append(dict(member.cell.arguments))
    return found


@pytest.mark.parametrize("name", names())
def test_every_experiment_has_cells_and_complete_figures(name: str) -> None:
    experiment = load(name)
    assert experiment.name == name
    assert experiment.title
    assert experiment.about
    assert n_cells(experiment) > 0
    for label, figure in experiment.figures.items():
        assert figure.title, label
        data = figure_data(experiment, label, {})
        sweep = experiment.sweeps[figure.sweep]
        for policy in figure.shown_policies(sweep):
            n_points = len(figure.x_values(sweep))
            assert len(data.series[policy]) == n_points * len(figure.panel_values(sweep))
            runs_somewhere_only = policy in sweep.only_at
            assert (any if runs_somewhere_only else all)(point.cells for point in data.series[policy])


@pytest.mark.parametrize("name", ["mris-figures", "mris-heavy", "mris-azure-packing"])
def test_all_seven_figures_have_the_points_of_the_paper(name: str) -> None:
    experiment = load(name)
    numbered = [label for label in experiment.figures if label.startswith("figure-")]
    assert numbered == [f"figure-{number}" for number in range(1, 8)]
    assert tuple(experiment.job_sets) == tuple(range(1, 11))
    shown = {
        label: set(figure.shown_policies(experiment.sweeps[figure.sweep]))
        for label, figure in experiment.figures.items()
    }
    grid = {
        label: {name: list(values) for name, values in experiment.sweeps[figure.sweep].parameters.items()}
        for label, figure in experiment.figures.items()
    }
    assert shown["figure-1"] == KEYS
    assert shown["figure-2"] == {"MRIS", "MRIS-GREEDY", "MRIS CADP"}
    for label in ("figure-3", "figure-4", "figure-5", "figure-6"):
        assert shown[label] == ONLINE | BEYOND_THE_PAPER
    assert shown["figure-7"] == {"MRIS-WSVF", "PQ-WSVF", "TETRIS", "BF-EXEC"}
    powers = [4000 * 2**k for k in range(7)]
    assert grid["figure-1"] == {"n_jobs": powers[:5], "n_machines": [20]}
    assert grid["figure-2"] == {"n_jobs": powers[:5], "n_machines": [20]}
    assert grid["figure-3"] == {"n_jobs": powers[1:], "n_machines": [20]}
    assert grid["figure-4"] == {"n_jobs": [64000], "n_machines": [5, 10, 20, 40]}
    assert grid["figure-5"] == {"n_jobs": [64000], "n_machines": [20]}
    assert grid["figure-6"] == {"n_jobs": [64000], "n_machines": [20], "n_resources": [4, 8, 12, 16, 20]}
    assert [experiment.figures[f"figure-{n}"].lower_bound for n in (3, 4, 6)] == [True] * 3


def test_knapsacks_are_solved_exactly_but_for_the_extra_series() -> None:
    choices = load("mris-figures").choices
    for label, choice in choices.items():
        if choice.name == "mris":
            expected = {"MRIS CADP": "cadp", "MRIS-GREEDY": "greedy"}.get(label, "exact")
            assert choice.options["knapsack"] == expected
    assert {label: choices[label].options["heuristic"].upper() for label in KEYS} == {
        key: key for key in KEYS
    }
    assert choices["MRIS opportunistic"].options["opportunistic"] is True
    assert choices["MRIS replan"].options["replan"] is True


@pytest.mark.parametrize(
    ("name", "generator"), [("mris-figures", "azure_like"), ("mris-heavy", "azure_heavy")]
)
def test_job_sets_of_the_synthetic_workload_are_the_seeds_one_to_ten(name: str, generator: str) -> None:
    experiment = load(name)
    assert experiment.workloads["azure"].source == generator
    for figure in experiment.figures:
        instances = arguments(experiment, figure)
        assert {entry["seed"] for entry in instances} == set(range(1, 11))


def test_cells_that_figures_share_are_computed_once() -> None:
    experiment = load("mris-figures")
    members = sum(len(list(cells_of_sweep(experiment, sweep))) for sweep in experiment.sweeps.values())
    assert n_cells(experiment) < members
    # WSJF with an exact knapsack is the MRIS of all other figures.
    keys = {m.cell.key for m in cells_of_sweep(experiment, experiment.sweeps["keys"]) if m.policy == "WSJF"}
    mris = {
        m.cell.key for m in cells_of_sweep(experiment, experiment.sweeps["knapsack"]) if m.policy == "MRIS"
    }
    assert keys == mris


def test_the_recorded_requests_are_thinned_by_four_to_sixty_four_with_distinct_offsets() -> None:
    experiment = load("mris-azure-v1")
    for figure in ("figure-1", "figure-2", "figure-3"):
        instances = arguments(experiment, figure)
        for factor, n_sets in {4: 4, 8: 8, 16: 10, 32: 10, 64: 10}.items():
            offsets = [entry["offset"] for entry in instances if entry["factor"] == factor]
            assert len(offsets) == len(set(offsets)) == n_sets
            assert all(isinstance(offset, int) and 0 <= offset < factor for offset in offsets)
        assert {entry["factor"] for entry in instances} == {4, 8, 16, 32, 64}
    shown = {label: set(experiment.sweeps[f.sweep].policies) for label, f in experiment.figures.items()}
    for label in ("figure-3", "figure-4", "figure-5", "figure-6"):
        assert shown[label] == ONLINE | BEYOND_THE_PAPER


def test_the_recorded_list_of_the_paper_is_thinned_to_the_same_numbers_of_jobs() -> None:
    experiment = load("mris-azure-packing")
    factors = {4_096_000 // n_jobs for n_jobs in (4000, 8000, 16000, 32000, 64000)}
    instances = arguments(experiment, "figure-1")
    assert {entry["factor"] for entry in instances} == factors
    for factor in factors:
        offsets = [entry["offset"] for entry in instances if entry["factor"] == factor]
        assert len(offsets) == len(set(offsets)) == 10


def test_the_undownsampled_list_is_scheduled_by_all_on_1280_and_on_20_machines() -> None:
    experiment = load("mris-undownsampled")
    cells = unique_cells(experiment).values()
    assert {cell.arguments["n_jobs"] for cell in cells} == {4_096_000}
    on = {m: {c.policy for c in cells if c.arguments["n_machines"] == m} for m in (1280, 20)}
    assert on[1280] == {"mris", "pq", "tetris", "bf_exec", "ca_pq"}
    assert {"mris", "pq"} <= on[20]
    assert {"awct", "solve_seconds", "peak_memory_bytes"} == {f.y for f in experiment.figures.values()}


def test_a_name_or_file_that_is_neither_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match="did you mean 'mris-figures'"):
        load("mris-figure")
    with pytest.raises(InvalidInstanceError, match="did you mean 'mris-figures'"):
        source("mris-figure")
    for wrong in ("", "x" * 10_000, "a\0b", str(tmp_path)):
        with pytest.raises(InvalidInstanceError):
            load(wrong)
    with pytest.raises(InvalidInstanceError, match=r"absent\.toml: no such file"):
        load(tmp_path / "absent.toml")


def test_the_source_of_an_experiment_is_the_experiment(tmp_path: Path) -> None:
    for name in names():
        path = tmp_path / f"my-{name}.toml"
        path.write_text(source(name))
        assert load(path) == load(name)
        assert load(path).folder == tmp_path


OWN = """
name = "own"
job_sets = 2
takes = { mris-figures = ["workloads", "policies", "job_sets"] }
[workloads]
azure = { source = "azure_like", n_machines = 3 }
[sweeps.s]
workloads = ["azure"]
policies = ["PQ", "MINE"]
parameters = { n_jobs = [10] }
[policies]
MINE = "pq:heuristic=erf"
PQ = "pq:heuristic=svf"
"""


def test_entries_of_a_file_go_before_those_that_it_takes_over(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN)
    experiment = load(path)
    assert experiment.policies["PQ"] == "pq:heuristic=svf"
    assert experiment.policies["MRIS"] == load("mris-figures").policies["MRIS"]
    assert set(experiment.workloads) == {"azure", "patience"}
    assert tuple(experiment.job_sets) == (1, 2)
    assert {cell.arguments["n_machines"] for cell in unique_cells(experiment).values()} == {3}


@pytest.mark.parametrize(
    ("takes", "message"),
    [
        ("3", "takes = 3 must be a table"),
        ("{ mris-figure = [] }", "did you mean 'mris-figures'"),
        ('{ mris-figures = ["polices"] }', "did you mean 'policies'"),
        ('{ mris-figures = "policies" }', "must be a list of names"),
        ("{ mris-figures = [[]] }", re.escape("takes 'mris-figures'[0] = [] must be a text")),
    ],
)
def test_what_cannot_be_taken_over_is_refused(tmp_path: Path, takes: str, message: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f"takes = {takes}")
    with pytest.raises(InvalidInstanceError, match=message):
        load(path)


def test_an_own_part_of_the_wrong_kind_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN.replace("[workloads]\nazure = {", "workloads = []\n[ignored]\nazure = {"))
    with pytest.raises(InvalidInstanceError, match="'ignored'"):
        load(path)
    path.write_text(
        'name = "own"\npolicies = 3\nsweeps = {}\nworkloads = {}\ntakes.mris-figures = ["policies"]'
    )
    with pytest.raises(InvalidInstanceError, match="policies = 3 must be a table"):
        load(path)


def test_ratios_that_are_claimed_are_those_of_the_published_values() -> None:
    compared = 0
    for label, figure in load("mris-figures").figures.items():
        value = {
            (policy, x): number
            for policy, numbers in figure.published.items()
            for x, number in zip(figure.published_x, numbers, strict=True)
        }
        for claim in figure.claims:
            places = list(zip(claim.policies, claim.at, strict=False))
            if claim.quantity == "ratio" and claim.published and places and all(p in value for p in places):
                quotient = value[places[0]] / value[places[1]]
                # read off plots to 0.3 days, and printed to two digits or three
                assert claim.published == pytest.approx(quotient, abs=0.021), (label, claim.text)
                compared += 1
    assert compared >= 25


@pytest.mark.parametrize("name", [name for name in names() if name.startswith("mris")])
def test_the_evaluations_of_mris_claim_numbers_and_directions_but_no_ranges(name: str) -> None:
    for label, figure in load(name).figures.items():
        texts = [claim.text for claim in figure.claims]
        assert len(set(texts)) == len(texts), label
        assert all(claim.between is None for claim in figure.claims), label


def test_claims_on_the_trace_are_those_of_the_paper() -> None:
    published = {
        (label, claim.text): (claim.published, claim.less_than)
        for label, figure in load("mris-figures").figures.items()
        for claim in figure.claims
    }
    of_trace = {
        (label, claim.text): (claim.published, claim.less_than)
        for label, figure in load("mris-azure-v1").figures.items()
        for claim in figure.claims
        if claim.expects
    }
    assert len(of_trace) >= 40
    assert of_trace.items() <= published.items()
