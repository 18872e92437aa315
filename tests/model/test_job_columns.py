"""The columns of a cluster: checked, stored where they say something, and carried by whatever is made of jobs."""

import copy
import inspect
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster_strategies import cluster_instances
from schedcore import Instance, InvalidInstanceError, Jobs, Machines
from schedcore.model.job_columns import APART, JOB_COLUMNS, JobColumnArguments, JobColumns

#: Name -> the default, a value of one job, and how three jobs look of which the second has it.
VALUES: dict[str, tuple[Any, Any]] = {
    "n_tasks": (1, 4),
    "max_tasks_per_machine": (0, 2),
    "exclusive": (False, True),
    "constraint": ("", "gpu & !rack=1"),
    "priority": (0.0, -2.5),
    "user": (None, "ann"),
    "account": (None, "physics"),
    "partition": (None, "long"),
    "service_class": (None, "urgent"),
    "array": (-1, 7),
    "after_ok": ((), (0,)),
    "after_any": ((), (0, 2)),
    "after_not_ok": ((), (2,)),
    "checkpoint_interval": (0.0, 3.5),
    "restart_cost": (0.0, 1.0),
}
IDS = ("after_ok", "after_any", "after_not_ok")
TEXTS = ("constraint", "user", "account", "partition", "service_class")
EVERYTHING = {name: [default, value, default] for name, (default, value) in VALUES.items()}


def jobs(**columns: Any) -> Jobs:
    return Jobs([4, 1, 2], [[10, 2], [5, 5], [4, 6]], **columns)


def read(column: Any) -> list[Any]:
    return list(column) if isinstance(column, tuple) else column.tolist()


def test_every_column_is_declared_once_and_tested_here() -> None:
    assert list(JOB_COLUMNS) == list(JobColumnArguments.__annotations__)
    told_apart = [
        name for name in JOB_COLUMNS if name not in APART
    ]  # those: test_recorded_columns, test_names_of_jobs
    assert told_apart == list(VALUES)
    signature = inspect.signature(Jobs)
    assert list(signature.parameters)[-len(JOB_COLUMNS) :] == list(JOB_COLUMNS)
    for name, column in JOB_COLUMNS.items():
        assert signature.parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert f"    {name} : " in (Jobs.__doc__ or "")
        assert getattr(JobColumns, name) is column
        assert column.__doc__


@pytest.mark.parametrize("name", VALUES)
def test_jobs_that_are_told_nothing_have_the_default(name: str) -> None:
    default, value = VALUES[name]
    assert read(getattr(jobs(), name)) == [default] * 3
    assert not jobs().uses(name)
    told = jobs(**{name: [default, value, default]})
    assert read(getattr(told, name)) == [default, value, default]
    assert told.uses(name)
    assert told != jobs()


@pytest.mark.parametrize("name", VALUES)
def test_a_column_of_defaults_is_none(name: str) -> None:
    default, _ = VALUES[name]
    plain = jobs()
    for given_default in ([default] * 3, None):
        same = jobs(**{name: given_default})
        assert same == plain
        assert same.content_hash() == plain.content_hash()
        assert pickle.dumps(same) == pickle.dumps(plain)
        assert same.named_columns(("a", "b")).keys() == plain.named_columns(("a", "b")).keys()


@pytest.mark.parametrize("name", [name for name in VALUES if name not in (*IDS, "array")])
def test_one_value_stands_for_all_jobs(name: str) -> None:
    _, value = VALUES[name]
    assert read(getattr(jobs(**{name: value}), name)) == [value] * 3
    assert not getattr(jobs(**{name: value}), name).flags.writeable
    assert not getattr(jobs(), name).flags.writeable


@pytest.mark.parametrize("name", ["array", *IDS])
def test_arrays_and_dependencies_need_a_value_for_each_job(name: str) -> None:
    error = InvalidInstanceError if name == "array" else TypeError
    with pytest.raises(error, match=f"{name} must"):
        jobs(**{name: 1})


