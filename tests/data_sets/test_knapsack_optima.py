"""The exact knapsack reaches the known optima of two public benchmark sets.

Pisinger's large instances (uncorrelated, weakly and strongly correlated) and the "new class of hard problem
instances" of Jooken, Leyman and De Causmaecker, whose numbers reach 1e10.
"""

import csv
import tarfile

import numpy as np
import pytest
from numpy.typing import NDArray

import schedcore
from data_folder import data_folder

Items = tuple[NDArray[np.int64], NDArray[np.int64], int]

# The seven slowest need up to ten seconds and 1 GiB each; the other 53 take a fifth of all the time together.
SLOWEST = {
    "n_1200_c_100000000_g_10_f_0.3_eps_1e-05_s_100",
    "n_800_c_10000000000_g_10_f_0.3_eps_0.01_s_100",
    "n_600_c_10000000000_g_10_f_0.2_eps_0.0001_s_300",
    "n_1200_c_100000000_g_10_f_0.3_eps_0.01_s_300",
    "n_400_c_100000000_g_10_f_0.1_eps_0.01_s_100",
    "n_1200_c_10000000000_g_14_f_0.2_eps_0.1_s_200",
    "n_1000_c_100000000_g_10_f_0.3_eps_0_s_300",
}


def optima(file: str) -> dict[str, int]:
    with data_folder("knapsack", file).open(newline="") as rows:
        return {row["instance"]: int(row["optimum"]) for row in csv.DictReader(rows)}


def parse(text: str, columns: int) -> Items:
    """Read n, then n rows that end in profit and size, then the capacity."""
    numbers = np.array(text.split(), dtype=np.int64)
    rows = numbers[1:-1].reshape(int(numbers[0]), columns)
    return np.ascontiguousarray(rows[:, -2]), np.ascontiguousarray(rows[:, -1]), int(numbers[-1])


def hard_instances() -> dict[str, Items]:
    with tarfile.open(data_folder("knapsack", "jooken_hard.tar.gz")) as archive:
        texts = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
        return {
            name.rsplit("/", 1)[-1].removesuffix(".txt"): parse(file.read().decode(), columns=3)
            for name, file in texts.items()
            if file is not None and name.endswith(".txt")
        }


def assert_optimal(items: Items, optimum: int, name: str) -> None:
    weight, size, capacity = items
    chosen = schedcore.knapsack(weight, size, capacity)
    assert weight[chosen].sum() == optimum, name
    assert size[chosen].sum() <= capacity, name


def test_exact_knapsack_reaches_the_optima_of_the_large_set() -> None:
    known = optima("pisinger_optima.csv")
    assert len(known) == 12
    for name, optimum in known.items():
        text = data_folder("knapsack", "pisinger", f"{name}.txt").read_text()
        assert_optimal(parse(text, columns=2), optimum, name)


@pytest.mark.slow
def test_exact_knapsack_reaches_the_optima_of_the_hard_set() -> None:
    known = optima("jooken_hard_optima.csv")
    instances = hard_instances()
    assert len(known) == len(instances) == 60
    for name in known.keys() - SLOWEST:
        assert_optimal(instances[name], known[name], name)


@pytest.mark.slow
def test_knapsack_that_exceeds_the_memory_limit_is_refused_with_the_figures() -> None:
    instances = hard_instances()
    for name in SLOWEST:
        n = len(instances[name][0])
        figures = rf"of {n} items.* bytes, memory_limit is 4194304.*greedy"
        with pytest.raises(schedcore.UnsupportedError, match=figures):
            schedcore.knapsack(*instances[name], memory_limit=4 << 20)
