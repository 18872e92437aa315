"""``schedcore policies``: what there is to choose from."""

from __future__ import annotations

from typing import Any

from schedcore import registry
from schedcore.cli.output import Column, Format, FormatOption, print_csv, print_json, print_table
from schedcore.experiments.instance_kinds import title_of
from schedcore.model import Instance


def policies(output_format: FormatOption = Format.table) -> None:
    """List all policies with their options, what they solve and what they decide with.

    guarantee tells whether a bound on the distance from the optimum is proven; the number depends on the
    instance and the options and comes with each result.
    """
    rows = [_row(algorithm) for algorithm in registry.algorithms()]
    if output_format is Format.json:
        print_json(rows)
        return
    for row in rows:
        row["guarantee"] = "proven" if row["guarantee"] else "none"
        row["options"] = "\n".join(_option_text(option) for option in row["options"])
    if output_format is Format.csv:
        print_csv(rows)
        return
    columns = ("name", "title", "solves", "options", "decides_with", "guarantee", "source")
    print_table(rows, [Column(key, key.replace("_", " "), is_text=True) for key in columns])


def _row(algorithm: registry.Algorithm) -> dict[str, Any]:
    return {
        "name": algorithm.name,
        "title": algorithm.title,
        "family": algorithm.family,
        "objective": algorithm.objective,
        "options": [
            {
                "name": option.name,
                "default": option.default
                if isinstance(option.default, (int, float, str))
                else _text(option.default),
                "choices": None if option.choices is None else [str(choice) for choice in option.choices],
                "examples": list(option.examples) or None,
                "description": option.description,
            }
            for option in algorithm.options
        ],
        "solves": _solved(algorithm),
        "decides_with": algorithm.decides_with
        if algorithm.instance_kind is Instance and not algorithm.slotted
        else None,
        "guarantee": algorithm.guarantee,
        "source": algorithm.source,
    }


def _solved(algorithm: registry.Algorithm) -> str:
    titles = [title_of(kind) for kind in (algorithm.instance_kind, *algorithm.also_solves)]
    if algorithm.slotted and algorithm.instance_kind is Instance:
        titles[0] = "jobs in slots"
    return ", ".join(titles)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _option_text(option: dict[str, Any]) -> str:
    words = option["choices"] or option["examples"]
    return f"{option['name']}={str(option['default']).lower()}" + (f" ({', '.join(words)})" if words else "")
