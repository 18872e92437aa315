"""Every declared transform: what it takes, what it applies to, and that it makes a new instance out of an old one."""

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedcore import InvalidInstanceError, UnsupportedError
from schedcore.model import AnyInstance
from schedcore.workloads import (
    GENERATORS,
    at_time_zero,
    colocation_grid,
    downsample,
    downsampling_offset,
    draw_more_resources,
    draw_weights,
    exact_estimates,
    feitelson_k,
    first_jobs,
    mapreduce_standin,
    misestimate,
    parallel_task_standin,
    poisson_arrivals,
    scale_release_times,
)
from schedcore.workloads.transforms import table
from schedcore.workloads.transforms.resources import first_resources
from schedcore.workloads.transforms.table import TRANSFORM_OF, TRANSFORMS

ROOT = Path(__file__).parents[3]

#: An argument of each kind of transform with a value that changes every instance below.
EXAMPLES: dict[str, Any] = {
    "factor": 4,
    "first_jobs": 7,
    "first_resources": 2,
    "total_resources": 5,
    "exact_estimates": True,
    "poisson_average_queue": 2,
    "poisson_mean_gap": 30.5,
    "traffic_intensity": 2,
    "at_time_zero": True,
    "misestimate_variance": 0.5,
    "random_weights": True,
    "outage": "n1 1h 2h",
}
#: What happens unannounced is no part of the instance: `incidents_of` reads it.
UNANNOUNCED = {"failures": "mtbf=2d mttr=1h", "cancellations": "cancelled.csv", "killed": "drop"}

KINDS: dict[str, AnyInstance] = {
    "jobs": feitelson_k(2, 60, n_resources=3, estimate_factor=3),
    "parallel tasks": parallel_task_standin(20, 5, 1),
    "map and reduce": mapreduce_standin(20, 1),
    "colocation": colocation_grid(1, 2, 20, 3, 1),
}


def transformed(inst: AnyInstance, arguments: dict[str, Any]) -> AnyInstance:
    return table.transformed(inst, arguments, "things")


def asked(argument: str, job_set: int = 1) -> dict[str, Any]:
    """An argument with its example, and what a job set draws for it."""
    transform, given = TRANSFORM_OF[argument], {argument: EXAMPLES[argument]}
    drawn = {} if transform.draws is None else {transform.draws: transform.draw(given, job_set)}
    return {**given, **drawn}


def test_every_argument_has_an_example_and_a_row_in_the_documentation() -> None:
    arguments = [name for transform in TRANSFORMS for name in transform.arguments]
    assert sorted(arguments) == sorted({**EXAMPLES, **UNANNOUNCED})
    documented = (ROOT / "docs" / "experiments.md").read_text()
    assert [name for name in arguments if f"`{name}`" not in documented] == []


def test_a_name_means_one_thing() -> None:
    names = [name for transform in TRANSFORMS for name in transform.names]
    assert len(set(names)) == len(names) == len(TRANSFORM_OF)
    assert not set(names) & {name for generator in GENERATORS.values() for name in generator.parameters}


@pytest.mark.parametrize("argument", EXAMPLES)
@pytest.mark.parametrize("value", [-1, "often", None, math.nan, math.inf, 1j, [1]])
def test_a_value_that_makes_no_sense_is_refused_with_the_name_of_the_argument(
    argument: str, value: object
) -> None:
    check = TRANSFORM_OF[argument].arguments[argument]
    check(argument, EXAMPLES[argument])
    with pytest.raises(InvalidInstanceError, match=f"^{argument} = .* must be "):
        check(argument, value)


@pytest.mark.parametrize("argument", ["factor", "first_jobs", "traffic_intensity"])
def test_a_number_of_nothing_is_refused(argument: str) -> None:
    with pytest.raises(InvalidInstanceError, match=f"{argument} = 0 must be "):
        TRANSFORM_OF[argument].arguments[argument](argument, 0)


@pytest.mark.parametrize("argument", EXAMPLES)
@pytest.mark.parametrize("kind", KINDS)
def test_it_applies_to_the_kinds_it_names_and_refuses_the_others_by_name(argument: str, kind: str) -> None:
    inst, arguments = KINDS[kind], asked(argument)
    if not isinstance(inst, TRANSFORM_OF[argument].kinds):
        words = rf"{', '.join(arguments)} cannot be applied to things, only to jobs"
        with pytest.raises(UnsupportedError, match=f"^{words}$"):
            transformed(inst, arguments)
    elif argument == "poisson_average_queue" and kind == "parallel tasks":
        with pytest.raises(
            UnsupportedError, match="average_queue = 2: FCFS/FF-EASY schedules no jobs of tasks"
        ):
            transformed(inst, arguments)
    else:
        assert type(transformed(inst, arguments)) is type(inst)
        assert transformed(inst, arguments) != inst


