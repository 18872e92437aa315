"""The page about a comparison, to pass on: one HTML file, readable without a network, on a phone and on paper."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedcore.problems.presentation import quantity
from schedcore.reporting.content import PageContent
from schedcore.reporting.explorer import MOST_JOBS
from schedcore.reporting.page_frame import json_text, render_page, script_text, write_page
from schedcore.workloads.reading.report import DataReport

__all__ = ["Repetition", "write_comparison_page"]

_PACKAGE, _TEMPLATE = "schedcore.reporting", "comparison.html.jinja"
_SCRIPTS = ("columns.js", "clock.js", "stacking.js", "drawing.js", "differences.js", "explorer.js")


@dataclass(frozen=True)
class Repetition:
    """How the page came about, so that somebody else can do it again.

    Attributes
    ----------
    text : str
        The command, or the call in Python.
    version : str
        Of schedcore.
    files : tuple of (str, str)
        Name and SHA-256 of each file that was read.
    """

    text: str
    version: str
    files: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, text: str, version: str, *sources: str) -> "Repetition":
        """Tell of those sources that are files."""
        paths = [Path(source) for source in dict.fromkeys(sources) if os.path.isfile(source)]
        return cls(text, version, tuple((path.name, _digest(path)) for path in paths))


def write_comparison_page(path: Path, content: PageContent, repetition: Repetition) -> Path:
    """Write the page in one step and return its path; the same results give the same bytes.

    Raises
    ------
    OSError
        If it cannot be written; a page that stood there before stays as it was.
    ImportError
        Without jinja2 (``schedcore[experiments]``).
    """
    explorer = content.explorer
    scripts = [] if explorer is None else [script_text(_PACKAGE, _SCRIPTS)]
    page = render_page(
        _PACKAGE,
        _TEMPLATE,
        scripts,
        content=content,
        data="" if explorer is None else json_text(explorer.document(content.report)),
        most_jobs=MOST_JOBS,
        reasons=_reasons(content.report),
        read=f"{quantity(content.report.rows_read, 'row')} read, {_kept(content.report)}",
        repetition=repetition,
    )
    return write_page(path, page)


def _kept(report: DataReport) -> str:
    return quantity(report.n_jobs, report.job_word.removesuffix("s"))


def _reasons(report: DataReport) -> list[dict[str, Any]]:
    """What the reader did to rows, a reason each."""
    verbs = (
        ("left out", report.dropped),
        ("repaired", report.repaired),
        ("not modelled", report.not_modelled),
    )
    return [
        {"verb": verb, "count": f"{count:,}", "reason": report.meaning.get(reason, reason)}
        for verb, counts in verbs
        for reason, count in counts.items()
    ]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
