"""Means, bands, claims and tables say what the rows say: numbers by hand, bands as SciPy has them."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore.experiments import (
    Claim,
    ClaimOutcome,
    Estimate,
    Experiment,
    Figure,
    FigureData,
    Sweep,
    Workload,
)
from schedcore.experiments.report.tables import (
    FigureTable,
    claims_table,
    figure_table,
    long_rows,
    markdown,
    written,
)
from schedcore.experiments.results.claims import measure_claim
from schedcore.experiments.results.figure_data import figure_data
from schedcore.experiments.results.statistics import estimate, mean_quantiles, share_within
from schedcore.experiments.running.cells import cells_of_sweep

stats = pytest.importorskip("scipy.stats")

X = [100, 200, 400]


def gathered(
    values: Mapping[str, Sequence[Mapping[int, float] | None]], bound: float | None = None, **figure: Any
) -> FigureData:
    """The data of a figure of the policies A and B over n_machines, by job set at each x; None is not run yet."""
    experiment = Experiment(
        "by-hand",
        {"w": Workload("azure_like", {"n_jobs": 5})},
        {"A": "pq", "B": "mris"},
        {"s": Sweep(["w"], list(values), {"n_machines": X}, keep=["delay_quantiles"])},
        {"f": Figure("s", **{"x": "n_machines", **figure})},
        job_sets=(1, 2, 3),
    )
    rows = {}
    for member in cells_of_sweep(experiment, experiment.sweeps["s"]):
        at_x = values[member.policy][X.index(member.point["n_machines"])]
        if at_x is not None and member.cell.job_set in at_x:
            value = at_x[member.cell.job_set]
            rows[member.cell.key] = {
                "awct": value, "objective": "awct", "lower_bound": bound, "n_jobs": 7, "makespan": 8.0
            }  # fmt: skip
    return figure_data(experiment, "f", rows)


def everywhere(*values: float) -> list[Mapping[int, float]]:
    return [{1: value} for value in values]


def measured(
    data: FigureData, quantity: str, *policies: str, at: Sequence[int] = (), **more: Any
) -> ClaimOutcome:
    return measure_claim(Claim("text", quantity, policies, tuple(at), **more), data, {})


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12))
def test_the_band_is_that_of_students_t(values: list[float]) -> None:
    band = estimate(values)
    assert band.n == len(values)
    assert band.mean == pytest.approx(np.mean(values), abs=1e-6)
    if np.std(values) > 1e-6:
        low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
        assert band.low == pytest.approx(low, abs=1e-6)
        assert band.high == pytest.approx(high, abs=1e-6)
    else:
        assert band.half_width == pytest.approx(0, abs=1e-5)


def test_ten_values_have_the_published_factor() -> None:
    # mean 5.5; s^2 = 82.5 / 9; s / sqrt(10) = 0.9574271; t(0.975, 9) = 2.262157; half width 2.165851
    band = estimate([float(value) for value in range(1, 11)])
    assert (band.mean, band.half_width) == (5.5, pytest.approx(2.165851, abs=1e-6))


def test_one_value_has_no_band_and_none_has_no_mean() -> None:
    one = estimate([3.0])
    assert (one.mean, one.n) == (3.0, 1)
    assert math.isnan(one.half_width)
    none = estimate([])
    assert none.n == 0
    assert math.isnan(none.mean)


def test_the_order_of_the_values_does_not_matter() -> None:
    values = [1e16, 1.0, -1e16, 3.0]
    assert estimate(values) == estimate(values[::-1])
    assert estimate(values).mean == 1.0


def test_quantiles_are_averaged_one_by_one() -> None:
    np.testing.assert_array_equal(mean_quantiles([[0, 1, 5], [0, 3, 9], [0, 2, 1]]), [0, 2, 5])


def test_the_share_within_a_limit_counts_those_on_it() -> None:
    # 2 of 4 quantiles at most 3, and 4 of 4: mean 0.75
    assert share_within([[0, 3, 4, 5], [0, 0, 1, 3]], 3.0).mean == 0.75
    assert share_within([[1, 2]], 0.0).mean == 0.0
    assert share_within([], 0.0).n == 0


def test_points_hold_the_values_of_the_job_sets_in_the_unit_of_the_figure() -> None:
    data = gathered(
        {"A": [{1: 86400.0, 3: 3 * 86400.0}, None, {2: 0.0}]}, 43200.0, unit="days", lower_bound=True
    )
    first, second, third = data.series["A"]
    assert (first.values, second.values, third.values) == ({1: 1.0, 3: 3.0}, {}, {2: 0.0})
    assert [point.place for point in data.series["A"]] == [100.0, 200.0, 400.0]
    assert first.bounds == {1: 0.5, 3: 0.5}
    assert data.bounds_at(100) == first.bounds
    assert first.estimate.mean == 2.0
    assert data.missing == 6
    assert [(point.x, bound.mean) for point, bound in data.lower_bound()] == [(100, 0.5), (400, 0.5)]
    other = gathered(
        {"A": [{1: 1.0}, None, None]}, 43200.0, lower_bound=True, y="makespan", x_column="n_jobs"
    )
    assert other.lower_bound() == []  # it bounds another objective
    assert [point.place for point in other.series["A"]] == [7.0, None, None]


def test_a_ratio_is_that_of_the_same_job_sets() -> None:
    # 2 / 1 and 9 / 3; job sets 2 of A and 4 of B have no partner: mean 2.5
    data = gathered({"A": [{1: 2.0, 2: 50.0, 3: 9.0}, None, None], "B": [{1: 1.0, 3: 3.0}, None, None]})
    outcome = measured(data, "ratio", "A", "B", at=(100, 100), between=(2.5, 3.0))
    assert outcome.measured == estimate([2.0, 3.0])
    assert outcome.verdict == "agrees"
    assert measured(data, "ratio", "A", "B", at=(100, 100), between=(2.6, math.inf)).verdict == "differs"
    assert measured(data, "ratio", "A", "B", at=(100, 100)).verdict is None


def test_a_ratio_may_compare_two_points_of_one_policy() -> None:
    data = gathered({"A": everywhere(2.0, 3.0, 8.0)})
    assert measured(data, "ratio", "A", "A", at=(400, 100)).measured == estimate([4.0])


def test_a_value_is_that_of_its_point() -> None:
    data = gathered({"A": everywhere(2.0, 3.0, 8.0)})
    assert measured(data, "value", "A", at=(200,)).measured == estimate([3.0])
    # x_values of a figure without x: the value of the only point
    bars = gathered({"A": everywhere(2.0, 3.0, 8.0)}, x=None, kind="bars", where={"n_machines": 400})
    assert measured(bars, "value", "A").measured == estimate([8.0])


@pytest.mark.parametrize(
    ("first", "second", "x"),
    [
        # from 2 / 1 at 100 to 1 / 2 at 200: in the middle, on a logarithmic axis sqrt(100 * 200)
        ((2.0, 1.0, 1.0), (1.0, 2.0, 9.0), math.sqrt(100 * 200)),
        # from 4 / 1 at 200 to 1 / 2 at 400: log 4 : log 2 = 2 : 1, so 200 * 2^(2/3)
        ((9.0, 4.0, 1.0), (1.0, 1.0, 2.0), 200 * 2 ** (2 / 3)),
        ((9.0, 1.0, 1.0), (1.0, 1.0, 2.0), 200.0),  # at a point
    ],
)
def test_a_crossing_is_where_the_means_of_the_first_fall_below_the_second(
    first: Any, second: Any, x: float
) -> None:
    data = gathered({"A": everywhere(*first), "B": everywhere(*second)})
    outcome = measured(data, "crossing", "A", "B", between=(x - 1, x + 1))
    assert outcome.measured is not None
    assert outcome.measured.mean == pytest.approx(x)
    assert outcome.verdict == "agrees"
    other = measured(data, "crossing", "B", "A", between=(x - 1, x + 1))
    assert (other.measured, other.verdict) == (None, "differs")
    assert other.remark == "no crossing: B only falls behind"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((3.0, 1.0, 2.0), (3.0, 2.0, 3.0)),  # equal at first: it was never behind
        ((2.0, 2.0, 2.0), (1.0, 1.0, 2.0)),  # equal at last: it has not overtaken
        ((1.0, 3.0, 3.0), (2.0, 2.0, 2.0)),  # falls behind
    ],
)
def test_a_tie_at_an_end_and_falling_behind_are_no_crossings(first: Any, second: Any) -> None:
    data = gathered({"A": everywhere(*first), "B": everywhere(*second)})
    assert measured(data, "crossing", "A", "B").measured is None


def test_a_crossing_tells_the_range_over_the_job_sets() -> None:
    # job set 1 crosses at sqrt(100 * 200) = 141.4, job sets 2 and 3 at sqrt(200 * 400) = 282.8
    one, two = (2.0, 0.5, 0.5), (2.0, 2.0, 0.5)
    sets = [{1: one[i], 2: two[i], 3: two[i]} for i in range(3)]
    data = gathered({"A": sets, "B": [{1: 1.0, 2: 1.0, 3: 1.0}] * 3})
    crossing = measured(data, "crossing", "A", "B")
    # the means are 2, 1.5 and 0.5: log 1.5 : log 3 of the way from 200 to 400
    assert crossing.measured is not None
    assert crossing.measured.mean == pytest.approx(200 * 2 ** (math.log(1.5) / math.log(3)))
    assert crossing.remark == "3 of 3 job sets cross, at 141 to 283"


def test_lines_that_do_not_cross_say_who_is_better_and_do_not_agree() -> None:
    data = gathered({"A": everywhere(2.0, 3.0, 4.0), "B": everywhere(1.0, 1.0, 3.9)})
    outcome = measured(data, "crossing", "A", "B", between=(100, 400))
    assert (outcome.measured, outcome.verdict) == (None, "differs")
    assert outcome.remark == "no crossing: B has the smaller value everywhere"
    assert measured(data, "crossing", "A", "B").verdict is None


def test_a_crossing_waits_for_the_points_that_are_missing_and_for_the_same_job_sets() -> None:
    partial = gathered({"A": [{1: 2.0}, None, {1: 4.0}], "B": [{1: 1.0}, {1: 5.0}, {1: 3.0}]})
    outcome = measured(partial, "crossing", "A", "B", between=(100, 400))
    assert (outcome.measured, outcome.verdict, outcome.remark) == (None, None, "not run yet")
    # by job set 1 alone they cross between 100 and 200; job set 2 of A has no partner
    uneven = gathered({"A": [{1: 2.0}, {1: 1.0, 2: 90.0}, {1: 1.0}], "B": everywhere(1.0, 2.0, 2.0)})
    crossing = measured(uneven, "crossing", "A", "B").measured
    assert crossing is not None
    assert crossing.mean == pytest.approx(math.sqrt(100 * 200))


def test_lines_through_zero_have_no_crossing_on_logarithmic_axes() -> None:
    data = gathered({"A": everywhere(0.0, 3.0, 4.0), "B": everywhere(1.0, 1.0, 3.9)})
    assert "not above 0" in measured(data, "crossing", "A", "B").remark


def test_a_share_is_that_of_the_quantiles_in_the_unit_of_the_figure() -> None:
    data = gathered(
        {"A": [{1: 1.0, 2: 1.0}, None, None]}, x=None, kind="delays", where={"n_machines": 100}, unit="hours"
    )
    quantiles = {1: [0.0, 3600.0, 3601.0, 9999.0], 2: [0.0, 0.0, 0.0, 3600.0]}
    large = {cell.key: {"delay_quantiles": quantiles.get(cell.job_set)} for cell in data.series["A"][0].cells}
    claim = Claim("text", "share", ("A",), within=1.0, between=(0.7, 0.8))
    # 2 of 4 and 4 of 4 at most one hour; job set 3 has no quantiles
    outcome = measure_claim(claim, data, large)
    assert (outcome.measured, outcome.verdict) == (estimate([0.5, 1.0]), "agrees")
    table = figure_table(data, large)
    assert table.rows[0][0] == "A"
    assert table.rows[0][1:3] == [written(estimate([0.25, 0.75])), written(estimate([0.5, 1.0]))]


def test_what_has_not_run_yet_says_so() -> None:
    data = gathered({"A": [{1: 2.0}, None, None], "B": everywhere(1.0, 2.0, 3.0)})
    outcome = measured(data, "ratio", "A", "B", at=(200, 200), between=(0, 1))
    assert (outcome.measured, outcome.verdict, outcome.remark) == (None, None, "not run yet")


def test_the_table_has_a_row_a_policy_with_bound_and_published_values() -> None:
    data = gathered(
        {"A": [{1: 10.0, 2: 14.0}, {1: 2000.0}, None], "B": everywhere(0.1234, 1e5, 1.0)}, 0.05,
        lower_bound=True, published_x=[100, 400], published={"B": [0.5, 7]},
    )  # fmt: skip
    table = figure_table(data, {})
    assert table.header == ["policy", "n_machines = 100", "n_machines = 200", "n_machines = 400"]
    # t(0.975, 1) = 12.706205; s / sqrt(2) = 2: half width 25.41
    assert table.rows == [
        ["A", "12.00 ± 25.41", "2,000.0", "-"],
        ["B", "0.123", "100,000", "1.000"],
        ["lower bound", "0.050 ± 0.000", "0.050", "0.050"],
        ["B (published)", "0.5", "-", "7"],
    ]


def test_every_published_value_of_a_shown_policy_is_judged_as_a_claim() -> None:
    values = {"A": everywhere(10.0, 20.0, 40.0), "B": everywhere(1.0, 2.0, 3.0)}
    claim = Claim("asked", "value", ("A",), (100,))
    published = {"A": [10.5, 30], "B": [1, 0]}
    data = gathered(values, 39.0, published_x=[100, 400], published=published, claims=[claim])
    outcomes = [measure_claim(claim, data, {}) for claim in data.figure.judged]
    assert [(one.claim.text, one.claim.published, one.verdict) for one in outcomes] == [
        ("asked", None, None),
        ("A, n_machines = 100", 10.5, "agrees"),
        ("A, n_machines = 400", 30, "cannot hold"),  # no schedule is below 39
        ("B, n_machines = 100", 1, "agrees"),  # a tenth of 0 is nothing to agree with
    ]
    assert data.figure.judged[1:3] == dataclasses.replace(data.figure, policies=["A"]).judged[1:]


def test_long_rows_are_numbers_for_every_policy_and_x() -> None:
    data = gathered(
        {"A": [{1: 10.0, 2: 14.0}, None, None]},
        5.0,
        lower_bound=True,
        published_x=[100],
        published={"A": [11]},
    )
    first, second, _ = long_rows(data)
    assert first["half_width"] == pytest.approx(25.412, abs=1e-3)
    del first["half_width"]
    assert first == {
        "figure": "f", "policy": "A", "baseline": None, "panel": None, "parameter": "n_machines", "x": 100,
        "place": 100.0, "metric": "awct", "unit": None, "mean": 12.0, "job_sets": 2, "lower_bound": 5.0,
        "published": 11,
    }  # fmt: skip
    assert (second["mean"], second["half_width"], second["job_sets"]) == (None, None, 0)


@pytest.mark.parametrize(
    ("expected", "too_small", "agreeing", "too_large"),
    [
        # within a tenth of the mean m: 0.9 m <= 3.96 <= 1.1 m, so 3.6 <= m <= 4.4
        ({"published": 3.96}, (3.59, 0, -1), (3.601, 3.96, 4.399), (4.41, 40)),
        ({"published": -3.96}, (-40, -4.41), (-4.399, -3.96, -3.601), (-3.59, 0, 1)),
        ({"more_than": 2}, (1, 2), (2.001, 1e9), ()),
        ({"less_than": -2}, (), (-1e9, -2.001), (-2, 0)),
        ({"between": (1, 2)}, (0.999,), (1, 1.5, 2), (2.001,)),
        ({}, (), (-1e300, 0, 1e300), ()),
    ],
)
def test_a_number_misses_what_is_expected_on_one_side(
    expected: Any, too_small: Any, agreeing: Any, too_large: Any
) -> None:
    claim = Claim("text", "value", ("A",), **expected)
    assert claim.expects == bool(expected)
    for miss, numbers in ((-1, too_small), (0, agreeing), (1, too_large)):
        assert [claim.miss(number) for number in numbers] == [miss for _ in numbers]


@pytest.mark.parametrize(
    ("quantity", "expected", "verdict", "remark"),
    [
        # A is at 8 and 12, B at 4 and 3, and no policy is below 2: A / B is 2 and 4, in the mean 3
        ("ratio", {"published": 3}, "agrees", ""),
        # with a policy at the bound in place of B it would be 4 and 6, in the mean 5; 5.5 is within a tenth of 5
        ("ratio", {"published": 5.5}, "differs", ""),
        ("ratio", {"more_than": 4.99}, "differs", ""),
        ("ratio", {"published": 5.6}, "cannot hold", "by the lower bound at most 5"),
        ("ratio", {"more_than": 5}, "cannot hold", "by the lower bound at most 5"),
        # in place of A: 1 / 2 and 2 / 3, in the mean 7 / 12
        ("ratio", {"less_than": 0.59}, "differs", ""),
        ("ratio", {"less_than": 0.58}, "cannot hold", "by the lower bound at least 0.5833"),
        ("ratio", {"between": (0.1, 0.5)}, "cannot hold", "by the lower bound at least 0.5833"),
        # A is by -100 and -300 % smaller; at the bound it would be by 50 and 33.3 %, in the mean by 41.7 %
        ("gain", {"more_than": 41}, "differs", ""),
        ("gain", {"more_than": 42}, "cannot hold", "by the lower bound at most 41.67"),
        # with B at the bound by -300 and -500 %
        ("gain", {"less_than": -399}, "differs", ""),
        ("gain", {"less_than": -401}, "cannot hold", "by the lower bound at least -400"),
        # A is by 100 and 300 % larger than B, in the mean by 200 %; than the bound by 300 and 500 %
        ("excess", {"published": 200}, "agrees", ""),
        ("excess", {"more_than": 399}, "differs", ""),
        ("excess", {"more_than": 401}, "cannot hold", "by the lower bound at most 400"),
        # at the bound A is by 50 and 33.3 % smaller than B, which is -41.7 % in the mean
        ("excess", {"less_than": -41}, "differs", ""),
        ("excess", {"less_than": -42}, "cannot hold", "by the lower bound at least -41.67"),
        # A - B is 4 and 9; with B at the bound 6 and 10, with A there -2 and -1
        ("difference", {"more_than": 7.9}, "differs", ""),
        ("difference", {"more_than": 8.1}, "cannot hold", "by the lower bound at most 8"),
        ("difference", {"less_than": -1.6}, "cannot hold", "by the lower bound at least -1.5"),
    ],
)
def test_what_no_policy_could_reach_cannot_hold(
    quantity: str, expected: Any, verdict: str, remark: str
) -> None:
    data = gathered({"A": [{1: 8.0, 2: 12.0}, None, None], "B": [{1: 4.0, 2: 3.0}, None, None]}, 2.0)
    outcome = measured(data, quantity, "A", "B", at=(100, 100), **expected)
    assert (outcome.verdict, outcome.remark) == (verdict, remark)


def test_a_value_below_the_bound_cannot_hold() -> None:
    data = gathered({"A": [{1: 8.0, 2: 12.0}, None, None]}, 2.0)
    assert measured(data, "value", "A", at=(100,), less_than=2.1).verdict == "differs"
    below = measured(data, "value", "A", at=(100,), published=1.5)
    assert (below.verdict, below.remark) == ("cannot hold", "by the lower bound at least 2")
    assert measured(data, "value", "A", at=(100,), more_than=1000).verdict == "differs"  # a worse policy can


def test_a_gain_over_a_baseline_cannot_be_larger_than_that_of_the_bound() -> None:
    # B at 10, A at 8, no policy below 6: A gains 20 %, none more than 40 %
    data = gathered({"A": everywhere(8.0, 8.0, 8.0), "B": everywhere(10.0, 10.0, 10.0)}, 6.0, baseline="B")
    assert measured(data, "value", "A", at=(100,), published=20).verdict == "agrees"
    assert measured(data, "value", "A", at=(100,), more_than=39).verdict == "differs"
    beyond = measured(data, "value", "A", at=(100,), more_than=41)
    assert (beyond.verdict, beyond.remark) == ("cannot hold", "by the lower bound at most 40")
    assert measured(data, "value", "A", at=(100,), less_than=-10).verdict == "differs"


def test_how_a_gain_changes_cannot_leave_what_the_bound_allows() -> None:
    # over B at 10 A gains 20 % at first and 10 % at last, and no policy more than 40 %
    data = gathered({"A": everywhere(8.0, 8.0, 9.0), "B": everywhere(10.0, 10.0, 10.0)}, 6.0, baseline="B")

    def grown(**expected: float) -> ClaimOutcome:
        return measured(data, "difference", "A", "A", at=(400, 100), **expected)

    assert grown().measured == estimate([-10.0])
    # another policy could gain 40 % at last, which is 20 % more than 20 %
    assert grown(more_than=19).verdict == "differs"
    assert (grown(more_than=21).verdict, grown(more_than=21).remark) == (
        "cannot hold", "by the lower bound at most 20"
    )  # fmt: skip
    # or 40 % at first, of which 10 % are left at last
    assert grown(less_than=-29).verdict == "differs"
    assert grown(less_than=-31).remark == "by the lower bound at least -30"


def test_without_a_bound_for_every_job_set_a_claim_only_differs() -> None:
    data = gathered({"A": everywhere(8.0, 8.0, 8.0), "B": everywhere(4.0, 4.0, 4.0)})
    assert measured(data, "ratio", "A", "B", at=(100, 100), more_than=1e9).verdict == "differs"


def test_the_table_of_claims_puts_expected_beside_measured() -> None:
    def outcome(verdict: str | None, remark: str = "", **expected: Any) -> ClaimOutcome:
        return ClaimOutcome(
            Claim("text", "value", ("A",), (), **expected), Estimate(1.5, 0.25, 3), verdict, remark
        )

    outcomes = [
        outcome("agrees", between=(1, math.inf)),
        outcome("differs", between=(0.5, 32000)),
        outcome(None),
        outcome("cannot hold", "by the lower bound at most 1.6", published=1.97),
        outcome("agrees", more_than=1),
        outcome("agrees", less_than=32000),
        ClaimOutcome(Claim("text", "value", ("A",), (), between=(1, math.inf)), None, None, "not run yet"),
    ]
    assert claims_table(outcomes).rows == [
        ["text", "at least 1", "1.500 ± 0.250", "agrees"],
        ["text", "0.5 to 32,000", "1.500 ± 0.250", "differs"],
        ["text", "-", "1.500 ± 0.250", "-"],
        ["text", "1.97", "1.500 ± 0.250 (by the lower bound at most 1.6)", "cannot hold"],
        ["text", "direction: above 1", "1.500 ± 0.250", "agrees"],
        ["text", "direction: below 32,000", "1.500 ± 0.250", "agrees"],
        ["text", "at least 1", "not run yet", "-"],
    ]


def test_markdown_is_one_line_a_row_whatever_the_cells_hold() -> None:
    text = markdown(FigureTable(["a|b", "c"], [["two\nlines", "1 | 2"]]))
    assert text.split("\n") == ["| a\\|b | c |", "| --- | ---: |", "| two lines | 1 \\| 2 |"]
