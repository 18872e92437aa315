"""Epoch lengths in mean times between arrivals, which suit every list of jobs."""

import pytest

from schedcore import InvalidInstanceError
from schedcore.problems.epoch_options import with_epoch_lengths
from schedcore.workloads import parallel_task_standin


@pytest.mark.parametrize("text", ["gap", "1gaps later", "-1gap", "1e3gap", ""])
def test_an_epoch_length_that_is_no_number_of_gaps_is_refused(text: str) -> None:
    inst = parallel_task_standin(4, 2, 1)
    with pytest.raises(InvalidInstanceError, match="mean times between arrivals, such as 1gap"):
        with_epoch_lengths(inst, {"tau0": text})


def test_epoch_lengths_in_gaps_need_arrivals() -> None:
    with pytest.raises(InvalidInstanceError, match="all jobs arrive at one instant"):
        with_epoch_lengths(parallel_task_standin(4, 2, 1, load=None), {"tau0": "1gap"})
    assert with_epoch_lengths(parallel_task_standin(4, 2, 1), {"tau0": 7.0, "beta": 2}) == {
        "tau0": 7.0,
        "beta": 2,
    }
