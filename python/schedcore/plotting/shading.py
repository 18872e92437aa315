"""Which job gets which shade of grey, so that jobs beside each other in a picture can be told apart?"""

from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from schedcore.plotting.piling import Pile


def shades(pile: Pile, capacity: int, n_shades: int) -> NDArray[np.int64]:
    """Give each job one of `n_shades` >= 3, so that neighbours differ.

    A job that starts takes the shade that is rarest among those last drawn right below and above it, then among
    those last drawn at its own heights (its neighbours to the left), then the next in turn. So it differs from
    the jobs that run right below and above it at that instant; what slides later keeps its shade.

    Returns
    -------
    (k,) int64
        In [0, n_shades), one a rectangle, the same for all rectangles of a job.
    """
    drawn = _LastDrawn(capacity)
    shade_of: dict[int, int] = {}
    turn = 0
    pieces = zip(pile.begin.tolist(), pile.job.tolist(), pile.low.tolist(), pile.high.tolist(), strict=True)
    for _, of_an_instant in groupby(pieces, key=lambda piece: piece[0]):
        new = []
        for _, job, low, high in of_an_instant:
            if job in shade_of:
                drawn.draw(low, high, shade_of[job])
            else:
                new.append((job, low, high))
        for job, low, high in new:
            beside, left = Counter(drawn.beside(low, high)), Counter(drawn.within(low, high))
            ranks = [(beside[shade], left[shade], (shade - turn) % n_shades) for shade in range(n_shades)]
            shade_of[job] = ranks.index(min(ranks))
            turn = shade_of[job] + 1
            drawn.draw(low, high, shade_of[job])
    return np.array([shade_of[job] for job in pile.job.tolist()], dtype=np.int64)


class _LastDrawn:
    """The shade that was drawn last at each height of [0, capacity); None where nothing was drawn yet."""

    def __init__(self, capacity: int) -> None:
        # _shade[i] holds on [_edge[i], _edge[i + 1])
        self._edge = [0, capacity]
        self._shade: list[int | None] = [None]

    def beside(self, low: int, high: int) -> list[int | None]:
        """The shades right below `low` and right above `high`."""
        below = self._shade[bisect_left(self._edge, low) - 1] if low > 0 else None
        above = self._shade[bisect_right(self._edge, high) - 1] if high < self._edge[-1] else None
        return [below, above]

    def within(self, low: int, high: int) -> list[int | None]:
        return self._shade[bisect_right(self._edge, low) - 1 : bisect_left(self._edge, high)]

    def draw(self, low: int, high: int, shade: int) -> None:
        first, behind = bisect_left(self._edge, low), bisect_left(self._edge, high)
        covers_the_last = self._edge[behind] == high
        rest = self._shade[behind - 1]
        self._edge[first:behind] = [low] if covers_the_last else [low, high]
        self._shade[first:behind] = [shade] if covers_the_last else [shade, rest]
