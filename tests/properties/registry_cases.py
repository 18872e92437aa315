"""Every registered algorithm that schedules jobs as a test case, with any combination of its options.

An algorithm added to the registry is covered by the tests that parametrise over `ALGORITHMS`, those that work in slots
by the tests that parametrise over `slotted_registry_cases.SLOTTED`. Those that colocate tasks have properties of their
own.
"""

from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import schedcore
from schedcore import registry
from schedcore.registry import Algorithm
from strategies import instances

Options = dict[str, Any]
Problem = tuple[Options, schedcore.Instance]

ALGORITHMS = [
    pytest.param(algorithm, id=algorithm.name)
    for algorithm in registry.algorithms(schedcore.Instance)
    if not algorithm.slotted
]
NON_IDLING = [case for case in ALGORITHMS if case.values[0].non_idling]
A_JOB = schedcore.Instance(schedcore.Jobs([1.0], [[1]]), schedcore.Machines([[1]]))
GUARANTEED = [case for case in ALGORITHMS if case.values[0].guarantee]


def options_of(algorithm: Algorithm) -> st.SearchStrategy[Options]:
    """Any value of every option that has choices or examples or is a flag; the defaults of the others.

    Of those that the algorithm declares unsupported together most are left out: it takes a job with what is drawn.
    """
    values = values_of(algorithm)
    drawn = st.fixed_dictionaries({name: st.sampled_from(choices) for name, choices in values.items()})
    if not algorithm.solves(schedcore.Instance):
        return drawn
    return drawn.filter(lambda options: takes(algorithm, options))


def values_of(algorithm: Algorithm) -> dict[str, list[Any]]:
    """The values of every option that has choices or examples or is a flag."""
    values = {
        option.name: [
            *([False, True] if isinstance(option.default, bool) else []),
            *(option.choices or option.examples),
        ]
        for option in algorithm.options
    }
    return {name: choices for name, choices in values.items() if choices}


def takes(algorithm: Algorithm, options: Options) -> bool:
    """Whether the options go together."""
    try:
        schedcore.solve(algorithm.name, A_JOB, **options)
    except schedcore.UnsupportedError:
        return False
    return True


def with_jobs(instance: schedcore.Instance, **columns: Any) -> schedcore.Instance:
    return schedcore.Instance(instance.jobs.replace(**columns), instance.machines)


def suited_to(algorithm: Algorithm, instance: schedcore.Instance) -> schedcore.Instance:
    """The instance itself, or all jobs released at 0 where the algorithm asks for that."""
    if algorithm.needs_zero_releases:
        return with_jobs(instance, release_time=np.zeros(instance.n_jobs))
    return instance


def problems(algorithm: Algorithm, **limits: Any) -> st.SearchStrategy[Problem]:
    """Options and an instance for `algorithm`; `limits` as for `strategies.instances`."""
    return st.tuples(
        options_of(algorithm), instances(**limits).map(lambda drawn: suited_to(algorithm, drawn))
    )


def solve(algorithm: Algorithm, instance: schedcore.Instance, options: Options) -> schedcore.Result:
    """Solve; options that the algorithm declares unsupported together are another example's business."""
    try:
        return schedcore.solve(algorithm.name, instance, **options)
    except schedcore.UnsupportedError:
        hypothesis.reject()
