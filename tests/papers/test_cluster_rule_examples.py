"""The worked examples of the cluster specification about the rules of a site: order, preemption, dependencies, limits.

Starts and runs are those of the specification, worked out on paper; the lines beside the cases say why.
"""

from math import isclose

import pytest

from papers.test_cluster_examples import Outcome, Reference, job
from reference.cluster_instance import ClusterInstance, ClusterMachine
from reference.cluster_order import FairShare
from reference.cluster_policy_names import KnownAhead, policy_of
from reference.cluster_simulation import Simulation
from reference.cluster_site import Limit, Multifactor, ServiceClass, Site
from reference.cluster_state import ClusterState

FOUR = ["fcfs", "first_fit", "easy", "conservative"]


def solve(policy: str, instance: ClusterInstance, site: Site) -> Outcome:
    return Reference().solve(policy, instance, site=site)


# E7. F(physics) at 10 = 2^(-1 / 0.75), at 20 = 2^(-(1/3) / 0.75); F(art) at 20 = 2^(-(2/3) / 0.25).

PHYSICS_AND_ART = ClusterInstance(
    (ClusterMachine((4,)),),
    tuple(
        job(release, 1, (4,), 10, account=account)
        for release, account in [(0, "physics"), (1, "physics"), (5, "art"), (6, "art")]
    ),
)
FAIR = Site(
    order=Multifactor(age=100, fair_share=100, max_age=100, half_life=10, interval=10),
    shares={"physics": 3, "art": 1},
)


@pytest.mark.parametrize(
    ("policy", "starts"),
    [
        ("fcfs", [0, 20, 10, 30]),
        ("first_fit", [0, 20, 10, 30]),
        ("easy", [0, 20, 10, 30]),
        ("conservative", [0, 10, 20, 30]),  # reservations are kept
    ],
)
def test_who_has_used_less_than_the_share_comes_first(policy: str, starts: list[float]) -> None:
    assert solve(policy, PHYSICS_AND_ART, FAIR).starts == starts


def test_what_the_accounts_have_used_and_the_priorities_of_those_that_wait() -> None:
    simulation = Simulation(PHYSICS_AND_ART, "fcfs", "refuse", {}, FAIR)
    state = simulation.state
    told = {}
    while state.now < 20:
        simulation.step(simulation.next_instant())
        share = state.order.fair_share
        assert share is not None
        told[state.now] = (dict(share.used), {j: priority_of(state, j) for j in range(len(state.jobs))})
    used, priorities = told[10]
    assert isclose(used["physics"], 7.213475, abs_tol=1e-6)
    assert "art" not in used
    assert [round(priorities[j], 4) for j in (1, 2, 3)] == [48.685, 105, 104]
    used, priorities = told[20]
    assert isclose(used["physics"], 3.606738, abs_tol=1e-6)
    assert isclose(used["art"], 7.213475, abs_tol=1e-6)
    assert [round(priorities[j], 4) for j in (1, 3)] == [92.4867, 29.749]


def priority_of(state: ClusterState, job: int) -> float:
    order = state.site.order
    assert isinstance(order, Multifactor)
    return state.order.priority(order, state.jobs[job], state.machines)


@pytest.mark.parametrize("half_life", [3.0, float("inf")])
def test_what_is_used_is_the_integral_over_the_runs(half_life: float) -> None:
    share = FairShare(Multifactor(half_life=half_life, interval=5), {})
    runs = [(1, 0.5, 3, 9), (2, 0.25, 4, 22), (3, 0.125, 9, 16), (4, 1.0, 17, 21)]
    for now in range(24):
        share.begin(now)
        for number, _, _, _ in [run for run in runs if run[3] == now]:
            share.ended(number, "a", now)
        for number, size, _, _ in [run for run in runs if run[2] == now]:
            share.started(number, "a", size, now)
        t = now - now % 5
        steps = 10000
        expected = sum(
            size * sum(2 ** (-(t - x) / half_life) for x in midpoints(start, min(end, t), steps)) / steps
            for _, size, start, end in runs
            if start < t
        )
        assert isclose(share.used.get("a", 0), expected, rel_tol=1e-6)


def midpoints(start: float, end: float, steps_per_unit: int) -> list[float]:
    return [start + (i + 0.5) / steps_per_unit for i in range((int(end) - int(start)) * steps_per_unit)]


# E8. At 5 the victims in order are 3 (start 3), 1 (start 1), 0 (start 0). Without 3: machine 0 has 2. Without 1 as
# well: machine 1 is empty, job 4 fits. Backwards: 1 is needed; with 3 running job 4 still fits: 3 is spared.

