"""The tables and drawings of docs/ocorp-evaluation.md, from the results of its experiments.

Run as a script with the results folders, it rewrites what stands between the marks of the page, and the drawings that
it shows, in ``docs/images``::

    python docs/ocorp_tables.py results/ocorp-evaluation results/ocorp-google

The text of a claim of these experiments is ``who says so: what it says; where``. Some tables have a row for what is
said and a column for each place, such as a way to serve jobs and a load.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from marked_tables import Tables, rewrite

from schedcore.experiments import Results
from schedcore.experiments.report.tables import FigureTable, claims_table, markdown, written
from schedcore.experiments.results.claims import DIFFERS, VERDICTS, ClaimOutcome

PAGE = Path(__file__).parent / "ocorp-evaluation.md"
SERVICES = ("shared", "whole", "repacked")
#: Part that a mark names -> the figures with its claims.
GROUPS = {
    "cores": (
        "figure-2-overall",
        "figure-2",
        *(f"{name}{suffix}" for name in ("figure-3", "figure-4") for suffix in ("", "-whole", "-repacked")),
        "figure-3-makespan",
        *(f"figure-4-mean{suffix}" for suffix in ("", "-whole", "-repacked")),
    ),
    "switching": ("figure-5", "figure-6", "figure-7"),
    "memory": (
        "figure-8-overall",
        *(f"{name}{suffix}" for name in ("figure-9", "figure-10") for suffix in ("", "-whole", "-repacked")),
    ),
    "estimates": ("figure-11a", "figure-11b"),
    "mapreduce": ("figure-12",),
}
ELSEWHERE = "elsewhere"
_CLAIM = re.compile(r"(?P<who>[^:]*): (?P<what>[^;]*)(?:; (?P<where>.*))?")


def paper_table(results: Results, group: str) -> str:
    """What the paper says in the figures of a group: a row for each of its numbers, a column for each place."""
    rows: dict[str, tuple[str, dict[str, str]]] = {}
    for outcome in _outcomes(results, group):
        _, what, where = _parts(outcome)
        _, expected, *_ = claims_table([outcome]).rows[0]
        rows.setdefault(what, (expected, {}))[1][where] = _cell(outcome)
    places = dict.fromkeys(where for _, cells in rows.values() for where in cells)
    columns = [where for where in places if not _is_of_every_service(where, places)]
    columns.sort(key=lambda where: where.partition(", ")[2] if where.startswith(SERVICES) else "")
    table = [
        [what, expected, *(cells.get(where, cells.get(where.partition(", ")[2], "-")) for where in columns)]
        for what, (expected, cells) in rows.items()
    ]
    return markdown(FigureTable(["the paper", "expected", *columns], table))


def verdict_table(results: Results, group: str) -> str:
    """How many of the paper's numbers agree, differ and cannot hold, a row for each place."""
    verdicts: dict[str, Counter[str]] = {}
    everywhere: dict[str, Counter[str]] = {}
    outcomes = [outcome for outcome in _outcomes(results, group) if outcome.verdict]
    places = dict.fromkeys(_parts(outcome)[2] for outcome in outcomes)
    for outcome in outcomes:
        where = _parts(outcome)[2]
        found = everywhere if _is_of_every_service(where, places) else verdicts
        found.setdefault(where, Counter())[str(outcome.verdict)] += 1
    rows = []
    for where in sorted(
        verdicts, key=lambda place: place.partition(", ")[2] if place.startswith(SERVICES) else ""
    ):
        counts = verdicts[where] + everywhere.get(where.partition(", ")[2], Counter())
        rows.append([where, *(str(counts[verdict]) for verdict in VERDICTS)])
    return markdown(FigureTable(["baselines", *VERDICTS], rows))


def loads_table(results: Results, figure: str) -> str:
    """The table of a figure over sets of machines, which are called by the loads that they have."""
    data = results.figure_data(figure)
    places = [point.place or 0.0 for point in next(iter(data.series.values()))]
    table = results.table(figure)
    return markdown(FigureTable(["policy", *(f"load {place:.2f}" for place in places)], table.rows))


def elsewhere_table(results: Results, _: str) -> str:
    """How many numbers of another implementation agree, by figure."""
    rows = []
    for name in results.experiment.figures:
        counts = Counter(outcome.verdict for outcome in _of_elsewhere(results, name))
        if counts:
            rows.append([name, *(str(counts[verdict]) for verdict in VERDICTS)])
    return markdown(FigureTable(["figure", *VERDICTS], rows))


def differing_table(results: Results, _: str) -> str:
    """The numbers of another implementation that differ."""
    names = results.experiment.figures
    outcomes = [o for name in names for o in _of_elsewhere(results, name) if o.verdict == DIFFERS]
    return markdown(claims_table(outcomes))


def _outcomes(results: Results, group: str) -> Iterator[ClaimOutcome]:
    for name in GROUPS[group]:
        yield from (outcome for outcome in results.claims(name) if _parts(outcome)[0] != ELSEWHERE)


def _of_elsewhere(results: Results, figure: str) -> list[ClaimOutcome]:
    return [outcome for outcome in results.claims(figure) if outcome.claim.text.startswith(ELSEWHERE)]


def _parts(outcome: ClaimOutcome) -> tuple[str, str, str]:
    """Who says it, what it says, and where."""
    found = _CLAIM.fullmatch(outcome.claim.text)
    assert found is not None, outcome.claim.text
    who = found["who"]
    return who, found["what"] if who == "paper" else f"({who}) {found['what']}", found["where"] or "measured"


def _is_of_every_service(where: str, places: Mapping[str, object] | Sequence[str]) -> bool:
    """Whether a place is said without a way to serve jobs, beside places with one."""
    return any(f"{service}, {where}" in places for service in SERVICES)


def _cell(outcome: ClaimOutcome) -> str:
    if outcome.measured is None:
        return outcome.remark
    number = written(outcome.measured)
    return f"{number}, {outcome.verdict}" if outcome.verdict else number


TABLES: Tables = {
    "paper": paper_table,
    "verdicts": verdict_table,
    "loads": loads_table,
    "elsewhere": elsewhere_table,
    "differing": differing_table,
}


if __name__ == "__main__":
    rewrite(PAGE, sys.argv[1:], TABLES)
