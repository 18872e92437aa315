"""Slurm in its own words: the rules of a site, and the present state of its cluster.

`read_site` reads ``slurm.conf`` and the accounts of ``sacctmgr dump``: machines, `schedcore.Site`, a policy with its
options. What cannot be modelled is listed with the number of jobs that it touches. Nothing is ever changed on a
cluster.
"""

from .jobs import NodeShare, SlurmJob
from .jobs_of_squeue import SQUEUE_FORMAT
from .nodes import SlurmNode
from .not_modelled import NotModelled
from .partitions import SlurmPartition
from .reservations import SlurmReservation
from .site import SlurmSite, read_site

__all__ = [
    "SQUEUE_FORMAT",
    "NodeShare",
    "NotModelled",
    "SlurmJob",
    "SlurmNode",
    "SlurmPartition",
    "SlurmReservation",
    "SlurmSite",
    "read_site",
]
