"""What cannot be run or drawn is refused when it is described, with its place, its value and what was meant."""

import copy
import math
import pickle
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from experiments.described import REMOVED, changed, described, refused
from schedcore import InvalidInstanceError
from schedcore.experiments import Claim, Experiment, Figure, Sweep, Workload, n_cells
from schedcore.experiments.description.document import from_document
from schedcore.experiments.description.refusals import placed


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        # the experiment
        refused("name", REMOVED, "experiment '': name is missing"),
        refused("workloads", REMOVED, "'small': workloads is missing"),
        refused("policies", REMOVED, "'small': policies is missing"),
        refused("sweeps", REMOVED, "'small': sweeps is missing"),
        refused("sweeps", {}, "'small': no sweep: nothing would run"),
        refused("name", "a/b", "'a/b'", "letters, digits"),
        refused("name", "", "''"),
        refused("name", 3, "name = 3 must consist of letters, digits, - and _"),
        refused("tilte", "x", "'small': unknown key 'tilte'", "did you mean 'title'"),
        refused("title", 3, "'small': title = 3 must be a text"),
        refused("about", ["x"], "about = ['x'] must be a text"),
        refused("tau", "10", "tau = '10' must be a number"),
        refused("tau", True, "tau = True"),
        refused("tau", -1, "tau = -1"),
        refused("tau", math.nan, "tau = nan"),
        refused("tau", math.inf, "tau = inf"),
        refused("tau", 10**400, "1329 bits"),
        refused("job_sets", 0, "job_sets = 0"),
        refused("job_sets", 10**12, "job_sets = 1000000000000 must be a list"),
        refused("job_sets", True, "job_sets = True"),
        refused("job_sets", [], "job_sets = [] is empty"),
        refused("job_sets", "123", "job_sets = '123' must be a list"),
        refused("job_sets", [1, 2.0], "job_sets[1] = 2.0 must be an integer"),
        refused("job_sets", [True], "job_sets[0] = True must be an integer"),
        refused("job_sets", [-1], "job_sets[0] = -1 must be at least 0"),
        refused("job_sets", [2**63], "below 2**63"),
        refused("job_sets", [1, 1], "job_sets = [1, 1] lists 1 twice"),
        refused("inputs", ["log"], "inputs = ['log'] must be a table"),
        refused("inputs/log", 3, "inputs 'log' = 3 must be a text"),
        refused("inputs/[key]", 3, "'small': inputs '[key]' = 3 must be a text"),
        refused("modules", "os", "modules = 'os' must be a list of names of modules"),
        refused("modules", [3], "modules[0] = 3 must be a text"),
        refused("modules", ["no_such_module_of_mine"], "'no_such_module_of_mine'", "cannot be found"),
        refused("modules", [".relative"], "'.relative' is no name of a module"),
        refused("modules", [""], "'' is no name"),
        refused("modules", ["os.no_such_part"], "'os.no_such_part'", "cannot be found"),
        # workloads
        refused("workloads", "azure_like", "workloads = 'azure_like' must be a table"),
        refused("workloads/[key]", 3, "'small': workloads '[key]' = 3 must be a table"),
        refused("workloads/[key]", {3: 5}, "'small': workloads '[key]': the name 3 must be a text"),
        refused("workloads/azure", "azure_like", "'azure' = 'azure_like' must be a table"),
        refused("workloads/azure/source", REMOVED, "workload 'azure': source is missing"),
        refused("workloads/azure/allow_loss", 1, "workload 'azure': allow_loss = 1 must be true or false"),
        refused("workloads/azure/source", 3, "workload 'azure': source = 3 must be a text"),
        refused(
            "workloads/azure/source", "azure_lik", "workload 'azure': unknown generator", "mean 'azure_like'"
        ),
        refused(
            "workloads/azure/source", "input:lg", "workload 'azure': unknown input 'lg'", "did you mean 'log'"
        ),
        refused(
            "workloads/azure/n_machine",
            3,
            "workload 'azure': unknown argument",
            "'n_machine'",
            "'n_machines'",
        ),
        refused("workloads/azure/full_jobs", 3, "workload 'azure'", "'full_jobs'"),
        refused("workloads/azure/n_machines", 2.0, "workload 'azure': n_machines = 2.0 must be an integer"),
        refused("workloads/azure/n_machines", "2", "n_machines = '2' must be an integer"),
        refused("workloads/azure/n_machines", True, "n_machines = True must be an integer"),
        refused("workloads/azure/n_machines", [2], "n_machines = [2] must be a text"),
        refused("workloads/azure/n_machines", 10**30, "100 bits, more than 64"),
        refused("workloads/azure/factor", 0, "workload 'azure': factor = 0 must be at least 1"),
        refused("workloads/azure/factor", 2.0, "factor = 2.0 must be an integer"),
        refused("workloads/azure/factor", 2, "azure_like needs seed"),
        refused("workloads/azure/total_resources", False, "total_resources = False must be an integer"),
        refused("workloads/recorded/censord", "keep", "argument 'censord' of a file", "mean 'censored'"),
        refused("workloads/recorded/offset", 3, "workload 'recorded': unknown argument", "'offset'"),
        refused(
            "workloads/recorded/resource_seed", 3, "workload 'recorded': unknown argument", "'resource_seed'"
        ),
        refused("workloads/recorded/censored", {"a": 1}, "censored = {'a': 1} must be a text"),
        refused("workloads/recorded/censored", math.nan, "censored = nan"),
        refused("workloads/file/factor", 4, "workload 'file': full_jobs and factor exclude each other"),
        refused("workloads/file/n_jobs", 65, "workload 'file': n_jobs = 65 is more than full_jobs = 64"),
        refused("workloads/file/n_jobs", 0, "workload 'file': n_jobs = 0 must be at least 1"),
        refused("workloads/file/n_jobs", "8", "workload 'file': n_jobs = '8' must be an integer"),
        refused("workloads/file/full_jobs", 1.0, "workload 'file': full_jobs = 1.0"),
        # policies
        refused("policies/PQ", 3, "policies 'PQ' = 3 must be a text"),
        refused("policies/[key]", 3, "'small': policies '[key]' = 3 must be a text"),
        refused("policies", {3: "pq"}, "'small': policies: the name 3 must be a text"),
        refused("policies", {2.5: "pq"}, "'small': policies: the name 2.5 must be a text"),
        refused("policies/TETRIS", "tertis", "policy 'TETRIS'", "'tertis'", "did you mean 'tetris'"),
        refused("policies/PQ", "", "policy 'PQ'", "''"),
        refused("policies/PQ", "pq:heuristics=erf", "policy 'PQ'", "'heuristics'", "mean 'heuristic'"),
        refused("policies/PQ", "pq:heuristic=wsfj", "policy 'PQ'", "'wsfj'", "'wsjf'"),
        refused("policies/PQ", "pq:heuristic=3", "policy 'PQ'", "unknown heuristic 3 of 'pq'"),
        refused("policies/PQ", "pq:heuristic", "policy 'PQ'", "is not option=value"),
        refused("policies/PQ", "pq:heuristic=erf,heuristic=sjf", "policy 'PQ'", "sets 'heuristic' twice"),
        refused("policies/TETRIS", "bf_exec:x=1", "policy 'TETRIS'", "has no options"),
        refused("policies/MRIS", "mris:replan=allways", "policy 'MRIS'", "'allways'", "mean 'always'"),
        # sweeps
        refused("sweeps/load", [], "'load' = [] must be a table"),
        refused(
            "sweeps/load/policy", ["PQ"], "sweep 'load': unknown key 'policy'", "did you mean 'policies'"
        ),
        refused("sweeps/load/workloads", REMOVED, "sweep 'load': workloads is missing"),
        refused("sweeps/load/policies", [], "sweep 'load': no policy"),
        refused("sweeps/load/policies", "PQ", "sweep 'load': policies = 'PQ' must be a list of names"),
        refused("sweeps/load/policies", [["PQ"]], "sweep 'load': policies[0] = ['PQ'] must be a text"),
        refused("sweeps/load/policies", ["PQ", "MRSI"], "sweep 'load': unknown policy 'MRSI'", "mean 'MRIS'"),
        refused(
            "sweeps/load/policies", ["PQ", "PQ"], "sweep 'load': policies = ['PQ', 'PQ'] lists 'PQ' twice"
        ),
        refused("sweeps/load/workloads", ["azur"], "sweep 'load': unknown workload 'azur'", "mean 'azure'"),
        refused(
            "sweeps/load/workloads", ["azure", "azure"], "workloads = ['azure', 'azure'] lists 'azure' twice"
        ),
        refused("sweeps/load/job_sets", [3, 3], "sweep 'load': job_sets = [3, 3] lists 3 twice"),
        refused("sweeps/load/keep", ["schedules"], "sweep 'load': unknown column to keep", "mean 'schedule'"),
        refused("sweeps/load/parameters", [1], "sweep 'load': parameters = [1] must be a table"),
        refused("sweeps/load/parameters/n_jobs", [], "sweep 'load': parameter 'n_jobs' has no values"),
        refused(
            "sweeps/load/parameters/n_jobs",
            20,
            "sweep 'load': parameters 'n_jobs' = 20 must be a list of values",
        ),
        refused("sweeps/load/parameters/[key]", 5, "parameters '[key]' = 5 must be a list of values"),
        refused("sweeps/load/parameters/n_jobs", "20", "parameters 'n_jobs' = '20' must be a list"),
        refused("sweeps/load/parameters/n_jobs", [20, 20], "parameters 'n_jobs' = [20, 20] lists 20 twice"),
        refused(
            "sweeps/load/parameters/n_resources", [1, True], "[1, True] lists 1 and True, which are equal"
        ),
        refused("sweeps/load/parameters/n_resources", [2, 2.0], "[2, 2.0] lists 2 and 2.0, which are equal"),
        refused("sweeps/load/parameters/n_jobs", [20.5], "n_jobs = 20.5 must be an integer"),
        refused("sweeps/load/parameters/n_job", [20], "sweep 'load'", "'n_job'", "did you mean 'n_jobs'"),
        refused("sweeps/load/parameters/n_jobs", REMOVED, "sweep 'load'", "azure_like needs n_jobs"),
        refused("sweeps/load/parameters/policy.epsilon", [0.1], "policy 'PQ'", "'epsilon'"),
        refused("sweeps/load/parameters/policy.", [1], "sweep 'load', policy 'MRIS'", "''"),
        refused(
            "sweeps/load/parameters/policy.heuristic",
            ["erf", "wsfj"],
            "'wsfj'",
            "did you mean 'wsvf' or 'wsjf'",
        ),
        refused("sweeps/load/parameters/policy.heuristic", ["erf,knapsack=exact"], "erf,knapsack=exact"),
        refused(
            "sweeps/load/parameters/policy.heuristic",
            [math.inf],
            "parameters 'policy.heuristic'[0] = inf must be",
        ),
        refused(
            "sweeps/load/parameters/policy.heuristic",
            [["erf"]],
            "parameters 'policy.heuristic'[0] = ['erf'] must be",
        ),
        refused("sweeps/recorded/parameters/factor", [2], "full_jobs and factor exclude each other"),
        refused(
            "sweeps/load/job_sets",
            list(range(1, 200_000)),
            "sweep 'load': 2,399,988 cells are more than 1,000,000",
        ),
    ],
)
def test_what_cannot_be_run_or_drawn_is_refused(path: str, value: object, words: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInstanceError) as refusal:
        from_document(changed(path, value))
    for word in words:
        assert word in str(refusal.value)


