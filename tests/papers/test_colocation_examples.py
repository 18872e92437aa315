"""The worked examples of the colocation specification, for the reference implementations and for the library.

Machines, costs, thresholds, divisions and bounds are those of the specification, worked out on paper; the lines beside
the cases say why. Costs are numerators over the denominator of the example.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest

import schedcore
from reference.colocation import colocate_with_reference
from reference.colocation_bounds import (
    closed_form_of_compatible_types,
    longest_own_cost,
    relaxation_of_two_types,
)
from reference.colocation_dedicated import best_composition
from reference.colocation_instance import PlainColocation, machine_vector, max_cost
from reference.colocation_optimum import optimum, optimum_by_listing
from reference.colocation_ptas import decide, final_target, grain
from reference.colocation_schedules import sched_mixed
from schedcore import colocation
from schedcore.bounds.colocation import pattern_program

COMPATIBLE = PlainColocation(
    size=[8, 7, 6, 5, 4, 3],
    type=[0, 1, 0, 1, 0, 0],
    coefficient=[[10, 5], [5, 10]],
    denominator=10,
    n_machines=2,
)
INCOMPATIBLE = PlainColocation(
    size=[9, 8, 5, 3, 3, 3, 2],
    type=[1, 1, 1, 1, 0, 1, 0],
    coefficient=[[10, 15], [15, 10]],
    denominator=10,
    n_machines=3,
)
GAP = PlainColocation(
    size=[200, 100, 1],
    type=[0, 0, 1],
    coefficient=[[1, 2], [2, 1]],
    denominator=1,
    n_machines=2,
)
NOT_MONOTONE = PlainColocation(
    size=[4, 4, 4, 4, 4],
    type=[0, 1, 1, 0, 2],
    coefficient=[[1, 0, 2], [0, 1, 2], [2, 2, 1]],
    denominator=1,
    n_machines=4,
)
FIFTY_UNITS = PlainColocation(
    size=[1] * 50,
    type=[0] * 25 + [1] * 25,
    coefficient=[[1, 4], [4, 1]],
    denominator=1,
    n_machines=2,
)
ASYMMETRIC = PlainColocation(
    size=[9, 8, 7, 6, 5, 4, 3, 2, 1],
    type=[0, 1, 2, 0, 1, 2, 0, 1, 2],
    coefficient=[[10, 4, 15], [8, 10, 12], [18, 11, 10]],
    denominator=10,
    n_machines=4,
)
EXAMPLES = {
    "compatible": COMPATIBLE,
    "incompatible": INCOMPATIBLE,
    "gap": GAP,
    "not_monotone": NOT_MONOTONE,
    "fifty_units": FIFTY_UNITS,
    "asymmetric": ASYMMETRIC,
}
# (1): machines in input order; (2): C; what follows is beside them where the specification prints it
OPTIMUM = {
    "compatible": 135,
    "incompatible": 125,
    "gap": 201,
    "not_monotone": 4,
    "fifty_units": 25,
    "asymmetric": 120,
}
RELAXATION = {
    "compatible": Fraction(135, 10),  # max(21 + 6, 12 + 10.5) / 2
    "incompatible": Fraction(71, 6),  # {1} twice and {0, 1}: 28 - 2c + 7.5 = c
    "gap": 200 + Fraction(1, 3),
    "not_monotone": Fraction(36, 10),
    "asymmetric": Fraction(114, 10),  # {0}, {2} full; {0, 1}: 6.6 + 0.8 * 6; {1, 2}: 0.6 + 1.2 * 9
}


@dataclass(frozen=True)
class Case:
    """What one algorithm does with one example; ``digits`` are the machines of the tasks."""

    example: str
    algorithm: str
    digits: str
    cost: int
    options: dict[str, Any] = field(default_factory=dict)
    beside: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.example}-{self.algorithm}-{'-'.join(map(str, self.options.values()))}"

    @property
    def machines(self) -> list[int]:
        return [int(digit) for digit in self.digits]


SEARCH = {"search": True}
MULTIFIT = {"base": "multifit"}
MIXED = {"inner": "sched_mixed"}
CASES = [
    # machine 0: loads (12, 5): costs 14.5, 11; machine 1: (9, 7): 12.5, 11.5
    Case("compatible", "sched_mixed", "011001", 145, {}, {"sum": 765}),
    # type 0: 8, 3 | 6, 4; type 1: 7 | 5 in reverse; loads (11, 5), (10, 7)
    Case("compatible", "sched_juxtapose", "011010", 135),
    Case("compatible", "best_schedule", "011010", 135),
    Case("compatible", "sched_mixed", "001110", 145, MULTIFIT),
    # 17 fails: 8 7 | 6 5 4 | 3
    Case("compatible", "fill_greedy", "001111", 155, {}, {"threshold": 18, "clusters": [[0, 1]]}),
    # 8 | 7 6, then 5 -> machine 0 (10.5; 15 > 14), 4 -> machine 1 (13.5; 14.5 > 14), 3 -> machine 0 (13.5)
    Case("compatible", "fill_rebalance", "011010", 135, {}, {"threshold": 14}),
    Case("compatible", "greedy_for_2_types", "010100", 210, {}, {"threshold": 33}),
    Case("compatible", "greedy_for_2_types", "010111", 155, SEARCH),
    Case("incompatible", "sched_mixed", "0122120", 155),
    Case("incompatible", "sched_juxtapose", "2100011", 185),
    # 16 needs 5 | 9 | 8 5 3 | 3
    Case("incompatible", "fill_greedy", "1122020", 170, {}, {"threshold": 17, "clusters": [[0], [1]]}),
    Case("incompatible", "fill_greedy", "1111010", 280, {"search": False}, {"threshold": 66}),
    Case("incompatible", "greedy_dedicated", "1221010", 150, {}, {"machines_of_cluster": [1, 2]}),
    Case("incompatible", "greedy_dedicated", "1212020", 140, MULTIFIT),
    Case("incompatible", "greedy_for_2_types", "1112020", 220, {}, {"threshold": 22}),
    # {3, 2} | 9 | 8 5; the tasks of size 3 want machine 3, so both go to machine 0: 5 + 1.5 * 6 = 14
    Case("incompatible", "greedy_for_2_types", "1220000", 140, SEARCH, {"threshold": 14}),
    # 5 | 9 | 8 5, then 3 -> machine 0 (10.5), 3 -> machine 1 (12; machine 0 would be 14)
    Case("incompatible", "fill_rebalance", "1220010", 130, {}, {"threshold": 13}),
    Case("gap", "sched_mixed", "011", 201),
    Case("gap", "fill_greedy", "001", 300),
    Case("gap", "greedy_dedicated", "001", 300, {}, {"machines_of_cluster": [1, 1]}),
    Case("gap", "greedy_for_2_types", "001", 300),
    Case("gap", "fill_rebalance", "011", 201, {}, {"threshold": 201}),
    Case("gap", "greedy_for_2_types", "011", 201, SEARCH),
    Case(
        "not_monotone",
        "greedy_dedicated",
        "01012",
        4,
        MIXED,
        {"machines_of_cluster": [2, 2], "clusters": [[0, 1], [2]]},
    ),
    Case("asymmetric", "sched_mixed", "012332100", 169),
    Case("asymmetric", "sched_juxtapose", "030121212", 216),
    Case("asymmetric", "sched_mixed", "012321033", 136, MULTIFIT),
    Case("asymmetric", "fill_greedy", "013123223", 124, {}, {"threshold": 14, "clusters": [[0, 1], [2]]}),
    Case("asymmetric", "fill_rebalance", "013123223", 124),
    Case("asymmetric", "greedy_for_2_types", "013123223", 124, {"search": True, "sort": True}),
    Case("asymmetric", "greedy_for_2_types", "013123223", 124, SEARCH),
    Case("asymmetric", "greedy_for_2_types", "002112112", 154),
    Case("asymmetric", "greedy_dedicated", "013223103", 120, {}, {"machines_of_cluster": [3, 1]}),
]
every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_example = pytest.mark.parametrize("example", EXAMPLES)
every_relaxation = pytest.mark.parametrize("example", RELAXATION)


def built(plain: PlainColocation) -> schedcore.ColocationInstance:
    return schedcore.ColocationInstance(
        plain.size, plain.type, plain.coefficient, plain.denominator, n_machines=plain.n_machines
    )


def with_machines(plain: PlainColocation, digits: str) -> dict[int, int]:
    return {j: int(digit) for j, digit in enumerate(digits)}


@every_case
def test_reference_gives_the_worked_allocation(case: Case) -> None:
    reference = colocate_with_reference(case.algorithm, EXAMPLES[case.example], **case.options)
    assert reference.machine == case.machines
    assert reference.cost_numerator == case.cost
    said = {"sum": reference.sum_numerator, **vars(reference)}
    assert {name: said[name] for name in case.beside} == case.beside


@every_case
def test_library_gives_the_worked_allocation(case: Case) -> None:
    plain = EXAMPLES[case.example]
    result = schedcore.solve(case.algorithm, built(plain), **case.options)
    assert result.assignment.machine.tolist() == case.machines
    assert result.cost_numerator == case.cost
    assert result.value == case.cost / plain.denominator
    said = {"sum": result.sum_numerator, **result.stats}
    assert {name: said[name] for name in case.beside} == case.beside


@every_example
def test_optimum_of_the_example(example: str) -> None:
    plain = EXAMPLES[example]
    if example != "fifty_units":  # too many to list; its relaxation shows 25 to be the least
        assert optimum(plain) == OPTIMUM[example]
    if len(plain.size) <= 7:
        assert optimum_by_listing(plain) == OPTIMUM[example]
    result = schedcore.solve("mct_exact", built(plain))
    assert result.cost_numerator == OPTIMUM[example]


def test_the_optimal_allocation_of_the_incompatible_example_costs_12_5() -> None:
    assert max_cost(INCOMPATIBLE, with_machines(INCOMPATIBLE, "0120212")) == 125


@every_relaxation
def test_relaxation_of_the_example(example: str) -> None:
    plain, instance = EXAMPLES[example], built(EXAMPLES[example])
    bound = max(RELAXATION[example], longest_own_cost(plain))
    if plain.n_types == 2:
        assert relaxation_of_two_types(plain) == RELAXATION[example]
    for method in ("qcp", "qcp_per_machine"):
        value, is_exact = colocation.lower_bound(instance, method=method)
        assert is_exact
        assert value == pytest.approx(float(bound), rel=1e-9)
        assert Fraction(value) * plain.denominator <= OPTIMUM[example]
    program = pattern_program(instance)  # its own optimum, below the longest task perhaps
    assert program.is_exact
    assert Fraction(program.bound) <= RELAXATION[example]
    assert program.bound == pytest.approx(float(RELAXATION[example]), rel=2e-9)
    simple, _ = colocation.lower_bound(instance, method="simple")
    assert longest_own_cost(plain) <= Fraction(simple) <= bound


def test_relaxation_of_the_compatible_example_has_the_closed_form() -> None:
    assert closed_form_of_compatible_types(COMPATIBLE) == Fraction(27, 2)


def test_relaxation_of_fifty_units_puts_the_types_apart() -> None:
    assert relaxation_of_two_types(FIFTY_UNITS) == 25


def test_a_table_that_is_not_monotone_divides_the_machines_in_two_halves() -> None:
    together = NOT_MONOTONE.tasks_of([0, 1])
    costs = [max_cost(NOT_MONOTONE, sched_mixed(NOT_MONOTONE, together, x)) for x in (1, 2, 3)]
    assert costs == [8, 4, 8]  # on 3 machines the 4th task meets its own type on machine 0
    table = [costs, [4, 4, 4]]
    assert best_composition(table, 4) == (4, (2, 2))
    value, vector = colocation.best_composition(table, 4)
    assert (value, tuple(vector)) == (4, (2, 2))


def test_declared_types_keep_the_promise_that_one_container_of_every_type_everywhere_breaks() -> None:
    assert grain(FIFTY_UNITS, 1) == 24  # 2 * 4 * (2 + 1); 24 containers of 25/24 for each type
    assert decide(FIFTY_UNITS, 25, 1)
    published = with_machines(FIFTY_UNITS, "0" * 24 + "1" + "0" * 2 + "1" * 23)
    assert max_cost(FIFTY_UNITS, published) == 98  # 2 + 4 * 24; one container of every type is put back
    assignment = colocation.ptas_decide(built(FIFTY_UNITS), 25, 1)
    assert assignment is not None
    allocation = dict(enumerate(assignment.machine.tolist()))
    assert max_cost(FIFTY_UNITS, allocation) == 25
    assert machine_vector(FIFTY_UNITS, allocation) in ([0] * 25 + [1] * 25, [1] * 25 + [0] * 25)


@pytest.mark.parametrize("example", ["compatible", "gap", "not_monotone"])
def test_scheme_ends_below_the_optimum_and_costs_at_most_twice_its_target(example: str) -> None:
    plain = EXAMPLES[example]
    result = schedcore.solve("mct_ptas", built(plain), k=1)
    target = result.stats["target_numerator"]
    assert target == final_target(plain, 1)
    assert target <= OPTIMUM[example] <= result.cost_numerator <= 2 * target
