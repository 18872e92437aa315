"""Slurm in its own words: the rules of a site, and the present state of its cluster.

What cannot be modelled is listed with the number of jobs that it touches. Nothing is ever changed on a cluster.
"""

from .jobs import NodeShare, SlurmJob
from .jobs_of_squeue import SQUEUE_FORMAT
from .nodes import SlurmNode
from .partitions import SlurmPartition
from .reservations import SlurmReservation

__all__ = ["SQUEUE_FORMAT", "NodeShare", "SlurmJob", "SlurmNode", "SlurmPartition", "SlurmReservation"]
