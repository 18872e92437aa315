"""Slurm in its own words: the rules of a site, and the present state of its cluster.

`read_site` reads ``slurm.conf`` and the accounts of ``sacctmgr dump``: machines, `schedcore.Site`, a policy with its
options. `read_log` reads the accounting of the site from ``sacct -X -P``. `read_state` reads saved output of
``squeue``, ``sinfo`` and ``scontrol show``; `take_state` calls them itself. What cannot be modelled is listed with the
number of jobs that it touches. Nothing is ever changed on a cluster.
"""

from .commands import COMMANDS, CommandError, save_state, take_state
from .jobs import NodeShare, SlurmJob
from .jobs_of_squeue import SQUEUE_FORMAT
from .log import SlurmLog, read_log
from .nodes import SlurmNode
from .nodes_of_sinfo import SINFO_FORMAT
from .not_modelled import NotModelled
from .partitions import SlurmPartition
from .planned_starts import PlannedStarts
from .predicted_starts import PredictedStarts, when
from .reservations import SlurmReservation
from .running_jobs import RunningJobs
from .site import SlurmSite, read_site
from .state import SlurmState
from .state_reading import read_state
from .waiting_jobs import WaitingJobs
from .what_if import ChangedStarts, what_if

__all__ = [
    "COMMANDS",
    "SINFO_FORMAT",
    "SQUEUE_FORMAT",
    "ChangedStarts",
    "CommandError",
    "NodeShare",
    "NotModelled",
    "PlannedStarts",
    "PredictedStarts",
    "RunningJobs",
    "SlurmJob",
    "SlurmLog",
    "SlurmNode",
    "SlurmPartition",
    "SlurmReservation",
    "SlurmSite",
    "SlurmState",
    "WaitingJobs",
    "read_log",
    "read_site",
    "read_state",
    "save_state",
    "take_state",
    "what_if",
    "when",
]
