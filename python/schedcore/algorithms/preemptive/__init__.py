"""Slotted scheduling on heterogeneous servers: jobs that may be split, slowed down, moved and interrupted."""

from .baselines import fifo, srf, srpt, srvf, svf
from .las import las
from .ocorp import ocorp, ocorp_m
from .ocorp_mapreduce import ocorp_mapreduce
from .ocorp_plus import ocorp_plus
from .svf_transient import svf_transient

__all__ = [
    "fifo",
    "las",
    "ocorp",
    "ocorp_m",
    "ocorp_mapreduce",
    "ocorp_plus",
    "srf",
    "srpt",
    "srvf",
    "svf",
    "svf_transient",
]
