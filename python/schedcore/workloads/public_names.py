"""What `schedcore.workloads` shows."""

from schedcore.workloads.azure.packing_trace import read_azure_packing
from schedcore.workloads.azure.vm_table import read_azure_v1
from schedcore.workloads.generators import GENERATORS, Generator, generate, generate_from_text
from schedcore.workloads.google.map_reduce import google_mapreduce_jobs
from schedcore.workloads.google.parallel_tasks import google_parallel_tasks
from schedcore.workloads.google.samples import sample_google_requests, sample_google_usage
from schedcore.workloads.google.schema import GOOGLE_TABLES
from schedcore.workloads.google.slotted_jobs import google_slotted_jobs
from schedcore.workloads.google.states import (
    GoogleMachines,
    GoogleTaskRequests,
    google_machines,
    google_task_requests,
)
from schedcore.workloads.google.tables import read_google_table
from schedcore.workloads.google_workload import read_google_trace
from schedcore.workloads.gpu_traces.itp import read_itp
from schedcore.workloads.gpu_traces.openb import read_openb
from schedcore.workloads.gpu_traces.openb_nodes import read_openb_nodes
from schedcore.workloads.loading import load, reader_options
from schedcore.workloads.logs.sacct import SACCT_COMMAND, read_sacct
from schedcore.workloads.logs.swf import read_swf
from schedcore.workloads.logs.swf_table import SWF_FIELDS, read_swf_table
from schedcore.workloads.logs.write_batsim import write_batsim_jobs
from schedcore.workloads.logs.write_swf import write_swf
from schedcore.workloads.models.colocation_grid import (
    COLOCATION_CLASSES,
    GridCell,
    colocation_grid,
    grid_cells,
    grid_instance,
    standin_tasks,
)
from schedcore.workloads.models.gap_calibration import CalibratedGap, calibrate_gap
from schedcore.workloads.models.hard_colocations import hard_cliques, hard_gap, hard_partition
from schedcore.workloads.models.k_resource_workloads import feitelson_k, lublin_k
from schedcore.workloads.models.mris_instances import half_plus, lemma41, lemma64, list_gap, patience, uniform
from schedcore.workloads.models.rigid_jobs import (
    estimates,
    feitelson,
    k_resource_demand,
    lublin,
    unit_arrivals,
)
from schedcore.workloads.models.task_sample import TaskSample, colocation_tasks, task_type
from schedcore.workloads.outages.cancellation_table import read_cancellations
from schedcore.workloads.outages.disturbances import Disturbances
from schedcore.workloads.outages.failure_model import draw_failures
from schedcore.workloads.outages.failure_text import parse_failures
from schedcore.workloads.outages.outage_table import read_outages
from schedcore.workloads.outages.times import parse_duration, parse_instant
from schedcore.workloads.outages.windows import parse_outage, parse_outages
from schedcore.workloads.reading.hostlists import compress_hostlist, expand_hostlist
from schedcore.workloads.reading.machine_names import machines_by_name, numbered_machines
from schedcore.workloads.reading.machine_table import read_machines
from schedcore.workloads.reading.machines_spec import ResourceUnit, parse_machines
from schedcore.workloads.reading.offered_load import offered_load
from schedcore.workloads.reading.report import DataReport, TableReport
from schedcore.workloads.schedule_of_log import recorded_schedule
from schedcore.workloads.standins.azure_heavy import azure_heavy
from schedcore.workloads.standins.azure_like import azure_like
from schedcore.workloads.standins.map_reduce import mapreduce_standin
from schedcore.workloads.standins.parallel_tasks import parallel_task_standin
from schedcore.workloads.standins.site_like import atlas_like, curie_like, thunder_like
from schedcore.workloads.standins.slotted_jobs import slotted_standin
from schedcore.workloads.tables.job_table import read_table
from schedcore.workloads.transforms.arrivals import at_time_zero, poisson_arrivals, scale_release_times
from schedcore.workloads.transforms.cluster_size import cluster_size, with_cluster_size
from schedcore.workloads.transforms.estimates import exact_estimates, misestimate, scale_estimates
from schedcore.workloads.transforms.job_weights import draw_weights
from schedcore.workloads.transforms.resources import draw_more_resources
from schedcore.workloads.transforms.task_placements import draw_placements, restrict_machines
from schedcore.workloads.transforms.thinning import downsample, downsampling_offset, first_jobs

__all__ = [
    "COLOCATION_CLASSES",
    "GENERATORS",
    "GOOGLE_TABLES",
    "SACCT_COMMAND",
    "SWF_FIELDS",
    "CalibratedGap",
    "DataReport",
    "Disturbances",
    "Generator",
    "GoogleMachines",
    "GoogleTaskRequests",
    "GridCell",
    "ResourceUnit",
    "TableReport",
    "TaskSample",
    "at_time_zero",
    "atlas_like",
    "azure_heavy",
    "azure_like",
    "calibrate_gap",
    "cluster_size",
    "colocation_grid",
    "colocation_tasks",
    "compress_hostlist",
    "curie_like",
    "downsample",
    "downsampling_offset",
    "draw_failures",
    "draw_more_resources",
    "draw_placements",
    "draw_weights",
    "estimates",
    "exact_estimates",
    "expand_hostlist",
    "feitelson",
    "feitelson_k",
    "first_jobs",
    "generate",
    "generate_from_text",
    "google_machines",
    "google_mapreduce_jobs",
    "google_parallel_tasks",
    "google_slotted_jobs",
    "google_task_requests",
    "grid_cells",
    "grid_instance",
    "half_plus",
    "hard_cliques",
    "hard_gap",
    "hard_partition",
    "k_resource_demand",
    "lemma41",
    "lemma64",
    "list_gap",
    "load",
    "lublin",
    "lublin_k",
    "machines_by_name",
    "mapreduce_standin",
    "misestimate",
    "numbered_machines",
    "offered_load",
    "parallel_task_standin",
    "parse_duration",
    "parse_failures",
    "parse_instant",
    "parse_machines",
    "parse_outage",
    "parse_outages",
    "patience",
    "poisson_arrivals",
    "read_azure_packing",
    "read_azure_v1",
    "read_cancellations",
    "read_google_table",
    "read_google_trace",
    "read_itp",
    "read_machines",
    "read_openb",
    "read_openb_nodes",
    "read_outages",
    "read_sacct",
    "read_swf",
    "read_swf_table",
    "read_table",
    "reader_options",
    "recorded_schedule",
    "restrict_machines",
    "sample_google_requests",
    "sample_google_usage",
    "scale_estimates",
    "scale_release_times",
    "slotted_standin",
    "standin_tasks",
    "task_type",
    "thunder_like",
    "uniform",
    "unit_arrivals",
    "with_cluster_size",
    "write_batsim_jobs",
    "write_swf",
]
