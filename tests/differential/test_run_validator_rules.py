"""Under the rules of random sites the compiled validator of runs and its reference give the same verdicts."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from differential.cluster_cases import Setting, name_of, sites_for
from differential.cluster_model import model_incidents, model_instance, model_runs, model_site
from differential.cluster_mutations import mutated, mutated_rules
from differential.test_run_validator import SENTENCES as SENTENCES_WITHOUT_RULES
from reference import cluster_rule_validation, cluster_simulation, cluster_validation
from reference.cluster_instance import ClusterInstance
from reference.cluster_site import Site
from reference.cluster_state import RunRecord
from schedcore import ValidationReport, validate

#: So many instances are tried with each policy; the heavy check sets more.
N_INSTANCES = int(os.environ.get("SCHEDCORE_CLUSTER_INSTANCES", "100"))
SETTINGS: list[Setting] = [("fcfs", {}), ("first_fit", {}), ("easy", {}), ("conservative", {}), ("pq", {})]

SENTENCES = {
    **SENTENCES_WITHOUT_RULES,
    "job_forbidden": "forbidden_jobs",
    "dependency_unmet": "broken_dependencies",
    "limit_exceeded": "broken_limits",
}

Case = tuple[ClusterInstance, Site, cluster_simulation.ClusterRun]


def cases(setting: Setting) -> Sequence[Case]:
    return _cases(SETTINGS.index(setting))


@cache  # several tests judge the same
def _cases(number: int) -> Sequence[Case]:
    return list(_simulated(SETTINGS[number]))


def _simulated(setting: Setting) -> Iterator[Case]:
    policy, options = setting
    for instance, site in sites_for(setting, N_INSTANCES):
        yield (
            instance,
            site,
            cluster_simulation.run(instance, policy, site=site, infeasible="drop", **options),
        )


def report_of(
    instance: ClusterInstance, runs: list[RunRecord], site: Site, outcome: list[str] | None = None
) -> ValidationReport:
    model = model_instance(instance)
    return validate(
        model,
        model_runs(runs),
        incidents=model_incidents(instance),
        outcome=outcome,
        site=model_site(site, model.machines, model.n_jobs),
    )


@pytest.mark.parametrize("setting", SETTINGS, ids=name_of)
def test_changed_runs_are_judged_alike(setting: Setting) -> None:
    kinds: Counter[str | None] = Counter()
    for seed, (instance, site, run) in enumerate(cases(setting)):
        random = Random(f"{name_of(setting)} {seed}")
        assert report_of(instance, run.runs, site, run.outcome).ok, seed
        for _ in range(8 if run.runs else 0):
            kinds[assert_same_verdict(instance, mutated(random, instance, run.runs), site)] += 1
    assert kinds[None] > N_INSTANCES / 10
    assert len(kinds) >= min(15, N_INSTANCES // 6)


@pytest.mark.parametrize("setting", SETTINGS, ids=name_of)
def test_runs_under_other_rules_are_judged_alike(setting: Setting) -> None:
    """The runs obeyed the rules that there were."""
    kinds: Counter[str | None] = Counter()
    for seed, (instance, site, run) in enumerate(cases(setting)):
        random = Random(f"{name_of(setting)} {seed}")
        for _ in range(8 if run.runs else 0):
            other, rules = mutated_rules(random, instance, site)
            kinds[assert_same_verdict(other, run.runs, rules)] += 1
    assert kinds[None] > N_INSTANCES / 10
    if N_INSTANCES >= 100:
        assert {"job_forbidden", "dependency_unmet", "limit_exceeded", "machine_not_allowed"} <= set(kinds)
    if N_INSTANCES >= 100 and setting[0] != "conservative":
        assert {"killed_by_nothing", "job_has_ended", "wrong_length"} <= set(kinds)


def assert_same_verdict(instance: ClusterInstance, runs: list[RunRecord], site: Site) -> str | None:
    report = report_of(instance, runs, site)
    found = cluster_validation.violations(instance, runs, site)
    assert report.ok == (found == []), (report, found, runs)
    if report.kind is None:
        return None
    # What began before is feasible, and with what begins then, the sentence is broken. Who preempts somebody starts
    # later than who is preempted, so what is left out may be missed at the ends of runs alone.
    assert report.instant is not None
    instant = report.instant
    before = [run for run in runs if run.start < instant]
    wrong = set(cluster_validation.violations(instance, before, site)) - {
        f"{run} is killed by nothing" for run in before if run.end >= instant
    }
    assert not wrong, report
    until = runs if report.kind == "killed_by_nothing" else [run for run in runs if run.start <= instant]
    assert is_broken(SENTENCES[report.kind], instance, until, site), report
    assert report.run is not None
    told = model_runs(runs)
    assert (told.job[report.run], told.start_time[report.run]) == (report.job, report.instant)
    return report.kind


def is_broken(sentence: str, instance: ClusterInstance, runs: list[RunRecord], site: Site) -> bool:
    seen = replace(instance, jobs=tuple(site.seen(row) for row in instance.jobs))
    if hasattr(cluster_rule_validation, sentence):
        return bool(getattr(cluster_rule_validation, sentence)(seen, runs, site))
    check = getattr(cluster_validation, sentence)
    with_rules = sentence in ("one_run_at_a_time", "lengths_and_ends")
    return bool(check(seen, runs, site) if with_rules else check(seen, runs))


@pytest.mark.parametrize("setting", SETTINGS, ids=name_of)
def test_changed_outcomes_are_judged_alike(setting: Setting) -> None:
    n_refused = 0
    for seed, (instance, site, run) in enumerate(cases(setting)):
        random = Random(seed)
        for _ in range(4):
            outcome = list(run.outcome)
            changed = random.randrange(len(outcome))
            outcome[changed] = random.choice(["completed", "killed", "cancelled", "never", "waiting"])
            report = report_of(instance, run.runs, site, outcome)
            assert report.ok == (cluster_validation.outcomes(instance, run.runs, outcome, site) == []), seed
            if not report.ok:
                assert (report.kind, report.job) == ("wrong_outcome", changed)
                n_refused += 1
    assert n_refused > N_INSTANCES
