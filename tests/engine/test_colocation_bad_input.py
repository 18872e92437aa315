"""Bad input of the colocation family gets a clear error; what is merely odd gets the documented answer."""

import math
from typing import Any

import numpy as np
import pytest

import schedcore
from properties.colocation_instances import four_tasks as instance
from schedcore import (
    Assignment,
    ColocationInstance,
    InfeasibleError,
    InvalidInstanceError,
    UnsupportedError,
    colocation,
    registry,
    solve,
)

NAMES = [a.name for a in registry.algorithms() if a.instance_kind is ColocationInstance]
NEED_UNIT_DIAGONAL = ["fill_greedy", "fill_rebalance", "greedy_dedicated", "greedy_for_2_types"]
ANY_DIAGONAL = [name for name in NAMES if name not in NEED_UNIT_DIAGONAL]
TAKE_CLUSTERS = NEED_UNIT_DIAGONAL
COSTLY_TYPE_1 = [[10, 5], [5, 11]]
INCOMPATIBLE = [[10, 15, 15], [15, 10, 15], [15, 15, 10]]


ordinary = pytest.mark.parametrize("name", NAMES)


# What is no instance never reaches an algorithm; tests/model has all of it


@pytest.mark.parametrize(
    ("columns", "error", "match"),
    [
        ({"alpha": [[10, -1], [5, 10]]}, InvalidInstanceError, r"alpha\[0, 1\] = -1"),
        ({"alpha": [[10, 5], [5, 0]]}, InvalidInstanceError, r"alpha\[1, 1\] = 0 .* above 0"),
        ({"size": [2**60, 2**59, 1, 1]}, InvalidInstanceError, r"costs \d+ .* above 2\*\*63"),
        ({"n_machines": 0}, InvalidInstanceError, "n_machines = 0"),
        ({"size": [3.0, 2.0, 2.0, 1.0]}, TypeError, "size must hold integers"),
        ({"alpha_denominator": 10.0}, TypeError, "alpha_denominator must be an integer"),
    ],
)
def test_bad_columns_are_refused_by_name(columns: dict[str, Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        instance(**columns)


@ordinary
def test_costs_that_just_fit_64_bits_are_taken(name: str) -> None:
    two_types = {"type": [0, 1], "alpha": [[1, 1], [1, 1]], "alpha_denominator": 1}
    largest = instance(size=[2**62, 2**62 - 1], n_machines=1, **two_types)
    result = solve(name, largest)
    assert (result.cost_numerator, result.sum_numerator) == (2**63 - 1, 2 * (2**63 - 1))


# What algorithms need


@pytest.mark.parametrize("name", NEED_UNIT_DIAGONAL)
def test_a_type_that_costs_itself_more_than_1_is_named(name: str) -> None:
    with pytest.raises(UnsupportedError, match=rf"{name} needs alpha\[1, 1\] <= 1.* type 1 "):
        solve(name, instance(alpha=COSTLY_TYPE_1))


@pytest.mark.parametrize("name", NEED_UNIT_DIAGONAL)
def test_a_costly_type_without_tasks_does_not_matter(name: str) -> None:
    only_type_0 = {"type": [0, 0, 0, 0]}
    result = solve(name, instance(**only_type_0, alpha=COSTLY_TYPE_1))
    assert result.schedule == solve(name, instance(**only_type_0)).schedule


@pytest.mark.parametrize("name", ANY_DIAGONAL)
def test_the_other_algorithms_take_any_diagonal(name: str) -> None:
    costly = instance(alpha=COSTLY_TYPE_1)
    result = solve(name, costly)
    schedcore.validate(costly, result.schedule, raise_on_error=True)
    assert result.cost_numerator >= 33


@pytest.mark.parametrize("name", ["fill_greedy", "greedy_dedicated"])
def test_more_clusters_than_machines_are_infeasible(name: str) -> None:
    crowded = instance(type=[0, 1, 2, 1], alpha=INCOMPATIBLE)
    with pytest.raises(InfeasibleError, match=r"3 clusters.*n_machines = 2"):
        solve(name, crowded)
    assert solve(name, instance(type=[0, 1, 0, 1], alpha=INCOMPATIBLE)).cost_numerator > 0


@pytest.mark.parametrize("name", [*ANY_DIAGONAL, "fill_rebalance"])
def test_the_other_algorithms_take_more_clusters_than_machines(name: str) -> None:
    crowded = instance(type=[0, 1, 2, 1], alpha=INCOMPATIBLE)
    schedcore.validate(crowded, solve(name, crowded).schedule, raise_on_error=True)


@pytest.mark.parametrize(
    "columns",
    [
        {"type": [0, 1, 2, 1], "alpha": INCOMPATIBLE, "n_machines": 4},
        {"type": [0, 1, 2, 1], "alpha": [[10, 1, 1], [1, 10, 1], [1, 1, 10]]},
        {"type": [0, 0, 0, 0], "alpha": [[10]]},
    ],
    ids=["three_clusters", "one_cluster", "one_type"],
)
def test_greedy_for_2_types_needs_two_groups(columns: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedError, match="two"):
        solve("greedy_for_2_types", instance(**columns))


def test_fill_greedy_without_search_needs_more_machines_than_types() -> None:
    with pytest.raises(UnsupportedError, match=r"n_machines = 2, n_types = 2"):
        solve("fill_greedy", instance(), search=False)
    assert solve("fill_greedy", instance(n_machines=3), search=False).stats["threshold"] == 16


# Types that do not occur


@pytest.mark.parametrize("name", [name for name in NAMES if name != "greedy_for_2_types"])
def test_types_without_tasks_change_nothing(name: str) -> None:
    padded = [[10, 7, 5, 15], [15, 10, 15, 15], [5, 15, 10, 15], [15, 15, 15, 10]]
    result = solve(name, instance(type=[0, 2, 0, 2], alpha=padded))
    assert result.schedule == solve(name, instance()).schedule
    assert result.stats.get("clusters", [[0, 2]]) == [[0, 2]]


# Options


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sched_mixed", {"base": "ltp"}),
        ("best_schedule", {"base": None}),
        ("greedy_dedicated", {"inner": "sched_mix"}),
        ("greedy_dedicated", {"base": "ltp"}),
        ("fill_rebalance", {"group": "types"}),
        ("fill_rebalance", {"rule": "worst"}),
        *((name, {"clusters": "firstfit"}) for name in TAKE_CLUSTERS),
        *((name, {"bound": "lp"}) for name in NAMES),
        ("mct_ptas", {"k": 0}),
        ("mct_ptas", {"k": -1}),
    ],
)
def test_unknown_values_of_options_are_refused(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInstanceError, match=next(iter(options))):
        solve(name, instance(), **options)


