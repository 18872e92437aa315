"""The data report: loads, warnings before a run that cannot keep up, and a readable account."""

import json
import logging
import math
from pathlib import Path

import pytest

from schedcore import Instance, Jobs, Machines
from schedcore.workloads import half_plus, load, offered_load
from schedcore.workloads.reading.report import make_report


def instance(n_machines: int = 1) -> Instance:
    jobs = Jobs([10, 20, 30], [[1, 0], [2, 0], [1, 4]], release_time=[5, 7, 15])
    return Instance(jobs, Machines.identical(n_machines, [2, 16], ["cpu", "memory"]))


def test_offered_load_is_work_over_capacity_and_span() -> None:
    # cpu: 10 + 40 + 30 = 80 over 2 * 10; memory: 120 over 16 * 10.
    assert offered_load(instance()).tolist() == [4.0, 0.75]
    assert offered_load(instance(4)).tolist() == [1.0, 0.1875]


def test_offered_load_needs_a_span_of_arrivals() -> None:
    assert all(math.isnan(load) for load in offered_load(half_plus(5, 2)))
    assert offered_load(half_plus(0, 2)).tolist() == [0.0]


def test_demand_for_a_resource_that_no_machine_has_is_an_infinite_load() -> None:
    jobs = Jobs([1, 1], [[1, 0, 1], [1, 0, 1]], release_time=[0, 1])
    assert offered_load(Instance(jobs, Machines([[2, 0, 0]]))).tolist() == [1.0, 0.0, math.inf]


def test_the_capacity_of_many_large_machines_is_exact() -> None:
    machines = Machines.identical(2000, [2**53])
    report = make_report("large", Instance(Jobs([1], [[1]]), machines))
    assert list(report.capacity.values()) == [2000 * 2**53]


def test_an_overload_is_warned_of_in_the_report_and_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="schedcore"):
        _, report = load("azure_like:seed=1,n_jobs=2000,n_machines=1")
    overloaded = [name for name, value in report.load.items() if value > 1]
    assert overloaded
    assert len(report.warnings) == len(caplog.records) == len(overloaded)
    assert "queue cannot drain" in caplog.text
    assert "WARNING: offered load of core is" in str(report)


def test_no_warning_where_the_machines_keep_up(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    _, report = load("azure_like:seed=1,n_jobs=2000,n_machines=50")
    assert report.warnings == ()
    assert not caplog.records
    _, report = load("half_plus:n_jobs=5,n_machines=2")
    assert report.warnings == ()
    assert capfd.readouterr() == ("", "")


def test_a_load_is_written_so_that_people_can_read_it(tmp_path: Path) -> None:
    assert "offered load -" in str(load("half_plus:n_jobs=5,n_machines=2")[1])
    jobs = Jobs([2**53, 2**53], [[2**53], [2**53]], release_time=[0, 1])
    Instance(jobs, Machines([[1]])).to_parquet(tmp_path / "huge.parquet")
    _, report = load(tmp_path / "huge.parquet")
    assert "offered load 1.623e+32" in str(report)
    assert report.warnings == (
        "offered load of resource_0 is 1.623e+32 > 1: the queue cannot drain while jobs arrive; "
        "check the machines",
    )


def test_a_report_becomes_json() -> None:
    _, report = load("half_plus:n_jobs=5,n_machines=2")
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert content["n_jobs"] == content["rows_read"] == 5
    assert content["load"] == {"resource_0": None}
    assert content["capacity"] == {"resource_0": 200}
    assert content["units"] == {"time": "tick"}
