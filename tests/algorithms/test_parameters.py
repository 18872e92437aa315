"""Options said once: a class of parameters, the function and the entry of the registry that are made of it."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
import pytest

import schedcore
from schedcore import InvalidInstanceError, UnsupportedError, registry
from schedcore.algorithms.backfilling.conservative import ConservativeParameters
from schedcore.algorithms.backfilling.family import BackfillingParameters
from schedcore.algorithms.online.mris import MrisParameters
from schedcore.algorithms.preemptive.family import PhaseRun
from schedcore.errors import OptionTypeError
from schedcore.model.integers import checked_integer
from schedcore.parameters import (
    NeededEmbedded,
    Parameters,
    RefusedEmbedded,
    embedded_option,
    option,
    optional,
    same_option,
)
from schedcore.registry import Family, OnlinePolicy, registered

ONE_JOB = schedcore.Instance(schedcore.Jobs([1.0], [[1]]), schedcore.Machines([[1]]))
NAMES = registry.names()


class Retries(Parameters):
    """Options of every kind."""

    n_retries: int = option(
        "how often a job is tried",
        "A retry begins at once.",
        default=3,
        check=partial(checked_integer, least=0),
    )
    order: Literal["fifo", "lifo"] = option("who is first", default="fifo", embedded="lifo")
    verbose: bool = option("say more", default=False, kw_only=True, recorded=False, for_kernel=False)


class Budgets(Retries):
    """Further ones; one is declared again."""

    budget: float | None = option(
        "what a job may cost",
        default=None,
        check=optional(lambda name, value: float(value)),
        embedded=NeededEmbedded("nobody else pays"),
    )
    n_retries: int = same_option(default=5, description="how often a dear job is tried")
    trace: bool = option(
        "keep all", default=False, early=True, embedded=RefusedEmbedded("traces are for solve")
    )
    owner: str = embedded_option("who pays", why="somebody must")


def test_defaults_are_those_of_the_fields() -> None:
    assert (Budgets().n_retries, Budgets().order, Budgets().budget, Budgets().progress) == (
        5,
        "fifo",
        None,
        None,
    )
    assert Retries().n_retries == 3


def test_options_are_given_by_position_or_by_name() -> None:
    given = Budgets(1, "lifo", budget=2)
    assert (given.n_retries, given.order, given.budget) == (1, "lifo", 2)
    with pytest.raises(TypeError, match=r"Budgets\(\) is given the option 'n_retries' twice"):
        Budgets(1, n_retries=2)  # type: ignore[misc]
    with pytest.raises(TypeError, match=r"Budgets\(\) takes 4 options by position, and 5 are given"):
        Budgets(1, "lifo", 2.0, False, True)  # type: ignore[misc]


def test_an_unknown_option_is_answered_with_the_close_matches() -> None:
    with pytest.raises(
        TypeError, match=r"unexpected option 'budgte'; did you mean 'budget'\? \(options: n_ret"
    ):
        Budgets(budgte=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected option 'owner'"):
        Budgets(owner="me")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("wrong", "error", "match"),
    [
        ({"n_retries": -1}, InvalidInstanceError, "n_retries = -1 must be at least 0"),
        ({"n_retries": 0.5}, OptionTypeError, r"n_retries must be an integer, not 0\.5"),
        ({"order": "lilo"}, InvalidInstanceError, "unknown order 'lilo'; did you mean 'lifo'"),
        ({"verbose": 1}, InvalidInstanceError, "verbose = 1 must be True or False"),
    ],
)
def test_a_wrong_value_is_named(wrong: dict[str, Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        Retries(**wrong)


def test_parameters_are_frozen_and_can_be_copied_and_pickled() -> None:
    given = MrisParameters(patience=1.5, knapsack="greedy")
    with pytest.raises(dataclasses.FrozenInstanceError, match="patience"):
        given.patience = 3.0  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError, match="patience"):
        del given.patience
    for other in (copy.copy(given), copy.deepcopy(given), pickle.loads(pickle.dumps(given))):
        assert repr(other) == repr(given) == "MrisParameters(patience=1.5, knapsack='greedy')"
        assert other.for_kernel() == given.for_kernel()


def test_parameters_compare_by_value() -> None:
    assert MrisParameters() == MrisParameters(patience=2) != MrisParameters(patience=3)
    assert Retries() != Budgets()
    assert len({MrisParameters(), MrisParameters(patience=2.0), MrisParameters(patience=3)}) == 2
    latency = np.arange(4).reshape(2, 2)
    assert PhaseRun(latency=latency) == PhaseRun(latency=latency.copy()) != PhaseRun(latency=latency + 1)
    assert PhaseRun(latency=latency) != PhaseRun()


def test_a_class_of_parameters_shows_its_options() -> None:
    assert str(inspect.signature(Retries)) == (
        "(n_retries: int = 3, order: Literal['fifo', 'lifo'] = 'fifo', *, verbose: bool = False,"
        " progress: collections.abc.Callable[[int, int], object] | None = None)"
    )
    assert list(inspect.signature(MrisParameters).parameters) == [
        *(known.name for known in registry.get("mris").options),
        "progress",
        *CIRCUMSTANCES,
    ]


def test_what_goes_to_kernels_is_checked_and_what_is_recorded_is_as_given() -> None:
    given = Budgets(np.int64(2), budget=7)
    assert given.recorded(order="none", more=1) == {
        "n_retries": 2, "order": "none", "budget": 7, "trace": False, "more": 1
    }  # fmt: skip
    assert type(given.recorded()["n_retries"]) is int
    assert type(given.recorded()["budget"]) is int
    assert given.for_kernel() == {"n_retries": 2, "order": "fifo", "budget": 7.0, "trace": False}
    assert type(given.checked("budget")) is float


def test_the_embedded_form_has_defaults_of_its_own() -> None:
    given = Budgets.embedded("mine", {"budget": 1, "owner": "me"})
    assert (given.order, given.owner, given.n_retries) == ("lifo", "me", 5)
    with pytest.raises(InvalidInstanceError, match="mine needs budget when embedded: nobody else pays"):
        Budgets.embedded("mine", {"owner": "me"})
    with pytest.raises(UnsupportedError, match="traces are for solve"):
        Budgets.embedded("mine", {"budget": 1, "owner": "me", "trace": True})
    assert [known.name for known in Budgets.embedded_options()] == ["owner"]


def test_the_options_of_a_base_class_can_be_taken_alone() -> None:
    part = Budgets(2, "lifo", budget=3, verbose=True, progress=print).part(Retries)
    assert type(part) is Retries
    assert (part.recorded(), part.verbose, part.progress) == ({"n_retries": 2, "order": "lifo"}, True, print)
    assert part.for_kernel() == part.recorded()
    assert Budgets().part(Retries).n_retries == 5


@pytest.mark.parametrize(
    "make", [BackfillingParameters, lambda: BackfillingParameters.of_call("easy", (), {})]
)
def test_backfilling_options_without_a_policy_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match="abstract methods gang_prototype, prototype"):
        make()


def test_options_together_are_checked_too() -> None:
    with pytest.raises(UnsupportedError, match="it has no interval"):
        ConservativeParameters(mode="rebuild", interval=3.0)


def test_what_is_no_option_is_refused_when_the_class_is_made() -> None:
    with pytest.raises(TypeError, match=r"Plain\.speed must be declared by option"):

        class Plain(Parameters):
            speed: float = 1.0

    with pytest.raises(TypeError, match="no option can have the name of a method"):

        class Shadowing(Parameters):
            check: bool = option("no", default=False)

    with pytest.raises(TypeError, match=r"Bare\.speed needs an annotation"):

        class Bare(Parameters):
            speed = option("no", default=1.0)

    with pytest.raises(TypeError, match=r"OfNobody\.speed is no option of a base class"):

        class OfNobody(Retries):
            speed: float = same_option(default=1.0)

    with pytest.raises(
        TypeError, match=r"OfAnotherType\.n_retries is no option of a base class, of the same type"
    ):

        class OfAnotherType(Retries):
            n_retries: float = same_option(default=1.0)  # type: ignore[assignment]

    with pytest.raises(TypeError, match=r"Shared\.sizes: all would share the default \[1\]"):

        class Shared(Parameters):
            sizes: list[int] = option("no", default=[1])

    with pytest.raises(InvalidInstanceError, match="n = 0 must be at least 1"):

        class WrongDefault(Parameters):
            n: int = option("no", default=0, check=partial(checked_integer, least=1))


def test_a_function_is_registered_with_its_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_algorithms", dict(registry._algorithms))
    machines = schedcore.Machines([[1]])
    prototype = registry.get("bf_exec").embedded(machines, {})

    def embed(machines: schedcore.Machines, parameters: Budgets) -> OnlinePolicy:
        assert (parameters.owner, parameters.order) == ("me", "lifo")
        assert prototype is not None
        return prototype

    @registered(
        Budgets, "Mine", Family("mine", {"source": "here", "objective": "awct"}), embed=embed, non_idling=True
    )
    def spending(instance: schedcore.Instance, parameters: Budgets) -> schedcore.Result:
        """Spend what there is.

        Parameters
        ----------
        instance : Instance
            Any.
        progress : callable, optional
            Never called.

        Returns
        -------
        Result
        """
        return schedcore.Result(schedcore.pq(instance).schedule, "awct", 1.0, options=parameters.recorded())

    assert schedcore.solve("spending", ONE_JOB, n_retries=1).options == spending(ONE_JOB, 1).options
    assert spending(instance=ONE_JOB).options["n_retries"] == 5  # type: ignore[call-arg]
    mine = registry.get("spending")
    assert (mine.title, mine.family, mine.source, mine.non_idling) == ("Mine", "mine", "here", True)
    assert [known.name for known in mine.options] == ["n_retries", "order", "budget", "trace", "verbose"]
    assert [known.choices for known in mine.options][1] == ("fifo", "lifo")
    assert [known.name for known in mine.options if known.check] == ["trace"]
    assert mine.embedded(machines, {"budget": 1, "owner": "me"}) is prototype
    with pytest.raises(
        InvalidInstanceError, match="unknown option 'ower' of 'spending'; did you mean 'owner'"
    ):
        mine.embedded(machines, {"ower": 1})
    assert (spending.__doc__ or "").split("\n") == [
        "Spend what there is.",
        "",
        "Parameters",
        "----------",
        "instance : Instance",
        "    Any.",
        "n_retries : int",
        "    How often a dear job is tried. A retry begins at once.",
        'order : {"fifo", "lifo"}',
        "    Who is first.",
        "budget : float, optional",
        "    What a job may cost.",
        "trace : bool",
        "    Keep all.",
        "verbose : bool",
        "    Say more.",
        "progress : callable, optional",
        "    Never called.",
        "",
        "Returns",
        "-------",
        "Result",
    ]


def test_wrong_calls_are_named_by_the_function() -> None:
    with pytest.raises(TypeError, match=r"mris\(\): unexpected option 'patiense'; did you mean 'patience'"):
        schedcore.mris(ONE_JOB, patiense=3)  # type: ignore[call-arg]
    with pytest.raises(
        TypeError, match=r"mris\(\) is given the option 'heuristic' twice, by position and by"
    ):
        schedcore.mris(ONE_JOB, "wsjf", heuristic="erf")  # type: ignore[misc]
    with pytest.raises(TypeError, match=r"bf_exec\(\) takes no options by position, and 1 is given"):
        schedcore.bf_exec(ONE_JOB, 3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"pq\(\) takes 1 option by position, and 2 are given"):
        schedcore.pq(ONE_JOB, "wsjf", 3)  # type: ignore[call-arg]


def test_other_instances_are_refused_by_the_function_too() -> None:
    with pytest.raises(TypeError, match=r"pq: instance must be a schedcore\.Instance, not NoneType"):
        schedcore.pq(None)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"colocate: instance must be a schedcore\.ColocationInstance, not NoneT"
    ):
        schedcore.colocate(None)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"must be a schedcore\.Instance or a schedcore\.MapReduceInstance, not "
    ):
        schedcore.srpt(None)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="'pq' solves Instance, not ColocationInstance"):
        schedcore.pq(schedcore.ColocationInstance([1], [0], [[1]], n_machines=1))  # type: ignore[arg-type]


#: What policies for clusters are told beside their options.
CIRCUMSTANCES = {"incidents": None, "site": None, "infeasible": "refuse"}


@pytest.mark.parametrize("name", NAMES)
def test_the_signature_and_the_help_of_a_function_have_every_option(name: str) -> None:
    function = getattr(schedcore, name)
    options = registry.get(name).options
    instance, *others = inspect.signature(function).parameters.values()
    assert instance.name == "instance"
    assert {each.name: each.default for each in others} == {
        **{known.name: known.default for known in options},
        **(CIRCUMSTANCES if registry.get(name).heeds_circumstances else {}),
        "progress": None,
    }
    by_name = others[len(options) :]
    assert by_name[0].name == "progress"
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in by_name)
    assert all(each.annotation is not inspect.Parameter.empty for each in others)
    listed = (function.__doc__ or "").split("Parameters\n----------\n")[1].split("\n\n")[0]
    entries = [line.split(" : ")[0] for line in listed.split("\n") if not line.startswith(" ")]
    assert entries == ["instance", *(each.name for each in others)]
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("name", NAMES)
def test_an_algorithm_its_options_and_its_embedded_form_can_be_pickled(name: str) -> None:
    algorithm = registry.get(name)
    assert pickle.loads(pickle.dumps(algorithm)) is copy.deepcopy(algorithm) is algorithm
    for known in algorithm.options:
        assert repr(pickle.loads(pickle.dumps(known))) == repr(known)
    form = pickle.loads(pickle.dumps(algorithm.embed))
    if algorithm.embed is not None:
        assert inspect.signature(form) == inspect.signature(algorithm.embed)


def test_an_algorithm_that_is_not_registered_is_pickled_with_all_it_has() -> None:
    other = dataclasses.replace(registry.get("pq"), title="another")
    restored = pickle.loads(pickle.dumps(other))
    assert (restored.title, restored.run) == ("another", schedcore.pq)


@pytest.mark.parametrize("name", NAMES)
def test_every_default_passes_its_own_check(name: str) -> None:
    for known in registry.get(name).options:
        if known.check is not None:
            known.check(known.default)