URGENT = ClusterInstance(
    (ClusterMachine((4,)),) * 3,
    (
        job(0, 1, (2,), 20, service_class="scavenger"),
        job(1, 1, (4,), 20, service_class="scavenger"),
        job(2, 1, (4,), 20, service_class="normal"),
        job(3, 1, (2,), 20, service_class="scavenger"),
        job(5, 1, (4,), 6, service_class="urgent"),
    ),
)
CLASSES = (
    ServiceClass("urgent", level=2),
    ServiceClass("normal", level=1),
    ServiceClass("scavenger", level=0, preemptible=True),
)


@pytest.mark.parametrize("policy", ["fcfs", "first_fit", "easy", "pq"])
def test_an_urgent_job_ends_as_few_runs_as_it_needs(policy: str) -> None:
    outcome = solve(policy, URGENT, Site(service_classes=CLASSES, preempt="requeue"))
    assert outcome.runs == [[(0, 20)], [(1, 5), (11, 31)], [(2, 22)], [(3, 23)], [(5, 11)]]
    assert outcome.machines == [0, 1, 2, 0, 1]
    assert set(outcome.outcome) == {"completed"}


@pytest.mark.parametrize("policy", ["fcfs", "first_fit", "easy", "pq"])
def test_who_is_preempted_may_be_dropped(policy: str) -> None:
    outcome = solve(policy, URGENT, Site(service_classes=CLASSES, preempt="drop"))
    assert outcome.runs[1] == [(1, 5)]
    assert outcome.outcome == ["completed", "killed", "completed", "completed", "completed"]


@pytest.mark.parametrize("policy", ["fcfs", "first_fit", "easy", "pq"])
def test_who_is_preempted_may_resume_what_is_saved(policy: str) -> None:
    rows = [*URGENT.jobs]
    rows[1] = job(1, 1, (4,), 20, service_class="scavenger", checkpoint_interval=3, restart_cost=1)
    instance = ClusterInstance(URGENT.machines, tuple(rows))
    # 4 units are done, 3 of them saved: 20 - 3 + 1
    outcome = solve(policy, instance, Site(service_classes=CLASSES, preempt="checkpoint"))
    assert outcome.runs[1] == [(1, 5), (11, 29)]


@pytest.mark.parametrize("policy", ["conservative", "backfill"])
def test_who_promises_starts_cannot_preempt(policy: str) -> None:
    state = ClusterState(URGENT.machines, "requeue", site=Site(service_classes=CLASSES, preempt="requeue"))
    with pytest.raises(AssertionError, match="preempt"):
        policy_of(policy, state, KnownAhead())


# E9. At 0 the limit holds job 1. At 4 job 0 completes: 2 may start, 3 leaves as never, which lets 4 start; job 1 starts
# before job 5, which the limit then holds: nothing is protected. At 6 job 5 is the head, earliest 7. At 7 it starts
# before job 6, which bob's job 2 had held until then.

ONE_AT_A_TIME = ClusterInstance(
    (ClusterMachine((4,)),),
    (
        job(0, 1, (1,), 4, user="ann"),
        job(0, 1, (1,), 2, user="ann"),
        job(0, 1, (1,), 3, user="bob", after_ok=(0,)),
        job(1, 1, (1,), 1, user="bob", after_not_ok=(0,)),
        job(1, 1, (1,), 2, user="cem", after_any=(3,)),
        job(2, 1, (4,), 1, user="ann"),
        job(4, 1, (1,), 5, user="bob"),
    ),
)
ONE_JOB_PER_USER = Site(limits=(Limit("user", "jobs", 1),))


@pytest.mark.parametrize("policy", FOUR)
def test_dependencies_and_a_limit(policy: str) -> None:
    outcome = solve(policy, ONE_AT_A_TIME, ONE_JOB_PER_USER)
    assert [runs[0][0] if runs else None for runs in outcome.runs] == [0, 4, 4, None, 4, 7, 8]
    assert outcome.outcome[3] == "never"
    assert [o for j, o in enumerate(outcome.outcome) if j != 3] == ["completed"] * 6


@pytest.mark.parametrize("policy", ["easy", "conservative"])
def test_who_a_limit_holds_is_not_protected(policy: str) -> None:
    outcome = solve(policy, ONE_AT_A_TIME, ONE_JOB_PER_USER)
    if policy == "easy":
        assert outcome.shadow == [(6, 5, 7, 0), (7, 6, 8, 0)]
    else:
        assert outcome.reservations == {5: [(6, 7, 0)], 6: [(7, 8, 0)]}
