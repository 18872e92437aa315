"""Instances under such a load that MRIS without a plan meets its bound: more work arrives than the machines can do."""

from hypothesis import strategies as st

import schedcore
from properties.portable_draws import PortableDraws


@st.composite
def overloaded(draw: st.DrawFn, max_jobs: int = 24, max_machines: int = 2) -> schedcore.Instance:
    """Long heavy jobs at the start, and a stream of short ones that every key prefers."""
    n_machines, n_resources = draw(st.integers(1, max_machines)), draw(st.integers(1, 2))
    n_long = draw(st.integers(1, max(1, max_jobs // 3)))
    n = draw(st.integers(n_long + 1, max_jobs))

    def column(long: st.SearchStrategy[int], short: st.SearchStrategy[int]) -> list[int]:
        return [draw(long if j < n_long else short) for j in range(n)]

    jobs = schedcore.Jobs(
        column(st.integers(4, 12), st.integers(1, 3)),
        [
            [draw(st.integers(2, 6)) if r == 0 else draw(st.integers(0, 6)) for r in range(n_resources)]
            for _ in range(n)
        ],
        release_time=column(st.integers(0, 3), st.integers(0, 60)),
        weight=column(st.integers(1, 3), st.integers(1, 30)),
    )
    return schedcore.Instance(jobs, schedcore.Machines.identical(n_machines, [6] * n_resources))


def stream(seed: int, n_machines: int, n_resources: int) -> schedcore.Instance:
    """More wide jobs than the machines can do, the longest with the largest weights: knapsacks take long jobs first
    and most keys prefer the short ones that come after."""
    below = PortableDraws(seed).below
    n = 30 * n_machines
    processing_time = [4 + below(13) for _ in range(n)]
    jobs = schedcore.Jobs(
        processing_time,
        [[4 + below(2) if r == 0 else 3 + below(3) for r in range(n_resources)] for _ in range(n)],
        release_time=[below(60) for _ in range(n)],
        weight=[p * p for p in processing_time],
    )
    return schedcore.Instance(jobs, schedcore.Machines.identical(n_machines, [6] * n_resources))


def crowd(seed: int, n_jobs: int = 64, n_machines: int = 5) -> schedcore.Instance:
    """Jobs of all lengths at twice the rate of the machines, so that several batches are unfinished at once."""
    below = PortableDraws(seed).below
    processing_time = [1 + below(2 ** (1 + below(5))) for _ in range(n_jobs)]
    span = sum(processing_time) // (4 * n_machines)
    jobs = schedcore.Jobs(
        processing_time,
        [[1 + below(8)] for _ in range(n_jobs)],
        release_time=[below(span) for _ in range(n_jobs)],
        weight=[1 + below(9) for _ in range(n_jobs)],
    )
    return schedcore.Instance(jobs, schedcore.Machines.identical(n_machines, [10]))
