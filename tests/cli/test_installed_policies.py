"""Policies that installed packages list under the entry points ``schedcore.policies``."""

import logging
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import Jobs, Machines, OnlineScheduler, UnsupportedError, registry
from schedcore.engine import check_policy


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An installed package with policies, good ones and bad ones."""
    (tmp_path / "others_policies.py").write_text(
        "import schedcore\n"
        "class Greedy(schedcore.Policy):\n"
        "    def decide(self, event, turn):\n"
        "        for job in turn.waiting:\n"
        "            machines = turn.fits(job)\n"
        "            if len(machines):\n"
        "                turn.start(job, machines[0])\n"
        "def made():\n"
        "    return Greedy()\n"
        "number = 5\n"
    )
    info = tmp_path / "others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[schedcore.policies]\n"
        "others_greedy = others_policies:Greedy\n"
        "others_made = others_policies:made\n"
        "others_number = others_policies:number\n"
        "others_missing = others_policies:missing\n"
        "pq = others_policies:Greedy\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "_algorithms", dict(registry._algorithms))
    monkeypatch.setattr(registry, "_listed", [])
    monkeypatch.delitem(sys.modules, "others_policies", raising=False)
    return "others"


def test_policies_of_installed_packages_have_names(package: str) -> None:
    instance = schedcore.workloads.azure_like(1, 300, 2)
    expected = schedcore.solve("first_fit", instance).schedule.start_time
    for name in ("others_greedy", "others_made"):
        result = schedcore.solve(name, instance)
        assert result.algorithm == name
        assert np.array_equal(result.schedule.start_time, expected)
    assert registry.get("others_greedy").source == "package 'others'"
    assert pickle.loads(pickle.dumps(registry.get("others_greedy"))).name == "others_greedy"
    scheduler = OnlineScheduler("others_greedy", Machines.identical(1, [1]))
    scheduler.submit(Jobs([1.0], [[1]]), 0)
    loaded = OnlineScheduler.load(scheduler.save())
    assert loaded.policy == "others_greedy"
    assert len(loaded.advance(0).starts) == 1
    assert check_policy("others_greedy", n_instances=10)


def test_what_cannot_be_loaded_is_named_and_left_out(package: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(
        UnsupportedError, match=r"'others_number' of package 'others' .* cannot be loaded: TypeError"
    ):
        schedcore.solve("others_number", schedcore.workloads.azure_like(1, 10, 2))
    with pytest.raises(UnsupportedError, match=r"'others_missing' of package 'others'.*AttributeError"):
        registry.get("others_missing")
    with caplog.at_level(logging.WARNING, logger="schedcore"):
        names = registry.names()
    assert names[-2:] == ("others_greedy", "others_made")
    said = "\n".join(caplog.messages)
    assert "'others_number' of package 'others'" in said
    assert "'pq' of package 'others' is left out: there is a policy of that name" in said
    assert registry.names() == names
    assert registry.get("pq").source != "package 'others'"


def test_the_command_line_knows_them(
    package: str, cli: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    assert "others_greedy" in cli("policies").stdout
    outcome = cli("check-policy", "others_greedy", "-n", "5")
    assert outcome.exit_code == 0, outcome.stderr
    assert "holds on 5 instances" in outcome.stdout
    compared = cli("compare", "azure_like:n_jobs=40,n_machines=2", "-p", "others_greedy", "-p", "first_fit")
    assert compared.exit_code == 0, compared.stderr
    assert cli("check-policy", "others_missing").exit_code == 2