def test_numbers_are_read_as_numbers() -> None:
    made = jobs(**EVERYTHING)
    types = {name: getattr(made, name).dtype for name in VALUES if name not in IDS}
    assert types == {
        name: np.dtype(
            object if name in TEXTS else bool if isinstance(default, bool) else np.int64
            if isinstance(default, int) else np.float64
        )
        for name, (default, _) in VALUES.items() if name not in IDS
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("n_tasks", 0, r"n_tasks\[1\] = 0 \(job 1\) must be at least 1 and at most 2\*\*53"),
        ("n_tasks", 2**53 + 1, rf"n_tasks\[1\] = {2**53 + 1} \(job 1\) must be at least 1"),
        ("n_tasks", 2**64, rf"n_tasks\[1\] = {2**64} \(job 1\) does not fit into int64"),
        ("max_tasks_per_machine", -1, r"max_tasks_per_machine\[1\] = -1 \(job 1\) must be at least 0"),
        ("array", -2, r"array\[1\] = -2 \(job 1\) must be at least -1"),
        ("priority", float("nan"), r"priority\[1\] = nan \(job 1\) must be finite"),
        ("priority", float("inf"), r"priority\[1\] = inf \(job 1\) must be finite"),
        ("priority", 2**53 + 1, r"priority\[1\] = .* is an integer (beyond|above) 2\*\*53"),
        (
            "checkpoint_interval",
            -1.0,
            r"checkpoint_interval\[1\] = -1.0 \(job 1\) must be finite and at least 0",
        ),
        ("restart_cost", float("inf"), r"restart_cost\[1\] = inf \(job 1\) must be finite and at least 0"),
        ("after_ok", [-1], r"after_ok\[1\] \(job 1\) names -1; ids of jobs are at least 0"),
        (
            "constraint",
            "a b",
            r"constraint\[1\] \(job 1\): 'a b' is malformed: at position 2, 'b' stands where",
        ),
        ("user", "\ud800", "user holds .* which is no Unicode text"),
    ],
)
def test_values_outside_their_bounds_are_refused_by_name(name: str, value: Any, message: str) -> None:
    default, _ = VALUES[name]
    with pytest.raises(InvalidInstanceError, match=message):
        jobs(**{name: [default, value, default]})


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("n_tasks", [1, 2.5, 1], r"n_tasks must hold integers, not float64: n_tasks\[1\] = 2.5 \(job 1\)"),
        ("n_tasks", ["1", "2", "3"], "n_tasks must hold integers or floats"),
        ("exclusive", [False, 2, False], r"exclusive\[1\] = 2 \(job 1\) must be True or False"),
        ("exclusive", [0, 1, 0], r"exclusive\[0\] = 0 \(job 0\) must be True or False"),
        ("exclusive", "yes", r"exclusive = yes must be True or False"),
        ("exclusive", [[True], [True, False]], "exclusive must hold truth values"),
        ("constraint", ["gpu", 7, ""], r"constraint\[1\] = 7 \(job 1\) must be a str or None"),
        ("user", [1, 2, 3], r"user\[0\] = 1 \(job 0\) must be a str or None"),
        ("priority", ["high", "low", "low"], "priority must hold integers or floats"),
        ("after_ok", [[0], [0.5], None], r"after_ok\[1\] \(job 1\) names 0.5; ids of jobs are integers"),
    ],
)
def test_other_types_are_refused_by_name(name: str, values: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        jobs(**{name: values})


@pytest.mark.parametrize("name", VALUES)
def test_wrong_lengths_are_refused(name: str) -> None:
    default, value = VALUES[name]
    with pytest.raises(InvalidInstanceError, match=f"{name} has 2 entries for 3 jobs"):
        jobs(**{name: [default, value]})


@pytest.mark.parametrize("nonsense", [object(), {}, {1, 2, 3}, lambda job: 1, b"abc", 1j, slice(3), Jobs])
@pytest.mark.parametrize("name", VALUES)
def test_nonsense_is_refused(name: str, nonsense: Any) -> None:
    with pytest.raises((TypeError, InvalidInstanceError)):
        jobs(**{name: nonsense})


def test_a_name_that_is_no_column_is_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'n_task'"):
        jobs(n_task=[1, 2, 3])
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        jobs().replace(colour=1)


def test_masked_entries_are_refused() -> None:
    for name in ("n_tasks", "priority", "exclusive"):
        with pytest.raises(InvalidInstanceError, match=rf"{name}\[2\] is masked"):
            jobs(
                **{
                    name: np.ma.array(
                        [True, True, True] if name == "exclusive" else [1, 1, 1], mask=[0, 0, 1]
                    )
                }
            )


def test_blank_constraints_are_none() -> None:
    assert jobs(constraint=[" ", "\t", ""]) == jobs()
    assert jobs(constraint=[" ", "gpu", None]).constraint.tolist() == ["", "gpu", ""]


def test_codes_and_ids_are_read_without_a_loop_over_jobs() -> None:
    made = jobs(user=["bob", None, "bob"], after_ok=[None, [0], [1, 0]])
    coded, lists = made.coded("user"), made.id_lists("after_ok")
    assert (coded.codes.tolist(), coded.names) == ([0, -1, 0], ("bob",))
    assert (lists.offsets.tolist(), lists.values.tolist()) == ([0, 0, 1, 3], [0, 1, 0])
    assert made.coded("account").codes.tolist() == [-1] * 3
    assert made.id_lists("after_any").offsets.tolist() == [0] * 4
    assert made.coded("user") is coded
    with pytest.raises(InvalidInstanceError, match=r"unknown column 'n_tasks' .*choices: constraint, user"):
        made.coded("n_tasks")
    with pytest.raises(InvalidInstanceError, match=r"unknown column 'after'.*after_ok"):
        made.id_lists("after")


def test_what_kernels_read_can_be_handed_over_again() -> None:
    made = jobs(**EVERYTHING)
    again = jobs(
        **{name: made.coded(name) for name in TEXTS},
        **{name: made.id_lists(name) for name in IDS},
        **{name: getattr(made, name) for name in VALUES if name not in (*TEXTS, *IDS)},
    )
    assert again == made
    with pytest.raises(InvalidInstanceError, match=r"constraint.*malformed"):
        jobs(constraint=jobs(user="not a constraint").coded("user"))
    with pytest.raises(InvalidInstanceError, match="user has 3 entries for 1 jobs"):
        Jobs([1], [[1]], user=made.coded("user"))


@pytest.mark.parametrize("convert", [pd.Series, pl.Series, pa.array, lambda v: np.array(v, dtype=object)])
def test_every_form_of_column_gives_the_same_jobs(convert: Any) -> None:
    assert jobs(**{name: convert(values) for name, values in EVERYTHING.items() if name not in IDS}) == jobs(
        **{name: values for name, values in EVERYTHING.items() if name not in IDS}
    )


def test_selections_keep_the_columns_and_drop_those_that_say_nothing_any_more() -> None:
    made = jobs(**EVERYTHING)
    for key in (slice(1, None), [2, 1], np.array([False, True, True]), [-2]):
        rows = np.arange(3)[key]
        for name, values in EVERYTHING.items():
            assert read(getattr(made[key], name)) == [values[row] for row in rows]
    assert made[[0, 2]] == jobs()[[0, 2]]
    assert pickle.dumps(made[:1]) == pickle.dumps(jobs()[:1])
    assert made[[]] == jobs()[[]]


def test_replace_keeps_what_it_is_not_told() -> None:
    made = jobs(**EVERYTHING)
    assert made.replace() == made
    assert made.replace(weight=3).replace(weight=1) == made
    for name, values in EVERYTHING.items():
        without = made.replace(**{name: None})
        assert not without.uses(name)
        assert without.replace(**{name: values}) == made
    assert made.replace(**dict.fromkeys(EVERYTHING)) == jobs()


@pytest.mark.parametrize("name", VALUES)
def test_every_column_counts_in_comparison(name: str) -> None:
    made, (default, value) = jobs(**EVERYTHING), VALUES[name]
    other = made.replace(**{name: [value, value, default]})
    assert other != made
    assert other.content_hash() != made.content_hash()


@given(cluster_instances())
def test_pickles_and_tables_lose_nothing(instance: Instance) -> None:
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        assert pickle.loads(pickle.dumps(instance, protocol)).content_hash() == instance.content_hash()
    assert copy.deepcopy(instance) is instance
    for table in (instance.to_arrow(), instance.to_pandas()):
        restored = Instance.from_arrow(table)
        assert restored == instance
        assert restored.content_hash() == instance.content_hash()
        assert restored.jobs.has_ids == instance.jobs.has_ids
    assert Jobs.from_arrow(instance.jobs.to_polars()) == instance.jobs
    assert Jobs.from_arrow(instance.jobs.to_arrow()) == instance.jobs


@given(cluster_instances(min_jobs=1))
def test_parquet_loses_nothing(tmp_path_factory: pytest.TempPathFactory, instance: Instance) -> None:
    path = tmp_path_factory.mktemp("cluster") / "instance.parquet"
    instance.to_parquet(path)
    restored = Instance.from_parquet(path)
    assert restored == instance
    assert restored.content_hash() == instance.content_hash()


@given(cluster_instances(min_jobs=1), st.data())
def test_a_selection_of_a_selection_is_a_selection(instance: Instance, data: st.DataObject) -> None:
    made = instance.jobs
    order = data.draw(st.permutations(range(made.n_jobs)))
    for name in VALUES:
        whole = read(getattr(made, name))
        assert read(getattr(made[order], name)) == [whole[row] for row in order]
    assert made[order][np.argsort(order)] == made
    assert made[order].replace() == made[order]


def test_columns_of_a_table_may_be_missing_where_a_text_may() -> None:
    table = pa.table(
        {
            "processing_time": [1, 2],
            "demand_cpu": [1, 1],
            "user": ["ann", None],
            "constraint": [None, "gpu"],
            "after_ok": [None, [0]],
        }
    )
    read_back = Jobs.from_arrow(table)
    assert read_back.user.tolist() == ["ann", None]
    assert read_back.constraint.tolist() == ["", "gpu"]
    assert read_back.after_ok == ((), (0,))
    with pytest.raises(InvalidInstanceError, match=r"n_tasks\[1\] is null"):
        Jobs.from_arrow(pa.table({"processing_time": [1, 2], "demand_cpu": [1, 1], "n_tasks": [1, None]}))


@pytest.mark.parametrize("type", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_texts_of_every_type_of_arrow_are_read(type: Any) -> None:
    table = pa.table({"processing_time": [1, 2, 3], "demand_cpu": [1, 1, 1]})
    users = pa.array(["bob", None, "ann"]).cast(type)
    assert Jobs.from_arrow(table.append_column("user", users)).user.tolist() == ["bob", None, "ann"]


@pytest.mark.parametrize("type", [pa.list_(pa.int64()), pa.list_(pa.uint8()), pa.large_list(pa.int32())])
def test_lists_of_every_type_of_arrow_are_read(type: Any) -> None:
    table = pa.table({"processing_time": [1, 2, 3], "demand_cpu": [1, 1, 1]})
    lists = pa.chunked_array([pa.array([None, [0]], type), pa.array([[1, 0]], type)])
    expected = ((), (0,), (1, 0))
    assert Jobs.from_arrow(table.append_column("after_ok", lists)).after_ok == expected
    assert Jobs.from_arrow(table.append_column("after_ok", lists).slice(1)).after_ok == expected[1:]
    for entry, error in (([None], TypeError), ([0.5], TypeError), ([-1], InvalidInstanceError)):
        bad = pa.array([None, None, entry])
        with pytest.raises(error, match=r"after_ok\[2\] \(job 2\) names"):
            Jobs.from_arrow(table.append_column("after_ok", bad))


def test_bad_columns_of_a_file_are_refused(tmp_path: Path) -> None:
    frame = jobs(**EVERYTHING).to_pandas()
    frame["user"] = [1, 2, 3]
    frame.to_parquet(tmp_path / "jobs.parquet")
    with pytest.raises(InvalidInstanceError, match=r"jobs\.parquet: user\[0\] = 1"):
        Jobs.from_parquet(tmp_path / "jobs.parquet")


def test_work_counts_every_task() -> None:
    instance = Instance(jobs(n_tasks=[1, 3, 1]), Machines([[20, 20]]))
    assert instance.work().tolist() == [4 * 10 + 3 * 1 * 5 + 2 * 4, 4 * 2 + 3 * 1 * 5 + 2 * 6]


def test_many_jobs_share_few_texts_and_may_name_many_jobs() -> None:
    n = 300_000
    users = [f"user{job % 50}" for job in range(n)]
    many = Jobs(
        np.ones(n), np.ones((n, 1), dtype=np.int64), user=users, constraint=["gpu", ""] * (n // 2),
        n_tasks=np.arange(n) % 7 + 1, after_ok=[None, *([job] for job in range(n - 1))],
    )  # fmt: skip
    assert many.coded("user").names == tuple(f"user{user}" for user in range(50))
    assert many.coded("user").codes.nbytes == 4 * n
    assert many.user.tolist() == users
    half = many[n // 2 :]
    assert half.user.tolist() == users[n // 2 :]
    assert half.after_ok[0] == (n // 2 - 1,)
