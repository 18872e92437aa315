"""Lower bounds on the largest cost of tasks that share machines, by type: cheap ones, and the quadratic program.

`lower_bound` answers the question; `pattern_program` also gives the solution behind the answer, which tells a
heuristic how many machines should hold which types. The proofs stand in ``docs/bounds.md``.
"""

from .methods import ColocationBound, lower_bound
from .patterns import PatternSolution, pattern_program

__all__ = ["ColocationBound", "PatternSolution", "lower_bound", "pattern_program"]
