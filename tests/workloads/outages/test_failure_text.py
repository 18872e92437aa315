"""Failures in words are drawn, those of a file are read, and anything else is refused."""

from pathlib import Path

import pytest

from schedcore import InvalidInstanceError, Machines, Outages
from schedcore.workloads import draw_failures, parse_failures

DAY = 86_400
MACHINES = Machines.identical(20, [1], names=[f"n{number}" for number in range(20)])


@pytest.mark.parametrize(
    "text", ["mtbf=30d mttr=4h seed=7", "seed=7,mttr=4h, mtbf=720h", " mtbf=30d  mttr=14400 seed=7"]
)
def test_words_draw_failures(text: str) -> None:
    assert parse_failures(text, MACHINES, horizon=90 * DAY) == draw_failures(
        MACHINES, 90 * DAY, 30 * DAY, 4 * 3600, 7
    )


def test_the_seed_is_1_and_the_horizon_that_of_the_text() -> None:
    drawn = parse_failures("mtbf=30d mttr=4h horizon=60d", MACHINES, horizon=90 * DAY)
    assert drawn == draw_failures(MACHINES, 60 * DAY, 30 * DAY, 4 * 3600, 1)


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mtbf=30d mttr=4h"  # a file goes before words
    path.write_text("machine,start,end\nn3,2026-12-01,5\n")
    assert parse_failures(str(path), MACHINES, "2026-12-01") == Outages([3], [0], [5])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "failures '' need mtbf and mttr, as in 'mtbf=30d mttr=4h seed=1'"),
        ("mtbf=30d", "need mttr"),
        ("failures.csv", "are neither words such as 'mtbf=30d mttr=4h seed=1' nor the path of a file"),
        ("mtbf=30d mttr=4h mtbf=3d", "mtbf is given twice"),
        ("mtbf=30d mtrr=4h", "unknown word 'mtrr' for 'mtbf=30d mtrr=4h'; did you mean 'mttr'"),
        ("mtbf=30d mttr=often", "'often' is not a duration such as"),
        ("mtbf=30d mttr=", "'' is not a duration"),
        ("mtbf=0 mttr=4h", "mean_time_between_failures = 0.0 must be finite and above 0"),
        ("mtbf=inf mttr=4h", "mean_time_between_failures = inf must be finite"),
        ("mtbf=30d mttr=4h seed=x", "seed = x is no integer in [0, 2**64)"),
        ("mtbf=30d mttr=4h seed=99999999999999999999", "is outside [0, 2**64)"),
        ("mtbf=30d mttr=4h seed=" + "9" * 5000, "is no integer in [0, 2**64)"),
        ("mtbf=1s mttr=1s horizon=999w999d", "are more than 10,000,000"),
        ("x" * 5000, "are neither words"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError) as error:
        parse_failures(text, MACHINES, horizon=90 * DAY)
    assert message in str(error.value)
    assert len(str(error.value)) < 400


def test_somebody_has_to_say_until_when_failures_begin() -> None:
    with pytest.raises(InvalidInstanceError, match="nothing says until when they begin; add horizon="):
        parse_failures("mtbf=30d mttr=4h", MACHINES)
