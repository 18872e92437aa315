"""What every policy has to keep is found out, and so are policies of installed packages."""

import random
import re
from typing import Any

import pytest

import schedcore
from own_policies import OwnFirstFit, OwnRemembering, start_if_it_fits
from schedcore import InvalidInstanceError, UnsupportedError, registry
from schedcore.engine import check_policy

NAMES = [
    each.name
    for each in registry.algorithms(schedcore.Instance)
    if each.instance_kind is schedcore.Instance and not each.slotted
]


@pytest.mark.parametrize("name", NAMES)
def test_policies_of_the_library_keep_it(name: str) -> None:
    report = check_policy(name, n_instances=20)
    assert report, report.findings
    assert set(report.n_passed.values()) == {20}
    assert len(report.n_passed) == (6 if registry.get(name).embeddable else 2)


@pytest.mark.parametrize("policy", [OwnFirstFit(), OwnRemembering()], ids=lambda policy: policy.label)
def test_policies_of_somebodys_own_keep_it(policy: schedcore.Policy) -> None:
    report = check_policy(policy, n_instances=60, seed=100)
    assert report, report.findings
    assert set(report.n_passed) == {"feasible", "reproducible", "embedded", "wake-ups", "copies", "saved"}


class Drawing(OwnFirstFit):
    def decide(self, event: Any, turn: Any) -> None:
        waiting = turn.waiting.tolist()
        random.shuffle(waiting)
        for job in waiting:
            start_if_it_fits(job, turn)


class OneATime(OwnFirstFit):
    """Starts more when it is asked more often."""

    def decide(self, event: Any, turn: Any) -> None:
        for job in turn.waiting.tolist():
            if start_if_it_fits(job, turn):
                break
        if len(turn.waiting):
            turn.wake(event.now + 100)


class Idle(OwnFirstFit):
    def decide(self, event: Any, turn: Any) -> None:
        pass


class Forgetting(OwnFirstFit):
    """Counts in what is not copied, so copies go on with the count of others."""

    shared: Any = []  # noqa: RUF012  # that is its mistake

    def __getstate__(self) -> bytes:
        return b""

    def __setstate__(self, state: bytes) -> None:
        self.count = 0

    def __init__(self) -> None:
        self.count = 0

    def decide(self, event: Any, turn: Any) -> None:
        self.count += 1
        if self.count > 3:
            super().decide(event, turn)
        elif len(turn.waiting):
            turn.wake(event.now + 1)


@pytest.mark.parametrize(
    ("policy", "check", "message"),
    [
        (Drawing(), "reproducible", "a second run has"),
        (OneATime(), "wake-ups", "asked in between, the embedded scheduler"),
        (Idle(), "feasible", "never starts|waiting although nothing can happen"),
        (Forgetting(), "saved", "loaded in between, the embedded scheduler"),
    ],
    ids=lambda value: getattr(value, "label", None),
)
def test_what_is_violated_is_said_with_the_seed(policy: schedcore.Policy, check: str, message: str) -> None:
    report = check_policy(policy, n_instances=30)
    assert not report
    assert re.search(rf"({message}).*\(seed \d+\)", report.findings[check])


def test_what_cannot_be_checked_is_said() -> None:
    assert "cannot be saved" in check_policy(Counting(), n_instances=5).left_out["saved"]
    assert "no embedded form" in check_policy("offline_pq", n_instances=5).left_out["copies"]
    assert "key" in check_policy("pq", n_instances=5, heuristic=lambda jobs: jobs.weight).left_out["saved"]
    with pytest.raises(UnsupportedError, match="'colocate' is no policy for jobs"):
        check_policy("colocate")
    with pytest.raises(InvalidInstanceError, match="unknown option"):
        check_policy("pq", heuristik="sjf")
    with pytest.raises(InvalidInstanceError, match="n_instances = 0 must be at least 1"):
        check_policy("pq", n_instances=0)


class Counting(OwnFirstFit):
    def __init__(self) -> None:
        self.count = 0
