"""What if: the same jobs with more machines, other machines, other estimates or more traffic, one variant each."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import Instance
from schedcore.model.arrays import BoolArray
from schedcore.model.cluster_workload import jobs_with_room
from schedcore.model.dependencies import AFTER
from schedcore.problems.variant_texts import AS_RECORDED, Asked
from schedcore.workloads.transforms.cluster_size import cluster_size

__all__ = ["CommonJobs", "Variant", "common_jobs", "jobs_of_both", "variants_of"]


@dataclass(frozen=True)
class Variant:
    """One way in which things could have been.

    Attributes
    ----------
    labels : dict of str to str
        What was changed ("machines", "load", "estimates") -> how, as somebody asked for it.
    inst : Instance
    is_recorded : bool
        Nothing was changed, so what really happened belongs beside it.
    is_only_recorded : bool
        It is there for what really happened alone, and no policy runs on it.
    is_pool : bool or None
        As `cluster_size` takes it: whether the machines are one because they stand for a whole cluster.
    point : float or None
        Where it stands in a sweep.
    """

    labels: Mapping[str, str]
    inst: Instance
    is_recorded: bool = False
    is_only_recorded: bool = False
    is_pool: bool | None = None
    point: float | None = None

    @property
    def size(self) -> tuple[int, str]:
        """The size of its cluster, and what that counts; one machine that is left of several is no pool."""
        return cluster_size(self.inst.machines, is_pool=self.is_pool)

    @property
    def words(self) -> str:
        """Its labels in one line."""
        return ", ".join(f"{name} {label}" for name, label in self.labels.items())


def variants_of(inst: Instance, asked: Asked, others: Sequence[tuple[str, Instance]] = ()) -> list[Variant]:
    """Return the variants of an instance, the recorded one first; of a sweep its points.

    Where several things are varied, all combinations follow the recorded one. `others` are instances with the same
    jobs, in the same order, on machines that are called so.

    Raises
    ------
    UnsupportedError
        For another kind of instance than jobs that run in one piece.
    InvalidInstanceError, UnsupportedError
        Whatever a change refuses.
    """
    if not isinstance(inst, Instance):
        raise UnsupportedError("what-if is about jobs that run in one piece")
    names = [*(["machines"] if others else []), *asked.changes]
    is_pool = inst.n_machines == 1
    if asked.points:
        (changes,) = asked.changes.values()
        points = [
            Variant({names[0]: label}, change(inst), is_pool=is_pool, point=point)
            for (label, change), point in zip(changes, asked.points, strict=True)
        ]
        truth = Variant(
            {names[0]: AS_RECORDED}, inst, is_recorded=True, is_only_recorded=True, is_pool=is_pool
        )
        return [*points, *([truth] if inst.jobs.uses("recorded_start_time") else [])]
    variants = [Variant(dict.fromkeys(names, AS_RECORDED), inst, is_recorded=True, is_pool=is_pool)]
    bases: list[tuple[str | None, Instance]] = [*others] or [(None, inst)]
    for base_label, base in bases:
        for combination in itertools.product(*asked.changes.values()):
            changed = base
            for _, change in combination:
                changed = change(changed)
            labels = {} if base_label is None else {"machines": base_label}
            labels |= {name: word for name, (word, _) in zip(asked.changes, combination, strict=True)}
            if labels == variants[0].labels:
                continue
            variants.append(Variant(labels, changed, is_pool=base.n_machines == 1))
    return variants


@dataclass(frozen=True)
class CommonJobs:
    """Variants with one set of jobs: those that can run in all of them.

    Attributes
    ----------
    variants : list of Variant
    n_left_out : int
        Jobs that can run in some variants only, or wait for such jobs.
    n_unmeasured : int
        Those of them of which the work is not known, as the recorded machines do not have them.
    work_left_out : dict of str to float
        Resource -> the share of all work that they have.
    """

    variants: list[Variant]
    n_left_out: int
    work_left_out: dict[str, float]
    n_unmeasured: int = 0


def common_jobs(
    variants: Sequence[Variant], whole: Instance | None = None, n_of_others: int = 0
) -> CommonJobs:
    """Leave those jobs out of all variants that do not fit some of them.

    Parameters
    ----------
    variants : sequence of Variant
        All with the same jobs, in the same order.
    whole : Instance, optional
        What these jobs are a part of: those of it that no variant has count as left out, too.
    n_of_others : int
        Jobs that were left out before, and are not in `whole`.

    Raises
    ------
    InvalidInstanceError
        If no job is left, although there were some; names the variant in which none fits, or the first.

    Notes
    -----
    O(n_jobs * n_resources) a variant on a pool, else as the search for room on an empty cluster.
    """
    base = variants[0].inst
    fits = np.ones(base.n_jobs, dtype=np.bool_)
    for variant in variants:
        fits &= jobs_with_room(variant.inst)
        if base.n_jobs and not fits.any():
            raise InvalidInstanceError(
                f"{variant.words}: no job is left that fits all variants up to this one"
            )
    whole = base if whole is None else whole
    if fits.all() and base.n_jobs == whole.n_jobs and not n_of_others:
        return CommonJobs(list(variants), 0, {})
    fits = _without_those_who_wait(base, fits)
    if not fits.any() and base.n_jobs:
        raise InvalidInstanceError(
            f"{variants[0].words}: all jobs wait for some that do not fit all variants"
        )
    stay = np.isin(whole.jobs.id, base.jobs.id[fits])
    work = (whole.demand_of_all_tasks() * whole.processing_time[:, np.newaxis]).astype(np.float64)
    total, lost = work.sum(axis=0), work[~stay].sum(axis=0)
    names = base.machines.resource_names
    shares = {name: float(lost[k] / total[k]) if total[k] else 0.0 for k, name in enumerate(names)}
    return CommonJobs(
        [replace(variant, inst=variant.inst.take_jobs(fits)) for variant in variants],
        int((~stay).sum()) + n_of_others,
        shares,
        n_of_others,
    )


def jobs_of_both(first: Instance, second: Instance) -> tuple[Instance, Instance]:
    """Return both with the jobs that both have, by their ids, in the order of the first; O(n_jobs log n_jobs).

    Raises
    ------
    InvalidInstanceError
        If they have none in common, though the first has some.
    """
    both = _without_those_who_wait(first, np.isin(first.jobs.id, second.jobs.id))
    stay = _without_those_who_wait(second, np.isin(second.jobs.id, first.jobs.id[both]))
    both = _without_those_who_wait(first, np.isin(first.jobs.id, second.jobs.id[stay]))
    if not both.any() and first.n_jobs:
        raise InvalidInstanceError("no job fits both machines")
    order = np.argsort(second.jobs.id, kind="stable")
    rows = order[np.searchsorted(second.jobs.id[order], first.jobs.id[both])]
    return first.take_jobs(both), second.take_jobs(rows)


def _without_those_who_wait(inst: Instance, kept: BoolArray) -> BoolArray:
    """Those of `kept` that wait for no job that goes, straight or through others."""
    used = [name for name in AFTER if inst.jobs.uses(name)]
    if not used:
        return kept
    order = np.argsort(inst.jobs.id)
    while True:
        before = int(kept.sum())
        for name in used:
            lists = inst.jobs.id_lists(name)
            awaited = order[np.searchsorted(inst.jobs.id[order], lists.values)]
            kept = kept.copy()
            kept[lists.row_of_value[~kept[awaited]]] = False
        if int(kept.sum()) == before:
            return kept
