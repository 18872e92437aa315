"""What a change of the cluster or of its queue does to the jobs that wait now."""

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from schedcore.engine.online import OnlineScheduler
from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model import Machines
from schedcore.model.arrays import FloatArray
from schedcore.model.real_numbers import finite_number
from schedcore.workloads.reading.hostlists import compress_hostlist, expand_hostlist

from .asked_jobs import AskedJobs, columns_of_rows, rows_of_jobs
from .outlook import Outlook, forecast_policy
from .state import SlurmState

__all__ = ["ChangedStarts", "what_if"]

_ADDED = re.compile(r"([1-9][0-9]{0,5})x(\S+)")


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class ChangedStarts(AskedJobs):
    """When waiting jobs start as things are, and after a change; a row for each job.

    Parameters
    ----------
    now, id, called, user, partition
        As of `AskedJobs`.
    policy, changed_policy : str
        The policies that were played.
    before, after : (n,) float64
        Expected starts, if every run takes its limit, and nobody comes or goes; inf for a job that does not start.
    """

    policy: str
    changed_policy: str
    before: FloatArray
    after: FloatArray

    @property
    def change(self) -> FloatArray:
        """Seconds by which each job starts later; negative: earlier. 0 for one that starts in neither case."""
        both = np.isfinite(self.before) | np.isfinite(self.after)
        change = np.zeros(len(self.id))
        np.subtract(self.after, self.before, out=change, where=both)
        return change

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the jobs as rows of plain values, by name; what is not finite is None."""
        for row, change in enumerate(self.change.tolist()):
            yield {
                **self.row(row),
                "before": _finite(self.before[row]),
                "after": _finite(self.after[row]),
                "change": _finite(change),
            }

    def summary(self) -> dict[str, Any]:
        """Return how many jobs start earlier, later and when before, and mean and 95 % waits from now on, in seconds.

        Waits are those of the jobs that start in both cases, of which ``"start_in_both"`` is the number, and None where
        there are none.
        """
        change, both = self.change, np.isfinite(self.before) & np.isfinite(self.after)
        waits = {}
        for name, starts in (("before", self.before), ("after", self.after)):
            wait = starts[both] - self.now
            waits[f"mean_wait_{name}"] = float(wait.mean()) if both.any() else None
            waits[f"wait_95_{name}"] = (
                float(np.quantile(wait, 0.95, method="inverted_cdf")) if both.any() else None
            )
        return {
            "jobs": len(self.id),
            "earlier": int((change < 0).sum()),
            "later": int((change > 0).sum()),
            "never_before": int(np.isinf(self.before).sum()),
            "never_after": int(np.isinf(self.after).sum()),
            "start_in_both": int(both.sum()),
            **waits,
        }


def what_if(
    state: SlurmState,
    *,
    close: str | Iterable[str] = (),
    add: str | Iterable[str] = (),
    policy: str | None = None,
    options: Mapping[str, Any] | None = None,
    priority: Mapping[str | int, float] | None = None,
    cancel: Iterable[str | int] = (),
) -> ChangedStarts:
    """Return what changes for the jobs that wait now, if something else were so.

    Parameters
    ----------
    state : SlurmState
    close : str or iterable of str
        Nodes that start no more jobs, such as ``n[1-4]``; what runs there goes on to its end.
    add : str or iterable of str
        Nodes that join: how many of which kind, such as ``4xn17`` for four more nodes like n17, or ``4xgpu`` where all
        nodes with the feature gpu are alike.
    policy, options : str, mapping of str
        Another policy, as `when` takes it. Default: the one that `when` plays.
    priority : mapping of str or int to float
        Jobs as `when` takes them -> their new priorities, in the numbers of Slurm: higher ones first. 0 holds a job,
        and any other number releases one that a user or an administrator holds, as ``scontrol update`` does.
    cancel : iterable of str or int
        Jobs that leave the queue; they are in no row.

    Returns
    -------
    ChangedStarts
        In the order of the waiting jobs of the state.

    Raises
    ------
    InvalidInstanceError
        For nodes and kinds that the cluster does not have, jobs that do not wait, and a job with two priorities.

    Notes
    -----
    Costs twice what `when` costs without a history. Nothing is changed on the cluster.
    """
    waiting = state.waiting
    now_plays = forecast_policy(state)
    then_plays = forecast_policy(state, policy, options) if policy is not None or options else now_plays
    closed = _nodes(state, close)
    joined = [_joined(state, word) for word in ([add] if isinstance(add, str) else add)]
    leaves = rows_of_jobs(state, cancel)
    priorities = _priorities(state, priority or {})
    held = waiting.held.copy()
    for row, number in priorities.items():
        held[row] = number == 0 or not (waiting.is_releasable[row] or not held[row])

    def change(scheduler: OnlineScheduler) -> None:
        if closed:
            scheduler.close(closed, state.now)
        for machines in joined:
            scheduler.add_machines(machines, state.now)
        if priorities:
            scheduler.update(waiting.jobs.id[list(priorities)], state.now, priority=list(priorities.values()))
        if len(leaves):
            scheduler.cancel(waiting.jobs.id[leaves], state.now)

    rows = np.setdiff1d(np.arange(waiting.jobs.n_jobs), leaves)
    ids = waiting.jobs.id[rows]
    return ChangedStarts(
        **columns_of_rows(state, rows),
        policy=now_plays.called,
        changed_policy=then_plays.called,
        before=Outlook(state, now_plays).expected(ids),
        after=Outlook(state, then_plays, change, held).expected(ids),
    )


def _priorities(state: SlurmState, asked: Mapping[str | int, float]) -> dict[int, float]:
    """Return the new priority of each row of ``state.waiting`` that gets one."""
    priorities: dict[int, float] = {}
    for word, value in asked.items():
        number = finite_number(f"priority of job {word}", value, above_0=False)
        for row in rows_of_jobs(state, [word]).tolist():
            if priorities.setdefault(row, number) != number:
                raise InvalidInstanceError(
                    f"job {state.waiting.called[row]} is given two priorities, {priorities[row]:g} and {number:g}"
                )
    return priorities


def _nodes(state: SlurmState, words: str | Iterable[str]) -> list[int]:
    """Return the indices of nodes, each once."""
    index = {node.name: machine for machine, node in enumerate(state.site.nodes)}
    found: dict[int, None] = {}
    for word in [words] if isinstance(words, str) else words:
        hosts = expand_hostlist(word)
        if not hosts:
            raise InvalidInstanceError(f"{word!r} names no node to close; {_some(list(index))} are there")
        for host in hosts:
            if host not in index:
                raise InvalidInstanceError(f"there is no node {host}; {_some(list(index))} are there")
            found[index[host]] = None
    return list(found)


def _joined(state: SlurmState, word: str) -> Machines:
    match = _ADDED.fullmatch(word)
    if match is None:
        raise InvalidInstanceError(
            f"{one_line(repr(word))} does not say how many nodes of which kind, as 4xn17 does"
        )
    kind, machines = _kind(state, match[2]), state.machines
    names, number = set(machines.names), int(match[1])
    fresh = (name for k in itertools.count(1) if (name := f"{match[2]}+{k}") not in names)
    return Machines(
        np.repeat(machines.capacity[kind : kind + 1], number, axis=0),
        machines.resource_names,
        names=list(itertools.islice(fresh, number)),
        labels=[_labels(state, kind)] * number,
        weight=[machines.weight[kind]] * number,
    )


def _labels(state: SlurmState, machine: int) -> list[str]:
    """Return the labels of a node, but for the one that it has alone."""
    return sorted(label for label in state.machines.labels[machine] if not label.startswith("node="))


def _kind(state: SlurmState, name: str) -> int:
    """Return the index of a node of this kind: that node, or any with this feature."""
    nodes, capacity = state.site.nodes, state.machines.capacity
    named = [machine for machine, node in enumerate(nodes) if node.name == name]
    alike = named or [machine for machine, node in enumerate(nodes) if name in node.features]
    if not alike:
        there = _some([node.name for node in nodes])
        raise InvalidInstanceError(f"{name} is neither a node nor a feature of one; {there} are nodes")
    kinds = {(tuple(capacity[machine]), tuple(_labels(state, machine))) for machine in alike}
    if len(kinds) > 1:
        raise InvalidInstanceError(
            f"the {len(alike)} nodes with the feature {name} are of {len(kinds)} kinds; "
            f"name one of them, as in 4x{nodes[alike[0]].name}"
        )
    return alike[0]


def _some(names: list[str]) -> str:
    return compress_hostlist(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def _finite(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None
