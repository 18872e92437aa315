"""Preemptive jobs in slots: a linear program over their rates bounds the fractional flow time, and through it the flow.

What the program proves is recomputed from its prices, so that it holds however the solver ended.
"""

from .fractional_flow import flow_power_lower_bound, fractional_lower_bound

__all__ = ["flow_power_lower_bound", "fractional_lower_bound"]
