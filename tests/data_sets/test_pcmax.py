"""552 instances of P || Cmax with known optima: ratios hold, bounds stay below, and most optima are found."""

import csv
import math
import tarfile
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import schedcore
from data_folder import data_folder

# Measured with the default work limit; optima that are found, and those that are also proven.
FOUND = 537
PROVEN = 510
WITHIN_ONE = 550  # off by one unit at most


class Case(NamedTuple):
    """An instance and its known optimum."""

    name: str
    size: NDArray[np.int64]
    n_machines: int
    optimum: int


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    with data_folder("pcmax", "pcmax_optima.csv").open(newline="") as rows:
        optima = {(row["family"], row["instance"]): int(row["optimum"]) for row in csv.DictReader(rows)}
    found = []
    with tarfile.open(data_folder("pcmax", "pcmax.tar.gz")) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file is None:
                continue
            family, name = member.name.split("/")[-2:]
            words = file.read().split()  # p p_cmax n m, the sizes, 0, the optimum
            n, m = int(words[2]), int(words[3])
            key = (family, name) if (family, name) in optima else (family, name.removesuffix(".txt"))
            found.append(Case(name, np.array(words[4 : 4 + n], dtype=np.int64), m, optima[key]))
    assert len(found) == len(optima) == 552
    return found


def test_lpt_and_multifit_are_within_their_ratios_of_every_optimum(cases: list[Case]) -> None:
    optimal = {"lpt": 0, "multifit": 0}
    for case in cases:
        lpt = schedcore.partition(case.size, case.n_machines, method="lpt")
        multifit = schedcore.partition(case.size, case.n_machines, method="multifit")
        ratio = Fraction(4, 3) - Fraction(1, 3 * case.n_machines)
        assert case.optimum <= lpt.makespan <= ratio * case.optimum, case.name
        assert case.optimum <= multifit.makespan <= math.ceil(Fraction(13, 11) * case.optimum), case.name
        assert max(lpt.lower_bound, multifit.lower_bound) <= case.optimum, case.name
        optimal["lpt"] += lpt.makespan == case.optimum
        optimal["multifit"] += multifit.makespan == case.optimum
    assert optimal == {"lpt": 106, "multifit": 171}


@pytest.mark.slow
def test_best_finds_nearly_all_optima(cases: list[Case], capsys: pytest.CaptureFixture[str]) -> None:
    found = proven = within_one = 0
    for case in cases:
        best = schedcore.partition(case.size, case.n_machines)
        assert best.lower_bound <= case.optimum <= best.makespan, case.name
        assert not best.is_optimal or best.makespan == case.optimum, case.name
        found += best.makespan == case.optimum
        within_one += best.makespan <= case.optimum + 1
        proven += best.is_optimal
    with capsys.disabled():
        print(
            f"\n{len(cases)} instances: {found} optima found, {proven} proven, {within_one} within one unit"
        )
    assert found >= FOUND
    assert proven >= PROVEN
    assert within_one >= WITHIN_ONE
