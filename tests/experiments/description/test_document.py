"""A document is an experiment or is refused; experiments and documents are the same thing written twice."""

import contextlib
import copy
import datetime
import functools
import json
import math
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.described import document
from schedcore import InvalidInstanceError
from schedcore.experiments import Claim, Experiment, Figure, Sweep, Workload, load, names
from schedcore.experiments.description.document import from_document, to_document
from schedcore.experiments.description.toml_text import parse_toml, to_toml
from schedcore.experiments.running.cells import unique_cells
from schedcore.workloads import GENERATORS

# Values that mean something somewhere in a description, and any others.
words = st.sampled_from(
    ["MRIS", "PQ", "azure", "load", "n_jobs", "lines", "bars", "delays", "packing", "awct", "days", "input:log", "",
     "azure_like", "patience", "lemma41", "mris:epsilon=nan", "pq:", "schedule", "policy.heuristic", "erf", "a/b.swf",
     "[key]"]
)  # fmt: skip
numbers = st.integers(-3, 100) | st.sampled_from([2**53, 2**63, 2**64, -(2**70), 10**400]) | st.floats()
scalars = st.none() | st.booleans() | numbers | words | st.text(max_size=5)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(words | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every entry of tables and lists, at any depth."""
    found = []
    if isinstance(value, dict | list):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            found += [(*path, key), *places(entry, (*path, key))]
    return found


def entry_at(whole: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        whole = whole[key]
    return whole


@st.composite
def mutated_documents(draw: st.DrawFn) -> dict[str, Any]:
    whole = document()
    for _ in range(draw(st.integers(1, 3))):
        *parents, last = draw(st.sampled_from(places(whole)))
        entry = entry_at(whole, tuple(parents))
        change = draw(st.sampled_from(["delete", "replace", "add", "double"]))
        if change == "delete":
            del entry[last]
        elif change == "replace":
            entry[last] = draw(values)
        elif change == "add" and isinstance(entry, dict):
            entry[draw(words | st.text(max_size=3))] = draw(values)
        elif isinstance(entry, list):
            entry.append(entry[last])
        if not places(whole):
            break
    return whole


@given(mutated_documents())
def test_a_changed_document_is_an_experiment_or_is_refused(changed: dict[str, Any]) -> None:
    try:
        experiment = from_document(changed)
    except InvalidInstanceError:
        return
    # what is accepted has cells and can be written down
    assert unique_cells(experiment)
    assert from_document(json.loads(json.dumps(to_document(experiment)))).figures == experiment.figures


def nested(wrap: Callable[[Any], Any]) -> Any:
    return functools.reduce(lambda inner, _: wrap(inner), range(10_000), wrap(None))


HOSTILE: dict[str, Any] = {
    "null": None, "true": True, "negative": -1, "64 bits": 2**63, "65 bits": 2**64, "16,610 bits": 10**5000,
    "not a number": math.nan, "infinite": -math.inf, "empty text": "", "long text": "x" * 100_000, "NUL": "\0",
    "empty list": [], "empty table": {}, "list of a list": [[]], "list of a table": [{}], "table of a table": {"": {}},
    "list of null": [None], "list of NaN": [math.nan], "tuple": (1,), "bytes": b"x", "date": datetime.date(1979, 5, 27),
    "long list": list(range(10_000)), "large table": dict.fromkeys(map(str, range(10_000)), 1),
    "deep list": nested(lambda inner: [inner]), "deep table": nested(lambda inner: {"a": inner}),
}  # fmt: skip


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_value_means_something_at_a_place_or_is_refused_there(hostile: str) -> None:
    for *parents, last in places(document()):
        whole = document()
        entry_at(whole, tuple(parents))[last] = HOSTILE[hostile]
        with contextlib.suppress(InvalidInstanceError):
            from_document(whole)


@pytest.mark.parametrize("name", names())
def test_a_changed_experiment_of_the_library_is_one_or_is_refused(name: str) -> None:
    original, random = to_document(load(name)), Random(name)
    others = places(original)
    for _ in range(20):
        whole = copy.deepcopy(original)
        for *parents, last in random.sample(others, random.randint(1, 3)):
            with contextlib.suppress(KeyError, IndexError, TypeError):  # not there any more
                entry = entry_at(whole, tuple(parents))
                if random.random() < 0.3:
                    del entry[last]
                else:
                    entry[last] = random.choice(
                        [*HOSTILE, copy.deepcopy(entry_at(original, random.choice(others)))]
                    )
        try:
            experiment = from_document(whole)
        except InvalidInstanceError:
            continue
        assert to_document(from_document(json.loads(json.dumps(to_document(experiment))))) == to_document(
            experiment
        )


@given(values)
def test_no_other_value_is_a_document(value: Any) -> None:
    with pytest.raises(InvalidInstanceError):
        from_document(value)


toml_fragments = st.sampled_from(
    [b'name = "x"\n', b"[workloads]\n", b'w = { source = "patience" }\n', b"[sweeps.s]\n", b'workloads = ["w"]\n',
     b'policies = ["PQ"]\n', b"[policies]\n", b'PQ = "pq"\n', b"job_sets = ", b"7\n", b"0x", b"f" * 5000, b"[" * 3000,
     b"9" * 5000, b"a." * 3000, b"a = 1979-05-27\n", b"nan\n",
     b'takes = { mris-figures = ["sweeps"] }\n', b"takes = 3\n",
     b"takes = { mris-figures = 3 }\n", b"takes = { mris-figures = [[1]] }\n", b"takes.mris-figure = []\n"]
)  # fmt: skip


@given(st.binary(max_size=40) | st.lists(toml_fragments | st.binary(max_size=5), max_size=12).map(b"".join))
def test_any_file_is_an_experiment_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(content)
    with contextlib.suppress(InvalidInstanceError):
        assert unique_cells(load(path))


@pytest.mark.parametrize("value", ["9" * 5000, "0x" + "f" * 5000, "[" * 5000, "[" * 100 + "]" * 100])
def test_a_value_beyond_measure_is_refused(tmp_path: Path, value: str) -> None:
    path = tmp_path / "large.toml"
    path.write_text(f"name = {value}")
    with pytest.raises(InvalidInstanceError):
        load(path)


def test_deep_tables_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.toml"
    path.write_text(f"{'a.' * 5000}a = 1")
    with pytest.raises(InvalidInstanceError, match="more than 20 tables"):
        load(path)


def test_a_list_of_a_file_is_found_by_its_place() -> None:
    whole = document()
    whole["figures"]["lines"]["claims"][1]["at"] = [80, 21]
    with pytest.raises(InvalidInstanceError, match=r"'small', figure 'lines', claim 'growth': n_jobs = 21"):
        from_document(whole)


@st.composite
def experiments(draw: st.DrawFn) -> Experiment:
    """Valid experiments on generators, with a figure for every sweep."""
    n_jobs = st.lists(st.integers(1, 50), min_size=1, max_size=3, unique=True)
    job_sets = st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True).map(tuple)
    sources = draw(st.lists(st.sampled_from(["azure_like", "patience"]), min_size=1, max_size=2))
    workloads = {
        f"w{index}": Workload(
            source, draw(st.sampled_from([{}, {"machines": "2x5"}, {"total_resources": 2}]))
        )
        for index, source in enumerate(sources)
    }
    policies = {
        "MRIS": draw(st.sampled_from(["mris", "mris:epsilon=1/3,knapsack=greedy", "mris:replan=always"])),
        "PQ|": "pq:heuristic=erf",
    }
    sweeps, figures = {}, {}
    for name in draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True)):
        parameters: dict[str, Any] = {"n_jobs": draw(n_jobs)}
        if draw(st.booleans()):
            parameters["policy.heuristic"] = draw(st.sampled_from([("wsjf",), ("erf", "sjf")]))
        sweeps[name] = Sweep(
            workloads=tuple(workloads),
            policies=draw(st.sampled_from([("MRIS",), ("MRIS", "PQ|"), ("PQ|", "MRIS")])),
            parameters=parameters,
            job_sets=draw(st.none() | job_sets),
            keep=draw(st.sampled_from([(), ("schedule",), ("schedule", "delay_quantiles")])),
        )
        x = parameters["n_jobs"][0]
        figures[f"figure-{name}"] = Figure(
            name, x="n_jobs", workload="w0", y=draw(st.sampled_from(["awct", "gap"])),
            where={key: values[0] for key, values in parameters.items() if key != "n_jobs"},
            unit=draw(st.sampled_from([None, "days"])), log_x=draw(st.booleans()), title=draw(st.text(max_size=5)),
            policies=draw(st.sampled_from([None, ("MRIS",)])) if "MRIS" in sweeps[name].policies else None,
            published_x=(x,), published={sweeps[name].policies[0]: (draw(st.floats(0, 9)),)},
            claims=draw(st.sampled_from(
                [
                    (),
                    (Claim("t", "value", sweeps[name].policies[:1], (x,), (0.0, float("inf"))),),
                    (Claim("t", "value", sweeps[name].policies[:1], (x,), published=-3, why="so"),),
                    (Claim("t", "value", sweeps[name].policies[:1], (x,), more_than=0),),
                    (Claim("t", "value", sweeps[name].policies[:1], (x,), less_than=0),),
                ]
            )) if "MRIS" in sweeps[name].policies[:1] else (),
        )  # fmt: skip
    return Experiment(
        "drawn", workloads, policies, sweeps, figures, job_sets=draw(job_sets), tau=draw(st.floats(0, 9)),
        inputs={"log": draw(st.text(max_size=3))},
    )  # fmt: skip


def same(one: Experiment, other: Experiment) -> None:
    assert unique_cells(one) == unique_cells(other)
    assert to_document(one) == to_document(other)  # also where one has lists and the other tuples


@given(experiments())
def test_an_experiment_is_read_back_as_it_was_written(experiment: Experiment) -> None:
    same(from_document(to_document(experiment)), experiment)
    same(from_document(json.loads(json.dumps(to_document(experiment)))), experiment)
    same(from_document(parse_toml(to_toml(to_document(experiment)).encode())), experiment)


@pytest.mark.parametrize("name", names())
def test_experiments_of_the_library_survive_a_results_folder(name: str) -> None:
    same(from_document(json.loads(json.dumps(to_document(load(name))))), load(name))


def test_ranges_are_written_as_lists() -> None:
    experiment = Experiment(
        "ranges", {"w": Workload("patience")}, {"PQ": "pq"},
        {"s": Sweep(["w"], ["PQ"], {"n_jobs": range(3, 6)}, job_sets=range(1, 3))}, job_sets=range(2, 4),
    )  # fmt: skip
    same(from_document(json.loads(json.dumps(to_document(experiment)))), experiment)


def test_every_generator_can_be_described() -> None:
    for name, generator in GENERATORS.items():
        experiment = Experiment(
            "one", {"w": Workload(name, generator.example)}, {"PQ": "pq"}, {"s": Sweep(["w"], ["PQ"])}
        )
        same(from_document(to_document(experiment)), experiment)
