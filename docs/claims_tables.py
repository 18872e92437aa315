"""The tables and drawings of docs/claims.md: what the papers state and an experiment judges.

Run as a script with the results folders, it rewrites what stands between the marks of the page, and draws the figures
that it embeds. Tables of experiments whose folders are missing stay as they are; verdicts are counted in all tables::

    python docs/claims_tables.py results/mris-* results/backfilling-steady results/ocorp-*

Why a claim does not agree is said by the claim itself, else by `claims_why.toml`. A claim without a reason is an error.
"""

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from marked_tables import MARKED, Tables, rewrite

from schedcore.experiments import Results
from schedcore.experiments.report.tables import FigureTable, claims_table, markdown
from schedcore.experiments.results.claims import AGREES, CANNOT_HOLD, VERDICTS, ClaimOutcome

DOCS = Path(__file__).parent
PAGE = DOCS / "claims.md"
REASONS: Sequence[Mapping[str, str]] = tomllib.loads((DOCS / "claims_why.toml").read_text(encoding="utf-8"))[
    "why"
]
#: What other implementations measured, and what we aim at, is no claim of a paper.
OF_OTHERS = ("elsewhere: ", "aim: ")
OF_PAPER = "paper: "
#: Where verdicts are counted.
COUNTS = re.compile(r"(?P<begin><!-- counts: begin -->\n).*?(?P<end><!-- end -->)", re.DOTALL)
#: Experiment -> figures on a workload that another experiment has, too: they are judged there.
ELSEWHERE = {"mris-heavy": ("figure-7",)}


def judged(results: Results) -> Iterator[tuple[str, ClaimOutcome]]:
    """The claims of a paper with their figures."""
    for figure in results.experiment.figures:
        if figure in ELSEWHERE.get(results.experiment.name, ()):
            continue
        for outcome in results.claims(figure):
            if outcome.verdict and not outcome.claim.text.startswith(OF_OTHERS):
                yield figure, outcome


def claims(results: Results, _: str = "") -> str:
    """A row a claim: what it says, what is published, what is measured, the verdict, and why."""
    rows, silent = [], []
    for figure, outcome in judged(results):
        text, expected, told, verdict = claims_table([outcome]).rows[0]
        measured = told.partition(" (by the lower bound")[0]
        reason = why(results.experiment.name, figure, outcome)
        if not reason and verdict != AGREES:
            silent.append(f"{figure}: {text}")
        rows.append([figure, text.removeprefix(OF_PAPER), expected, measured, verdict, reason])
    if silent:
        raise ValueError(f"claims of {results.experiment.name} without a reason:\n" + "\n".join(silent))
    return markdown(FigureTable(["figure", "claim", "published", "measured", "verdict", "why"], rows))


def why(experiment: str, figure: str, outcome: ClaimOutcome) -> str:
    """The reason of a verdict; of one that agrees only where the claim itself tells."""
    claim = outcome.claim
    found = (
        entry["why"]
        for entry in REASONS
        if fnmatchcase(experiment, entry["experiment"])
        and fnmatchcase(figure, entry.get("figure", "*"))
        and fnmatchcase(claim.text.removeprefix(OF_PAPER), entry.get("claim", "*"))
    )
    reason = claim.why or ("" if outcome.verdict == AGREES else next(found, ""))
    if outcome.verdict == CANNOT_HOLD:
        return " ".join([f"{outcome.remark.capitalize()}.", reason]).strip()
    return reason


def counted(page: str) -> str:
    """The page with the table that counts verdicts, experiment by experiment, as the tables of claims show them."""
    rows = []
    for mark in MARKED.finditer(page):
        if mark["what"] == "claims":
            counts = Counter(
                line.split("|")[-3].strip() for line in mark[0].splitlines() if line.startswith("|")
            )
            rows.append([mark["experiments"], *(str(counts[verdict]) for verdict in VERDICTS)])
    table = markdown(FigureTable(["experiment", *VERDICTS], rows))
    return COUNTS.sub(lambda mark: f"{mark['begin']}{table}\n{mark['end']}", page)


TABLES: Tables = {"claims": claims}

if __name__ == "__main__":
    rewrite(PAGE, sys.argv[1:], TABLES)
    PAGE.write_text(counted(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
