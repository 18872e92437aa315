"""Parts of a grid: combinations that do not exist, policies that run at some alone, and figures of a part."""

import itertools
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import InvalidInstanceError
from schedcore.experiments import Experiment, Figure, Sweep, Workload, n_cells
from schedcore.experiments.description.conditions import meets_any
from schedcore.experiments.description.document import from_document, to_document
from schedcore.experiments.description.toml_text import parse_toml, to_toml
from schedcore.experiments.results.figure_data import figure_data
from schedcore.experiments.running.cells import cells_of_sweep, unique_cells
from schedcore.experiments.start_or_resume import _cells

GRID = {"n_jobs": [10, 20, 30], "n_machines": [2, 3], "policy.heuristic": ["wsjf", "erf"]}


def described(figures: Mapping[str, Figure] | None = None, **sweep: Any) -> Experiment:
    return Experiment(
        "parts",
        {"azure": Workload("azure_like")},
        {"PQ": "pq", "other": "offline_pq", "third": "pq"},
        {"grid": Sweep(["azure"], **{"policies": ["PQ", "other"], "parameters": GRID, **sweep})},
        figures or {},
        job_sets=(1, 2, 3),
    )


def points(experiment: Experiment) -> list[tuple[Any, ...]]:
    return [tuple(point.values()) for point in experiment.sweeps["grid"].points()]


def where_it_runs(experiment: Experiment, policy: str) -> set[tuple[Any, ...]]:
    members = cells_of_sweep(experiment, experiment.sweeps["grid"])
    return {tuple(member.point.values()) for member in members if member.policy == policy}


def test_a_combination_that_meets_a_whole_condition_does_not_exist() -> None:
    without = [{"n_jobs": 10, "n_machines": 2}, {"n_jobs": [20, 30], "policy.heuristic": "erf"}]
    found = points(described(without=without))
    assert found == [
        (10, 3, "wsjf"), (10, 3, "erf"), (20, 2, "wsjf"), (20, 3, "wsjf"), (30, 2, "wsjf"), (30, 3, "wsjf"),
    ]  # fmt: skip
    assert points(described(without={"n_jobs": [10, 20]})) == [p for p in points(described()) if p[0] == 30]


def test_a_policy_with_conditions_runs_where_it_meets_one_and_all_others_everywhere() -> None:
    everywhere = set(points(described()))
    limited = described(only_at={"other": [{"n_jobs": 10, "n_machines": 3}, {"n_jobs": 30}]})
    assert where_it_runs(limited, "PQ") == everywhere
    assert where_it_runs(limited, "other") == {p for p in everywhere if p[:2] == (10, 3) or p[0] == 30}


def test_cells_are_counted_where_they_exist() -> None:
    assert n_cells(described()) == 3 * 2 * 2 * 2 * 3
    assert n_cells(described(without=[{"n_jobs": 10}])) == 2 * 2 * 2 * 2 * 3
    only_at = {"other": {"n_jobs": [20], "n_machines": 2}}
    assert n_cells(described(only_at=only_at)) == (12 + 2) * 3
    assert (
        n_cells(described(only_at=only_at, without=[{"n_machines": 2, "policy.heuristic": "erf"}]))
        == (9 + 1) * 3
    )


def test_what_remains_of_a_grid_has_the_cells_of_the_whole_grid() -> None:
    whole = unique_cells(described())
    part = unique_cells(described(without=[{"n_jobs": 10}], only_at={"PQ": {"n_machines": 2}}))
    assert part.items() <= whole.items()


@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={name: st.lists(st.sampled_from(values), min_size=1) | st.sampled_from(values)
                      for name, values in GRID.items()},
        ).filter(bool),
        max_size=4,
    )
)  # fmt: skip
def test_conditions_are_alternatives_of_conjunctions(conditions: list[dict[str, Any]]) -> None:
    for values in itertools.product(*GRID.values()):
        point = dict(zip(GRID, values, strict=True))
        expected = any(
            all(point[name] == entry or (isinstance(entry, list) and point[name] in entry)
                for name, entry in condition.items())
            for condition in conditions
        )  # fmt: skip
        assert meets_any(point, conditions) == expected


