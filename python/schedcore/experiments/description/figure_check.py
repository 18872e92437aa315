"""Whether a figure can be drawn, and a claim measured: what belongs together, and what the sweep has for it."""

from collections.abc import Sequence
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.description.claim import Claim
from schedcore.experiments.description.conditions import check_conditions, values_of
from schedcore.experiments.description.declared import Scalar, check, is_number
from schedcore.experiments.description.figure import Figure
from schedcore.experiments.description.figure_kinds import KINDS, PLACE_OF, UNITS, WORKLOAD
from schedcore.experiments.description.refusals import placed, refuse_if
from schedcore.experiments.description.sweep import Sweep
from schedcore.model.choices import check_choice

__all__ = ["check_figure"]

_OF_TWO = ("ratio", "gain", "difference", "crossing", "p_value", "below")
_OF_GAINS = ("value", "difference", "ahead")


def check_figure(figure: Figure, sweep: Sweep, job_sets: Sequence[int]) -> None:
    """Raise an `InvalidInstanceError` that says what cannot be drawn or measured; the sweep has these job sets."""
    _check_kind(figure, sweep)
    if figure.unit is not None and figure.unit_length is None:
        check_choice("unit", figure.unit, UNITS)
    refuse_if(
        figure.unit_length is not None and not (figure.unit and figure.unit_length > 0),
        f"unit_length = {figure.unit_length!r} must be positive, with a unit",
    )
    or_workload = [*sweep.parameters, WORKLOAD]
    for name, entry in figure.where.items():
        check_choice("parameter", name, sweep.parameters)
        for value in values_of(entry):
            check(Scalar, f"where {name!r}", value)
    if figure.x is not None:
        check_choice("parameter", figure.x, or_workload if figure.kind == "groups" else sweep.parameters)
    if figure.panels is not None:
        check_choice("parameter", figure.panels, or_workload)
        refuse_if(figure.panels == figure.x, f"panels and x are both {figure.x!r}")
        refuse_if(bool(figure.published), "published values belong to a figure without panels")
    refuse_if(
        figure.panel_label is not None and figure.panels is None,
        "panel_label belongs to a figure with panels",
    )
    for name in figure.average_over:
        check_choice("parameter", name, sweep.parameters)
        refuse_if(name in (figure.x, figure.panels), f"{name!r} is averaged over, and among x and panels")
    with placed("without"):
        check_conditions(figure.without, sweep.parameters)
    for job_set in set(figure.job_sets or ()).difference(job_sets):
        raise InvalidInstanceError(f"job set {job_set} is not among those of the sweep")
    if figure.workload is not None:
        check_choice("workload", figure.workload, sweep.workloads)
    elif WORKLOAD not in (figure.panels, figure.x):
        refuse_if(len(sweep.workloads) > 1, f"which workload of {list(sweep.workloads)} is shown?")
    _check_policies(figure, sweep)
    x_values = _checked_x_values(figure, sweep)
    _check_shown("published_x: ", figure, figure.published_x, x_values)
    n_published = len(figure.published_x)
    for label, values in figure.published.items():
        refuse_if(
            len(values) != n_published,
            f"{len(values)} published values of {label!r} at {n_published} values of x",
        )
    for claim in figure.claims:
        with placed(f"claim {claim.text!r}"):
            _check_claim(claim, figure, list(figure.lines(sweep)), x_values, figure.panel_values(sweep))


def _check_kind(figure: Figure, sweep: Sweep) -> None:
    """Whether a figure has what its kind needs, and nothing that only others have."""
    kind = KINDS[figure.kind]
    for key in dict.fromkeys(key for other in KINDS.values() for key in other.takes):
        if getattr(figure, key) not in (None, False, (), {}) and key not in kind.takes:
            takers = ", ".join(name for name, other in KINDS.items() if key in other.takes)
            is_of_ratios = key == "lower_bound" and "ratio" in kind.columns
            instead = "; y = 'ratio' shows values over theirs" if is_of_ratios else ""
            raise InvalidInstanceError(
                f"a figure of kind {figure.kind!r} has no {key} (kinds with one: {takers}){instead}"
            )
    refuse_if("x" in kind.takes and figure.x is None, f"a figure of kind {figure.kind!r} has an x")
    check_choice("y", figure.y, kind.columns)
    needed = kind.needed_keep(figure.y)
    refuse_if(
        bool(needed) and needed not in sweep.keep,
        f"kind {figure.kind!r} needs keep = [{needed!r}] in the sweep {figure.sweep!r}",
    )


