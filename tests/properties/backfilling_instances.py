"""Instances and options for the backfilling policies: short queues in which nearly everything happens at equal times.

Demands come from few vectors, so that jobs share classes and scores tie; estimates are exact or too long, often by
the same amount; machines are alike or differ.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

import schedcore
from properties.portable_draws import PortableDraws

Options = dict[str, Any]

SELECTIONS = [
    "ff",
    "bb",
    "bb(0)",
    "bb(3)",
    "bb!",
    "bl",
    "bl(0)",
    "bl(2)",
    "bl!",
    "bl(0)!",
    "bl(3)!",
    "sb",
    "sb(2)",
    "sjbf",
    "balance^2*fullness*estimate",
    "estimate^2*fullness",
]
COMPRESSIONS = ["pass", "fixpoint", "none"]

real_times = st.sampled_from([0.1, 0.2, 0.3, 0.7, 1.0, 1.1])
huge_capacities = st.sampled_from([10**6, 10**6 - 1, 3 * 2**40, 2**45, 2**45 - 1, 2**45 - 55])

knobs = st.fixed_dictionaries(
    {},
    optional={
        "resolution": st.sampled_from([0.5, 2.0, 3, 5]),
        "queue_depth": st.integers(1, 4),
        "window": st.sampled_from([0, 1, 3, 6]),
        "interval": st.sampled_from([1, 2, 4, 7]),
    },
)


@st.composite
def backfill_instances(
    draw: st.DrawFn,
    *,
    exact: bool | None = None,
    max_jobs: int = 12,
    min_jobs: int = 1,
    max_resources: int = 4,
    max_machines: int = 3,
    integer_times: bool = True,
    capacities: st.SearchStrategy[int] | None = None,
) -> schedcore.Instance:
    """Every job fits a machine and needs something; ``exact`` says whether estimates are, None draws it."""
    n_resources, n_machines = draw(st.integers(1, max_resources)), draw(st.integers(1, max_machines))
    n_kinds = draw(st.sampled_from([1, n_machines]))
    one_capacity = st.integers(1, 10) if capacities is None else capacities
    capacity_vector = st.lists(one_capacity, min_size=n_resources, max_size=n_resources)
    kinds = draw(st.lists(capacity_vector, min_size=n_kinds, max_size=n_kinds))
    vectors = [
        draw(_demands(kinds[draw(st.integers(0, n_kinds - 1))])) for _ in range(draw(st.integers(1, 6)))
    ]
    n = draw(st.integers(min_jobs, max_jobs))

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=n, max_size=n))

    length = st.integers(1, 6) if integer_times else real_times
    processing_time = column(length)
    too_long_by = column(st.sampled_from([0, 0, 1, 2, 5, 12]) if integer_times else st.just(0.0) | length)
    is_exact = draw(st.booleans()) if exact is None else exact
    latest_release = draw(st.sampled_from([0, 2, 8]))  # 0 and 2: many jobs wait in the same pass
    jobs = schedcore.Jobs(
        processing_time,
        [vectors[i] for i in column(st.integers(0, len(vectors) - 1))],
        release_time=column(st.integers(0, latest_release) if integer_times else st.just(0.0) | real_times),
        estimated_processing_time=None
        if is_exact
        else [p + more for p, more in zip(processing_time, too_long_by, strict=True)],
    )
    return schedcore.Instance(
        jobs, schedcore.Machines(kinds if n_kinds == n_machines else kinds * n_machines)
    )


@lru_cache(maxsize=1_000)  # to make one takes longer than to draw from it
def _amounts_up_to(bound: int) -> st.SearchStrategy[int]:
    return st.integers(0, bound) | st.sampled_from([0, bound // 2, (bound + 1) // 2, bound])


@st.composite
def _demands(draw: st.DrawFn, capacity: list[int]) -> list[int]:
    vector = [draw(_amounts_up_to(bound)) for bound in capacity]
    if not any(vector):
        vector[draw(st.integers(0, len(vector) - 1))] = 1
    return vector


def crowd(
    seed: int, *, n_jobs: int = 60, n_machines: int = 1, n_resources: int = 2, overestimated: bool = True
) -> schedcore.Instance:
    """More work than the machines can do for a while, so that the queue is long; the same on every computer."""
    below = PortableDraws(seed).below
    processing_time = [1 + below(4 if below(3) else 15) for _ in range(n_jobs)]
    demand = [[1 + below(3 if below(3) else 9) for _ in range(n_resources)] for _ in range(n_jobs)]
    estimate = [p + (below(2 * p + 1) if overestimated and below(3) else 0) for p in processing_time]
    jobs = schedcore.Jobs(
        processing_time,
        demand,
        release_time=sorted(below(1 + n_jobs // n_machines) for _ in range(n_jobs)),
        estimated_processing_time=estimate,
    )
    return schedcore.Instance(jobs, schedcore.Machines.identical(n_machines, [10] * n_resources))


def settings_of(name: str) -> list[Options]:
    """The options of an algorithm that make it decide differently."""
    if name == "fcfs":
        return [{}]
    if name in ("first_fit", "easy"):
        return [{"selection": selection} for selection in SELECTIONS]
    if name == "conservative":
        compress = [
            {"selection": selection, "compression": compression}
            for selection in SELECTIONS
            for compression in COMPRESSIONS
        ]
        return [*compress, {"mode": "rebuild"}]
    return [
        {"protected": protected, "selection": selection}
        for protected in (2, 3, None)
        for selection in (*SELECTIONS[:6], "sb")
    ]


ALGORITHMS = ["fcfs", "first_fit", "easy", "conservative", "backfill"]
RESERVING = ["conservative", "backfill"]


def takes(name: str, options: Options, knobs: Iterable[str]) -> bool:
    """Whether the algorithm with these options has all those knobs."""
    refused = {"resolution", "window"} if name == "first_fit" else set()
    if options.get("mode") == "rebuild":
        refused.add("interval")
    return refused.isdisjoint(knobs)


@st.composite
def settings_drawn(draw: st.DrawFn, name: str, *, with_knobs: bool = False) -> Options:
    """One of ``settings_of``, and knobs where the algorithm has them."""
    options = draw(st.sampled_from(settings_of(name)))
    if not with_knobs or name == "fcfs":
        return options
    return {**options, **{knob: value for knob, value in draw(knobs).items() if takes(name, options, [knob])}}
