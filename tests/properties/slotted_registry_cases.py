"""Every registered slotted algorithm as a test case, on each kind of instance that it solves, with any options."""

import itertools
from functools import cache
from typing import Any, NamedTuple

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import schedcore
from properties.registry_cases import Options, takes, values_of
from reference.slotted_instance import SlottedJobs
from reference.slotted_optimum import least_flow_power_sum, least_map_reduce_power_sum
from schedcore import registry
from schedcore.registry import Algorithm
from slotted_cases import map_reduce_instances, slotted_instances, tiny_instances

SlottedInstance = schedcore.Instance | schedcore.MapReduceInstance


class Case(NamedTuple):
    """An algorithm and the kind of instance to give it."""

    algorithm: Algorithm
    kind: type[SlottedInstance]


class Problem(NamedTuple):
    """What to solve with which options."""

    options: Options
    instance: Any


SLOTTED = [
    pytest.param(Case(algorithm, kind), id=f"{algorithm.name}-{kind.__name__}")
    for kind in (schedcore.Instance, schedcore.MapReduceInstance)
    for algorithm in registry.algorithms(kind)
    if algorithm.slotted
]

every_slotted_algorithm = pytest.mark.parametrize("case", SLOTTED)


@cache
def options_taken(name: str) -> list[Options]:
    """All combinations of options that go together, which are too few of all to draw each option by itself."""
    algorithm = registry.get(name)
    values = values_of(algorithm)
    every = (dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values()))
    return [o for o in every if not algorithm.solves(schedcore.Instance) or takes(algorithm, o)]


@st.composite
def slotted_problems(draw: st.DrawFn, case: Case, *, tiny: bool = False, **limits: Any) -> Problem:
    """Options and an instance; estimates where jobs can have them (or as told); `tiny` ones have a known optimum."""
    algorithm = case.algorithm
    options = {**draw(st.sampled_from(options_taken(algorithm.name)))}
    if algorithm.needs_zero_releases:
        limits.update(latest=0, gaps=False)
    if case.kind is schedcore.MapReduceInstance:
        small = {"max_jobs": 2, "longest": 2, "most_tasks": 2, "most_cores": 2, "max_machines": 2}
        instance = draw(map_reduce_instances(**{**(small if tiny else {}), **limits}))
        return Problem(draw(_for_phases(options, instance)), instance)
    options.pop("placement", None)
    limits["whole"] = options.get("service", "shared") != "shared"
    if tiny:
        return Problem(options, draw(tiny_instances(**limits)))
    resources = limits.pop("resources", (1, 1, 2, 3))
    if "estimates" not in limits:
        limits["estimates"] = draw(st.booleans())
    return Problem(options, draw(slotted_instances(resources=resources, **limits)))


@st.composite
def _for_phases(draw: st.DrawFn, options: Options, instance: schedcore.MapReduceInstance) -> Options:
    """Without memory, with cores shared, and with latencies where they place."""
    no_options = {"mem_mode", "service", "skip"}
    options = {name: value for name, value in options.items() if name not in no_options}
    if options["placement"] == "latency":
        size = instance.n_tasks * instance.n_machines
        latency = draw(st.lists(st.sampled_from([0, 1, 3]), min_size=size, max_size=size))
        options["latency"] = np.array(latency, dtype=float).reshape(instance.n_tasks, instance.n_machines)
    return options


def solve_slotted(case: Case, problem: Problem) -> Any:
    """Solve; options that the algorithm declares unsupported together are another example's business."""
    try:
        return schedcore.solve(case.algorithm.name, problem.instance, **problem.options)
    except schedcore.UnsupportedError:
        hypothesis.reject()


def least_value(instance: Any, k: int) -> int:
    """The optimum of a tiny instance, cores alone."""
    if isinstance(instance, schedcore.MapReduceInstance):
        return least_map_reduce_power_sum(instance, k)
    return least_flow_power_sum(SlottedJobs.from_instance(instance), k)


def release_times(instance: Any) -> Any:
    return instance.jobs.release_time if isinstance(instance, schedcore.Instance) else instance.release_time


def on_one_machine(problem: Problem) -> Problem:
    """The same jobs on a machine that has the cores of all, as far from each task as the first was."""
    options, instance = problem
    machines = schedcore.Machines([[instance.machines.capacity.sum()]])
    if not isinstance(instance, schedcore.MapReduceInstance):
        return Problem(options, schedcore.Instance(instance.jobs, machines))
    if "latency" in options:
        options = {**options, "latency": options["latency"][:, :1]}
    return Problem(options, instance.replace(machines=machines))


def with_cores(instance: Any, factor: int) -> Any:
    """The same jobs and machines with `factor` times the cores."""
    capacity = instance.machines.capacity.copy()
    capacity[:, 0] *= factor
    machines = schedcore.Machines(capacity)
    if isinstance(instance, schedcore.MapReduceInstance):
        return instance.replace(
            map_cores=instance.map_cores * factor,
            reduce_cores=instance.reduce_cores * factor,
            machines=machines,
        )
    demand, believed = instance.jobs.demand.copy(), instance.jobs.estimated_demand.copy()
    demand[:, 0] *= factor
    believed[:, 0] *= factor
    columns = {"demand": demand}
    if instance.jobs.has_demand_estimates:
        columns["estimated_demand"] = believed
    return schedcore.Instance(instance.jobs.replace(**columns), machines)


def with_memories(instance: schedcore.Instance, order: list[int], factor: int) -> schedcore.Instance:
    """The same with `factor` times the memories, which take each other's places; `order` keeps 0, the cores, first."""
    scale = [1] + [factor] * (instance.n_resources - 1)
    jobs = instance.jobs
    columns = {"demand": jobs.demand[:, order] * scale}
    if jobs.has_demand_estimates:
        columns["estimated_demand"] = jobs.estimated_demand[:, order] * scale
    return schedcore.Instance(
        jobs.replace(**columns), schedcore.Machines(instance.machines.capacity[:, order] * scale)
    )
