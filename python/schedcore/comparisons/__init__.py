"""Policies side by side, on one workload or on what could have been; the command line asks the same modules."""

from schedcore.comparisons.comparing import compare, sweep
from schedcore.comparisons.comparison_table import ComparisonTable

__all__ = ["ComparisonTable", "compare", "sweep"]
