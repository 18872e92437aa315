"""The bound machine by machine owes nothing to the solver that proposes its prices."""

from typing import Any

import pytest

import schedcore
from schedcore.bounds.colocation import lower_bound, methods, per_machine
from schedcore.bounds.content_cache import ContentCache
from schedcore.bounds.sparse_program import quiet_solver


def test_an_answer_of_the_solver_that_is_nonsense_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """All shares 0: they are no solution, and there must be no warning either."""
    instance = schedcore.ColocationInstance(
        [4, 4, 2, 1, 2], [0, 1, 1, 1, 0], [[3, 0], [263472, 3]], n_machines=2
    )

    class Nonsense:
        def __init__(self) -> None:
            self._solver = quiet_solver()

        def __getattr__(self, name: str) -> Any:
            return getattr(self._solver, name)

        def getSolution(self) -> Any:
            solution = self._solver.getSolution()
            solution.col_value = [0.0] * len(solution.col_value)
            solution.row_dual = [1.7e308] * len(solution.row_dual)
            return solution

    expected = lower_bound(instance, "qcp_per_machine")
    assert expected.is_exact
    monkeypatch.setattr(methods, "_per_machine", ContentCache())
    monkeypatch.setattr(per_machine, "quiet_solver", Nonsense)
    found = lower_bound(instance, "qcp_per_machine")
    assert not found.is_exact
    assert lower_bound(instance, "simple").bound <= found.bound <= expected.bound
