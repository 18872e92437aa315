"""Workloads: recorded traces, synthetic generators, and the report that says what became of every row.

Every reader returns ``(instance, report)``; `load` finds the right one. Generators return an `Instance`, and so
do `downsample` and `draw_more_resources`, which make job sets of a long list, and `first_jobs`, `exact_estimates` and
`poisson_arrivals`, which put a recorded one under controlled conditions. `write_swf` and `write_batsim_jobs`
hand jobs and schedules to other programs, `recorded_schedule` takes theirs.
"""

from .azure_like import azure_like
from .azure_packing import read_azure_packing
from .azure_v1 import read_azure_v1
from .catalogue import GENERATORS, Generator, generate, generate_from_text
from .controlled_logs import exact_estimates, first_jobs, poisson_arrivals
from .gap_calibration import CalibratedGap, calibrate_gap
from .generators import half_plus, lemma41, lemma64, list_gap, patience, uniform
from .k_resource_workloads import feitelson_k, lublin_k
from .loading import load, reader_options
from .machines_spec import ResourceUnit, parse_machines
from .offered_load import offered_load
from .recorded_schedule import recorded_schedule
from .report import DataReport
from .sacct import SACCT_COMMAND, read_sacct
from .swf import read_swf
from .swf_table import SWF_FIELDS, read_swf_table
from .thinning import downsample, downsampling_offset, draw_more_resources
from .workload_models import estimates, feitelson, k_resource_demand, lublin, unit_arrivals
from .write_batsim import write_batsim_jobs
from .write_swf import write_swf

__all__ = [
    "GENERATORS",
    "SACCT_COMMAND",
    "SWF_FIELDS",
    "CalibratedGap",
    "DataReport",
    "Generator",
    "ResourceUnit",
    "azure_like",
    "calibrate_gap",
    "downsample",
    "downsampling_offset",
    "draw_more_resources",
    "estimates",
    "exact_estimates",
    "feitelson",
    "feitelson_k",
    "first_jobs",
    "generate",
    "generate_from_text",
    "half_plus",
    "k_resource_demand",
    "lemma41",
    "lemma64",
    "list_gap",
    "load",
    "lublin",
    "lublin_k",
    "offered_load",
    "parse_machines",
    "patience",
    "poisson_arrivals",
    "read_azure_packing",
    "read_azure_v1",
    "read_sacct",
    "read_swf",
    "read_swf_table",
    "reader_options",
    "recorded_schedule",
    "uniform",
    "unit_arrivals",
    "write_batsim_jobs",
    "write_swf",
]
