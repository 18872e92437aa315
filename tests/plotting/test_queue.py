"""Lines of the queue are the means of the jobs that wait, or of their work, and every policy is seen."""

from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import metrics, plotting

# On 10 units: job 1 waits in [0, 4) with 10 x 2, job 2 in [1, 6) with 5 x 4.
INST = schedcore.Instance(
    schedcore.Jobs([4, 2, 4], [[10], [10], [5]], [0, 0, 1]), schedcore.Machines([[10]], ["cores"])
)
PLAN = schedcore.Schedule([0, 4, 6], [0, 0, 0])
SECONDS = plotting.TimeUnit("s", 1.0)


def heights(ax: Any) -> dict[str, list[float]]:
    return {stairs.get_label(): stairs.get_data().values.tolist() for stairs in ax.patches}


def test_steps_are_the_means_over_equal_stretches(ax: Any) -> None:
    assert plotting.plot_queue(INST, {"plan": PLAN}, n_bins=5, ax=ax) is ax
    assert heights(ax) == {"plan": [1.5, 2, 1, 0, 0]}
    assert ax.get_xlim() == (0, 10)
    assert ax.get_ylabel() == "waiting jobs"


def test_work_is_told_in_time_of_the_whole_cluster(ax: Any) -> None:
    plotting.plot_queue(INST, {"plan": PLAN}, what="work", resource="cores", n_bins=5, unit=SECONDS, ax=ax)
    assert heights(ax)["plan"] == pytest.approx([3, 4, 2, 0, 0])  # 20 and 20 units, of 10 a second
    assert ax.get_ylabel() == "waiting work\n(s of all cores)"


def test_runs_and_a_stretch_are_drawn_as_well(ax: Any) -> None:
    runs = schedcore.solve("fcfs", INST).runs
    plotting.plot_queue(INST, {"runs": runs}, n_bins=3, between=(1.0, 4.0), ax=ax)
    mean = metrics.queue_length(INST, runs).binned_mean([1, 2, 3, 4])
    np.testing.assert_array_equal(heights(ax)["runs"], mean)


@pytest.mark.parametrize(("late", "scale"), [(6.0, "linear"), (6000.0, "symlog")])
def test_the_axis_is_logarithmic_only_where_a_policy_would_not_be_seen(
    ax: Any, late: float, scale: str
) -> None:
    n = 60
    inst = schedcore.Instance(schedcore.Jobs(np.ones(n), [[1]] * n, np.arange(n)), schedcore.Machines([[n]]))
    machine = np.zeros(n, dtype=int)
    plans = {
        "soon": schedcore.Schedule(np.arange(n) + 5.0, machine),
        "late": schedcore.Schedule(np.arange(n) + late, machine),
    }
    plotting.plot_queue(inst, plans, ax=ax)
    assert ax.get_yscale() == scale
    assert ax.get_ylim()[1] >= max(max(line) for line in heights(ax).values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"what": "jbos"}, "unknown what 'jbos'"),
        ({"resource": "core"}, "core"),
        ({"n_bins": 0}, "n_bins"),
        ({"between": (2.0, 1.0)}, "between"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match=message):
        plotting.plot_queue(INST, {"plan": PLAN}, **options)


def test_nothing_that_waits_is_a_line_at_0(ax: Any) -> None:
    plotting.plot_queue(INST, {}, ax=ax)
    plotting.plot_queue(INST.replace(release_time=[0, 4, 6]), {"plan": PLAN}, what="work", ax=ax)
    assert not np.any(heights(ax)["plan"])
