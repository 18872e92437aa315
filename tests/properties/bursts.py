"""Instances whose jobs arrive in bursts, with pauses in which a cluster may empty."""

from hypothesis import strategies as st

import schedcore


@st.composite
def bursts(
    draw: st.DrawFn, max_bursts: int = 3, max_burst: int = 4, max_machines: int = 2
) -> schedcore.Instance:
    """Small integers everywhere; the first job arrives at 0, at 7 or at 2**31."""
    n_machines, n_resources = draw(st.integers(1, max_machines)), draw(st.integers(1, 2))
    now = draw(st.sampled_from([0, 7, 2**31]))
    release: list[int] = []
    for _ in range(draw(st.integers(1, max_bursts))):
        for _ in range(draw(st.integers(1, max_burst))):
            release.append(now)
            now += draw(st.sampled_from([0, 0, 1, 3]))
        now += draw(st.sampled_from([2, 5, 9, 20, 100]))
    n = len(release)

    def column(low: int, high: int) -> list[int]:
        return draw(st.lists(st.integers(low, high), min_size=n, max_size=n))

    wide, other = column(1, 6), column(0, 6)
    demand = [[a, b][:n_resources] for a, b in zip(wide, other, strict=True)]
    jobs = schedcore.Jobs(column(1, 6), demand, release_time=release, weight=column(1, 4))
    return schedcore.Instance(jobs, schedcore.Machines.identical(n_machines, [6] * n_resources))
