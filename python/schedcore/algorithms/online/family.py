"""What the algorithms of this family have in common: the name of the group, the paper, what they minimise."""

from schedcore.registry import Family

__all__ = ["ONLINE"]

ONLINE = Family(
    "online",
    {
        "source": "Fan and Liang, ICPP 2024",
        "objective": "awct",
        "reads": frozenset(),
        "machines_may_differ": True,
    },
    progress="``progress(jobs_started, n_jobs)``.",
)
