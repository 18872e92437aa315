"""Figures of users and accounts, what these had used over time, and holds of limits equal their definitions.

On random instances under random rules, with failures, cancellations, preemption and dependencies.
"""

import os
from collections.abc import Iterator, Sequence
from functools import cache
from math import inf
from typing import Any

import numpy as np
import pytest

import schedcore
from differential import cluster_library
from differential.cluster_cases import Setting, name_of, sites_for
from differential.cluster_model import model_incidents, model_instance, model_site
from reference import cluster_fairness as reference
from reference.cluster_dependencies import named_by
from reference.cluster_instance import ClusterInstance
from reference.cluster_rule_validation import fates
from reference.cluster_site import Site
from reference.cluster_state import RunRecord
from schedcore import metrics
from schedcore.metrics.candidacy import candidate_times

N_INSTANCES = int(os.environ.get("SCHEDCORE_CLUSTER_INSTANCES", "150"))
SETTINGS: list[Setting] = [("fcfs", {}), ("easy", {}), ("conservative", {}), ("pq", {"heuristic": "wsvf"})]

Case = tuple[ClusterInstance, Site, list[RunRecord], schedcore.Result]


def cases(setting: Setting, n: int = N_INSTANCES) -> Sequence[Case]:
    return _cases(SETTINGS.index(setting), n)


@cache  # several tests look at the same
def _cases(number: int, n: int) -> Sequence[Case]:
    return list(_simulated(SETTINGS[number], n))


def _simulated(setting: Setting, n: int) -> Iterator[Case]:
    policy, options = setting
    for instance, site in sites_for(setting, n, max_jobs=18):
        model = model_instance(instance)
        result = schedcore.solve(
            policy,
            model,
            incidents=model_incidents(instance),
            site=model_site(site, model.machines, model.n_jobs),
            infeasible="drop",
            **options,
        )
        assert result.runs is not None
        seen = ClusterInstance(**{**vars(instance), "jobs": tuple(site.seen(row) for row in instance.jobs)})
        yield seen, site, cluster_library.run_records(result.runs), result


@pytest.mark.parametrize("setting", SETTINGS, ids=name_of)
def test_limits_hold_jobs_as_a_walk_through_all_instants_says(setting: Setting) -> None:
    seen = 0
    for instance, site, runs, result in cases(setting):
        holds = metrics.limit_holds(result)
        expected = [reference.hold_times_of(instance, runs, j, site) for j in range(len(instance.jobs))]
        assert holds.time_of_jobs.tolist() == expected
        assert [(row["limit"], row["value"], row["n_jobs"], row["total_time"], row["longest_time"])
                for row in holds.rows()] == rows_of_holds(instance, site, expected)  # fmt: skip
        seen += int((holds.time_of_jobs > 0).sum())
    assert seen > N_INSTANCES  # of a job or more an instance


def test_holds_scale_with_times_that_are_not_whole() -> None:
    """A tenth is no double, so the sums round; who is held at all does not change."""
    for *_, result in cases(("easy", {}), 60):
        jobs, runs, incidents = result.instance.jobs, result.runs, result.incidents
        assert runs is not None
        assert incidents is not None
        columns = ("processing_time", "release_time", "estimated_processing_time")
        scaled = schedcore.Result(
            result.schedule,
            "awct",
            0.0,
            instance=schedcore.Instance(
                jobs.replace(**{name: getattr(jobs, name) * 0.1 for name in columns}),
                result.instance.machines,
            ),
            runs=schedcore.Runs(
                runs.job,
                runs.attempt,
                runs.start_time * 0.1,
                runs.end_time * 0.1,
                runs.outcome,
                runs.allocation,
            ),
            outcome=result.outcome,
            incidents=schedcore.Incidents(
                cancellations={job: time * 0.1 for job, time in incidents.cancellations.items()}
            ),
            site=without_times(result.site),
        )
        expected = metrics.limit_holds(result).time_of_jobs
        held = metrics.limit_holds(scaled).time_of_jobs
        assert np.array_equal(held > 0, expected > 0)
        np.testing.assert_allclose(held, expected * 0.1, rtol=1e-12)


def without_times(site: schedcore.Site | None) -> schedcore.Site:
    """The same limits, and partitions whose jobs may be as long as they like."""
    assert site is not None
    parts = [
        schedcore.Partition(part.name, part.constraint, max_tasks=part.max_tasks) for part in site.partitions
    ]
    return schedcore.Site("sjf", parts, site.service_classes, site.limits, preempt=site.preempt)


@pytest.mark.parametrize("setting", [SETTINGS[1], SETTINGS[3]], ids=name_of)
def test_jobs_are_candidates_when_what_they_wait_for_has_ended(setting: Setting) -> None:
    in_vain = 0
    for instance, site, runs, result in cases(setting, 3 * N_INSTANCES):
        assert result.runs is not None
        since, until = candidate_times(result, result.instance, result.runs)
        told = fates(instance, runs, site)
        in_vain += sum(told[j].how == "never" and told[j].time > 0 for j in told)
        for j, row in enumerate(instance.jobs):
            if told[j].how == "never":
                assert since[j] == inf
                continue
            assert since[j] == max([row.release_time, *(told[other].time for other in named_by(row))])
            starts = [run.start for run in runs if run.job == j]
            if told[j].how != "cancelled" or told[j].time > -inf:
                assert until[j] == min(starts, default=told[j].time)
    assert in_vain > 0


