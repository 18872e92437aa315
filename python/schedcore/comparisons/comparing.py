"""``schedcore.compare`` and ``schedcore.sweep``: what the command ``schedcore compare`` does, in Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from schedcore.comparisons.agreement import ReadWorkload, agreed_problem, run_policies
from schedcore.comparisons.asked_policies import AskedPolicies, asked_policies
from schedcore.comparisons.asked_workload import AskedWorkload, Workload
from schedcore.comparisons.comparison_table import ComparisonTable
from schedcore.comparisons.progress import shown_progress
from schedcore.comparisons.what_if import WhatIf, compare_varied, refuse_beside_variants
from schedcore.engine import build_config
from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model import Incidents, Machines
from schedcore.model.integers import checked_integer
from schedcore.model.real_numbers import finite_number
from schedcore.problems import kind_named
from schedcore.problems.job_classes import check_classes
from schedcore.problems.parallel_runs import n_workers
from schedcore.problems.presentation import quantity
from schedcore.problems.variant_texts import is_percentages, swept_points
from schedcore.reporting.comparison_page import Repetition
from schedcore.workloads.reading.machines_spec import MachineChoice
from schedcore.workloads.transforms.cluster_size import cluster_size

__all__ = ["compare", "sweep"]

Progress = Callable[[str, int, int], object] | bool | None


def compare(
    workload: Workload,
    policies: AskedPolicies | None = None,
    *,
    machines: MachineChoice | None = None,
    against_machines: MachineChoice | None = None,
    estimates: str | None = None,
    load: str | None = None,
    incidents: Incidents | None = None,
    problem: str | None = None,
    objective: str | None = None,
    classes: str | None = None,
    tau: float = 10.0,
    allow_loss: bool = False,
    workers: int | None = None,
    progress: Progress = None,
    **reader_options: Any,
) -> ComparisonTable:
    """Compare policies on one workload, of any kind, or on variants of it; see ``schedcore compare``.

    Parameters
    ----------
    workload : path-like, str, instance, or (instance, DataReport)
        A file or the text of a generator, as `schedcore.workloads.load` takes it, such as
        ``"azure_like:n_jobs=1000,n_machines=2"``; or an instance, whose times count as seconds.
    policies : optional
        Texts such as ``"easy:order=lxf"`` or pairs ``("easy", {"order": "lxf"})``, several in a list, or in a dict by
        the labels of their rows. ``"recorded"`` is what really happened, as far as the workload says it. By default
        the policies of ``schedcore compare``.
    machines : Machines, str or int, optional
        As `load` takes them. Signed percentages such as ``"+10%,-10%"`` are variants: so many more or fewer machines.
    against_machines : Machines, str or int, optional
        A variant: the same jobs on other machines.
    estimates, load : str, optional
        Variants: ``"exact"`` or ``"x0.5"``, and ``"x1.2"``: jobs come so many times as fast. Several with commas. Where
        several things are varied, all combinations stand beside what was recorded.
    incidents : Incidents, optional
        What happens unannounced. Beside variants, failures need the machines to stay.
    problem : str, optional
        What the workload is taken for, such as "slots"; by default what it has.
    objective : str, optional
        What the comparison is about: "wait" for logs of batch systems, else what policies are made for.
    classes : str, optional
        Waits by class of jobs too: "size", "share", "length", "shape", who submitted them, or one of their `notes`.
    tau : float
        Threshold of the bounded slowdown, in seconds.
    allow_loss : bool
        Whether to go on where more than 10 % of the work of any resource is left out.
    workers : int, optional
        How many policies run at the same time; by default one a processor. Times that policies take are longer beside
        others than alone, so 1 is for measuring these.
    progress : bool or callable, optional
        True shows bars on stderr. A function is called as ``progress(title, done, total)``, also from other threads.
    **reader_options
        Options of the reader of a file, or the `seed` of a generator (1).

    Returns
    -------
    ComparisonTable
        Every figure as ``schedcore compare`` tells it. A policy that fails is a row with a verdict, not an error.

    Raises
    ------
    InvalidInstanceError
        For a workload, a policy or an option that there is not, with close matches; whatever the reader refuses.
    UnsupportedError
        For policies that are for another kind of workload, and options that mean nothing to it.

    Notes
    -----
    Kernels hold no lock of the interpreter, so policies in threads use all cores. Every schedule is validated exactly,
    O(n_jobs log n_jobs) a policy beside the policy itself.
    """
    words = {
        "estimates": estimates,
        "load": load,
        "problem": problem,
        "objective": objective,
        "classes": classes,
    }
    for name, word in words.items():
        if word is not None and not isinstance(word, str):
            raise InvalidInstanceError(f"{name} = {one_line(repr(word))} must be a text")
    if machines is not None and not isinstance(machines, (str, Machines)):
        _count("machines", machines)
    what_if = WhatIf.of(
        machines if isinstance(machines, str) else None, _called(against_machines), estimates, load
    )
    if isinstance(machines, str) and is_percentages(machines):
        machines = None
    call = _call(
        "compare", workload, policies, machines=machines, against_machines=against_machines, estimates=estimates,
        load=load, incidents=incidents, problem=problem, objective=objective, classes=classes,
        tau=None if tau == 10.0 else tau, allow_loss=allow_loss or None, **reader_options,
    )  # fmt: skip
    asked_alike = _Asked(
        AskedWorkload(workload, reader_options, allow_loss), policies, incidents, tau, workers, progress, call
    )
    if what_if:
        refuse_beside_variants(classes=classes)
        return asked_alike.varied(what_if, machines, against_machines, problem, objective)
    return asked_alike.plain(machines, problem, objective, classes)


def sweep(
    workload: Workload,
    policies: AskedPolicies | None = None,
    *,
    machines: str | Iterable[int] | None = None,
    load: str | Iterable[float] | None = None,
    estimates: str | Iterable[float] | None = None,
    incidents: Incidents | None = None,
    objective: str | None = None,
    tau: float = 10.0,
    allow_loss: bool = False,
    workers: int | None = None,
    progress: Progress = None,
    **reader_options: Any,
) -> ComparisonTable:
    """Compare policies over a range of one thing, on one set of jobs; see ``schedcore compare --sweep``.

    Parameters
    ----------
    workload, policies, incidents, objective, tau, allow_loss, workers, progress, **reader_options
        As `compare` takes them.
    machines : str or iterable of int, optional
        Numbers of machines, or of units of the first resource of a pool: ``range(300, 401, 20)``, or in words
        ``"300..400:20"``.
    load, estimates : str or iterable of float, optional
        The same of factors: jobs come so many times as fast, users say so many times as long.

    Returns
    -------
    ComparisonTable
        A row a policy and point, points in rising order; `plot` draws the curve.

    Raises
    ------
    InvalidInstanceError, UnsupportedError
        As `compare`; unless exactly one thing is varied, and for points that are not above 0.
    """
    asked = {
        name: values
        for name, values in (("machines", machines), ("load", load), ("estimates", estimates))
        if values is not None
    }
    if len(asked) != 1:
        named = " and ".join(asked) or "none"
        raise InvalidInstanceError(
            f"a sweep is over one of machines, load and estimates, not {named}; on other machines than its own a "
            f"workload is read by schedcore.workloads.load"
        )
    ((name, values),) = asked.items()
    if isinstance(values, str):
        what_if = WhatIf.of(sweep=f"{name}={values}")
    elif isinstance(values, Iterable):
        what_if = WhatIf(swept_points(name, values), given={"sweep": name})
    else:
        raise InvalidInstanceError(
            f"sweep over {name}: {values!r} is neither a text such as 1..2:0.1 nor a list"
        )
    call = _call(
        "sweep", workload, policies, incidents=incidents, objective=objective, **asked,
        tau=None if tau == 10.0 else tau, allow_loss=allow_loss or None, **reader_options,
    )  # fmt: skip
    asked_alike = _Asked(
        AskedWorkload(workload, reader_options, allow_loss), policies, incidents, tau, workers, progress, call
    )
    return asked_alike.varied(what_if, None, None, None, objective)


@dataclass(frozen=True)
class _Asked:
    """What `compare` and `sweep` are asked alike."""

    workload: AskedWorkload
    policies: AskedPolicies | None
    incidents: Incidents | None
    tau: float
    workers: int | None
    progress: Progress
    call: str

    def __post_init__(self) -> None:
        with _refused_alike():
            finite_number("tau", self.tau, above_0=False)
        if self.workers is not None:
            _count("workers", self.workers)

    def repetition(self) -> Repetition:
        """How a page says that the comparison is made again."""
        files = [self.workload.given] if isinstance(self.workload.given, (str, os.PathLike)) else []
        return Repetition.of(self.call, str(build_config()["version"]), *(os.fspath(file) for file in files))

    def plain(
        self, machines: MachineChoice | None, kind: str | None, objective: str | None, classes: str | None
    ) -> ComparisonTable:
        """Policies on the workload as it is."""
        named, choices = kind_named(kind), asked_policies(self.policies)
        if classes is not None:
            check_classes(classes)
        read = self._read(machines)
        notes: list[str] = []
        asked_of, able = agreed_problem(
            read, choices, named, notes.extend, objective=objective, classes=classes
        )
        found = run_policies(
            asked_of, read.report, able, partial(shown_progress, self.progress), notes.extend,
            tau=self.tau, classes=classes, workers=n_workers(self.workers),
        )  # fmt: skip
        return ComparisonTable.of(asked_of, found, notes, self.repetition)

    def varied(
        self,
        what_if: WhatIf,
        machines: MachineChoice | None,
        against_machines: MachineChoice | None,
        kind: str | None,
        objective: str | None,
    ) -> ComparisonTable:
        """Policies on variants of it."""
        named, choices = kind_named(kind), asked_policies(self.policies)
        read = self._read(machines)
        incidents = self.incidents
        moved = what_if.against_machines is not None or "machines" in what_if.asked.changes
        if incidents is not None and incidents.failures is not None and moved:
            raise InvalidInstanceError("incidents: failures name machines, and these are varied")
        varied = what_if.variants(
            read._replace(incidents=None),
            lambda: self.workload.read(against_machines).inst,
            lambda inst: (inst, incidents),
            objective=objective,
            has_cancellations=incidents is not None and bool(incidents.cancellations),
            allow_loss=self.workload.allow_loss,
        )
        notes: list[str] = []
        asked_of, found = compare_varied(
            varied, choices, named, partial(shown_progress, self.progress), notes.extend,
            tau=self.tau, workers=n_workers(self.workers),
        )  # fmt: skip
        return ComparisonTable.of_variants(asked_of, found, notes, self.repetition)

    def _read(self, machines: MachineChoice | None) -> ReadWorkload:
        with shown_progress(self.progress):  # whatever it is not is refused before anything is read
            pass
        read = self.workload.read(machines)
        self.workload.check_incidents(self.incidents, read.inst)
        return read._replace(incidents=self.incidents)


def _call(name: str, workload: Workload, policies: AskedPolicies | None, **options: object) -> str:
    """The call that somebody made, in one line; options that are None were not given."""
    given = os.fspath(workload) if isinstance(workload, os.PathLike) else workload
    words = [given, *([] if policies is None else [policies])]
    named = [f"{key}={one_line(repr(value))}" for key, value in options.items() if value is not None]
    return f"schedcore.{name}({', '.join([*(one_line(repr(word)) for word in words), *named])})"


def _count(name: str, value: object) -> int:
    with _refused_alike():
        return checked_integer(name, value, 1)


@contextmanager
def _refused_alike() -> Iterator[None]:
    """What is no number at all is refused as a number out of bounds is."""
    try:
        yield
    except TypeError as error:
        raise InvalidInstanceError(str(error)) from None


def _called(machines: MachineChoice | None) -> str | None:
    """The name of other machines in a table: the words for them, or their size."""
    if machines is None or isinstance(machines, str):
        return machines
    if not isinstance(machines, Machines):
        return quantity(_count("against_machines", machines), "machine")
    size, counted = cluster_size(machines)
    return f"{size:,} {counted}"
