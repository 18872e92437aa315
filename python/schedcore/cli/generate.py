"""``schedcore generate``: instances of the named generators, as Parquet."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from schedcore.cli.files import ForceOption, check_output_file
from schedcore.cli.option_groups import with_option_groups
from schedcore.cli.output import OutputOptions
from schedcore.cli.workload_choice import SeedOption, as_typed
from schedcore.errors import InvalidInstanceError
from schedcore.problems.presentation import Column, Presentation, Table
from schedcore.workloads.generators import GENERATORS, Generator, generate_from_text, with_seed
from schedcore.workloads.reading.instance_file import write_instance
from schedcore.workloads.reading.option_spelling import spelling_options


@with_option_groups
def generate(
    generator: Annotated[
        str | None,
        typer.Argument(
            metavar="GENERATOR", show_default=False,
            help="NAME:PARAMETER=VALUE,... such as azure_like:n_jobs=64000; without it, list all.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write it, as .parquet.")
    ] = None,
    seed: SeedOption = None,
    *,
    out: OutputOptions,
    force: ForceOption = False,
) -> None:  # fmt: skip
    """Write an instance of a named generator as Parquet, or list the generators."""
    if generator is None:
        _print_generators(out)
        return
    if output is None:
        raise InvalidInstanceError("generate needs --output FILE.parquet")
    check_output_file(output, force, (".parquet",))
    with spelling_options(as_typed):
        text = with_seed(generator, seed)
    inst = generate_from_text(text)
    write_instance(output, inst, GENERATORS[text.partition(":")[0].strip()].units(inst), overwrite=force)
    print(f"wrote {inst!r} to {output}", file=sys.stderr)


def _print_generators(out: OutputOptions) -> None:
    rows = [
        {
            "generator": generator.name,
            "description": generator.description,
            "parameters": {
                name: default
                for name, default in generator.parameters.items()
                if name not in generator.required
            }
            | dict.fromkeys(generator.required),
        }
        for generator in GENERATORS.values()
    ]
    shown = [
        {**row, "parameters": ", ".join(_parameter_texts(generator))}
        for row, generator in zip(rows, GENERATORS.values(), strict=True)
    ]
    columns = [Column(key, key, is_text=True) for key in ("generator", "parameters", "description")]
    out.present(Presentation(shown, rows, (Table(shown, columns),)))


def _parameter_texts(generator: Generator) -> list[str]:
    return [
        name if name in generator.required or default is None else f"{name}={default}"
        for name, default in generator.parameters.items()
    ]
