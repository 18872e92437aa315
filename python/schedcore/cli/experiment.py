"""``schedcore experiment``: run the experiments of papers, or your own, and draw, tabulate and report them."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import schedcore
from schedcore.cli.configuration import configured
from schedcore.cli.experiment_progress import experiment_progress
from schedcore.cli.files import ForceOption, check_not_taken
from schedcore.cli.option_groups import with_option_groups
from schedcore.cli.output import Format, OutputOptions, print_csv, print_json, print_table
from schedcore.cli.workload_choice import AllowLossOption
from schedcore.errors import InvalidInstanceError
from schedcore.model.choices import check_choice
from schedcore.problems.presentation import Column, Presentation, Table

if TYPE_CHECKING:  # other commands need nothing of schedcore[experiments]
    from schedcore.experiments import Experiment, Results
    from schedcore.experiments.report.tables import FigureTable


_ERROR_WIDTH = 300

commands = typer.Typer(no_args_is_help=True, help="Run, resume, draw, tabulate and report experiments.")

NameArgument = Annotated[
    str,
    typer.Argument(metavar="NAME_OR_FILE", help="An experiment that `list` names, or a description as TOML."),
]
WhichArgument = Annotated[
    str,
    typer.Argument(metavar="NAME_OR_FILE_OR_FOLDER", help="As for `run`, or the results folder itself."),
]
ResultsOption = Annotated[
    Path | None,
    typer.Option(
        "--results", "-r", metavar="FOLDER", show_default="results/NAME", help="The results folder.",
    ),
]  # fmt: skip
RunOutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", "--results", "-r", metavar="FOLDER", show_default="results/NAME",
        help="The results folder.",
    ),
]  # fmt: skip
InputOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input", "-i", metavar="NAME=FILE", show_default=False,
        help="A file that the experiment reads, such as a trace; repeatable. `list` tells the names.",
    ),
]  # fmt: skip
FigureOption = Annotated[
    list[str] | None,
    typer.Option(
        "--figure", metavar="NAME", show_default="all", help="Only what this figure shows; repeatable."
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", "-w", min=1, show_default="one a processor", help="Processes on this machine."),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", show_default=False,
        help="Run on the Dask cluster with this scheduler, such as tcp://host:8786, instead.",
    ),
]  # fmt: skip


@commands.command("list")
@configured
@with_option_groups
def list_experiments(*, out: OutputOptions) -> None:
    """List the experiments that come with schedcore."""
    rows: list[dict[str, Any]] = []
    for name in schedcore.experiments.names():
        experiment = schedcore.experiments.load(name)
        rows.append(
            {
                "name": name,
                "cells": schedcore.experiments.n_cells(experiment),
                "figures": len(experiment.figures),
                "inputs": " ".join(experiment.inputs) or None,
                "title": experiment.title,
            }
        )
    texts = [Column(name, name, is_text=True) for name in ("name", "inputs", "title")]
    numbers = [Column("cells", "cells", "{:,}".format), Column("figures", "figures")]
    out.present(Presentation(rows, rows, (Table(rows, [texts[0], *numbers, *texts[1:]]),)))


@commands.command()
@configured
def show(name: NameArgument) -> None:
    """Print the TOML of an experiment that comes with schedcore, to copy and change."""
    print(schedcore.experiments.source(name), end="")


@commands.command()
@configured
def run(
    name: NameArgument,
    output: RunOutputOption = None,
    inputs: InputOption = None,
    figure: FigureOption = None,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    allow_loss: AllowLossOption = False,
) -> None:
    """Run an experiment into a new results folder.

    Every schedule is validated. Cells that fail are recorded and do not stop the others; exit code 1 tells that there
    are some. A run that was interrupted, killed too, goes on with `resume`.
    """
    experiment = schedcore.experiments.load(name)
    if allow_loss:
        experiment = _allowing_loss(experiment)
    with experiment_progress() as progress:
        results = schedcore.experiments.run(
            experiment, output or _default_folder(experiment), inputs=_inputs(inputs), figures=figure,
            workers=workers, scheduler=scheduler, progress=progress,
        )  # fmt: skip
    _tell_outcome(results)


@commands.command()
@configured
def resume(
    which: WhichArgument,
    output: RunOutputOption = None,
    inputs: InputOption = None,
    figure: FigureOption = None,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    allow_loss: AllowLossOption = False,
) -> None:
    """Go on with a run: cells without a result are run, and failed ones tried again.

    A description that is named may have grown since, and replaces the one in the folder.
    """
    folder, experiment = _find(which, output)
    if allow_loss:
        experiment = _allowing_loss(experiment or schedcore.experiments.open_results(folder).experiment)
    with experiment_progress() as progress:
        results = schedcore.experiments.resume(
            folder, experiment, inputs=_inputs(inputs), figures=figure, workers=workers, scheduler=scheduler,
            progress=progress,
        )  # fmt: skip
    _tell_outcome(results)


@commands.command()
@configured
def plot(
    which: WhichArgument,
    results: ResultsOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", show_default="FOLDER/figures", help="Write files here."
        ),
    ] = None,
    figure: FigureOption = None,
    force: ForceOption = False,
) -> None:
    """Draw the figures as PNG and SVG."""
    from schedcore.experiments.report.drawing import FORMATS

    opened = _open(which, results)
    drawings = opened.path / "figures" if output is None else output
    names = _figures(opened, figure)
    for name in names:
        for suffix in FORMATS:
            check_not_taken(drawings / f"{name}.{suffix}", force)
    for path in opened.save_figures(drawings, names):
        print(path)


@commands.command()
@configured
@with_option_groups
def table(
    which: WhichArgument,
    results: ResultsOption = None,
    figure: FigureOption = None,
    job_set: Annotated[
        list[int] | None,
        typer.Option("--job-set", show_default=False, help="Add the values of one job set; repeatable."),
    ] = None,
    *,
    out: OutputOptions,
) -> None:
    """Print the tables behind the figures, with 95 % bands, and what was expected beside what was measured."""
    from schedcore.experiments.report.tables import claims_table, long_rows, markdown

    opened = _open(which, results)
    names = _figures(opened, figure)
    if out.format in (Format.csv, Format.json):
        rows = [row for name in names for row in long_rows(opened.figure_data(name))]
        if out.format is Format.csv:
            print_csv(rows)
        else:
            print_json(rows)
        return
    for name in names:
        title = ": ".join(filter(None, (name, opened.experiment.figures[name].title)))
        tables = [opened.table(name, job_set or ())]
        if opened.experiment.figures[name].claims:
            tables.append(claims_table(opened.claims(name)))
        for content in tables:
            if out.format is Format.markdown:
                print(f"{title}\n\n{markdown(content)}\n")
            else:
                _print_figure_table(content, title)


@commands.command()
@configured
def report(
    which: WhichArgument,
    results: ResultsOption = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", show_default="FOLDER/report.html", help="The page."),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write one HTML page with figures, tables, expectations and provenance; it needs no network to be read."""
    opened = _open(which, results)
    path = opened.path / "report.html" if output is None else output
    check_not_taken(path, force)
    print(opened.report(path))


