"""What of a cluster was down, and when."""

import numpy as np

import schedcore as sc
from schedcore import metrics

MACHINES = sc.Machines([[4, 0], [2, 1]], ["cores", "gpus"])
INST = sc.Instance(sc.Jobs([1.0], [[1, 0]]), MACHINES, sc.Outages([0, 1], [2.0, 6.0], [5.0, np.inf]))
INCIDENTS = sc.Incidents(sc.Outages([0, 1], [4.0, 1.0], [8.0, 3.0]))


def test_outages_and_failures_count_once() -> None:
    # Machine 0 in [2, 8), machine 1 in [1, 3) and from 6 on.
    down = metrics.capacity_down(INST, INCIDENTS)
    assert down.at([0, 1, 2, 3, 5, 6, 8, 99]).tolist() == [
        [0, 0], [2, 1], [6, 1], [4, 0], [4, 0], [6, 1], [2, 1], [2, 1],
    ]  # fmt: skip
    share = metrics.binned_share_down(INST, INCIDENTS, [0, 2, 4])
    assert share.tolist() == [[1 / 6, 0.5], [5 / 6, 0.5]]


def test_nothing_is_down_where_nothing_happens() -> None:
    plain = INST.replace(outages=None)
    assert metrics.capacity_down(plain).at([0, 5]).tolist() == [[0, 0], [0, 0]]
    assert metrics.binned_share_down(plain, None, [0, 1]).tolist() == [[0, 0]]
