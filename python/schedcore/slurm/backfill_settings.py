"""The scheduler of a site: SchedulerType and SchedulerParameters as a policy of schedcore with its options."""

from typing import Any

from schedcore.errors import InvalidInstanceError

from .configuration import Configuration
from .not_modelled import NotModelled

__all__ = ["LIKE_SLURM", "number_of", "policy_of_site"]

# Parameters that decide nothing: how long the scheduler works at a time, what it refuses, and what it logs.
_NAMES = """
allow_zero_lic batch_sched_delay bf_continue bf_max_time bf_node_space_size bf_yield_interval bf_yield_rpc_cnt
bf_yield_sleep build_queue_timeout correspond_after_task_cnt default_gbytes default_queue_depth
disable_hetero_steps disable_hetjob_steps disable_job_shrink disable_user_top enable_hetero_steps
enable_hetjob_steps enable_user_top ignore_constraint_validation ignore_numa ignore_prefer_validation
inventory_interval kill_invalid_depend max_array_tasks max_depend_depth max_rpc_cnt max_sched_time
max_script_size max_submit_line_size no_backup_scheduling no_env_cache nohold_on_prolog_fail
permit_job_expansion preempt_send_user_signal requeue_on_resume_failure requeue_setup_env_fail
salloc_wait_nodes sbatch_wait_nodes sched_interval sched_min_interval spec_cores_first step_retry_count
step_retry_time whole_hetjob whole_pack
"""
_HARMLESS = frozenset(_NAMES.split())
_WHY = {
    "bf_window_linear": "the plan has one resolution everywhere",
    "bf_max_job_user": "every job is planned, however many its user has",
    "bf_max_job_part": "every job is planned, however many its partition has",
    "bf_max_job_assoc": "every job is planned, however many its association has",
    "bf_max_job_user_part": "every job is planned, however many its user has in the partition",
    "bf_max_job_array_resv": "every task of an array is planned",
    "bf_max_job_start": "as many jobs start at once as can",
    "bf_min_age_reserve": "jobs get reservations whatever their age",
    "bf_min_prio_reserve": "jobs get reservations whatever their priority",
    "bf_one_resv_per_job": "a job of several partitions is in its first one",
    "bf_busy_nodes": "idle and busy machines are alike, but for their weight",
    "bf_running_job_reserve": "running jobs hold no more than what they have",
    "bf_licenses": "licenses are not modelled",
    "bf_hetjob_prio": "parts of heterogeneous jobs are jobs of their own",
    "bf_hetjob_immediate": "parts of heterogeneous jobs are jobs of their own",
    "bf_topopt_enable": "no topology is known",
    "bf_topopt_iterations": "no topology is known",
    "bf_allow_magnetic_slot": "no job enters a reservation that it does not name",
    "bf_ignore_newly_avail_nodes": "what is free counts at once",
    "bb_array_stage_cnt": "burst buffers are not modelled",
    "defer": "a job may start when it arrives",
    "defer_batch": "a job may start when it arrives",
    "requeue_delay": "a requeued job may start at once",
    "sched_max_job_start": "as many jobs start at once as can",
    "partition_job_depth": "every job is looked at, however many its partition has",
    "assoc_limit_stop": "a job that a limit holds blocks nobody",
    "pack_serial_at_end": "machines are filled from the first on",
    "reduce_completing_frag": "completing jobs are over",
    "max_switch_wait": "no topology is known",
    "preempt_strict_order": "jobs to preempt are chosen by level, then by start",
    "preempt_reorder_count": "jobs to preempt are chosen by level, then by start",
    "preempt_youngest_first": "jobs to preempt are chosen by level, then by start",
    "extra_constraints": "extra constraints are not modelled",
    "time_min_as_soft_limit": "a job ends at its limit",
    "delay_boot": "nodes are ready at once",
}
#: Options of ``conservative``: its plan is made anew, keeps whole nodes for those that wait, and prefers neighbours.
LIKE_SLURM = {"mode": "rebuild", "reservations": "machines", "allocation": "consecutive"}
_MODELLED = (
    "bf_max_job_test",
    "bf_window",
    "bf_resolution",
    "bf_interval",
    "bf_job_part_count_reserve",
    "max_job_bf",
)


def policy_of_site(
    configuration: Configuration, *, n_partitions: int, preempts: bool
) -> tuple[str, dict[str, Any], float | None, list[NotModelled]]:
    """Return the policy, its options, how often it plans in seconds, and what cannot be modelled.

    Slurm's backfill makes its plan anew each time and gives every job that it looks at a reservation of whole nodes:
    that is ``conservative`` with `LIKE_SLURM`. Where it reserves for so many jobs of a partition only
    (``bf_job_part_count_reserve``), it is ``backfill`` with so many protected; with preemption, which these two cannot
    take, ``easy``. A plan that is made anew has no option `interval`.
    """
    kind = (configuration.text("SchedulerType") or "sched/backfill").lower().removeprefix("sched/")
    given, findings = configuration.parameters("SchedulerParameters"), list[NotModelled]()
    for name, value in given.items():
        if name in _MODELLED or name in _HARMLESS:
            continue
        why = _WHY.get(name, "not known to schedcore; the policy is as without it")
        findings.append(NotModelled(f"SchedulerParameters: {name}", value, why))
    if kind == "builtin":
        return "fcfs", {}, None, findings
    if kind != "backfill":
        findings.append(NotModelled("SchedulerType", kind, "backfilling as sched/backfill does it"))
    depth, window, resolution, interval, protected = (
        number_of(configuration, given, names, default, least)
        for names, default, least in (
            (("bf_max_job_test", "max_job_bf"), 500, 1),
            (("bf_window",), 1440, 1),
            (("bf_resolution",), 60, 1),
            (("bf_interval",), 30, -1),
            (("bf_job_part_count_reserve",), 0, 0),
        )
    )
    options: dict[str, Any] = {"queue_depth": depth, "window": window * 60.0, "resolution": float(resolution)}
    if interval == -1:
        findings.append(NotModelled("SchedulerParameters: bf_interval", "-1", "the plan is still made"))
    every = None if interval < 1 else float(interval)
    if preempts:
        findings.append(
            NotModelled(
                "SchedulerType", kind, "with preemption only the first job that waits has a reservation"
            )
        )
        return "easy", {**options, "interval": every}, every, findings
    if protected:
        if n_partitions > 1:
            findings.append(
                NotModelled(
                    "SchedulerParameters: bf_job_part_count_reserve",
                    str(protected),
                    "so many jobs of the whole queue have reservations, not of each partition",
                )
            )
        return "backfill", {**options, "protected": protected, "interval": every}, every, findings
    return "conservative", {**options, **LIKE_SLURM}, every, findings


def number_of(
    configuration: Configuration, given: dict[str, str], names: tuple[str, ...], default: int, least: int
) -> int:
    """Return the first of these parameters that is given, else the default; an error for what is no such number."""
    for name in names:
        if name in given:
            text = given[name]
            if not text.removeprefix("-").isdecimal() or len(text) > 12 or int(text) < least:
                raise InvalidInstanceError(
                    f"{configuration.place('SchedulerParameters')}: {name} = {text!r} is no number of at least {least}"
                )
            return int(text)
    return default
