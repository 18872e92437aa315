"""What an instance uses of a cluster, and who refuses it."""

import pickle
from typing import Any

import pytest

import schedcore
from schedcore import (
    Incidents,
    Instance,
    Jobs,
    Machines,
    MapReduceInstance,
    OnlineScheduler,
    Outages,
    ServiceClass,
    Site,
    UnsupportedError,
    bounds,
    registry,
)
from schedcore.model import FEATURES, features_of
from schedcore.problems import problem_of
from schedcore.problems.measurement import measure

MACHINES = Machines.identical(2, [4])

#: Feature -> the columns that use it, and where messages find it.
USES: dict[str, tuple[dict[str, Any], str]] = {
    "gangs": ({"n_tasks": [1, 3]}, r"n_tasks\[1\] = 3 \(job 1\)"),
    "exclusive": ({"exclusive": [False, True]}, r"exclusive\[1\] = True \(job 1\)"),
    "constraints": ({"constraint": [None, "gpu"]}, r"constraint\[1\] = 'gpu' \(job 1\)"),
    "dependencies": ({"after_any": [None, [0]]}, r"after_any\[1\] = \(0,\) \(job 1\)"),
    "outages": ({"outages": Outages([1], [0], [5])}, "1 of them"),
    "weights": ({"machines": MACHINES.replace(weight=[0, 1])}, r"weight\[1\] = 1, weight\[0\] = 0"),
}
#: What is carried and changes no decision by itself.
SILENT: dict[str, Any] = {
    "priority": [1, 2],
    "user": ["ann", None],
    "account": "physics",
    "partition": "long",
    "service_class": "urgent",
    "array": [0, 0],
    "checkpoint_interval": 3,
    "restart_cost": 1,
    "max_tasks_per_machine": 1,
    "machines": MACHINES.replace(names=["a", "b"], labels=[["gpu"], []], weight=[7, 7]),
}


def instance(**changes: Any) -> Instance:
    return Instance(Jobs([2, 1], [[1], [2]]), MACHINES).replace(**changes)


@pytest.mark.parametrize("feature", USES)
def test_features_are_found_where_they_are_used(feature: str) -> None:
    columns, _ = USES[feature]
    assert list(features_of(instance(**columns))) == [feature]
    assert features_of(instance()) == {}
    assert {*USES, "spread", "failures", "cancellations", "site", "preemption"} == FEATURES.keys()


def test_a_bound_on_the_tasks_of_a_machine_says_nothing_about_one_task() -> None:
    assert "spread" not in features_of(instance(max_tasks_per_machine=[1, 1]))
    assert "spread" not in features_of(instance(n_tasks=[2, 1], max_tasks_per_machine=[0, 1]))
    used = features_of(instance(n_tasks=[2, 1], max_tasks_per_machine=[1, 0]))
    assert list(used) == ["gangs", "spread"]
    assert used["spread"] == "max_tasks_per_machine[0] = 1 (job 0)"


def test_what_changes_no_decision_is_no_feature() -> None:
    assert features_of(instance(**SILENT)) == {}


def test_other_kinds_of_instances_have_machines() -> None:
    columns = ("map_tasks", "map_cores", "map_time", "reduce_tasks", "reduce_cores", "reduce_time")
    weighted = MapReduceInstance(
        release_time=[0], **{name: [1] for name in columns}, machines=MACHINES.replace(weight=[1, 0])
    )
    assert list(features_of(weighted)) == ["weights"]
    with pytest.raises(UnsupportedError, match="'srpt' does not take machines of different weights"):
        schedcore.solve("srpt", weighted)


@pytest.mark.parametrize("name", [each.name for each in registry.algorithms(Instance)])
@pytest.mark.parametrize("feature", USES)
def test_policies_refuse_what_they_do_not_heed_by_name(name: str, feature: str) -> None:
    columns, where = USES[feature]
    used = instance(**columns)
    takers = [each.name for each in registry.algorithms() if feature in each.takes]
    who = f"{', '.join(takers)} can" if takers else "no registered policy can"
    message = rf"'{name}' does not take {FEATURES[feature]} \({where}\); {who}$"
    if feature in registry.get(name).takes:
        pytest.skip(f"{name} takes {feature}")
    with pytest.raises(UnsupportedError, match=message):
        schedcore.solve(name, used)
    with pytest.raises(UnsupportedError, match=message):
        getattr(schedcore, name)(used)


