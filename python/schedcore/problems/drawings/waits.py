"""Who waits, and at which hours: a mark or line a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedcore.plotting.layout import new_figure
from schedcore.plotting.waits_by import draw_waits_by_hour, draw_waits_by_name, waits_height
from schedcore.problems.evaluation import Comparison
from schedcore.problems.problem import Drawing
from schedcore.problems.time_units import origin_of, own_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["WAITS_BY_HOUR_DRAWING", "WAITS_BY_USER_DRAWING"]

_WIDTH = 6.6  # inches
_MOST = 8  # users
_TWO_WEEKS = 14 * 86_400.0


def _draw_by_user(comparison: Comparison) -> Figure | None:
    """Nothing where the jobs are not of several users."""
    ran = comparison.completed
    n_users = len(comparison.inst.jobs.coded("user").names)
    if not ran or n_users < 2 or not comparison.inst.n_jobs:
        return None
    figure = new_figure(_WIDTH, waits_height(min(n_users, _MOST + 1), len(ran)))
    unit = own_unit(comparison.report)
    draw_waits_by_name(comparison.inst, ran, "user", most=_MOST, unit=unit, ax=figure.subplots())
    return figure


def _draw_by_hour(comparison: Comparison) -> Figure | None:
    """Nothing where no date is known, or jobs were released in less than two weeks."""
    ran, origin = comparison.completed, origin_of(comparison.report)
    release = comparison.inst.release_time
    if not ran or origin is None or not len(release) or np.ptp(release) < _TWO_WEEKS:
        return None
    figure = new_figure(_WIDTH, 3.9)
    draw_waits_by_hour(ran, origin, ax=figure.subplots())
    return figure


WAITS_BY_USER_DRAWING = Drawing("waits_by_user.png", _draw_by_user, "Waits by user", least=(3.6, 1.6))
WAITS_BY_HOUR_DRAWING = Drawing(
    "waits_by_hour.png", _draw_by_hour, "Waits by the hour of the week in which jobs come", least=(3.6, 1.6)
)
