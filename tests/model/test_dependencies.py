"""Jobs wait for jobs that there are, and never in a circle."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import Instance, InvalidInstanceError, Jobs, Machines


def instance(after_ok: Any = None, *, n_jobs: int = 4, **columns: Any) -> Instance:
    return Instance(
        Jobs(np.ones(n_jobs), np.ones((n_jobs, 1), int), after_ok=after_ok, **columns), Machines([[1]])
    )


def test_an_id_that_no_job_has_is_refused_by_name() -> None:
    message = r"after_ok\[1\] \(job 1 \(id 11\)\) names id 0, which no job has"
    with pytest.raises(InvalidInstanceError, match=message):
        instance([None, [10, 0], None, None], id=[10, 11, 12, 13])
    with pytest.raises(InvalidInstanceError, match=r"after_any\[3\] \(job 3\) names id 4"):
        instance(after_any=[None, None, None, [4]])
    with pytest.raises(InvalidInstanceError, match=r"after_ok\[0\] \(job 0\) names id 9223372036854775807"):
        instance([[2**63 - 1], None, None, None])


def test_ids_are_those_of_the_jobs_and_not_their_rows() -> None:
    assert instance([None, [30], None, [10]], id=[30, 10, 7, 8]).jobs.after_ok[3] == (10,)


def test_cycles_are_named() -> None:
    with pytest.raises(InvalidInstanceError, match=r"jobs wait for each other: job 1 waits for job 1$"):
        instance([None, [1], None, None])
    message = r"job 0 \(id 5\) waits for job 2 \(id 7\), job 2 \(id 7\) waits for job 0 \(id 5\)$"
    with pytest.raises(InvalidInstanceError, match=message):
        instance([[7], [7], None, None], after_not_ok=[None, None, [5], None], id=[5, 6, 7, 8])


def test_long_cycles_are_cut_short() -> None:
    n = 3000
    with pytest.raises(InvalidInstanceError, match=r"job 7 waits for job 8, and 2992 more$"):
        instance([[(job + 1) % n] for job in range(n)], n_jobs=n)


def test_jobs_may_wait_for_jobs_of_later_rows() -> None:
    assert instance([[1, 3], [2], [3], None]).jobs.after_ok[0] == (1, 3)
    n = 100_000
    assert instance([*([job + 1] for job in range(n - 1)), None], n_jobs=n).n_jobs == n


def test_a_part_of_the_jobs_may_wait_for_others_but_an_instance_may_not() -> None:
    made = instance([None, [0], [1], None])
    assert made.jobs[1:].after_ok == ((0,), (1,), ())
    with pytest.raises(InvalidInstanceError, match=r"after_ok\[0\] \(job 0 \(id 1\)\) names id 0"):
        made.take_jobs(slice(1, None))
    assert made.take_jobs([0, 1]).n_jobs == 2


@given(st.data(), st.integers(1, 7))
def test_an_instance_is_refused_exactly_where_jobs_wait_in_a_circle(data: st.DataObject, n_jobs: int) -> None:
    rows = data.draw(
        st.lists(st.lists(st.integers(0, n_jobs - 1), max_size=2), min_size=n_jobs, max_size=n_jobs)
    )
    reachable = [set(row) for row in rows]
    for _ in range(n_jobs):
        reachable = [each | {further for other in each for further in reachable[other]} for each in reachable]
    if any(job in reachable[job] for job in range(n_jobs)):
        with pytest.raises(InvalidInstanceError, match="jobs wait for each other"):
            instance(rows, n_jobs=n_jobs)
    else:
        assert instance(rows, n_jobs=n_jobs).n_jobs == n_jobs