@pytest.mark.parametrize("name", [each.name for each in registry.algorithms(Instance)])
def test_policies_refuse_incidents_that_they_do_not_heed_by_name(name: str) -> None:
    algorithm = registry.get(name)
    failing = Incidents(failures=Outages([1], [0], [5]))
    cancelling = Incidents(cancellations={1: 3})
    for feature, incidents in (("failures", failing), ("cancellations", cancelling)):
        if feature in algorithm.takes:
            continue
        message = FEATURES[feature] if algorithm.heeds_circumstances else "does not take incidents="
        with pytest.raises(UnsupportedError, match=message):
            schedcore.solve(name, instance(), incidents=incidents)
    ending = Site(service_classes=[ServiceClass("low")], preempt="drop")
    for feature, site in (("site", Site("sjf")), ("preemption", ending)):
        if feature in algorithm.takes:
            continue
        message = FEATURES["site"] if "site" not in algorithm.takes else FEATURES[feature]
        message = message if algorithm.heeds_circumstances else "does not take site="
        with pytest.raises(UnsupportedError, match=message):
            schedcore.solve(name, instance(), site=site)
    if algorithm.heeds_circumstances:
        with pytest.raises(TypeError, match="site must be a Site, not str"):
            schedcore.solve(name, instance(), site="slurm")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="incidents must be Incidents, not str"):
            getattr(schedcore, name)(instance(), incidents="none")


@pytest.mark.parametrize("name", ["easy", "conservative", "pq", "mris", "tetris", "bf_exec"])
def test_columns_that_change_no_decision_are_carried_silently(name: str) -> None:
    plain, told = schedcore.solve(name, instance()), schedcore.solve(name, instance(**SILENT))
    assert told.schedule == plain.schedule
    assert told.lower_bound == plain.lower_bound
    assert schedcore.validate(instance(**SILENT), told.schedule).ok


EMBEDDED = {"mris": {"gamma0": 1}, "ca_pq": {"last_release_time": 1}}


@pytest.mark.parametrize("name", [each.name for each in registry.algorithms(Instance) if each.embeddable])
@pytest.mark.parametrize("feature", ["gangs", "exclusive", "constraints", "dependencies"])
def test_an_embedded_policy_refuses_what_it_does_not_heed_and_records_nothing(
    name: str, feature: str
) -> None:
    if feature in registry.get(name).takes_embedded:
        pytest.skip(f"{name} takes {feature}")
    columns, where = USES[feature]
    scheduler = OnlineScheduler(name, MACHINES, **EMBEDDED.get(name, {}))
    with pytest.raises(
        UnsupportedError, match=rf"'{name}' does not take {FEATURES[feature]} when embedded \({where}\)"
    ):
        scheduler.submit(instance(**columns).jobs, now=0)
    assert scheduler.recorded_instant is None
    assert scheduler.submit(instance(user="ann", priority=3).jobs, now=0).tolist() == [0, 1]


@pytest.mark.parametrize("name", [each.name for each in registry.algorithms(Instance) if each.embeddable])
def test_an_embedded_policy_that_heeds_no_weights_refuses_them(name: str) -> None:
    if "weights" in registry.get(name).takes_embedded:
        pytest.skip(f"{name} takes weights")
    with pytest.raises(UnsupportedError, match=f"'{name}' does not take machines of different weights"):
        OnlineScheduler(name, MACHINES.replace(weight=[0, 1]), **EMBEDDED.get(name, {}))


def test_a_saved_scheduler_keeps_the_descriptions_of_its_machines() -> None:
    described = MACHINES.replace(names=["a", "b"], labels=[["gpu"], []], weight=[7, 7])
    scheduler = OnlineScheduler("easy", described)
    assert OnlineScheduler.load(scheduler.save()).machines == described
    assert pickle.loads(pickle.dumps(scheduler)).machines == described


@pytest.mark.parametrize("feature", ["gangs", "exclusive", "dependencies"])
def test_a_comparison_says_who_refused_what(feature: str) -> None:
    used = instance(**USES[feature][0])
    with pytest.raises(UnsupportedError, match=f"'tetris' does not take {FEATURES[feature]}"):
        measure(problem_of(used, "tetris"), "tetris", {}, tau=10.0)


@pytest.mark.parametrize("feature", ["gangs", "exclusive"])
def test_bounds_refuse_work_that_they_do_not_count(feature: str) -> None:
    columns, _ = USES[feature]
    used = instance(**columns)
    for bound in (
        bounds.flow_power_lower_bound,
        bounds.fractional_lower_bound,
    ):
        with pytest.raises(UnsupportedError, match=f"does not take {FEATURES[feature]}"):
            bound(used)


@pytest.mark.parametrize("feature", ["constraints", "dependencies", "outages", "weights"])
def test_bounds_hold_with_fewer_schedules(feature: str) -> None:
    columns, _ = USES[feature]
    assert bounds.lower_bound(instance(**columns)).value == bounds.lower_bound(instance()).value


def test_a_policy_names_features_that_there_are() -> None:
    algorithm = registry.get("easy")
    names = ("title", "family", "source", "run", "options", "objective")
    arguments = {name: getattr(algorithm, name) for name in names}
    with pytest.raises(
        schedcore.InvalidInstanceError, match=r"unknown feature 'gang' for 'mine'.*did you mean 'gangs'"
    ):
        registry.register(registry.Algorithm("mine", **arguments, takes=frozenset({"gang"})))