@pytest.mark.parametrize("name", ["fill_greedy", "greedy_for_2_types"])
@pytest.mark.parametrize("option", ["sort", "search"])
@pytest.mark.parametrize("wrong", ["no", 0, None])
def test_what_is_on_or_off_is_true_or_false(name: str, option: str, wrong: object) -> None:
    with pytest.raises(InvalidInstanceError, match=f"{option} = {wrong!r} must be True or False"):
        solve(name, instance(), **{option: wrong})


@pytest.mark.parametrize("name", TAKE_CLUSTERS)
@pytest.mark.parametrize("labels", [[0], [0, 0, 0], []])
def test_labels_of_another_number_of_types_are_refused(name: str, labels: list[int]) -> None:
    with pytest.raises(InvalidInstanceError, match=rf"clusters has {len(labels)} labels for 2 types"):
        solve(name, instance(), clusters=np.array(labels, dtype=np.int64))


@pytest.mark.parametrize("name", TAKE_CLUSTERS)
def test_labels_that_put_incompatible_types_together_are_refused_by_pair(name: str) -> None:
    with pytest.raises(InvalidInstanceError, match=r"types 0 and 1 .*alpha\[0, 1\] = 15"):
        solve(name, instance(alpha=[[10, 15], [15, 10]]), clusters=[4, 4])
    with pytest.raises(InvalidInstanceError, match=r"types 1 and 0 .*alpha\[1, 0\] = 15"):
        solve(name, instance(alpha=[[10, 5], [15, 10]]), clusters=[4, 4])


@pytest.mark.parametrize("name", TAKE_CLUSTERS)
def test_labels_that_are_no_integers_are_a_type_error(name: str) -> None:
    with pytest.raises(TypeError):
        solve(name, instance(), clusters=[0.0, 1.0])


# Limits are a status


def test_a_limit_of_nodes_is_a_status_not_an_error() -> None:
    many = instance(size=list(range(1, 31)), type=[0, 1] * 15, n_machines=4)
    result = solve("mct_exact", many, node_limit=1)
    schedcore.validate(many, result.schedule, raise_on_error=True)
    assert result.stats["status"] == "node_limit"


def test_a_limit_of_work_is_a_status_not_an_error() -> None:
    many = instance(size=list(range(1, 31)), type=[0, 1] * 15, n_machines=4)
    result = solve("mct_ptas", many, work_limit=1)
    schedcore.validate(many, result.schedule, raise_on_error=True)
    assert result.stats["status"] == "work_limit"


# The building blocks


@pytest.mark.parametrize(
    ("table", "n_machines"),
    [
        ([[1, 2], [3, 4]], 4),
        ([[1, 2], [3, 4]], 1),
        ([1, 2], 2),
        ([], 2),
        ([[]], 0),
        ([[1.0, math.nan]], 2),
    ],
)
def test_tables_of_another_shape_or_without_numbers_are_refused(table: Any, n_machines: int) -> None:
    with pytest.raises(InvalidInstanceError):
        colocation.best_composition(table, n_machines)


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(InvalidInstanceError, match="method 'lp'"):
        colocation.lower_bound(instance(), method="lp")
    with pytest.raises(InvalidInstanceError, match="'fewest'"):
        colocation.compatible_clusters([[1.0]], method="fewest")


def test_improving_an_assignment_of_another_instance_is_refused() -> None:
    with pytest.raises(InvalidInstanceError):
        colocation.improve(instance(), Assignment([0, 1]))
    with pytest.raises(InvalidInstanceError):
        colocation.improve(instance(), Assignment([0, 1, 2, 0]))


def test_a_decision_needs_an_integer_parameter_of_at_least_1() -> None:
    with pytest.raises(InvalidInstanceError, match="k"):
        colocation.ptas_decide(instance(), 40, 0)
    with pytest.raises(TypeError):
        colocation.ptas_decide(instance(), 40.5, 1)
    assert colocation.ptas_decide(instance(), 0, 1) is None
