"""Lines of shares used, thin ones of shares promised, and one line of all whom a drawing has no room for."""

from typing import Any

import numpy as np
import pytest

from schedcore import InvalidInstanceError
from schedcore.metrics import SharesOverTime
from schedcore.plotting import plot_shares_over_time

# Used at 0, 10 and 20; at 0 nothing.
USED = np.array([[0, 0, 0, 0], [6, 2, 1, 1], [4, 4, 1, 1]], dtype=np.float64)
SHARES = SharesOverTime(
    "account", ("a", "b", "c", "d"), 9.0, np.array([0.0, 10, 20]), USED, np.array([0.4, 0.3, 0.2, 0.1])
)


def drawn(ax: Any, **options: Any) -> tuple[dict[str, list[float]], list[float]]:
    """The heights of the lines by what the legend calls them, and those of the thin ones."""
    lines = plot_shares_over_time(SHARES, ax=ax, **options).lines
    thin = [line for line in lines if len(set(np.asarray(line.get_ydata()).tolist())) == 1]
    used = {line.get_label(): np.asarray(line.get_ydata()).tolist() for line in lines if line not in thin}
    return used, [float(np.asarray(line.get_ydata())[0]) for line in thin]


def test_the_largest_have_lines_and_the_rest_one_together(ax: Any) -> None:
    used, promised = drawn(ax, shown=2)
    names = ["a (promised 40.0 %)", "b (promised 30.0 %)", "2 others (promised 30.0 %)"]
    assert list(used) == names
    assert [heights[1:] for heights in used.values()] == [[60, 40], [20, 40], [20, 20]]
    assert all(np.isnan(heights[0]) for heights in used.values())
    assert promised == pytest.approx([40, 30, 30])
    assert len({(line.get_color(), str(line.get_linestyle())) for line in ax.lines}) == 3
    assert ax.get_ylabel() == "share of all use (%)"
    assert ax.get_xlim() == (0, 20)


def test_one_account_more_than_asked_for_is_shown_by_name(ax: Any) -> None:
    assert [name[0] for name in drawn(ax, shown=3)[0]] == ["a", "b", "c", "d"]


def test_chosen_accounts_keep_their_order(ax: Any) -> None:
    used, _ = drawn(ax, shown=["c", "a", "c"])
    assert [name.split(" (")[0] for name in used] == ["c", "a", "2 others"]


def test_instants_in_any_order_make_the_same_line(ax: Any) -> None:
    order = [2, 0, 1]
    turned = SharesOverTime("account", SHARES.names, 9.0, SHARES.time[order], USED[order], None)
    lines = plot_shares_over_time(turned, ax=ax).lines
    assert [line.get_label() for line in lines] == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(lines[0].get_xdata(), [0, 10, 20])
    np.testing.assert_array_equal(lines[0].get_ydata(), [np.nan, 60, 40])


def test_nothing_used_is_a_note(ax: Any) -> None:
    for used in (USED[:1], USED[:0]):
        nothing = SharesOverTime("user", SHARES.names, 9.0, SHARES.time[: len(used)], used, None)
        assert "nothing was used" in [text.get_text() for text in plot_shares_over_time(nothing, ax=ax).texts]


def test_what_cannot_be_shown_is_refused(ax: Any) -> None:
    with pytest.raises(InvalidInstanceError, match="unknown account 'e'"):
        plot_shares_over_time(SHARES, shown=["e"], ax=ax)
    for shown in (0, 12):
        with pytest.raises(InvalidInstanceError, match="number of accounts shown"):
            plot_shares_over_time(SHARES, shown=shown, ax=ax)
    with pytest.raises(InvalidInstanceError, match="number of accounts shown"):
        plot_shares_over_time(SHARES, shown=[str(number) for number in range(12)], ax=ax)
    with pytest.raises(TypeError):
        plot_shares_over_time(SHARES, shown=1.5, ax=ax)  # type: ignore[arg-type]