@pytest.mark.parametrize(
    ("sweep", "words"),
    [
        ({"without": 3}, ["without = 3 must be a table, or a list of tables"]),
        ({"without": [3]}, ["without[0] = 3 must be a table"]),
        ({"without": "n_jobs=7"}, ["without = 'n_jobs=7' must be a table, or a list of tables"]),
        ({"without": [{"n_jobs": 10, "n_machines": 2}] * 6 + ["n_jobs=7"]}, ["without[6] = 'n_jobs=7' must be a"]),
        ({"without": [{"n_jobs": 10}, {3: 10}]}, ["without[1]: the name 3 must be a text"]),
        ({"without": [{}]}, ["sweep 'grid', without: an empty condition, which everything meets"]),
        ({"without": [{"n_job": 10}]}, ["without: unknown parameter 'n_job'", "did you mean 'n_jobs'"]),
        ({"without": [{"n_jobs": 11}]}, ["sweep 'grid', without: n_jobs = 11 is not among [10, 20, 30]"]),
        ({"without": [{"n_jobs": []}]}, ["without: n_jobs = [], which nothing meets"]),
        ({"without": [{"n_jobs": [10, None]}]}, ["without: n_jobs = None must be a text, true, false or a number"]),
        ({"without": [{"n_machines": [2, 3]}]}, ["without leaves no combination of the parameters"]),
        ({"only_at": ["PQ"]}, ["only_at = ['PQ'] must be a table"]),
        ({"only_at": {"PQ": 4}}, ["only_at 'PQ' = 4 must be a table, or a list of tables"]),
        ({"only_at": {"PQ": [{"n_jobs": 10}, 4]}}, ["only_at 'PQ'[1] = 4 must be a table"]),
        ({"only_at": {"PQS": {"n_jobs": 10}}}, ["'grid', only_at 'PQS': unknown policy 'PQS'", "did you mean 'PQ'"]),
        ({"only_at": {"third": {"n_jobs": 10}}}, ["only_at 'third': unknown policy 'third'"]),  # not of this sweep
        ({"only_at": {"PQ": {"n_machine": 2}}}, ["only_at 'PQ': unknown parameter 'n_machine'", "mean 'n_machines'"]),
        ({"only_at": {"PQ": {"n_machines": 4}}}, ["only_at 'PQ': n_machines = 4 is not among [2, 3]"]),
        ({"only_at": {"PQ": []}}, ["'PQ' runs at no combination of the parameters"]),
        (
            {"only_at": {"PQ": {"n_jobs": 10}}, "without": [{"n_jobs": [10]}]},
            ["'PQ' runs at no combination of the parameters"],
        ),
    ],
)  # fmt: skip
def test_conditions_that_mean_nothing_are_refused(sweep: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(InvalidInstanceError) as refusal:
        described(**sweep)
    for word in words:
        assert word in str(refusal.value)


def test_conditions_survive_documents() -> None:
    experiment = described(
        without=[{"n_jobs": 10, "n_machines": 2}],
        only_at={"other": [{"n_jobs": [20, 30]}, {"policy.heuristic": "erf"}], "PQ": {"n_machines": 3}},
        figures={
            "f": Figure(
                "grid", kind="boxes", where={"n_jobs": [10, 20]}, without={"n_jobs": 10}, job_sets=(2, 3)
            )
        },
    )
    document = to_document(experiment)
    for read in (
        from_document(document),
        from_document(json.loads(json.dumps(document))),
        from_document(parse_toml(to_toml(document).encode())),
    ):
        assert unique_cells(read) == unique_cells(experiment)
        assert to_document(read) == document


def boxes(**changes: Any) -> Figure:
    return Figure("grid", **{"kind": "boxes", **changes})


def shown(figure: Figure, **sweep: Any) -> set[tuple[Any, ...]]:
    """Policy, combination and job set of every cell behind a figure."""
    experiment = described({"f": figure}, **sweep)
    members = cells_of_sweep(experiment, experiment.sweeps["grid"])
    keys = {member.cell.key: member for member in members}
    data = figure_data(experiment, "f", {})
    cells = [cell for points in data.series.values() for point in points for cell in point.cells]
    assert len({cell.key for cell in cells}) == len(cells)
    return {(keys[c.key].policy, *keys[c.key].point.values(), c.job_set) for c in cells}


def test_a_figure_shows_the_part_of_the_grid_that_it_asks_for() -> None:
    whole = shown(boxes())
    assert len(whole) == 12 * 2 * 3
    assert shown(boxes(where={"n_jobs": [10, 30]})) == {s for s in whole if s[1] != 20}
    assert shown(boxes(without={"n_jobs": 10, "n_machines": 2})) == {s for s in whole if s[1:3] != (10, 2)}
    assert shown(boxes(job_sets=[3, 1])) == {s for s in whole if s[4] != 2}
    assert shown(boxes(policies=["other"])) == {s for s in whole if s[0] == "other"}
    limited = {"only_at": {"PQ": {"n_jobs": 10}}, "without": [{"n_machines": 3}]}
    assert shown(boxes(), **limited) == {s for s in whole if (s[0] == "other" or s[1] == 10) and s[2] == 2}


def test_only_what_a_figure_shows_is_run_for_it() -> None:
    figure = boxes(where={"n_jobs": 10}, policies=["PQ"], job_sets=[2])
    experiment = described({"f": figure})
    assert len(_cells(experiment, ["f"])) == 4
    assert _cells(experiment, ["f"]).items() <= unique_cells(experiment).items()


@pytest.mark.parametrize(
    ("figure", "sweep", "words"),
    [
        ({"where": {"n_jobs": [11]}}, {}, ["no point of the sweep 'grid' has {'n_jobs': [11]}"]),
        ({"where": {"n_jobs": 10}, "without": {"n_jobs": 10}}, {}, ["{'n_jobs': 10} and is not left out"]),
        ({"without": {"n_job": 10}}, {}, ["without: unknown parameter 'n_job'", "did you mean 'n_jobs'"]),
        ({"without": [{"n_jobs": 11}]}, {}, ["figure 'f', without: n_jobs = 11 is not among"]),
        ({"without": [{"n_jobs": 10}, "n_jobs=20"]}, {}, ["without[1] = 'n_jobs=20' must be a table"]),
        ({"job_sets": [4]}, {}, ["job set 4 is not among those of the sweep"]),
        ({"job_sets": [2]}, {"job_sets": [1, 3]}, ["job set 2 is not among those of the sweep"]),
        ({"job_sets": []}, {}, ["job_sets = [] is empty"]),
        ({"job_sets": 2.0}, {}, ["job_sets = 2.0 must be a list of numbers"]),
        ({"job_sets": [True]}, {}, ["job_sets[0] = True must be an integer"]),
        ({"job_sets": [1, 1]}, {}, ["job_sets = [1, 1] lists 1 twice"]),
        (
            {"where": {"n_jobs": 20}},
            {"only_at": {"PQ": {"n_jobs": 10}}},
            ["policy 'PQ' runs at no point that is shown"],
        ),
        ({"kind": "lines", "x": "n_jobs", "where": {"n_machines": [2, 3], "policy.heuristic": "erf"}}, {},
         ["n_machines has the values 2, 3; say which one under where"]),
        ({"lower_bound": True}, {}, ["kind 'boxes' has no lower_bound", "; y = 'ratio' shows values over theirs"]),
        ({"baseline": "PQ"}, {}, ["a figure of kind 'boxes' has no baseline (kinds with one: lines)"]),
        ({"y_range": [0, 1]}, {}, ["a figure of kind 'boxes' has no y_range (kinds with one: lines)"]),
        ({"x": "n_jobs"}, {}, ["a figure of kind 'boxes' has no x"]),
        ({"y": "ration"}, {}, ["unknown y 'ration'", "did you mean 'ratio'"]),
    ],
)  # fmt: skip
def test_figures_of_parts_that_do_not_exist_are_refused(
    figure: dict[str, Any], sweep: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(InvalidInstanceError) as refusal:
        described({"f": boxes(**figure)}, **sweep)
    for word in words:
        assert word in str(refusal.value)


def test_a_policy_that_runs_at_some_x_has_points_without_cells_at_the_others() -> None:
    figure = Figure("grid", x="n_jobs", where={"n_machines": 2, "policy.heuristic": "erf"})
    experiment = described({"f": figure}, only_at={"other": {"n_jobs": [10, 30]}})
    data = figure_data(experiment, "f", {})
    assert [len(point.cells) for point in data.series["other"]] == [3, 0, 3]
    assert data.missing == 9 + 6


def test_sweeps_without_conditions_are_written_as_before() -> None:
    document = to_document(described())
    assert set(document["sweeps"]["grid"]) == {"workloads", "policies", "parameters"}
