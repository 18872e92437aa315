"""What holds for every algorithm of parallel tasks on every instance: feasible, certified, reproducible, covariant.

All registered algorithms that take `ParallelTaskInstance` are covered, with any of their options. Not scale invariant
in time, and so not tested for it: SynchPack-1 and -2, whose intervals start at 1; everything online, whose epochs have
a length of at least 1; Tetris with a fixed scale, which adds a number to the inverse of a time.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from parallel_task_cases import pieces
from properties.parallel_task_instances import (
    huge_parallel_task_instances,
    parallel_task_instances,
    plain,
    shares_of,
    solution_rows,
    tiny_instances,
)
from properties.registry_cases import Options, options_of
from reference.parallel_tasks_optimum import slot_optimum
from reference.parallel_tasks_tetris import tetris_np, tetris_p
from schedcore import registry
from schedcore.registry import Algorithm

Instance = schedcore.ParallelTaskInstance
Problem = tuple[Options, Instance]

ALGORITHMS = [pytest.param(a, id=a.name) for a in registry.algorithms(Instance)]
NAMES = [a.name for a in registry.algorithms(Instance)]
ONE_MACHINE = ["synchpack3", "psrs"]
BASELINES = ["psrs", "tetris_p", "tetris_np", "jsq_mw"]
ONLINE = ["synchpack2", "synchpack3"]
# Their times are whole if those of the instance are, so that the best schedule in slots is a bound on them.
WHOLE_TIMES = ["synchpack2", "synchpack3", "tetris_p", "tetris_np", "jsq_mw"]
MULTI_RESOURCE = [name for name in NAMES if name != "psrs"]

every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)


@st.composite
def problems(
    draw: st.DrawFn, algorithm: Algorithm, *, huge: bool = False, tiny: bool = False, **limits: Any
) -> Problem:
    """Options and an instance that suits them."""
    options = draw(options_of(algorithm))
    if algorithm.name in ONLINE and not draw(st.booleans()):
        options["online"] = False
    if options.get("online"):
        options["tau0"] = draw(st.sampled_from([1.0, 4.0, 2.5]))
    if algorithm.name in ONE_MACHINE:
        limits["single_machine"] = True
    if algorithm.name in MULTI_RESOURCE:
        limits.setdefault("max_resources", 2)
    if algorithm.name in BASELINES or options.get("online"):
        limits.setdefault("releases", ("zero", "whole", "quarters"))
    else:
        limits["releases"] = ("zero",)
    make = tiny_instances if tiny else huge_parallel_task_instances if huge else parallel_task_instances
    return options, draw(make(**limits))


def solve(algorithm: Algorithm, problem: Problem) -> Any:
    options, instance = problem
    return schedcore.solve(algorithm.name, instance, **options)


def solve_given(algorithm: Algorithm, problem: Problem, scale: float = 1.0) -> Any:
    """Solve without leaving anything to a solver, whose answer may depend on the units."""
    options, instance = problem
    if algorithm.name in ("synchpack1", "synchpack2"):
        options = {**options, "lp_solution": solution_rows(instance, options["lp_solution"])}
    if algorithm.name == "synchpack3":
        options = {**options, "lp_solution": options["lp_solution"] * scale}
    return schedcore.solve(algorithm.name, instance, **options)


@st.composite
def given_problems(draw: st.DrawFn, algorithm: Algorithm, **limits: Any) -> Problem:
    """Offline problems whose linear programs are solved already."""
    options, instance = draw(problems(algorithm, **limits))
    if algorithm.name in ONLINE and options.get("online"):
        options = {name: value for name, value in options.items() if name not in ("online", "tau0")}
        instance = instance.replace(release_time=np.zeros(instance.n_jobs))
    if algorithm.name in ("synchpack1", "synchpack2"):
        doubling = algorithm.name == "synchpack2"
        options["lp_solution"] = draw(shares_of(plain(instance), doubling=doubling))
    if algorithm.name == "synchpack3":
        eighths = st.lists(st.integers(0, 80), min_size=instance.n_jobs, max_size=instance.n_jobs)
        options["lp_solution"] = np.array(draw(eighths)) / 8
    return options, instance


def assert_certified(algorithm: Algorithm, problem: Problem) -> Any:
    """Feasible in its class, worth what it says, within its guarantee, above its bound."""
    _, instance = problem
    result = solve(algorithm, problem)
    schedcore.validate(instance, result.schedule, kind=algorithm.schedule_class, raise_on_error=True)
    completion = np.zeros(instance.n_jobs)
    np.maximum.at(completion, result.schedule.job, result.schedule.end_time)
    assert result.completion_time.tolist() == completion.tolist()
    assert result.objective == "weighted_completion_time"
    assert result.value == pytest.approx(float((instance.weight * completion).sum()), rel=1e-12)
    assert result.lower_bound is None or 0 <= result.lower_bound <= result.value * (1 + 1e-9)
    if result.guarantee is not None and instance.n_jobs:
        assert result.ratio() <= result.guarantee * (1 + 1e-5)
    return result


@every_algorithm
@examples(30)
@given(data=st.data())
def test_schedules_are_feasible_and_keep_what_they_promise(algorithm: Algorithm, data: st.DataObject) -> None:
    assert_certified(algorithm, data.draw(problems(algorithm)))


@every_algorithm
@examples(20)
@given(data=st.data())
def test_times_of_a_trillion_change_nothing_of_that(algorithm: Algorithm, data: st.DataObject) -> None:
    # SynchPack-1 counts billionths of the unit of time in 64 bits
    longest = 2**28 if algorithm.name == "synchpack1" else 2**40
    options, instance = data.draw(problems(algorithm, huge=True, longest=longest, max_jobs=3))
    if options.get("online"):
        options["tau0"] = 2.0**40
    assert_certified(algorithm, (options, instance))


@every_algorithm
@examples(20)
@given(data=st.data())
def test_bounds_stay_below_the_best_schedule_in_slots(algorithm: Algorithm, data: st.DataObject) -> None:
    problem = data.draw(problems(algorithm, tiny=True, releases=("zero", "whole"), max_resources=1))
    assume(all(r == int(r) for r in problem[1].release_time))
    result = assert_certified(algorithm, problem)
    best = float(slot_optimum(plain(problem[1]), algorithm.schedule_class))
    if result.lower_bound is not None:
        assert result.lower_bound <= best * (1 + 1e-9)
    if algorithm.name in WHOLE_TIMES:
        assert best <= result.value * (1 + 1e-12)


@every_algorithm
@examples(8)
@given(data=st.data())
def test_the_same_input_gives_the_same_schedule(algorithm: Algorithm, data: st.DataObject) -> None:
    problem = data.draw(problems(algorithm))
    first, again = solve(algorithm, problem), solve(algorithm, problem)
    assert pieces(first) == pieces(again)
    assert repr(dict(first.stats)) == repr(dict(again.stats))
    assert (first.value, first.lower_bound) == (again.value, again.lower_bound)


@every_algorithm
@examples(20)
@given(data=st.data(), factor=st.sampled_from([2, 3, 7, 2**20]))
def test_units_of_the_resources_do_not_matter(algorithm: Algorithm, data: st.DataObject, factor: int) -> None:
    options, instance = data.draw(given_problems(algorithm))
    scaled = instance.replace(
        demand=instance.demand * factor,
        machines=schedcore.Machines(instance.machines.capacity * factor),
    )
    if algorithm.name.startswith("tetris"):
        assume_clear_scores(algorithm.name, instance, options)
    assert pieces(solve_given(algorithm, (options, scaled))) == pieces(
        solve_given(algorithm, (options, instance))
    )


def assume_clear_scores(name: str, instance: Instance, options: Options) -> None:
    """Scores are floating point: where two are the same number or nearly so, rounding may order them either way."""
    reference = {"tetris_p": tetris_p, "tetris_np": tetris_np}[name]
    assume(not reference(plain(instance), remote=options.get("remote", "divide")).close_scores)


@pytest.mark.parametrize("name", [*BASELINES, "synchpack3"])
@examples(20)
@given(data=st.data(), factor=st.sampled_from([2, 8, 2**20]))
def test_the_unit_of_time_does_not_matter(name: str, data: st.DataObject, factor: int) -> None:
    algorithm = registry.get(name)
    options, instance = data.draw(given_problems(algorithm))
    scaled = instance.replace(
        release_time=instance.release_time * factor,
        placement_time=instance.placement_time * factor,
    )
    before = solve_given(algorithm, (options, instance))
    after = solve_given(algorithm, (options, scaled), scale=factor)
    assert pieces(after) == [(*where, start * factor, end * factor) for *where, start, end in pieces(before)]


@pytest.mark.parametrize("name", MULTI_RESOURCE)
@examples(20)
@given(data=st.data())
def test_names_of_the_resources_do_not_matter(name: str, data: st.DataObject) -> None:
    algorithm = registry.get(name)
    options, instance = data.draw(given_problems(algorithm, max_resources=3))
    turned = instance.replace(
        demand=instance.demand[:, ::-1],
        machines=schedcore.Machines(instance.machines.capacity[:, ::-1]),
    )
    if name.startswith("tetris"):
        assume_clear_scores(name, instance, options)
    assert pieces(solve_given(algorithm, (options, turned))) == pieces(
        solve_given(algorithm, (options, instance))
    )


@pytest.mark.parametrize("name", ["synchpack1", "synchpack2"])
@examples(30)
@given(data=st.data())
def test_shifting_left_delays_no_job(name: str, data: st.DataObject) -> None:
    algorithm = registry.get(name)
    options, instance = data.draw(given_problems(algorithm))
    shifted = solve_given(algorithm, ({**options, "shift": True}, instance))
    plain_run = solve_given(algorithm, ({**options, "shift": False}, instance))
    assert (shifted.completion_time <= plain_run.completion_time * (1 + 1e-12)).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_class_of_every_algorithm_is_stated(name: str) -> None:
    assert registry.get(name).schedule_class in ("migrate", "preempt", "nonpreempt")
