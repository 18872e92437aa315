"""What every algorithm refuses: what is not its kind of instance, unknown options, embedding where it has none."""

import re
from typing import Any

import numpy as np
import pytest

import schedcore
from problems.small_problems import small
from schedcore import InvalidInstanceError, UnsupportedError, registry
from schedcore.model import AnyInstance
from schedcore.problems import PROBLEMS
from schedcore.registry import Algorithm

INSTANCES = {problem.instance_type: small(problem).inst for problem in PROBLEMS}

every_algorithm = pytest.mark.parametrize(
    "algorithm", registry.algorithms(), ids=lambda algorithm: algorithm.name
)


def test_five_algorithms_solve_instances_of_two_kinds() -> None:
    several = {each.name: each.also_solves for each in registry.algorithms() if each.also_solves}
    names = ("srpt", "srvf", "svf", "srf", "fifo")
    assert several == dict.fromkeys(names, (schedcore.MapReduceInstance,))


@pytest.mark.parametrize("kind", INSTANCES)
@every_algorithm
def test_an_instance_of_another_kind_is_refused(algorithm: Algorithm, kind: type[AnyInstance]) -> None:
    if algorithm.solves(kind):
        return
    solved = " and ".join(known.__name__ for known in (algorithm.instance_kind, *algorithm.also_solves))
    message = f"'{algorithm.name}' solves {solved}, not {kind.__name__}"
    with pytest.raises(UnsupportedError, match=f"^{re.escape(message)}$"):
        schedcore.solve(algorithm.name, INSTANCES[kind])


@every_algorithm
def test_what_is_no_instance_is_refused_by_its_type(algorithm: Algorithm) -> None:
    solved = " or a ".join(
        f"schedcore.{kind.__name__}" for kind in (algorithm.instance_kind, *algorithm.also_solves)
    )
    message = f"{algorithm.name}: instance must be a {solved}, not NoneType"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        getattr(schedcore, algorithm.name)(None)


@every_algorithm
def test_an_option_that_it_does_not_have_is_named(algorithm: Algorithm) -> None:
    name = algorithm.name
    whose = f" of '{name}'" if algorithm.options else f": '{name}' has no options"
    with pytest.raises(InvalidInstanceError, match=f"^unknown option 'basis'{whose}"):
        schedcore.solve(name, INSTANCES[algorithm.instance_kind], basis="lpt")


def test_policies_of_three_families_are_embedded() -> None:
    assert {algorithm.family for algorithm in registry.algorithms() if algorithm.embeddable} == {
        "online", "backfilling", "parallel tasks"
    }  # fmt: skip


@pytest.mark.parametrize("name", [each.name for each in registry.algorithms() if not each.embeddable])
def test_other_algorithms_have_no_embedded_form(name: str) -> None:
    others = ", ".join(each.name for each in registry.algorithms() if each.embeddable)
    with pytest.raises(UnsupportedError, match=f"^'{name}' has no embedded form; {others} have one$"):
        schedcore.OnlineScheduler(name, schedcore.Machines([[2]]))


@pytest.mark.parametrize("machines", [[[4], [4]], None, np.array([[4]])])
def test_an_embedded_policy_needs_machines(machines: Any) -> None:
    with pytest.raises(TypeError, match=r"^machines must be schedcore\.Machines, not "):
        schedcore.OnlineScheduler("pq", machines)