def rows_of_holds(instance: ClusterInstance, site: Site, held: list[list[float]]) -> list[tuple[Any, ...]]:
    rows = []
    for index, limit in enumerate(site.limits):
        whose = [limit.whose(row) for row in instance.jobs]
        values = {value for value in whose if value is not None}
        for value in sorted(values, key=int) if limit.who.startswith("array") else sorted(values):
            times = [
                held[job][index] for job, other in enumerate(whose) if other == value and held[job][index] > 0
            ]
            rows.append((index, value, len(times), sum(times), max(times, default=0)))
    return rows


def test_the_events_of_many_profiles_are_looked_at_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [metrics.limit_holds(result).time_of_jobs for *_, result in cases(("easy", {}), 30)]
    monkeypatch.setattr("schedcore.metrics.held_stretches._ROWS_AT_ONCE", 7)
    parts = [metrics.limit_holds(result).time_of_jobs for *_, result in cases(("easy", {}), 30)]
    assert all(map(np.array_equal, whole, parts))


@pytest.mark.parametrize("setting", SETTINGS, ids=name_of)
@pytest.mark.parametrize("column", ["user", "account"])
def test_figures_of_submitters_equal_their_definitions(setting: Setting, column: str) -> None:
    lost_to: set[str] = set()
    for instance, site, runs, result in cases(setting):
        if not result.instance.jobs.coded(column).names:
            continue
        figures = metrics.fairness_by_submitter(result, column, tau=3)
        everything = sum(reference.use_of(instance, runs, j) for j in range(len(instance.jobs)))
        assert figures.names == tuple(name or "(none)" for name in names_of(instance, column))
        for index, name in enumerate(names_of(instance, column)):
            jobs = [j for j, row in enumerate(instance.jobs) if (getattr(row, column) or "") == name]
            done = [j for j in jobs if result.outcome[j] == "completed"]  # type: ignore[index]
            waits = sorted(
                min(r.start for r in runs if r.job == j) - instance.jobs[j].release_time for j in done
            )
            flows = [max(r.end for r in runs if r.job == j) - instance.jobs[j].release_time for j in done]
            slow = [
                max(1, f / max(instance.jobs[j].processing_time, 3)) for f, j in zip(flows, done, strict=True)
            ]
            use = sum(reference.use_of(instance, runs, j) for j in jobs)
            assert (figures.n_jobs[index], figures.n_completed[index]) == (len(jobs), len(done))
            assert figures.mean_wait[index] == (sum(waits) / len(waits) if waits else 0)
            # The smallest that at least 95 % do not exceed.
            p95 = next((w for i, w in enumerate(waits) if 100 * (i + 1) >= 95 * len(waits)), 0)
            assert figures.wait_p95[index] == p95
            assert figures.mean_bounded_slowdown[index] == pytest.approx(sum(slow) / len(slow) if slow else 0)
            assert figures.use[index] == pytest.approx(use)
            assert figures.share_used[index] == pytest.approx(use / everything if everything else 0)
            lost = [reference.lost_time_of(instance, runs, j, site) for j in jobs]
            for cause in ("preemption", "failure", "cancellation"):
                for k in range(len(instance.jobs[0].demand)):
                    amounts = [instance.jobs[j].n_tasks * instance.jobs[j].demand[k] for j in jobs]
                    expected = sum(a * one[cause] for a, one in zip(amounts, lost, strict=True))
                    assert getattr(figures, f"lost_by_{cause}")[index, k] == expected
                    lost_to |= {cause} if expected else set()
        assert np.array_equal(
            (figures.lost_by_preemption + figures.lost_by_failure + figures.lost_by_cancellation).sum(axis=0),
            metrics.run_work(result.instance, result.runs).lost,  # type: ignore[arg-type]
        )
    assert lost_to >= {"failure", "cancellation"} | (
        {"preemption"} if setting[0] != "conservative" else set()
    )


def names_of(instance: ClusterInstance, column: str) -> list[str]:
    names = {getattr(row, column) or "" for row in instance.jobs}
    return sorted(names - {""}) + [""] * ("" in names)


@pytest.mark.parametrize("half_life", [None, 3.0, inf])
def test_use_over_time_is_the_integral_over_all_runs(half_life: float | None) -> None:
    draw = np.random.default_rng(5)
    tried = 0
    for instance, site, runs, result in cases(("easy", {})):
        accounts = names_of(instance, "account")
        if accounts == [""] or (half_life is None and isinstance(site.order, str | tuple)):
            continue
        tried += 1
        ends = [0, *(run.start for run in runs), *(run.end for run in runs)]
        instants = np.concatenate([draw.choice(ends, 4), draw.uniform(-1, max(ends) + 9, 6)])
        shares = metrics.shares_over_time(result, instants, half_life=half_life)
        half = site.order.half_life if half_life is None else half_life
        jobs = [[j for j, row in enumerate(instance.jobs) if (row.account or "") == a] for a in accounts]
        expected = np.array(
            [
                [sum(reference.decayed_use_of(instance, runs, j, t, half) for j in own) for own in jobs]
                for t in instants
            ]
        )
        np.testing.assert_allclose(shares.used, expected, rtol=1e-12, atol=1e-12)
        assert (shares.half_life, shares.time.tolist()) == (half, instants.tolist())
        total = expected.sum(axis=1, keepdims=True)
        share = np.divide(expected, total, out=np.zeros_like(expected), where=total > 0)
        np.testing.assert_allclose(shares.share_used, share, atol=1e-12)
        given = site.share_by_account() or dict.fromkeys(accounts, 1)
        promised = [given[account] / sum(given.values()) for account in accounts]
        np.testing.assert_allclose(shares.promised, promised)  # type: ignore[arg-type]
    assert tried > N_INSTANCES // 4
