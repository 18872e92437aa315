"""What the package shows by name: types and doors at the top, the functions of a family in its module."""

import importlib
import types

import pytest

import schedcore
from schedcore import registry

FAMILIES = ("online", "backfilling", "parallel_tasks", "preemptive", "colocation")
DOORS = {
    "build_config", "compare", "get_cmake_dir", "get_include", "knapsack", "partition", "show_versions", "solve",
    "sweep", "validate",
}  # fmt: skip


def test_the_top_level_lists_types_doors_and_modules_alone() -> None:
    listed = {name: getattr(schedcore, name) for name in dir(schedcore) if not name.startswith("__")}
    functions = {name for name, value in listed.items() if not isinstance(value, (type, types.ModuleType))}
    assert functions == DOORS
    assert {
        value.__name__.partition(".")[0] for value in listed.values() if isinstance(value, types.ModuleType)
    } == {"schedcore"}


def test_no_module_of_python_leaks() -> None:
    for name in ("importlib", "logging", "typing"):
        with pytest.raises(AttributeError, match=name):
            getattr(schedcore, name)


@pytest.mark.parametrize("name", registry.names())
def test_every_algorithm_is_a_function_of_its_family_and_of_the_top_level(name: str) -> None:
    homes = [family for family in FAMILIES if name in getattr(schedcore, family).__all__]
    assert len(homes) == 1
    function = getattr(getattr(schedcore, homes[0]), name)
    assert callable(function)
    assert getattr(schedcore, name) is function
    assert name not in dir(schedcore)


@pytest.mark.parametrize(
    "name",
    ["epochs", "flow_power_lower_bound", "fractional_lower_bound", "lower_bounds", "makespan_lower_bound",
     "place_by_latency", "selection_scores"],
)  # fmt: skip
def test_former_names_are_found_and_not_listed(name: str) -> None:
    assert callable(getattr(schedcore, name))
    assert name not in dir(schedcore)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_lists_what_it_has(family: str) -> None:
    module = importlib.import_module(f"schedcore.{family}")
    assert module.__all__ == sorted(module.__all__, key=lambda name: (not name[0].isupper(), name))
    for name in module.__all__:
        assert getattr(module, name) is not None
