"""Drawings of results and of experiments, for paper and screen.

Every function takes ``ax=`` (a matplotlib Axes; a new figure without it) and returns the Axes, so that
drawings can be combined and changed. Series differ by line style, marker, hatch and brightness as well as by
colour, so they stay apart in black and white. matplotlib is imported when something is drawn; it comes with
``schedcore[plot]``.
"""

from schedcore.plotting.assignment import plot_assignment
from schedcore.plotting.boxes import Box, plot_boxes
from schedcore.plotting.curves import plot_curves
from schedcore.plotting.delays import plot_delay_quantiles, plot_queuing_delay_cdf
from schedcore.plotting.groups import plot_groups
from schedcore.plotting.means import MeanSeries, plot_means
from schedcore.plotting.objective import plot_awct_bars
from schedcore.plotting.packing import plot_packing
from schedcore.plotting.panel import plot_result
from schedcore.plotting.pieces import plot_pieces
from schedcore.plotting.predicted_starts import plot_predicted_starts
from schedcore.plotting.queue import plot_queue
from schedcore.plotting.readable import TimeUnit, readable_time, readable_unit
from schedcore.plotting.runs import plot_runs
from schedcore.plotting.selection import most_demanded, until_most_are_done
from schedcore.plotting.task_usage import plot_task_usage
from schedcore.plotting.usage import plot_utilisation
from schedcore.plotting.used_shares import plot_shares_over_time
from schedcore.plotting.waiting_work import plot_waiting_reasons
from schedcore.plotting.waits_by import plot_waits_by

__all__ = [
    "Box",
    "MeanSeries",
    "TimeUnit",
    "most_demanded",
    "plot_assignment",
    "plot_awct_bars",
    "plot_boxes",
    "plot_curves",
    "plot_delay_quantiles",
    "plot_groups",
    "plot_means",
    "plot_packing",
    "plot_pieces",
    "plot_predicted_starts",
    "plot_queue",
    "plot_queuing_delay_cdf",
    "plot_result",
    "plot_runs",
    "plot_shares_over_time",
    "plot_task_usage",
    "plot_utilisation",
    "plot_waiting_reasons",
    "plot_waits_by",
    "readable_time",
    "readable_unit",
    "until_most_are_done",
]
