"""What a notebook shows of an embedded scheduler and of its decisions; showing it changes nothing."""

from typing import Any

import numpy as np
import pytest

from engine.policy_cases import CLUSTER_POLICIES
from html_pages import Elements
from schedcore import Decision, Jobs, Machines, OnlineScheduler, Placements

MACHINES = Machines([[4, 8], [4, 8], [8, 0]], ["cores", "<b>memory"])


def test_a_scheduler_by_hand() -> None:
    scheduler = OnlineScheduler("easy", MACHINES)
    scheduler.submit(Jobs([600.0, 200.0, 60.0], [[3, 2], [1, 6], [4, 8]], n_tasks=[2, 1, 1]), 0)
    assert "recorded, not appliedfrom 0 s on" in Elements(scheduler._repr_html_()).text
    scheduler.advance(0)
    scheduler.fail_machines([2], 120)
    scheduler.advance(120)
    page = Elements(scheduler._repr_html_())
    assert page.text.startswith("OnlineScheduler with easy")
    assert "now2.000 min" in page.text
    assert "jobs2 running, 1 waiting" in page.text
    assert "machines1 failed, 2 up" in page.text
    assert "cores1" + "7" + "0" + "16" in page.text  # free, used, reserved, capacity
    assert "<b>memory6" + "10" + "0" + "16" in page.text
    first, second = page.of("svg")
    assert first["aria-label"] == "43.8 % used, 0.0 % reserved"
    assert second["aria-label"] == "62.5 % used, 0.0 % reserved"


@pytest.mark.parametrize(("policy", "options"), CLUSTER_POLICIES)
def test_showing_a_scheduler_changes_nothing(policy: str, options: dict[str, Any]) -> None:
    scheduler = OnlineScheduler(policy, MACHINES, **options)
    scheduler.submit(Jobs([5.0, 3.0, 4.0], [[3, 2], [4, 6], [8, 0]]), 0)
    for now in (0, 1):
        before = scheduler.save()
        Elements(scheduler._repr_html_())
        assert scheduler.save() == before
        Elements(scheduler.advance(now)._repr_html_())


def test_decisions_by_hand() -> None:
    scheduler = OnlineScheduler("conservative", MACHINES)
    jobs = Jobs([60.0] * 4, [[4, 1], [2, 8], [4, 8], [8, 0]], n_tasks=[2, 1, 1, 1])
    scheduler.submit(jobs, 0, ids=[7, 8, 9, 3])
    page = Elements(scheduler.advance(0)._repr_html_())
    assert page.text.startswith("Decision: 2 jobs to start")
    assert "jobmachinestarttasks" in page.text
    assert "32" + "0 s" + "1" + "70" + "0 s" + "2" in page.text
    assert "planned for later: 2 jobsjobmachinestart" + "80" + "60.00 s" + "91" + "60.00 s" in page.text
    scheduler.fail_machines([0], 30)
    page = Elements(scheduler.advance(30)._repr_html_())
    assert "killed1: 7" in page.text
    assert "planned starts that moved later" in page.text


def test_ten_rows_are_enough() -> None:
    many = Placements(np.arange(1000, 1012), np.zeros(12, dtype=np.int64), np.full(12, 90.0))
    none = many[:0]
    page = Elements(Decision(many, none, 3600.0)._repr_html_())
    assert "to start: 12 jobs, the first 10" in page.text
    assert len(page.of("tr")) == 1 + 10 + 1  # heads, jobs, the next wake-up
    assert "next wake-up60.00 min" in page.text
    assert "tasks" not in page.text
    assert (
        Elements(Decision(none, none, float("inf"))._repr_html_()).text
        == "Decision: 0 jobs to startnext wake-upnone"
    )


def test_a_job_that_starts_twice_is_shown_twice() -> None:
    twice = Placements(np.array([5, 5]), np.array([0, 1]), np.array([0.0, 60.0]))
    page = Elements(Decision(twice, twice[:0], float("inf"))._repr_html_())
    assert "5" + "0" + "0 s" + "5" + "1" + "60.00 s" in page.text
