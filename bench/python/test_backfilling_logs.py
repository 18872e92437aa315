"""Backfilling on the nine recorded logs, processors alone: 1.15 million jobs, one core, reading apart.

The goals: EASY with first fit over all nine within 3 s, with the balancing selection within 10 s, conservative over the
eight without RICC within 15 s. RICC alone, whose queue reaches 21,900, may take conservative backfilling 30 minutes and
is marked slow. Every schedule is validated.
"""

from functools import lru_cache
from typing import Any, Literal

import pytest

import schedcore
from data_folder import data_folder
from schedcore.workloads import read_swf

LOGS = (
    "HPC2N-2002-2.2-cln",
    "KTH-SP2-1996-2.1-cln",
    "LPC-EGEE-2004-1.2-cln",
    "NASA-iPSC-1993-3.1-cln",
    "OSC-Clust-2000-3.1-cln",
    "RICC-2010-2",
    "SDSC-DS-2004-2.1-cln",
    "SDSC-SP2-1998-4.2-cln",
    "Sandia-Ross-2001-1.1-cln",
)
ALL_BUT_RICC = tuple(name for name in LOGS if not name.startswith("RICC"))
RICC = ("RICC-2010-2",)
N_JOBS = 1_151_017


@lru_cache(maxsize=len(LOGS))
def recorded(name: str) -> schedcore.Instance:
    # Sandia's status field holds exit codes.
    rule: Literal["swf", "ignore"] = "ignore" if name.startswith("Sandia") else "swf"
    instance, _ = read_swf(data_folder("pwa-swf", f"{name}.swf.gz"), n_resources=1, status_rule=rule)
    return instance


@pytest.mark.parametrize(
    ("policy", "options", "logs", "goal"),
    [
        pytest.param("easy", {}, LOGS, 3.0, id="easy-ff-nine_logs"),
        pytest.param("easy", {"selection": "bb"}, LOGS, 10.0, id="easy-bb-nine_logs"),
        pytest.param("conservative", {}, ALL_BUT_RICC, 15.0, id="conservative-eight_logs"),
        pytest.param("conservative", {}, RICC, 1800.0, id="conservative-RICC", marks=pytest.mark.slow),
    ],
)
def test_a_policy_schedules_the_logs(
    policy: str, options: dict[str, Any], logs: tuple[str, ...], goal: float, benchmark: Any
) -> None:
    instances = [recorded(name) for name in logs]
    if logs == LOGS:
        assert sum(instance.n_jobs for instance in instances) == N_JOBS

    def solve_all() -> list[schedcore.Result]:
        return [schedcore.solve(policy, instance, **options) for instance in instances]

    results = benchmark.pedantic(solve_all, rounds=1 if logs == RICC else 3, iterations=1)
    benchmark.group = "recorded logs, processors alone"
    benchmark.extra_info["goal_seconds"] = goal
    for instance, result in zip(instances, results, strict=True):
        assert schedcore.validate(instance, result.schedule).ok
        assert result.value >= instance.jobs.processing_time.mean()
    if policy == "conservative":
        for count in ("compression_looks", "compression_moves"):
            benchmark.extra_info[count] = sum(result.stats[count] for result in results)
    if benchmark.stats is not None:
        assert benchmark.stats.stats.min <= goal
