"""What if, in words: more machines, other estimates, more traffic, a range of any of them."""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance
from schedcore.model.choices import check_choice
from schedcore.workloads.transforms.arrivals import scale_release_times
from schedcore.workloads.transforms.cluster_size import cluster_size, with_cluster_size
from schedcore.workloads.transforms.estimates import exact_estimates, scale_estimates

__all__ = ["AS_RECORDED", "SWEPT", "Asked", "is_percentages", "parse_variants", "swept_points"]

#: What a variant is called that changes nothing.
AS_RECORDED = "recorded"
#: What a sweep can go over.
SWEPT = ("machines", "load", "estimates")

_MOST_POINTS = 1000
_NUMBER = r"\d+(?:\.\d+)?"
_RANGE = re.compile(rf"\s*(\w+)\s*=\s*({_NUMBER})\s*\.\.\s*({_NUMBER})\s*(?::\s*({_NUMBER}))?\s*")

Change = Callable[[Instance], Instance]


@dataclass(frozen=True)
class Asked:
    """The changes that were asked for, by what they change."""

    changes: Mapping[str, Sequence[tuple[str, Change]]]
    points: Sequence[float] = ()

    def __bool__(self) -> bool:
        return bool(self.changes)


def parse_variants(
    machines: str | None = None,
    estimates: str | None = None,
    load: str | None = None,
    sweep: str | None = None,
) -> Asked:
    """Read what should be varied.

    Parameters
    ----------
    machines : str, optional
        Signed percentages such as ``"+10%,-10%"``: so many more or fewer machines.
    estimates : str, optional
        ``"exact"``, a factor such as ``"x0.5"``, or ``"recorded"``; several with commas.
    load : str, optional
        A factor of the traffic, such as ``"x1.2"``: jobs come so many times as fast; several with commas.
    sweep : str, optional
        ``"machines=300..400:20"``: a number of machines, or of units of the first resource of a pool, from, to and
        in steps of; likewise ``load`` and ``estimates`` as factors.

    Raises
    ------
    InvalidInstanceError
        For a text that is not of this form, a variant twice, something that is varied twice, and a sweep without a
        point or with more than 1000.
    """
    changes: dict[str, list[tuple[str, Change]]] = {}
    for name, text, parse in (
        ("machines", machines, _percentage),
        ("estimates", estimates, _estimates),
        ("load", load, _load),
    ):
        if text is not None:
            words = [word.strip() for word in text.split(",")]
            same = [re.sub(_NUMBER, lambda number: str(Fraction(number[0])), word) for word in words]
            for word, meant in zip(words, same, strict=True):
                if same.count(meant) > 1:
                    raise InvalidInstanceError(f"{name} {text!r}: {word!r} is given twice")
            found = [(word, parse(word)) for word in words if word != AS_RECORDED]
            changes[name] = found or [(AS_RECORDED, _unchanged)]
    if sweep is None:
        return Asked(changes)
    if changes:
        raise InvalidInstanceError(
            f"sweep {sweep!r} is given with {' and '.join(changes)}: a sweep varies one thing"
        )
    return _sweep(*_points(sweep))


def swept_points(name: str, values: Iterable[float]) -> Asked:
    """The points of a sweep over `name` that somebody lists, as rising numbers.

    Raises
    ------
    InvalidInstanceError
        For something that is no number, a point twice, and as a sweep in words.
    """
    points: list[Fraction] = []
    for value in values:
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            raise InvalidInstanceError(f"sweep over {name}: {value!r} is no number")
        points.append(Fraction(str(value)))
    points.sort()
    for before, point in itertools.pairwise(points):
        if before == point:
            raise InvalidInstanceError(f"sweep over {name}: {point} is given twice")
    if not points:
        raise InvalidInstanceError(f"sweep over {name} has no point")
    _check_points(f"sweep over {name}", name, len(points), points)
    return _sweep(name, points)


def _sweep(name: str, points: Sequence[Fraction]) -> Asked:
    return Asked({name: [_swept(name, point) for point in points]}, [float(point) for point in points])


def _unchanged(inst: Instance) -> Instance:
    return inst


def _percentage(word: str) -> Change:
    match = re.fullmatch(r"([+-]\d+(?:\.\d+)?)\s*%", word)
    if match is None:
        raise InvalidInstanceError(
            f"machines {word!r} is not a signed percentage such as +10% or -10%; percentages and machines in other "
            "words do not go together"
        )
    factor = 1 + Fraction(match[1]) / 100
    if factor <= 0:
        raise InvalidInstanceError(f"machines {word!r} leaves no machine")

    def resize(inst: Instance) -> Instance:
        size, counted = cluster_size(inst.machines)
        changed = math.floor(size * factor + Fraction(1, 2))
        if changed == size and factor != 1:
            raise InvalidInstanceError(f"machines {word!r} of {size:,} {counted} changes nothing")
        return with_cluster_size(inst, changed)

    return resize


def is_percentages(machines: str) -> bool:
    """Whether a text about machines is one of signed percentages, and not machines themselves."""
    return re.match(r"\s*[+-]", machines) is not None or "%" in machines


def _factor(name: str, word: str) -> float:
    match = re.fullmatch(rf"x({_NUMBER})", word)
    if match is None or not 0 < float(match[1]) < math.inf:
        others = "exact, recorded or " if name == "estimates" else ""
        raise InvalidInstanceError(f"{name} {word!r} is not {others}a factor above 0 such as x1.2")
    return float(match[1])


def _estimates(word: str) -> Change:
    if word == "exact":
        return exact_estimates
    factor = _factor("estimates", word)
    return lambda inst: scale_estimates(inst, factor)


def _load(word: str) -> Change:
    factor = _factor("load", word)
    return lambda inst: _faster(inst, factor)


def _points(sweep: str) -> tuple[str, list[Fraction]]:
    match = _RANGE.fullmatch(sweep)
    if match is None:
        raise InvalidInstanceError(f"sweep {sweep!r} is not NAME=FROM..TO:STEP, such as machines=300..400:20")
    name = match[1]
    check_choice("sweep", name, SWEPT)
    first, last, step = (Fraction(number or "1") for number in match.groups()[1:])
    if step == 0 or first > last:
        raise InvalidInstanceError(f"sweep {sweep!r} has no point: from {first} to {last} in steps of {step}")
    n_points = (last - first) // step + 1
    points = [first + step * number for number in range(min(n_points, _MOST_POINTS))]
    _check_points(f"sweep {sweep!r}", name, n_points, points)
    return name, points


def _check_points(called: str, name: str, n_points: int, points: Sequence[Fraction]) -> None:
    """Refuse too many points, machines in parts, and points that are not above 0; `points` rise."""
    if n_points > _MOST_POINTS:
        raise InvalidInstanceError(f"{called} has {n_points:,} points; at most {_MOST_POINTS:,} are run")
    if name == "machines" and any(point.denominator != 1 for point in points):
        raise InvalidInstanceError(f"{called}: there are only whole machines")
    if points[0] <= 0:
        raise InvalidInstanceError(f"{called}: its first point must be above 0")


def _swept(name: str, point: Fraction) -> tuple[str, Change]:
    if name == "machines":
        size = int(point)
        return str(size), lambda inst: with_cluster_size(inst, size)
    factor = float(point)
    scale = scale_estimates if name == "estimates" else _faster
    return f"x{factor:.12g}", lambda inst: scale(inst, factor)


def _faster(inst: Instance, factor: float) -> Instance:
    return scale_release_times(inst, 1 / factor)
