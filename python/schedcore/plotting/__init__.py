"""Drawings of results: weighted completion times, queuing delays and utilisation.

Every function takes ``ax=`` (a matplotlib Axes; a new figure without it) and returns the Axes, so that
drawings can be combined and changed. Series differ by line style, hatch and brightness as well as by colour,
so they stay apart in black and white. matplotlib is imported when something is drawn; it comes with
``schedcore[plot]``.
"""

from schedcore.plotting.delays import plot_queuing_delay_cdf
from schedcore.plotting.objective import plot_awct_bars
from schedcore.plotting.readable import TimeUnit, readable_time, readable_unit
from schedcore.plotting.usage import plot_utilisation

__all__ = [
    "TimeUnit",
    "plot_awct_bars",
    "plot_queuing_delay_cdf",
    "plot_utilisation",
    "readable_time",
    "readable_unit",
]
