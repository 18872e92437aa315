"""Further columns of the source of jobs: carried along, read by no policy, for group-bys."""

import pickle
from pathlib import Path
from typing import Any

import pytest

import schedcore
from schedcore import Instance, InvalidInstanceError, Jobs, Machines
from schedcore.metrics import fairness_by_submitter, submitter_classes

NOTES = {"queue": ["long", None, "short"], "application": ["cfd", "cfd", ""]}
FULL = {"queue": ["long", None, "short"], "application": ["cfd", "cfd", None]}


def jobs(notes: Any = NOTES) -> Jobs:
    return Jobs([4, 1, 2], [[10], [5], [4]], notes=notes, user=["ann", "bob", "ann"])


def told(of: Jobs) -> dict[str, list[Any]]:
    return {name: column.tolist() for name, column in of.notes.items()}


def test_notes_are_texts_by_name() -> None:
    assert told(jobs()) == FULL
    assert jobs().note_names == ("queue", "application")
    assert jobs().coded("application").names == ("cfd",)
    for nothing in (None, {}, {"queue": ["", None, ""]}):
        assert not jobs(nothing).uses("notes")
        assert told(jobs(nothing)) == {}
    with pytest.raises(TypeError):
        jobs().notes["queue"] = []  # type: ignore[index]


def test_jobs_are_the_same_problem_whatever_is_noted() -> None:
    machines = Machines([[10]])
    for other in (None, {"queue": ["a", "b", "c"]}):
        assert jobs() == jobs(other)
        assert hash(jobs()) == hash(jobs(other))
        assert Instance(jobs(), machines).content_hash() == Instance(jobs(other), machines).content_hash()


def test_selections_changes_tables_and_pickles_keep_notes(tmp_path: Path) -> None:
    assert told(jobs()[[2, 1]]) == {"queue": ["short", None], "application": [None, "cfd"]}
    assert told(jobs()[[1]]) == {"application": ["cfd"]}
    assert told(jobs().replace(processing_time=[1, 1, 1], weight=3)) == FULL
    assert told(pickle.loads(pickle.dumps(jobs()))) == FULL
    assert {"note_queue", "note_application"} <= set(jobs().to_arrow().column_names)
    for table in (jobs().to_arrow(), jobs().to_pandas(), jobs().to_polars()):
        assert told(Jobs.from_arrow(table)) == FULL
    Instance(jobs(), Machines([[10]])).to_parquet(tmp_path / "jobs.parquet")
    assert told(Instance.from_parquet(tmp_path / "jobs.parquet").jobs) == FULL


@pytest.mark.parametrize(
    ("notes", "error", "said"),
    [
        (["a"], TypeError, "notes must be a mapping"),
        ({"queue": ["a"]}, InvalidInstanceError, "notes\\['queue'\\]"),
        ({"queue": ["a", 2, "c"]}, TypeError, "notes\\['queue'\\]"),
        ({"": ["a", "b", "c"]}, InvalidInstanceError, "no name of a column"),
        ({3: ["a", "b", "c"]}, InvalidInstanceError, "no name of a column"),
    ],
)
def test_what_is_no_column_of_texts_is_refused(notes: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        jobs(notes)


def test_a_note_that_is_called_like_a_column_does_not_stand_for_it() -> None:
    named = jobs({"user": ["x", "y", "z"], "name": ["u", "v", "w"]})
    assert named.coded("user").names == ("ann", "bob")
    assert named.called(0) == 0
    inst = Instance(named, Machines([[10]]))
    assert submitter_classes(inst, "user").names == ("ann", "bob")


def test_jobs_are_grouped_by_notes_as_by_users() -> None:
    inst = Instance(jobs(), Machines([[10]]))
    classes = submitter_classes(inst, "queue")
    assert classes.names == ("long", "short", "(none)")
    assert classes.of_job.tolist() == [0, 2, 1]
    result = schedcore.solve("pq", inst)
    by_application = fairness_by_submitter(result, "application")
    assert by_application.names == ("cfd", "(none)")
    assert by_application.n_jobs.tolist() == [2, 1]
    with pytest.raises(InvalidInstanceError, match="did you mean 'queue'"):
        submitter_classes(inst, "queu")
    assert "notes" not in result.stats["ignored"]
