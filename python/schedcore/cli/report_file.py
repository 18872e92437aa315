"""The page that a command writes: checked before anything runs, with the command that makes it again."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import schedcore
from schedcore.cli.files import check_output_file
from schedcore.cli.invocation import command_text
from schedcore.cli.workload_choice import WorkloadOptions
from schedcore.model.extras import import_extra
from schedcore.reporting.comparison_page import Repetition, write_comparison_page
from schedcore.reporting.content import PageContent

__all__ = ["ReportFile", "ReportOption"]

#: Where results go says nothing about what they are.
_OUTPUTS = frozenset(
    {
        "report", "plot", "force", "output_format", "as_json", "as_csv", "explain_columns", "config", "save_config",
    }
)  # fmt: skip

ReportOption = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="FILE.html", help="Write a page to pass on: one HTML file that loads nothing."
    ),
]


@dataclass(frozen=True)
class ReportFile:
    """Where the page goes."""

    path: Path

    @classmethod
    def of(cls, path: Path, force: bool) -> "ReportFile":
        """Refuse what cannot be written, and missing extras, before a policy runs."""
        import_extra("matplotlib.figure", "plot")
        import_extra("jinja2", "experiments")
        check_output_file(path, force, (".html",))
        return cls(path)

    def write(
        self, content: PageContent, workload: str, options: WorkloadOptions, *others: str | None
    ) -> None:
        """Write the page; all files that were read are named with their hashes."""
        named = [
            workload,
            options.machines,
            options.failures,
            options.cancellations,
            *(options.outage or ()),
            *others,
        ]
        files = [str(source) for source in named if source is not None]
        write_comparison_page(
            self.path, content, Repetition.of(command_text(_OUTPUTS), schedcore.__version__, *files)
        )
