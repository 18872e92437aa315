"""What the table says of every kind of problem holds, from the table alone: a new kind is tested by being listed."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from typer.main import get_command

import schedcore
from problems.small_problems import a_result_of, policies_of, small
from schedcore import UnsupportedError, registry
from schedcore.bounds import lower_bound
from schedcore.cli.app import app
from schedcore.problems import PROBLEMS, Problem, check_policies, kinds_of, problem_of, refusal
from schedcore.problems.comparison import bounds_of, compare_policies, ignored_columns, presented
from schedcore.problems.evaluation import Evaluation
from schedcore.problems.jobs import JobsProblem
from schedcore.problems.kept_columns import KEEPS
from schedcore.problems.measurement import measure
from schedcore.problems.policy_choice import parse_policies
from schedcore.problems.slotted_jobs import JobsInSlotsProblem
from schedcore.workloads import DataReport

REPORT = DataReport("test", 0, 0)


@pytest.fixture(params=PROBLEMS, ids=lambda kind: kind.__name__)
def problem(request: pytest.FixtureRequest) -> Problem[Any]:
    return small(request.param)


def test_every_algorithm_belongs_to_one_kind_for_each_type_of_instance() -> None:
    for algorithm in registry.algorithms():
        for instance_type in (algorithm.instance_kind, *algorithm.also_solves):
            takers = [kind for kind in kinds_of(instance_type) if kind.takes(algorithm)]
            assert len(takers) == 1, algorithm.name


def test_a_policy_of_map_and_reduce_tasks_need_not_say_that_it_works_in_slots() -> None:
    silent = dataclasses.replace(registry.get("ocorp_mapreduce"), slotted=False)
    (kind,) = kinds_of(schedcore.MapReduceInstance)
    assert kind.takes(silent)


def test_what_kinds_keep_has_its_columns_in_results() -> None:
    assert {keep for kind in PROBLEMS for keep in kind.keeps} == set(KEEPS)


def test_a_policy_says_what_problem_it_makes_of_an_instance(problem: Problem[Any]) -> None:
    for choice in parse_policies(policies_of(problem)):
        assert problem_of(problem.inst, choice.name) == problem
    assert problem_of(problem.inst).instance_type is problem.instance_type
    assert problem_of(problem.inst, in_slots=problem.in_slots) == problem


def test_policies_that_ignore_the_same_columns_are_told_together() -> None:
    ignored = {
        "pq": ("priority", "estimated_processing_time"),
        "tetris": ("weight", "priority", "estimated_processing_time"),
        "mris": ("priority",),
        "easy": ("weight", "priority"),
        "bf_exec": ("estimated_processing_time",),
        "fcfs": (),
    }
    evaluations = [
        Evaluation(policy, "awct", None, None, ignored=columns) for policy, columns in ignored.items()
    ]
    # of estimates the notes say who decides with them
    assert ignored_columns(small(JobsProblem), evaluations) == [
        "pq, mris ignore: priority; tetris, easy ignore: weight, priority"
    ]
    assert ignored_columns(small(JobsInSlotsProblem), evaluations[4:]) == [
        "bf_exec ignores: estimated_processing_time"
    ]
    assert ignored_columns(small(JobsProblem), evaluations[4:]) == []


def test_a_further_kind_is_chosen_by_the_policies_that_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    class JobsInSites(JobsProblem):
        distinction = "sends jobs to sites"

        @classmethod
        def takes(cls, algorithm: registry.Algorithm) -> bool:
            return algorithm.name in ("easy", "fcfs")

    class JobsAtOneSite(JobsProblem):
        @classmethod
        def takes(cls, algorithm: registry.Algorithm) -> bool:
            return super().takes(algorithm) and not JobsInSites.takes(algorithm)

    table = (JobsAtOneSite, *PROBLEMS[1:], JobsInSites)
    monkeypatch.setattr("schedcore.problems.PROBLEMS", table)
    inst = small(JobsProblem).inst
    chosen = [type(problem_of(inst, policy)) for policy in ("pq", "easy", "srpt", "fcfs")]
    assert chosen == [JobsAtOneSite, JobsInSites, JobsInSlotsProblem, JobsInSites]
    check_policies(inst, parse_policies(["fcfs", "easy"]))
    with pytest.raises(UnsupportedError, match="easy sends jobs to sites, and mris does not: their figures"):
        check_policies(inst, parse_policies(["mris", "easy", "pq", "fcfs"]))
    with pytest.raises(UnsupportedError, match="easy sends jobs to sites, and srpt does not"):
        check_policies(inst, parse_policies(["srpt", "easy"]))


def test_columns_of_results_agree_between_kinds() -> None:
    types: dict[str, str] = {}
    for kind in PROBLEMS:
        for name, column in {
            **kind.columns,
            **dict(i for keep in kind.keeps for i in keep.columns.items()),
        }.items():
            assert types.setdefault(name, column) == column


def test_default_policies_run_and_their_schedules_are_valid(problem: Problem[Any]) -> None:
    for choice in parse_policies(policies_of(problem)):
        measured = measure(problem, choice.name, choice.options, tau=10.0)
        assert measured.finding is None
        assert measured.report is not None
        assert measured.report.ok
        named = {name for name in measured.figures if name in problem.columns}
        assert named or isinstance(problem.inst, schedcore.ColocationInstance)


def test_figures_with_a_column_are_of_its_type(problem: Problem[Any]) -> None:
    types = {"float64": (float, int), "int64": (int, np.integer), "string": (str,), "list<float64>": (tuple,)}
    figures = problem.figures(a_result_of(problem), 10.0)
    for name, column in problem.columns.items():
        value = figures.get(name)
        assert value is None or isinstance(value, types[column]), name
    assert any(figures.get(name) is not None for name in problem.columns)


def test_what_is_kept_fills_its_columns(problem: Problem[Any]) -> None:
    result = a_result_of(problem)
    for keep in problem.keeps:
        kept = problem.kept(result, [keep.name])
        assert kept.keys() == keep.columns.keys()
        if keep.is_curve:
            assert len({len(column) for column in kept.values()}) == 1
    with pytest.raises(UnsupportedError, match=f"{problem.title} have no dreams to keep"):
        problem.check_keep(["dreams"])


def test_no_objective_is_below_its_bound(problem: Problem[Any]) -> None:
    result = a_result_of(problem)
    told = problem.told(result, problem.figures(result, 10.0))
    for objective in problem.objectives:
        bound = lower_bound(problem.inst, objective.name)
        assert math.isfinite(bound.value)
        assert told[objective.figure] >= bound.value
    if result.objective in [objective.name for objective in problem.objectives]:
        own = next(one for one in problem.objectives if one.name == result.objective)
        assert told[own.figure] == result.value


def test_a_comparison_is_the_same_in_rows_document_and_table(problem: Problem[Any]) -> None:
    choices = parse_policies(policies_of(problem)[:2])
    steps: list[str] = []
    comparison = compare_policies(problem, REPORT, choices, recorded(steps), tau=10.0)
    shown = presented(problem, comparison)
    assert [row["policy"] for row in shown.rows] == [choice.label for choice in choices]
    assert shown.document["policies"] == shown.rows
    assert shown.document["lower_bounds"] == comparison.bounds
    (table,) = shown.parts
    assert {column.key for column in table.columns} <= {key for row in shown.rows for key in row}
    assert table.title.startswith("test: ")
    assert steps[0] == choices[0].label
    for evaluation in comparison.evaluations:
        assert evaluation.verdict == "valid"
        gap, bound = evaluation.figures["gap"], evaluation.figures["lower_bound"]
        assert (gap is None) == (not bound)
        assert gap is None or gap >= 0


def recorded(steps: list[str]) -> Any:
    from contextlib import nullcontext

    def step(title: str, total: int) -> Any:
        assert total > 0
        steps.append(title)
        return nullcontext(lambda done, total: None)

    return step


def test_a_policy_that_raises_is_a_finding(problem: Problem[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise schedcore.InfeasibleError("job 3 fits no machine")

    monkeypatch.setattr("schedcore.problems.measurement.solve", refuse)
    choices = parse_policies(policies_of(problem)[:1])
    comparison = compare_policies(problem, REPORT, choices, recorded([]))
    (evaluation,) = comparison.evaluations
    assert (evaluation.verdict, evaluation.finding) == ("FAILED", "job 3 fits no machine")
    assert presented(problem, comparison).rows[0]["problem"] == "job 3 fits no machine"


def test_bounds_are_those_that_the_library_proves(problem: Problem[Any]) -> None:
    rows = bounds_of(problem, REPORT).rows
    asked = problem.bound_questions()
    assert [(row["objective"], row["bound"]) for row in rows] == asked
    for row in rows:
        assert row["value"] == pytest.approx(lower_bound(problem.inst, row["objective"], row["bound"]).value)


def test_what_can_be_drawn_is_drawn(problem: Problem[Any]) -> None:
    pytest.importorskip("matplotlib")
    choices = parse_policies(policies_of(problem)[:2])
    comparison = compare_policies(problem, REPORT, choices, recorded([]))
    for drawing in problem.drawings:
        figure = drawing.draw(comparison)
        # The policies here are made for AWCT, nobody asked for figures by who submitted the jobs, and no date is known.
        nothing = ("response.png", "shares.png", "waits_by_user.png", "waits_by_hour.png")
        assert (figure is None) == (drawing.name in nothing)


def test_options_that_a_kind_does_not_take_are_refused_with_a_reason() -> None:
    commands = get_command(app).commands.values()
    options = {param.name for command in commands for param in command.params}
    assert {"against", "classes", "objective", "slots", "known_jobs_only", "kind"} <= options
    for kind in PROBLEMS:
        assert kind.accepts | kind.refused.keys() <= options
        assert not kind.accepts & kind.refused.keys()
        for option in options:
            taken = option in kind.accepts or (option == "kind" and kind.schedule_kinds != ())
            reason = refusal(kind, option)
            assert reason is None if taken else reason

    class Unheard(JobsProblem):
        title = "dreams"
        accepts = frozenset()

    for option in ("against", "something_new"):
        assert refusal(Unheard, option) == "that is about jobs over time, these are dreams"
    assert "jobs in slots (complete, partial)" in str(refusal(Unheard, "kind"))


def test_policies_for_other_problems_are_refused(problem: Problem[Any]) -> None:
    for other in map(small, PROBLEMS):
        choices = parse_policies([policies_of(other)[0]])
        algorithm = registry.get(choices[0].name)
        if not algorithm.solves(problem.instance_type):
            with pytest.raises(UnsupportedError, match=r"is for .*, and the workload has"):
                check_policies(problem.inst, choices)
        elif not problem.takes(algorithm):
            mixed = [*parse_policies([policies_of(problem)[0]]), *choices]
            with pytest.raises(UnsupportedError, match=r"compare them apart"):
                check_policies(problem.inst, mixed)


def test_what_is_measured_is_validated_under_the_rules_that_it_obeyed() -> None:
    """Job 0 makes room for job 1 at 3, which without the rules nobody may."""
    inst = schedcore.Instance(
        schedcore.Jobs([6, 2], [[2], [2]], [0, 3], service_class=["scavenger", "urgent"]),
        schedcore.Machines([[2]]),
    )
    site = schedcore.Site(
        service_classes=[
            schedcore.ServiceClass("urgent", 1),
            schedcore.ServiceClass("scavenger", preemptible=True),
        ],
        preempt="requeue",
    )
    measured = measure(problem_of(inst), "easy", {"site": site}, tau=10.0)
    assert measured.result.schedule.start_time.tolist() == [5, 3]
    assert measured.result.runs is not None
    assert "killed" in measured.result.runs.outcome
    assert measured.report is not None
    assert measured.report.ok, measured.report.message
