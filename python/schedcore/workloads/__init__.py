"""Workloads: recorded traces, synthetic generators, and the report that says what became of every row.

Every reader returns ``(instance, report)``; `load` finds the right one. Generators return an `Instance`, and so
do `downsample` and `draw_more_resources`, which make job sets of a long list, and `first_jobs`, `exact_estimates`,
`poisson_arrivals`, `at_time_zero` and `scale_release_times`, which put a recorded one under controlled conditions.
`write_swf` and `write_batsim_jobs` hand jobs and schedules to other programs, `recorded_schedule` takes theirs.

Tasks to colocate come from a `TaskSample`: `grid_instance` draws instances from it. `read_google_table` reads the
tables of a trace, `google_task_requests` and `google_machines` what they add up to.

Jobs of parallel tasks come from `google_parallel_tasks` or `parallel_task_standin`; `draw_placements`,
`restrict_machines` and `draw_weights` vary what an evaluation varies.

Jobs in whole slots, for preemptive scheduling, come from `google_slotted_jobs` or `slotted_standin`; `misestimate` lets
them ask for more or less than they can use. Jobs of map and reduce tasks come from `google_mapreduce_jobs` or
`mapreduce_standin`.

A cluster is described by hostlists (`expand_hostlist`), a table of machines (`read_machines`), and outages in words
(`parse_outages`), from a file (`read_outages`) or drawn (`draw_failures`); `Disturbances` takes all of them, with
cancellations from a file (`read_cancellations`), and what becomes of killed jobs.
"""

from typing import TYPE_CHECKING

from schedcore.names_on_demand import names_on_demand

if TYPE_CHECKING:
    from schedcore.workloads.public_names import *  # noqa: F403
else:
    __getattr__, __dir__ = names_on_demand(__name__)
