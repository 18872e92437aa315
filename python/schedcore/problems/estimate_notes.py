"""With which times policies decide, where jobs have estimates: the others know more, and so are no fair rivals."""

from collections.abc import Sequence

import numpy as np

from schedcore import registry
from schedcore.model import Instance
from schedcore.problems.policy_choice import PolicyChoice
from schedcore.workloads.reading.report import DataReport
from schedcore.workloads.reading.report_warnings import written_share

__all__ = ["notes_on_estimates"]


def notes_on_estimates(inst: Instance, choices: Sequence[PolicyChoice], report: DataReport) -> list[str]:
    """A sentence on which policies decide with the estimates of the jobs; none where these have none. O(n_jobs)."""
    names = [choice.name for choice in choices if not choice.is_recorded]
    if not inst.jobs.has_estimates or not names:
        return []
    decides_with = {name: registry.get(name).decides_with for name in names}
    told = [name for name, time in decides_with.items() if time == "estimated_processing_time"]
    others = len(told) < len(decides_with)
    believers, missing = ", ".join(told) or "no policy", report.estimates_missing
    if missing == 1 or np.array_equal(inst.jobs.estimated_processing_time, inst.processing_time):
        others_are = (
            ""
            if missing == 1
            else "; all other estimates are exact"
            if missing
            else "all estimates are exact"
        )
        lack = f"{written_share(missing)} have no estimate" if missing else ""
        return [f"decided with the true run times of the jobs: all policies ({lack}{others_are})"]
    instead = f" (the true run time of the {written_share(missing)} that have none)" if missing else ""
    more = "; what other policies know of a job's length is the true one" if others else ""
    return [f"decided with the estimates of the jobs{instead}: {believers}{more}"]