def _default_folder(experiment: Experiment) -> Path:
    return Path("results") / experiment.name


def _allowing_loss(experiment: Experiment) -> Experiment:
    """The experiment as if all of its workloads that are files had `allow_loss`; the results folder tells of it."""
    workloads = {
        name: workload if workload.is_generator else replace(workload, allow_loss=True)
        for name, workload in experiment.workloads.items()
    }
    return replace(experiment, workloads=workloads)


def _find(which: str, folder: Path | None) -> tuple[Path, Experiment | None]:
    """The results folder, and the description if one was named rather than the folder."""
    if Path(which).is_dir() and folder is None:
        return Path(which), None
    experiment = schedcore.experiments.load(which)
    return folder or _default_folder(experiment), experiment


def _open(which: str, folder: Path | None) -> Results:
    return schedcore.experiments.open_results(*_find(which, folder))


def _figures(results: Results, chosen: list[str] | None) -> list[str]:
    """The figures that were asked for, by default all that have something to show."""
    if not results.experiment.figures:
        raise InvalidInstanceError(f"experiment {results.experiment.name!r} describes no figure")
    names = results.figures() if chosen is None else chosen
    if not names:
        raise InvalidInstanceError(f"{results.path}: no finished cell has a number that any figure shows")
    for name in names:
        check_choice(f"figure of {results.experiment.name!r}", name, results.experiment.figures)
    return names


def _inputs(words: list[str] | None) -> dict[str, str | Path]:
    inputs: dict[str, str | Path] = {}
    for word in words or ():
        name, equals, path = word.partition("=")
        if not equals or not path:
            raise InvalidInstanceError(f"--input {word!r} is not NAME=FILE")
        inputs[name.strip()] = Path(path)
    return inputs


def _tell_outcome(results: Results) -> None:
    for sentence in results.left_out:
        print(sentence, file=sys.stderr)
    failures = results.failures
    for row in failures[:20]:
        what = f"{row['policy']} {row['policy_options']} on {row['workload']} {row['workload_arguments']}"
        print(f"{row['status'].upper()}: {what}: {_in_short(row['error'])}", file=sys.stderr)
    if len(failures) > 20:
        print(f"... and {len(failures) - 20} more", file=sys.stderr)
    done = results.n_cells - results.n_missing
    print(f"{done:,} of {results.n_cells:,} cells done, {len(failures):,} failed or invalid: {results.path}")
    raise typer.Exit(1 if failures else 0)


def _in_short(error: str) -> str:
    """The first line; the row has all of it."""
    line = error.partition("\n")[0]
    return line if len(line) <= _ERROR_WIDTH else f"{line[:_ERROR_WIDTH]}..."


def _print_figure_table(content: FigureTable, title: str) -> None:
    keys = [str(index) for index in range(len(content.header))]
    columns = [
        Column(key, heading, is_text=key == "0" or heading == "outcome")
        for key, heading in zip(keys, content.header, strict=True)
    ]
    print_table(Table([dict(zip(keys, row, strict=True)) for row in content.rows], columns, title))
