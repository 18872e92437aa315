"""A result certifies its value: the bound is computed once, when somebody asks."""

import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from schedcore import Instance, Jobs, Machines, Result, Schedule, UnsupportedError
from schedcore.model import result as result_module

SCHEDULE = Schedule([0, 1], [0, 0])
INSTANCE = Instance(Jobs([1, 1], [[1], [1]]), Machines([[1]]))


def result(**changes: object) -> Result:
    arguments = {"schedule": SCHEDULE, "objective": "awct", "value": 3.0}
    return Result(**{**arguments, **changes})


def test_ratio_and_gap_measure_the_distance_to_the_bound() -> None:
    r = result(lower_bound=2.0)
    assert (r.lower_bound, r.ratio(), r.gap()) == (2.0, 1.5, 0.5)


def test_no_jobs_are_solved_optimally() -> None:
    r = result(schedule=Schedule([], []), value=0.0, lower_bound=0.0)
    assert (r.ratio(), r.gap()) == (1.0, 0.0)


def test_a_bound_of_zero_certifies_nothing() -> None:
    assert result(lower_bound=0).ratio() == float("inf")


def test_without_a_bound_there_is_no_ratio() -> None:
    for bound in (None, lambda: None):
        r = result(lower_bound=bound)
        assert (r.lower_bound, r.ratio(), r.gap()) == (None, None, None)


def test_a_callable_bound_is_computed_once_and_only_when_asked_for() -> None:
    calls = []

    def bound() -> float:
        calls.append(threading.get_ident())
        time.sleep(0.02)
        return 2.0

    r = result(lower_bound=bound)
    assert "computed when asked for" in repr(r)
    assert not calls
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: r.lower_bound, range(8))) == {2.0}
    assert len(calls) == 1
    assert "lower bound 2 (gap 50.00 %)" in repr(r)


def test_a_bound_that_fails_may_be_asked_for_again() -> None:
    answers = iter([RuntimeError("no luck"), 2.0])

    def bound() -> float:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    r = result(lower_bound=bound)
    with pytest.raises(RuntimeError, match="no luck"):
        r.ratio()
    assert r.ratio() == 1.5


def test_pickling_and_comparison_evaluate_the_bound() -> None:
    r = result(lower_bound=lambda: 2.0, stats={"iterations": [{"k": 0}]}, options={"epsilon": 0.1})
    copy = pickle.loads(pickle.dumps(r))
    assert copy == r == result(lower_bound=2.0, stats={"iterations": [{"k": 0}]}, options={"epsilon": 0.1})
    assert copy.lower_bound == 2.0
    assert result(lower_bound=lambda: 2.0) == result(lower_bound=2)
    assert hash(result(lower_bound=lambda: 2.0)) == hash(result(lower_bound=2))
    assert result(lower_bound=lambda: 1.0) != result(lower_bound=2)


@pytest.mark.parametrize(
    "change",
    [
        {"objective": "makespan"},
        {"value": 4.0},
        {"guarantee": 8.0},
        {"stats": {"n": 1}},
        {"algorithm": "pq"},
        {"options": {"heuristic": "wsjf"}},
        {"schedule": Schedule([0, 2], [0, 0])},
        {"instance": INSTANCE},
    ],
)
def test_every_field_counts_in_comparison(change: dict) -> None:
    assert result(**change) != result()


def test_the_instance_is_kept_and_pickled() -> None:
    r = result(instance=INSTANCE)
    assert r.instance is INSTANCE
    assert pickle.loads(pickle.dumps(r)).instance == INSTANCE
    assert result().instance is None


def test_plot_calls_the_registered_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_module, "_panel", None)
    r = result()
    with pytest.raises(UnsupportedError, match=r"import schedcore\.plotting"):
        r.plot()
    result_module.set_result_panel(lambda drawn, /, *, ax=None: (drawn, ax))
    assert r.plot(ax="here") == (r, "here")


def test_options_and_fields_are_read_only() -> None:
    options = {"mode": "inverse"}
    r = result(options=options, algorithm="tetris", guarantee=4)
    options["mode"] = "plus"
    assert r.options == {"mode": "inverse"}
    with pytest.raises(TypeError):
        r.options["mode"] = "plus"
    with pytest.raises(AttributeError, match="immutable"):
        r.value = 1.0
    assert isinstance(r.guarantee, float)
    assert isinstance(r.stats, dict)


def test_repr_is_a_summary() -> None:
    r = result(algorithm="mris", lower_bound=2.4, guarantee=8)
    assert repr(r) == "Result(mris: awct 3, lower bound 2.4 (gap 25.00 %), guarantee 8, 2 jobs)"
    assert repr(result()) == "Result(awct 3, 2 jobs)"
