"""``schedcore.compare`` and ``schedcore.sweep`` say what the command says, and refuse what is no comparison."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import schedcore
from data_folder import data_folder
from example_shares import examples
from schedcore import Incidents, Instance, Jobs, Machines, Outages, workloads
from schedcore.errors import InvalidInstanceError, PolicyError, SchedcoreError, UnsupportedError
from strategies import instances

MEASURED = ("seconds", "jobs_per_second", "tasks_per_second")
JOBS = "azure_like:n_jobs=200,n_machines=2"


def told(content: Any) -> Any:
    """A document without what is measured anew each time."""
    if isinstance(content, dict):
        return {key: told(value) for key, value in content.items() if key not in MEASURED}
    return [told(value) for value in content] if isinstance(content, list) else content


def document(table: schedcore.ComparisonTable) -> Any:
    return told(json.loads(table.to_json()))


@pytest.mark.parametrize(
    ("workload", "options"),
    [
        (JOBS, {}),
        (JOBS, {"policies": ["easy:order=lxf", "fcfs"], "objective": "response", "tau": 60.0}),
        (JOBS, {"policies": ["easy", "pq"], "classes": "size"}),
        (JOBS, {"machines": "3x1000000,1000000,1000000,1000000"}),
        ("slotted_standin:n_jobs=20,window=100", {"problem": "slots"}),
        ("colocation_grid:cls=1,n_types=2,n_tasks=20,n_machines=4", {"policies": ["sched_mixed", "fill_greedy"]}),
        ("parallel_task_standin:n_jobs=5,n_machines=3", {}),
        ("mapreduce_standin:n_jobs=5,window=50", {}),
    ],
)  # fmt: skip
def test_all_kinds_of_problems_are_told_as_on_the_command_line(
    cli: Callable[..., Any], workload: str, options: dict[str, Any]
) -> None:
    words = [
        word
        for name, value in options.items()
        for one in (value if isinstance(value, list) else [value])
        for word in ("--policy" if name == "policies" else f"--{name}", one)
    ]
    outcome = cli("compare", workload, *words, "--json")
    assert outcome.exit_code == 0, outcome.stderr
    table = schedcore.compare(workload, **options)
    assert document(table) == told(json.loads(outcome.stdout))
    assert table.to_csv().splitlines()[0] == cli("compare", workload, *words, "--csv").stdout.splitlines()[0]


@pytest.mark.parametrize(
    "options",
    [{"machines": "+25%,-25%"}, {"estimates": "exact,x2", "load": "x2"}, {"against_machines": "2x4"}],
)
def test_variants_of_a_log_are_told_as_on_the_command_line(
    cli: Callable[..., Any], site: Path, options: dict[str, Any]
) -> None:
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
    outcome = cli("compare", site, "--read", "n_resources=1", *words, "--json", "--allow-loss")
    assert outcome.exit_code == 0, outcome.stderr
    table = schedcore.compare(site, **options, n_resources=1, allow_loss=True)
    assert document(table) == told(json.loads(outcome.stdout))
    assert [row["policy"] for row in table] == [name.partition(" (")[0] for name in table.evaluations]
    assert (
        table["recorded (" + ", ".join(f"{n} recorded" for n in _varied(options)) + ")"].verdict == "recorded"
    )


def _varied(options: dict[str, Any]) -> list[str]:
    order = ("machines", "estimates", "load")
    return [name for name in order if any(name in option for option in options)]


@pytest.mark.parametrize("points", ["8..12:2", range(12, 7, -2), np.array([8, 10, 12]), [8.0, 10, 12]])
def test_a_sweep_takes_words_and_numbers(cli: Callable[..., Any], site: Path, points: Any) -> None:
    outcome = cli(
        "compare", site, "--read", "n_resources=1", "--sweep", "machines=8..12:2", "-p", "easy", "--json"
    )
    table = schedcore.sweep(site, "easy", machines=points, n_resources=1)
    assert document(table) == told(json.loads(outcome.stdout))
    assert [row["machines"] for row in table.rows] == ["8", "10", "12"]


@examples(15)
@given(instances(max_jobs=12))
def test_side_by_side_is_as_one_after_the_other_and_as_solve(inst: Instance) -> None:
    names = ["pq", "fcfs", "mris"]
    one = schedcore.compare(inst, names, workers=1)
    many = schedcore.compare(inst, names, workers=3)
    assert document(one) == document(many)
    for name in names:
        try:
            schedule = schedcore.solve(name, inst).schedule
        except SchedcoreError as error:
            refused = ("FAILED", str(error))
            assert (many[name].verdict, many[name].finding) == refused
            continue
        assert np.array_equal(many[name].schedule.start_time, schedule.start_time)
        assert many.results[name].schedule is many[name].schedule


def test_an_instance_with_its_report_is_the_workload_that_was_read(site: Path) -> None:
    read = workloads.load(site, n_resources=1)
    assert document(schedcore.compare(read)) == document(schedcore.compare(site, n_resources=1))
    alone = schedcore.compare(read[0])
    assert [row["avg_wait"] for row in alone.rows] == [
        row["avg_wait"] for row in schedcore.compare(read).rows
    ]
    assert alone.data_report.source == "instance"
    smaller = schedcore.compare(read, "easy", machines="1x9")
    assert document(smaller)["workload"]["capacity"] == {"processors": 9}


def test_a_recorded_log_is_told_as_on_the_command_line(cli: Callable[..., Any]) -> None:
    log = data_folder("pwa-swf", "KTH-SP2-1996-2.1-cln.swf.gz")
    outcome = cli("compare", log, "--read", "n_resources=1", "--json")
    table = schedcore.compare(log, n_resources=1)
    assert document(table) == told(json.loads(outcome.stdout))
    assert table["recorded"].verdict == "recorded"
    assert set(table.notes) <= set(outcome.stderr.splitlines())
    assert table.notes


def test_other_machines_are_a_variant_in_words_as_a_number_and_as_machines(site: Path) -> None:
    inst, _ = workloads.load(site, n_resources=1)
    other = Machines([[4], [4]], resource_names=inst.machines.resource_names)
    tables = [
        schedcore.compare(inst, "easy", against_machines=machines, allow_loss=True)
        for machines in ("2x4", other)
    ]
    assert [row["machines"] for row in tables[0]] == ["recorded", "2x4"]
    assert [row["machines"] for row in tables[1]] == ["recorded", "2 machines"]
    assert [row["avg_wait"] for row in tables[0]] == [row["avg_wait"] for row in tables[1]]
    more = schedcore.compare(JOBS, "pq", against_machines=3)
    assert [(row["machines"], row["cluster_size"]) for row in more] == [("recorded", 2), ("3 machines", 3)]
    three = schedcore.solve("pq", workloads.load(f"{JOBS},seed=1", 3)[0])
    assert more.rows[1]["awct"] == three.value


def test_policies_are_named_in_several_ways() -> None:
    inst, _ = workloads.load(f"{JOBS},seed=1")
    texts = schedcore.compare(inst, ["easy:order=lxf", "pq"])
    pairs = schedcore.compare(inst, [("easy", {"order": "lxf"}), "pq"])
    assert document(texts) == document(pairs)
    labelled = schedcore.compare(inst, {"A & B": ("easy", {"order": "lxf"}), "usual": "pq"})
    assert list(labelled.evaluations) == ["A & B", "usual"]
    assert [row["awct"] for row in labelled] == [row["awct"] for row in texts]
    swept = schedcore.sweep(inst, {"mine": "easy"}, machines=[2, 3])
    assert list(swept.evaluations) == ["mine (machines 2)", "mine (machines 3)"]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        ((JOBS, ["esay"]), {}, InvalidInstanceError, "did you mean"),
        ((JOBS, []), {}, InvalidInstanceError, "none is named"),
        ((JOBS, {}), {}, InvalidInstanceError, "none is named"),
        ((JOBS, ["pq", "pq"]), {}, InvalidInstanceError, "given twice"),
        ((JOBS, [("easy", {"ordre": "lxf"})]), {}, InvalidInstanceError, "ordre"),
        ((JOBS, [("easy:order=lxf", {"selection": "bb"})]), {}, InvalidInstanceError, "no name of a policy"),
        ((JOBS, [3]), {}, UnsupportedError, "neither a text"),
        ((JOBS, {3: "pq"}), {}, InvalidInstanceError, "label 3"),
        ((JOBS, {"recorded": "pq"}), {}, InvalidInstanceError, "really happened"),
        ((JOBS, {"log": "recorded"}), {}, InvalidInstanceError, "really happened"),
        ((17,), {}, InvalidInstanceError, "a workload is"),
        (((1, 2),), {}, InvalidInstanceError, "a workload is"),
        (("no_such_file.swf",), {}, InvalidInstanceError, "no such file"),
        ((JOBS,), {"polices": ["pq"]}, InvalidInstanceError, "polices"),
        ((JOBS,), {"problem": "slot"}, InvalidInstanceError, "did you mean 'slots'"),
        ((JOBS, "pq"), {"problem": "slots"}, UnsupportedError, "^problem slots: "),
        ((JOBS,), {"objective": "waits"}, InvalidInstanceError, "did you mean 'wait'"),
        ((JOBS, ("pq", {"heuristic": np.arange(2.0)})), {}, InvalidInstanceError, "unknown heuristic array"),
        ((JOBS,), {"classes": "sizes"}, InvalidInstanceError, "did you mean"),
        ((JOBS,), {"classes": "size", "load": "x2"}, InvalidInstanceError, "^classes: that is for one workload"),
        ((JOBS,), {"load": 2.0}, InvalidInstanceError, "must be a text"),
        ((JOBS,), {"against_machines": 2.5}, InvalidInstanceError, "against_machines"),
        ((JOBS,), {"machines": object()}, InvalidInstanceError, "^machines"),
        ((JOBS,), {"machines": True}, InvalidInstanceError, "^machines"),
        ((JOBS,), {"machines": 0}, InvalidInstanceError, "^machines"),
        ((JOBS,), {"against_machines": "+10%"}, InvalidInstanceError, "percentages are for machines$"),
        ((JOBS,), {"tau": -1}, InvalidInstanceError, "tau"),
        ((JOBS,), {"tau": "x"}, InvalidInstanceError, "tau"),
        ((JOBS,), {"workers": "x"}, InvalidInstanceError, "workers must be an integer"),
        ((JOBS,), {"workers": 0}, InvalidInstanceError, "workers"),
        ((JOBS,), {"progress": "yes"}, InvalidInstanceError, "progress"),
        ((JOBS,), {"incidents": 3}, InvalidInstanceError, "must be Incidents"),
        (("mapreduce_standin:n_jobs=2,window=9",), {"load": "x2"}, UnsupportedError, "load: "),
        (("colocation_grid:cls=1,n_types=2,n_tasks=9,n_machines=3", "pq"), {}, UnsupportedError, "pq is for"),
    ],
)  # fmt: skip
def test_what_is_no_comparison_is_refused_by_name(
    arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        schedcore.compare(*arguments, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "not none"),
        ({"load": "1..2", "machines": "2..3"}, "not machines and load"),
        ({"load": []}, "no point"),
        ({"load": 2.0}, "neither a text"),
        ({"load": [0.0, 1.0]}, "above 0"),
        ({"load": [1, 1.0]}, "given twice"),
        ({"load": [float("nan")]}, "no number"),
        ({"load": ["x2"]}, "no number"),
        ({"machines": [2.5]}, "whole machines"),
        ({"machines": range(1, 1002)}, "at most 1,000"),
        ({"machines": "3..2"}, "no point"),
    ],
)
def test_a_sweep_without_a_range_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInstanceError, match=words):
        schedcore.sweep(JOBS, "pq", **options)


def test_reader_options_beside_an_instance_are_refused() -> None:
    inst, _ = workloads.load(f"{JOBS},seed=1")
    with pytest.raises(InvalidInstanceError, match="polices: neither options"):
        schedcore.compare(inst, polices=["pq"])


def test_what_fails_is_a_row_and_a_finding() -> None:
    inst = Instance(Jobs([1.0, 1.0], [[3], [1]]), Machines([[2]]))  # the first job fits no machine
    table = schedcore.compare(inst, ["fcfs", "pq"])
    assert {row["verdict"] for row in table} == {"FAILED"}
    assert set(table.findings) == {"fcfs", "pq"}
    assert not table.results
    with pytest.raises(PolicyError, match=r"fcfs: FAILED: .*; pq: FAILED: "):
        table.raise_for_findings()
    fine = schedcore.compare(JOBS, "pq")
    assert fine.raise_for_findings() is fine


def test_failures_kill_jobs_in_a_comparison_too() -> None:
    inst, _ = workloads.load("uniform:seed=1,n_jobs=20,n_machines=2,n_resources=1,capacity=9,max_processing_time=9,"
                             "max_weight=1,max_release_time=9,max_demand=9")  # fmt: skip
    incidents = Incidents(Outages([0], [5.0], [9.0]), {}, "requeue")
    table = schedcore.compare(inst, ["easy", "pq", "mris"], incidents=incidents)
    alone = schedcore.solve("easy", inst, incidents=incidents)
    assert table["easy"].runs == alone.runs
    faster = schedcore.compare(inst, "easy", load="x2", incidents=incidents)
    assert faster["easy (load recorded)"].runs == alone.runs
    with pytest.raises(InvalidInstanceError, match="failures name machines"):
        schedcore.compare(inst, "easy", machines="+50%", incidents=incidents)
    with pytest.raises(InvalidInstanceError, match="machine"):
        schedcore.compare(inst, "easy", incidents=Incidents(Outages([7], [5.0], [9.0]), {}, "requeue"))


def test_progress_is_told_step_by_step(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[str, int, int]] = []
    schedcore.compare(JOBS, ["pq", "fcfs"], workers=2, progress=lambda *words: told.append(words))
    assert told[-1] == ("2 runs", 400, 400)
    assert told.count(told[-1]) == 1
    told.clear()
    schedcore.compare(JOBS, ["pq", "fcfs"], workers=1, progress=lambda *words: told.append(words))
    assert [words for words in told if words[1] == words[2]] == [("pq", 200, 200), ("fcfs", 200, 200)]
    schedcore.compare(JOBS, "pq", progress=True)
    assert "1 run [##############################] 200/200\n" in capsys.readouterr().err


def test_an_error_of_the_progress_ends_the_comparison() -> None:
    def interrupt(title: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        schedcore.compare(JOBS, ["pq", "fcfs"], progress=interrupt)


def test_the_package_stays_light() -> None:
    heavy = ("pandas", "polars", "pyarrow", "matplotlib", "typer", "rich", "pydantic", "schedcore.problems")
    code = (
        f"import sys, schedcore; assert not set({heavy}) & set(sys.modules), sys.modules; schedcore.compare; "
        f"table = schedcore.compare('half_plus:n_jobs=4,n_machines=2', 'pq', progress=True); repr(table); "
        f"table._repr_html_(); table.to_json(); table.to_csv(); "
        f"assert not set({heavy[:-1]}) & set(sys.modules), set({heavy}) & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
