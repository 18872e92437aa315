"""A cell is known by what decides its outcome, and by nothing else; equal cells are one cell."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest

import schedcore
from schedcore import registry
from schedcore.experiments import Experiment, Figure, Sweep, Workload, load, n_cells
from schedcore.experiments.description.workload_arguments import instances
from schedcore.experiments.running.cells import Cell, cells_of_sweep, unique_cells
from schedcore.experiments.running.instances import InstanceCache
from schedcore.workloads import azure_like, downsample, downsampling_offset, draw_more_resources

AZURE = Workload("azure_like", {"n_jobs": 20})


def experiment(
    workload: Workload = AZURE,
    policy: str = "pq",
    parameters: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Experiment:
    """One workload, one policy, one sweep."""
    sweeps = {"sweep": Sweep(["workload"], ["policy"], parameters or {})}
    description = {"name": "one", "sweeps": sweeps, "inputs": {"log": "a log"}, **changes}
    return Experiment(workloads={"workload": workload}, policies={"policy": policy}, **description)


def cells(described: Experiment) -> list[Cell]:
    return list(unique_cells(described).values())


def key(workload: Workload = AZURE, policy: str = "pq", **changes: Any) -> str:
    (cell,) = cells(experiment(workload, policy, **changes))
    return cell.key


def job_sets(
    workload: Workload, wanted: Sequence[int], **parameters: Any
) -> list[tuple[int, dict[str, Any]]]:
    return list(instances(workload, parameters, wanted))


@pytest.mark.parametrize(
    ("one", "same"),
    [
        (key(policy="mris"), key(policy="mris:knapsack=cadp")),
        (key(policy="mris"), key(policy="mris:epsilon=0.1,placement=scan,replan=false,gamma0=none")),
        (key(policy="mris:epsilon=0.2,knapsack=cadp"), key(policy=" mris: knapsack = cadp, epsilon=0.2")),
        (key(policy="mris:heuristic=erf"), key(policy="mris", parameters={"policy.heuristic": ["erf"]})),
        (key(policy="mris:epsilon=1/3"), key(policy="mris", parameters={"policy.epsilon": ["1/3"]})),
        (key(policy="mris"), key(policy="mris:heuristic=erf", parameters={"policy.heuristic": ["wsjf"]})),
        (key(), key(Workload("azure_like", {"n_jobs": 20, "n_machines": 20, "n_resources": 4}))),
        (key(policy="mris"), key(policy="mris:patience=2")),
        (key(), key(Workload("azure_like"), parameters={"n_jobs": [20]})),
        (key(), key(Workload("azure_like", {"n_jobs": 9}), parameters={"n_jobs": [20]})),
        (key(), key(Workload("azure_like", {"seed": 1, "n_jobs": 20}))),
        (key(), key(Workload("azure_like", {"factor": 1, "n_jobs": 20}))),
        (
            key(Workload("a.swf", {"mode": "nodes", "machines": 3})),
            key(Workload("a.swf", {"machines": 3, "mode": "nodes"})),
        ),
        (
            key(Workload("input:log", {"full_jobs": 64}), parameters={"n_jobs": [64]}),
            key(Workload("input:log")),
        ),
        (
            key(Workload("input:log", {"full_jobs": 64}), parameters={"n_jobs": [16]}),
            key(Workload("input:log", {"factor": 4})),
        ),
        (
            key(),
            key(name="other", title="t", about="a", figures={"f": Figure("sweep", kind="bars")}, tau=10),
        ),
        (key(job_sets=(2,)), key(Workload("azure_like", {"n_jobs": 20, "seed": 2}))),
        (key(), key(sweeps={"other": Sweep(["workload"], ["policy"], keep=["schedule"])})),
    ],
)
def test_keys_are_equal_where_the_outcome_is(one: str, same: str) -> None:
    assert one == same


def test_keys_differ_where_the_outcome_may() -> None:
    keys = [
        key(),
        key(tau=11.0),
        key(policy="tetris"),
        key(policy="pq:heuristic=erf"),
        key(policy="mris"),
        key(policy="mris:epsilon=0.2"),
        key(policy="mris:replan=true"),
        key(policy="mris:replan=always"),
        key(Workload("azure_like", {"n_jobs": 21})),
        key(Workload("azure_like", {"n_jobs": 20, "seed": 2})),
        key(Workload("azure_like", {"n_jobs": 20, "n_machines": 21})),
        key(Workload("azure_like", {"n_jobs": 20, "machines": "2x5"})),
        key(Workload("azure_like", {"n_jobs": 20, "total_resources": 4})),
        key(Workload("azure_like", {"n_jobs": 20, "seed": 1, "factor": 2})),
        key(Workload("patience", {"n_jobs": 20})),
        key(Workload("input:log")),
        key(Workload("log.swf")),
        key(Workload("log.swf", {"machines": 2})),
    ]
    assert len(set(keys)) == len(keys)


def test_keys_and_seeds_are_what_they_always_were() -> None:
    # A change here makes every results folder that exists useless for going on with.
    mris, pq = cells(
        Experiment(
            "pinned",
            {"azure": Workload("azure_like", {"n_jobs": 64000})},
            {"MRIS": "mris:knapsack=exact", "PQ": "pq"},
            {"load": Sweep(["azure"], ["MRIS", "PQ"], {"n_machines": [20]})},
        )
    )
    assert mris.key == "8bbf46589785afeda041b2cf9d93ed04f51612c00ad4486281a5be4e72a90966"
    assert pq.key == "145f310baf14e5b909b8d5b50f394f5f33f3ef1b1f72527daf7ffb3c8d24c1d9"
    assert mris.derived_seed == int("8bbf46589785afed", 16)


@pytest.mark.parametrize("order", [["keys", "load", "patience"], ["patience", "machines", "load", "keys"]])
def test_neither_order_nor_company_changes_a_cell(order: list[str]) -> None:
    whole = load("mris-figures")
    reordered = dataclasses.replace(
        whole,
        sweeps={name: whole.sweeps[name] for name in order},
        figures={},
        job_sets=(2, 1),
        policies=dict(reversed(whole.policies.items())),
    )
    known = unique_cells(whole)
    for cell_key, cell in unique_cells(reordered).items():
        same = known[cell_key]
        assert (cell.source, cell.arguments, cell.job_set) == (same.source, same.arguments, same.job_set)
        assert (cell.policy, cell.all_options()) == (same.policy, same.all_options())
        assert cell.derived_seed == same.derived_seed


def test_derived_seeds_are_distinct() -> None:
    seeds = [cell.derived_seed for cell in cells(load("mris-figures"))]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**64 for seed in seeds)


def test_cells_that_sweeps_share_are_one_and_keep_what_any_of_them_asks_for() -> None:
    shared = Experiment(
        "shared",
        {"azure": Workload("azure_like", {"n_jobs": 20})},
        {"PQ": "pq", "MRIS": "mris", "also MRIS": "mris:knapsack=cadp"},
        {
            "one": Sweep(["azure"], ["PQ", "MRIS"], keep=["schedule"]),
            "two": Sweep(["azure"], ["PQ", "also MRIS"], {"n_jobs": [20, 30]}, keep=["delay_quantiles"]),
            "three": Sweep(["azure"], ["PQ"]),
        },
    )
    # 20 jobs: PQ, MRIS; 30 jobs: PQ, MRIS
    assert n_cells(shared) == 4
    kept = {(cell.policy, cell.arguments["n_jobs"]): cell.keep for cell in cells(shared)}
    assert kept == {
        ("pq", 20): ("delay_quantiles", "schedule"),
        ("mris", 20): ("delay_quantiles", "schedule"),
        ("pq", 30): ("delay_quantiles",),
        ("mris", 30): ("delay_quantiles",),
    }
    assert len(list(cells_of_sweep(shared, shared.sweeps["two"]))) == 4


def test_a_sweep_is_the_full_grid() -> None:
    grid = Experiment(
        "grid",
        {"azure": Workload("azure_like"), "patience": Workload("patience")},
        {"PQ": "pq", "CA-PQ": "ca_pq"},
        {
            "grid": Sweep(
                ["azure", "patience"], ["PQ", "CA-PQ"], {"n_jobs": [5, 6], "policy.heuristic": ["erf", "sjf"]}
            )
        },
        job_sets=(1, 3),
    )
    members = list(cells_of_sweep(grid, grid.sweeps["grid"]))
    assert len(members) == n_cells(grid) == 2 * 2 * 2 * 2 * 2
    assert [(m.workload, *m.point.values(), m.cell.job_set, m.policy) for m in members] == list(
        itertools.product(["azure", "patience"], [5, 6], ["erf", "sjf"], [1, 3], ["PQ", "CA-PQ"])
    )
    for member in members:
        assert member.cell.all_options() == {"heuristic": member.point["policy.heuristic"]}
        assert member.cell.arguments["n_jobs"] == member.point["n_jobs"]
        assert member.cell.arguments["seed"] == member.cell.job_set


def test_options_of_parameters_are_read_like_those_of_policies() -> None:
    described = experiment(
        policy="mris:epsilon=0.3",
        parameters={"policy.epsilon": ["1/7", 0.5], "policy.replan": ["true", False]},
    )
    options = [(cell.options["epsilon"], cell.options["replan"]) for cell in cells(described)]
    assert options == [(Fraction(1, 7), True), (Fraction(1, 7), False), (0.5, True), (0.5, False)]
    assert cells(described)[0].all_options()["epsilon"] == "1/7"


def test_job_sets_of_a_generator_are_its_seeds() -> None:
    found = job_sets(Workload("azure_like"), [1, 5], n_jobs=20)
    assert [(s, arguments["seed"]) for s, arguments in found] == [(1, 1), (5, 5)]


@pytest.mark.parametrize(
    "workload",
    [
        Workload("azure_like", {"n_jobs": 20, "seed": 7}),
        Workload("lemma41", {"n_jobs": 4}),
        Workload("log.swf"),
        Workload("log.swf", {"factor": 1}),
        Workload("input:log", {"full_jobs": 64, "n_jobs": 40}),
    ],
)
def test_a_workload_without_seed_or_offsets_has_one_job_set(workload: Workload) -> None:
    ((job_set, arguments),) = job_sets(workload, [3, 4])
    assert job_set == 1
    assert "offset" not in arguments


@pytest.mark.parametrize(
    "workload",
    [
        Workload("log.swf", {"factor": 4}),
        Workload("input:log", {"full_jobs": 64, "n_jobs": 16}),
        Workload("azure_like", {"n_jobs": 64, "seed": 3, "factor": 4}),
    ],
)
def test_a_downsampled_workload_has_as_many_job_sets_as_offsets(workload: Workload) -> None:
    found = job_sets(workload, range(1, 11))
    assert [job_set for job_set, _ in found] == [1, 2, 3, 4]
    assert sorted(arguments["offset"] for _, arguments in found) == [0, 1, 2, 3]
    assert {arguments["factor"] for _, arguments in found} == {4}
    assert [arguments["offset"] for _, arguments in found] == [
        downsampling_offset(4, s) for s in (1, 2, 3, 4)
    ]
    few = job_sets(Workload("log.swf", {"factor": 64}), range(1, 11))
    assert len({arguments["offset"] for _, arguments in few}) == 10


def test_drawn_resources_differ_from_job_set_to_job_set() -> None:
    for fixed in ({"total_resources": 6}, {"total_resources": 6, "factor": 8}):
        found = job_sets(Workload("log.swf", fixed), [1, 2, 3])
        assert [arguments["resource_seed"] for _, arguments in found] == [1, 2, 3]
    found = job_sets(Workload("azure_like", {"n_jobs": 20, "seed": 7, "total_resources": 6}), [1, 2, 3])
    assert [(arguments["seed"], arguments["resource_seed"]) for _, arguments in found] == [
        (7, 1),
        (7, 2),
        (7, 3),
    ]


def test_instances_are_thinned_and_completed_as_their_arguments_say() -> None:
    described = experiment(
        Workload("azure_like", {"n_jobs": 50, "seed": 3, "n_machines": 2, "factor": 8, "total_resources": 6}),
        job_sets=(1, 2),
    )
    full = azure_like(3, 50, 2)
    cache = InstanceCache()
    for cell in cells(described):
        thinned = downsample(full, 8, downsampling_offset(8, cell.job_set))
        expected = draw_more_resources(thinned, 6, cell.job_set, full.jobs.demand[:, 0])
        assert cache.get(cell, {}) == expected


@pytest.fixture
def drawing_policy(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A registered policy that draws; the seeds that it was given."""
    given: list[Any] = []

    def run(inst: schedcore.Instance, *, progress: Any = None, seed: int | None = None) -> schedcore.Result:
        given.append(seed)
        return schedcore.pq(inst)

    monkeypatch.setattr(registry, "_algorithms", dict(registry._algorithms))
    option = registry.Option("seed", None, "of the draws")
    registry.register(registry.Algorithm("drawing", "Drawing", "test", "test", run, (option,), "awct"))
    return given


def test_a_policy_that_draws_gets_the_seed_of_the_cell(drawing_policy: list[Any]) -> None:
    for cell in cells(experiment(policy="drawing", job_sets=(1, 2))):
        assert cell.options == {"seed": cell.derived_seed}
        schedcore.solve(cell.policy, azure_like(1, 5), **cell.options)
    assert len(set(drawing_policy)) == 2
    (fixed,) = cells(experiment(policy="drawing:seed=5"))
    assert fixed.options == {"seed": 5}
