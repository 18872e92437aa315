"""Slotted scheduling on heterogeneous servers: jobs that may be split, slowed down, moved and interrupted."""

from .baselines import fifo, srf, srpt, srvf, svf
from .fair_sharing import drf, proportional_fairness
from .gittins import gittins
from .las import las
from .ocorp import ocorp, ocorp_m
from .ocorp_mapreduce import ocorp_mapreduce
from .ocorp_plus import ocorp_plus
from .svf_transient import svf_transient

__all__ = [
    "drf",
    "fifo",
    "gittins",
    "las",
    "ocorp",
    "ocorp_m",
    "ocorp_mapreduce",
    "ocorp_plus",
    "proportional_fairness",
    "srf",
    "srpt",
    "srvf",
    "svf",
    "svf_transient",
]
