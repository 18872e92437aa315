"""When has a machine room? Its free amounts as a step function of time that jobs reserve and release.

`ResourceTimeline` answers "from when on does this demand fit for that long" and "until when does it fit" in
time logarithmic in the number of breakpoints, in exact integer amounts. Policies that plan ahead keep one
timeline a machine. The tree and its cost are described in ``schedcore/index/resource_timeline.hpp``.

>>> timeline = ResourceTimeline(capacity=[4, 10])
>>> timeline.reserve(start=0.0, end=5.0, demand=[3, 1])
>>> timeline.earliest_fit(not_before=0.0, duration=2.0, demand=[2, 2])
5.0
"""

from schedcore import _core

__all__ = ["ResourceTimeline"]

ResourceTimeline = _core.index.ResourceTimeline
