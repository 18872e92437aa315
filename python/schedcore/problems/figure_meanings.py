"""What the figures of tables and of rows for programs mean, a sentence each, said once.

`--explain-columns` prints them and the documentation of the command line lists them.
"""

__all__ = ["MEANINGS", "meaning_of"]

_BOUND = "no schedule of these jobs can be better by more than this"

#: Key of a row -> what its value says.
MEANINGS: dict[str, str] = {
    # of every row of a comparison
    "policy": "the policy with its options; recorded is what really happened, as the log tells it",
    "machines": "which machines: recorded are those of the log",
    "load": "how many times as fast jobs come",
    "estimates": "what policies know of run times: the recorded estimates, exact ones, or so many times the recorded",
    "cluster_size": "number of machines; of a pool the amount of its first resource",
    "objective": "what the policy is made to minimise",
    "verdict": "valid, INVALID, FAILED, NO SCHEDULE or UNFINISHED: what the exact validator says of the schedule; "
    "recorded of what the log tells, which is measured and not judged",
    "problem": "why there is no valid schedule",
    "lower_bound": "no schedule has a smaller value of the policy's objective, proven",
    "gap": f"how far the policy's objective is above its lower bound: {_BOUND}",
    "guarantee": "the objective is at most so many times the best possible, on any workload, proven",
    "seconds": "time that the policy took",
    "jobs_per_second": "jobs that the policy scheduled in a second",
    "tasks_per_second": "tasks that the policy placed in a second",
    # of jobs
    "n_jobs": "jobs that the figures of the row are about",
    "awct": "average of weight times completion time, counted from the start of the workload",
    "awct_gap": f"how far the AWCT is above its lower bound: {_BOUND}",
    "weighted_completion": "sum of weight times completion time",
    "makespan": "when the last job completes, counted from the start of the workload",
    "makespan_gap": f"how far the makespan is above its lower bound: {_BOUND}",
    "avg_response": "mean time from submission to completion",
    "avg_response_gap": f"how far the mean response is above its lower bound: {_BOUND}",
    "weighted_avg_response": "mean time from submission to completion, each job weighted by length times size",
    "avg_wait": "mean time from submission to start",
    "max_wait": "longest time from submission to start",
    "max_wait_job": "id of the job that waits longest, or its name where it has one",
    "zero_wait_share": "share of the jobs that start at once",
    "wait_p50": "half of the jobs wait at most so long",
    "wait_p90": "90 % of the jobs wait at most so long",
    "wait_p95": "95 % of the jobs wait at most so long",
    "wait_p99": "99 % of the jobs wait at most so long",
    "avg_slowdown": "mean of response time over run time",
    "avg_bounded_slowdown": "mean of response time over run time, at least 1, where run times below --tau (10 s) count "
    "as so long",
    "utilisation": "share of the resource in use, from the first submission to the last completion",
    "avg_queue_all": "mean number of waiting jobs until all are done",
    "avg_queue_arrivals": "mean number of waiting jobs while jobs arrive",
    "max_queue": "most jobs that wait at one time",
    "steady_avg_response": "mean response without the first tenth of the jobs",
    "steady_weighted_avg_response": "the same, each job weighted by length times size",
    "queue_growth": "how much longer the queue is in the second half of the arrivals, over the first",
    "offered_load": "work that arrives per work that could be done, of the resource where that is most",
    "overtaken_share": "share of the jobs that a later one overtook while they waited",
    "avg_overtaken": "by how many later jobs a job was overtaken, in the mean",
    "max_overtaken": "by how many later jobs a job was overtaken at most",
    # of a calibration
    "distance": "mean difference between the sorted waits and the sorted recorded ones",
    "distance_share": "that difference over the mean recorded wait",
    "distance_per_job": "mean difference between the wait of a job and its recorded wait",
    "week": "the first day of a week of submissions, or its number where the log has no dates",
    "simulated_mean_wait": "mean time from submission to start under the closest policy",
    "simulated_wait_p95": "95 % of the jobs wait at most so long under the closest policy",
    # where machines fail or jobs are cancelled
    "n_killed": "runs that were ended before their time",
    "n_left_out": "jobs that did not complete",
    "lost_share": "share of the work in use that was lost with ended runs, of the resource that lost most",
    "goodput": "share of the resource that went into work that was not lost",
    "utilisation_of_up": "share in use of what was up",
    # of classes of jobs
    "class": "the class of jobs",
    "mean_wait": "mean time from submission to start",
    "mean_response": "mean time from submission to completion",
    "mean_slowdown": "mean of response time over run time",
    "mean_bounded_slowdown": "as the bounded slowdown of all jobs",
    "mean_times_overtaken": "by how many later jobs a job of the class was overtaken, in the mean",
    "n_completed": "jobs of the class that completed",
    "share_used": "part of all use that the class had",
    "share_lost": "part of its use that was lost with ended runs",
    # of tasks to colocate
    "max_cost": "the largest cost of a task, which depends on those that share its machine",
    "sum_cost": "the costs of all tasks together",
    # of jobs of parallel tasks
    "n_tasks": "tasks",
    "weighted_completion_time": "sum of weight times completion time of the jobs",
    "weighted_average_completion_time": "that sum over the sum of the weights",
    "weighted_delay": "sum of weight times the time from the release of the job to its completion",
    "weighted_average_delay": "that sum over the sum of the weights",
    "weighted_average": "the value over the sum of the weights",
    "holds_for": "the class of schedules that the bound holds for",
    "avg_synchronisation_delay": "how long tasks wait, when done, for the last task of their job, in the mean",
    "remote_share": "share of the tasks that ran where they are not local",
    "lp_status": "how the linear program of the policy ended",
    "lam": "the lambda that was chosen",
    "tau0": "the length that epochs grow to",
    "n_epochs": "epochs in which jobs were planned",
    "n_preemptions": "how often a task was interrupted",
    "n_migrations": "how often a task went on on another machine",
    # in slots
    "avg_flow_time": "mean time from arrival to completion",
    "l2_norm": "square root of the sum of squared times from arrival to completion",
    "l2_ratio": "that norm over the one of the processing times, which no schedule can be below",
    "flow_power_sum": "sum of the times from arrival to completion, each to the power k of the policy",
    "flow_norm": "the root of that sum",
    "l2_fractional": "square root of the fractional flow time with k = 2",
    "weighted_average_flow_time": "sum of weight times flow time over the sum of the weights",
    "max_slowdown": "largest flow time over processing time",
    "jain_index": "how equal the mean rates are at which jobs were served: 1 is equal",
    "n_live_migrations": "how often a job went on on another machine without a break",
    "n_refusals": "how often the machines had no room for what was decided",
    "n_unfinished": "jobs that are not complete after the slots that the run may have",
    "run_status": "finished, or max_slots: cut short",
    "gamma": "the gamma of the policy",
    "max_gap": "longest time that a job was not served",
    # of bounds
    "bound": "how it is proven",
    "value": "no schedule has a smaller value",
    "readable": "the same in a readable unit, per job where the objective is a sum",
    "value_per_job": "the value over the number of jobs",
    "is_exact": "whether the program was solved to the end",
    "status": "how the solver ended",
    # of two option sets
    "heading": "the figure",
    "figure": "the figure",
    "first": "with the options of --policy",
    "second": "with the options of --against",
    "difference": "second minus first",
    "percent": "the difference in percent of the first",
    "better": "which of the two is better, where one direction is",
}


def meaning_of(key: str) -> str:
    """What the values under a key say; the key itself in words where it says that."""
    base = next((known for known in MEANINGS if key.startswith(f"{known}_") and known == "utilisation"), key)
    return MEANINGS.get(base, key.replace("_", " "))
