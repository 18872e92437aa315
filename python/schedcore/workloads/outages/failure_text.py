"""Failures as a short text: ``mtbf=30d mttr=4h seed=1`` draws them, the path of a file reads them."""

import os

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines, Outages
from schedcore.model.choices import check_choice
from schedcore.model.coded_texts import checked_text
from schedcore.model.real_numbers import shown
from schedcore.workloads.outages.failure_model import draw_failures
from schedcore.workloads.outages.outage_table import read_outages
from schedcore.workloads.outages.times import Origin, parse_duration

__all__ = ["parse_failures"]

_WORDS = ("mtbf", "mttr", "seed", "horizon")
_NEEDED = ("mtbf", "mttr")
_LONGEST_SEED = 20  # digits of 2**64 - 1
_EXAMPLE = "'mtbf=30d mttr=4h seed=1'"


def parse_failures(
    text: str, machines: Machines, origin: Origin = None, horizon: float | None = None
) -> Outages:
    """Read failures from a file, or draw them as a text says.

    Parameters
    ----------
    text : str
        The path of a CSV file (see `read_outages`), or words ``name=value`` between blanks or commas: ``mtbf`` and
        ``mttr``, the mean times between failures and to repair, as durations; ``seed``, 1 where it is left out;
        ``horizon``, the duration from time 0 within which failures begin. See `draw_failures`. A file goes before such
        a text.
    machines : Machines
        Whose names the file has, or which fail.
    origin : datetime or str, optional
        The date of time 0, for dates of the file.
    horizon : float, optional
        In seconds, where the text does not say it.

    Raises
    ------
    InvalidInstanceError
        For a text that is neither, an unknown word (with the close matches), one that is missing or comes twice, and
        whatever `read_outages` and `draw_failures` refuse.
    TypeError
        For a text that is no str.
    """
    if os.path.isfile(checked_text(text, "failures")):
        return read_outages(text, machines, origin)
    given: dict[str, str] = {}
    for word in text.replace(",", " ").split():
        name, equals, value = word.partition("=")
        if not equals:
            raise InvalidInstanceError(
                f"failures {shown(text)!r} are neither words such as {_EXAMPLE} nor the path of a file"
            )
        check_choice(f"word for {shown(text)!r}", name, _WORDS)
        if name in given:
            raise InvalidInstanceError(f"failures {shown(text)!r}: {name} is given twice")
        given[name] = value
    missing = [name for name in _NEEDED if name not in given]
    if missing:
        raise InvalidInstanceError(f"failures {shown(text)!r} need {' and '.join(missing)}, as in {_EXAMPLE}")
    try:
        times = {name: parse_duration(value) for name, value in given.items() if name != "seed"}
        seed = _seed(given.get("seed", "1"))
        within = times.get("horizon", horizon)
        if within is None:
            raise InvalidInstanceError(
                "nothing says until when they begin; add horizon=, such as horizon=90d"
            )
        return draw_failures(machines, within, times["mtbf"], times["mttr"], seed)
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"failures {shown(text)!r}: {error}") from None


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= _LONGEST_SEED):
        raise InvalidInstanceError(f"seed = {shown(text)} is no integer in [0, 2**64)")
    return int(text)