@pytest.mark.parametrize("argument", EXAMPLES)
def test_the_same_draw_gives_the_same_instance_another_one_another(argument: str) -> None:
    inst = KINDS["jobs"]
    first, again, second = (transformed(inst, asked(argument, job_set)) for job_set in (1, 1, 2))
    assert first == again
    assert (first != second) == (TRANSFORM_OF[argument].draws is not None)


@pytest.mark.parametrize("argument", EXAMPLES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_it_is_applied_to_stays_what_it_was(argument: str, kind: str) -> None:
    inst = KINDS[kind]
    before = pickle.dumps(inst)
    try:
        transformed(inst, asked(argument))
    except UnsupportedError:
        return
    assert pickle.dumps(inst) == before


@pytest.mark.parametrize("argument", UNANNOUNCED)
def test_what_happens_unannounced_changes_no_instance(argument: str) -> None:
    transform = TRANSFORM_OF[argument]
    check = transform.arguments[argument]
    check(argument, UNANNOUNCED[argument])
    for value in (-1, None, math.nan, 1j, [1], "", True):
        with pytest.raises(InvalidInstanceError, match=f"^{argument} = .* must be "):
            check(argument, value)
    assert transformed(KINDS["jobs"], {argument: UNANNOUNCED[argument]}) is KINDS["jobs"]
    with pytest.raises(UnsupportedError, match=f"{argument} cannot be applied to things"):
        transformed(KINDS["colocation"], {argument: UNANNOUNCED[argument]})


def test_a_flag_that_is_false_changes_nothing_and_is_refused_where_true_is() -> None:
    for argument, value in EXAMPLES.items():
        if value is True:
            assert transformed(KINDS["jobs"], {argument: False}) is KINDS["jobs"]
            with pytest.raises(UnsupportedError, match=f"{argument} cannot be applied to things"):
                transformed(KINDS["colocation"], {argument: False})


def test_all_are_applied_in_the_order_of_the_table_whatever_the_order_of_the_arguments() -> None:
    full = feitelson_k(2, 60, n_resources=3, estimate_factor=3)
    arguments = {name: value for argument in EXAMPLES for name, value in asked(argument, 2).items()}
    del arguments["poisson_average_queue"], arguments["at_time_zero"], arguments["outage"]
    inst = first_jobs(downsample(full, 4, downsampling_offset(4, 2)), 7)
    inst = draw_more_resources(first_resources(inst, 2), 5, 2, full.jobs.demand[:, 0])
    inst = poisson_arrivals(exact_estimates(inst), 2, mean_gap=30.5)
    expected = draw_weights(misestimate(scale_release_times(inst, 0.5), 0.5, 2), "random", 2)
    assert transformed(full, arguments) == expected
    assert transformed(full, dict(reversed(arguments.items()))) == expected
    at_once = {**arguments, "at_time_zero": True}
    assert transformed(full, at_once) == at_time_zero(expected)


def test_the_job_sets_of_a_factor_are_all_its_offsets() -> None:
    transform, given = TRANSFORM_OF["factor"], {"factor": 6}
    assert transform.n_job_sets is not None
    draws = [transform.draw(given, job_set) for job_set in range(1, transform.n_job_sets(given) + 1)]
    assert sorted(draws) == list(range(6))


def test_the_first_resources_are_kept_with_what_is_believed_of_them() -> None:
    inst = misestimate(feitelson_k(2, 20, n_resources=3), 0.5)
    kept = first_resources(inst, 2)
    np.testing.assert_array_equal(kept.jobs.demand, inst.jobs.demand[:, :2])
    np.testing.assert_array_equal(kept.jobs.estimated_demand, inst.jobs.estimated_demand[:, :2])
    assert kept.machines.resource_names == inst.machines.resource_names[:2]
    assert first_resources(inst, 3) == inst
    with pytest.raises(InvalidInstanceError, match="first 4 resources: the workload has only 3"):
        first_resources(inst, 4)
    with pytest.raises(InvalidInstanceError, match="n_resources = 0 is below 1"):
        first_resources(inst, 0)