def _check_policies(figure: Figure, sweep: Sweep) -> None:
    """The policies and lines that are shown: that there are some, all of the sweep, and none twice."""
    shown = figure.shown_policies(sweep)
    if figure.baseline is not None:
        check_choice("policy", figure.baseline, sweep.policies)
        refuse_if(figure.baseline in shown, f"{figure.baseline!r} is the baseline and among the policies")
        is_measured = figure.unit is not None or figure.lower_bound
        refuse_if(is_measured, "a gain over a baseline has neither unit nor lower_bound")
    refuse_if(not shown, "no policy is shown")
    for name in (*shown, *figure.published):
        check_choice("policy", name, sweep.policies)
    for label, (policy, column) in figure.also.items():
        with placed(f"also {label!r}"):
            check_choice("policy", policy, sweep.policies)
            check_choice("y", column, KINDS[figure.kind].columns)
            refuse_if(label in shown, "this is one of the policies")
            own, other = PLACE_OF[figure.y], PLACE_OF[column]
            refuse_if(own != other, f"{column} is over {other}, and {figure.y} over {own}")


def _checked_x_values(figure: Figure, sweep: Sweep) -> list[Any]:
    """The values of `x` that are shown; each has one point in every panel."""
    part = figure.shown_part(sweep)
    points = list(part.points())
    left_out = " and is not left out" if figure.without else ""
    refuse_if(not points, f"no point of the sweep {figure.sweep!r} has {dict(figure.where)}{left_out}")
    idle = set(part.policies).difference(*map(part.policies_at, points))
    refuse_if(bool(idle), f"policy {min(idle, default='')!r} runs at no point that is shown")
    for name in sweep.parameters:
        values = {repr(point[name]) for point in points}
        has_place = name in (figure.x, figure.panels, *figure.average_over) or figure.kind == "boxes"
        refuse_if(
            len(values) > 1 and not has_place,
            f"{name} has the values {', '.join(sorted(values))}; say which one under where",
        )
    x_values = [] if figure.x_name is None else figure.x_values(sweep)
    for value in x_values:
        refuse_if(
            figure.kind == "lines" and figure.x_column is None and not is_number(value),
            f"{figure.x} = {value!r} has no place on an axis; a number is needed, or an x_column",
        )
    return x_values


def _check_claim(
    claim: Claim, figure: Figure, shown: Sequence[str], x_values: Sequence[Any], panel_values: Sequence[Any]
) -> None:
    """Whether the figure, which shows these policies, x and panels, has the number of a claim."""
    quantity, n_policies = claim.quantity, len(claim.policies)
    wanted = 2 if quantity in _OF_TWO else 1
    refuse_if(n_policies != wanted, f"{quantity} needs {wanted} policies, not {n_policies}")
    for policy in claim.policies:
        check_choice("policy", policy, shown)
    refuse_if(
        (quantity == "share") != (figure.kind == "delays"),
        "share belongs to figures of kind 'delays', and nothing else does",
    )
    refuse_if(bool(claim.within) and quantity != "share", f"within = {claim.within} belongs to a share")
    refuse_if(quantity == "below" and figure.kind != "curves", "below belongs to figures of kind 'curves'")
    refuse_if(quantity == "crossing" and figure.x_name is None, "a figure without x has no crossing")
    refuse_if(
        figure.baseline is not None and quantity not in _OF_GAINS,
        f"a figure with a baseline has gains: {', '.join(_OF_GAINS)}, no {quantity}",
    )
    refuse_if(
        quantity == "ahead" and not (figure.baseline and figure.average_over),
        "ahead belongs to figures with a baseline that average over parameters",
    )
    what = f"is not among {list(panel_values)}" if figure.panels else "belongs to a figure with panels"
    refuse_if(claim.panel not in panel_values, f"panel = {claim.panel!r} {what}")
    needed = 0 if figure.x_name is None or quantity == "crossing" else wanted
    what = f"needs {needed} values of {figure.x_name}" if needed else "says nothing here"
    refuse_if(len(claim.at) != needed, f"at = {list(claim.at)} {what}")
    _check_shown("", figure, claim.at, x_values)


def _check_shown(key: str, figure: Figure, values: Sequence[Any], x_values: Sequence[Any]) -> None:
    """Refuse values of `x` that the figure does not show."""
    known = set(x_values)
    for x in values:
        if x not in known:
            raise InvalidInstanceError(f"{key}{figure.x_name} = {x!r} is not among {list(x_values)}")