def test_a_sweep_without_any_of_its_job_sets_is_refused() -> None:
    whole = changed("workloads/recorded/factor", 4)
    whole["sweeps"]["recorded"] = {"workloads": ["recorded"], "policies": ["PQ"], "job_sets": [5, 6]}
    with pytest.raises(InvalidInstanceError, match=r"sweep 'recorded': there is no job set 5, 6; a factor f"):
        from_document(whole)
    whole["sweeps"]["recorded"]["job_sets"] = [4, 5]
    from_document(whole)
    whole["sweeps"]["recorded"] |= {"job_sets": [5], "workloads": ["recorded", "azure"]}
    whole["workloads"]["azure"]["n_jobs"] = 5
    from_document(whole)


VALID: Mapping[str, Any] = {
    "name": "small",
    "workloads": {"w": Workload("azure_like", {"n_jobs": 5})},
    "policies": {"PQ": "pq"},
    "sweeps": {"s": Sweep(["w"], ["PQ"], {"n_machines": [1, 2]})},
    "figures": {"f": Figure("s", x="n_machines")},
}


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("name", lambda: None),
        ("workloads", lambda: None),
        ("workloads", lambda: {"w": "azure_like"}),
        ("workloads", lambda: {"w": {"source": "azure_like", "n_jobs": 5}}),
        ("workloads", lambda: {3: Workload("azure_like", {"n_jobs": 5})}),
        ("workloads", lambda: {"w": Workload(None)}),  # type: ignore[arg-type]
        ("workloads", lambda: {"w": Workload("azure_like", None)}),  # type: ignore[arg-type]
        ("workloads", lambda: {"w": Workload("azure_like", {3: 5})}),  # type: ignore[dict-item]
        ("policies", lambda: ["pq"]),
        ("policies", lambda: {"PQ": ("pq", {})}),
        ("sweeps", lambda: [Sweep(["w"], ["PQ"])]),
        ("sweeps", lambda: {"s": {"workloads": ["w"], "policies": ["PQ"]}}),
        ("sweeps", lambda: {"s": Sweep("w", ["PQ"])}),
        ("sweeps", lambda: {"s": Sweep(["w"], {"PQ"})}),  # type: ignore[arg-type]
        ("sweeps", lambda: {"s": Sweep(["w"], None)}),  # type: ignore[arg-type]
        ("sweeps", lambda: {"s": Sweep(["w"], ["PQ"], None)}),  # type: ignore[arg-type]
        ("sweeps", lambda: {"s": Sweep(["w"], ["PQ"], {3: [1]})}),  # type: ignore[dict-item]
        ("sweeps", lambda: {"s": Sweep(["w"], ["PQ"], keep="schedule")}),
        ("sweeps", lambda: {"s": Sweep(["w"], ["PQ"], job_sets=3)}),  # type: ignore[arg-type]
        ("figures", lambda: {"f": "s"}),
        ("figures", lambda: {"f": Figure(None)}),  # type: ignore[arg-type]
        ("figures", lambda: {"f": Figure("s", x="n_machines", title=None)}),  # type: ignore[arg-type]
        ("figures", lambda: {"f": Figure("s", x="n_machines", where=None)}),  # type: ignore[arg-type]
        ("figures", lambda: {"f": Figure("s", x="n_machines", published={"PQ": 3})}),  # type: ignore[dict-item]
        ("figures", lambda: {"f": Figure("s", x="n_machines", claims=None)}),  # type: ignore[arg-type]
        ("figures", lambda: {"f": Figure("s", x="n_machines", claims=["PQ is best"])}),  # type: ignore[list-item]
        ("figures", lambda: {"f": Figure("s", x="n_machines", claims=[Claim("t", "rate", ("PQ",))])}),
        ("figures", lambda: {"f": Figure("s", x="n_machines", claims=[Claim("t", "value", "PQ")])}),
        ("figures", lambda: {"f": Figure("s", x="n_machines", claims=[Claim("t", "value", ("PQ",), 1)])}),  # type: ignore[arg-type]
        ("job_sets", lambda: 3),
        ("inputs", lambda: None),
        ("modules", lambda: None),
        ("title", lambda: None),
        ("title", lambda: 10**5000),
        ("folder", lambda: "."),
    ],
)
def test_descriptions_in_python_are_checked_like_documents(part: str, value: Callable[[], object]) -> None:
    assert n_cells(Experiment(**VALID)) == 2
    with pytest.raises(InvalidInstanceError):
        Experiment(**{**VALID, part: value()})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Workload(3), "workload: source = 3 must be a text"),  # type: ignore[arg-type]
        (lambda: Sweep("w", ["PQ"]), "sweep: workloads = 'w' must be a list of names"),
        (lambda: Sweep(["w"], ["PQ"], without=[3]), "sweep: without[0] = 3 must be a table"),  # type: ignore[list-item]
        (lambda: Figure("s", title=10**5000), "figure: title = (int, too large to show) must be a text"),  # type: ignore[arg-type]
        (lambda: Figure("s", title=3), "figure: title = 3 must be a text"),  # type: ignore[arg-type]
        (lambda: Claim("t", "value", "PQ"), "claim 't': policies = 'PQ' must be a list of policies"),
        (lambda: Experiment("e", {"w": 3}, {}, {}), "experiment 'e': workloads 'w' = 3 must be a Workload"),  # type: ignore[dict-item]
    ],
)  # fmt: skip
def test_a_part_made_in_python_says_what_it_is(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidInstanceError) as refusal:
        make()
    assert str(refusal.value) == message


def test_refusals_are_plain_errors_of_the_library_that_can_be_sent_on() -> None:
    with pytest.raises(InvalidInstanceError) as refusal:
        from_document(changed("sweeps/load/keep", 3))
    assert refusal.type is InvalidInstanceError
    message = "experiment 'small', sweep 'load': keep = 3 must be a list of names"
    for error in (refusal.value, pickle.loads(pickle.dumps(refusal.value)), copy.deepcopy(refusal.value)):
        assert str(error) == message
        with pytest.raises(InvalidInstanceError) as again, placed("file"):
            raise error
        assert str(again.value) == f"file, {message}"


def test_a_changed_copy_is_checked_too() -> None:
    experiment = described()
    assert replace(experiment, job_sets=range(1, 3)).job_sets == (1, 2)
    with pytest.raises(InvalidInstanceError, match="lists 2 twice"):
        replace(experiment, job_sets=(2, 2))
