"""``schedcore policies``: what there is to choose from."""

from typing import Any

from schedcore import registry
from schedcore.cli.option_groups import with_option_groups
from schedcore.cli.output import OutputOptions
from schedcore.problems import PROBLEMS
from schedcore.problems.presentation import Column, Presentation, Table


@with_option_groups
def policies(*, out: OutputOptions) -> None:
    """List all policies with their options, what they solve and what they decide with.

    guarantee tells whether a bound on the distance from the optimum is proven; the number depends on the
    instance and the options and comes with each result.
    """
    rows = [_row(algorithm) for algorithm in registry.algorithms()]
    shown = [
        {
            **row,
            "guarantee": "proven" if row["guarantee"] else "none",
            "options": "\n".join(_option_text(option) for option in row["options"]),
        }
        for row in rows
    ]
    names = ("name", "title", "solves", "options", "decides_with", "guarantee", "source")
    columns = [Column(name, name.replace("_", " "), is_text=True) for name in names]
    out.present(Presentation(shown, rows, (Table(shown, columns),)))


def _row(algorithm: registry.Algorithm) -> dict[str, Any]:
    problems = [problem for problem in PROBLEMS if problem.takes(algorithm)]
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
        "solves": ", ".join(problem.title for problem in problems),
        "decides_with": algorithm.decides_with
        if any(problem.has_estimates for problem in problems)
        else None,
        "guarantee": algorithm.guarantee,
        "source": algorithm.source,
    }


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _option_text(option: dict[str, Any]) -> str:
    words = option["choices"] or option["examples"]
    return f"{option['name']}={str(option['default']).lower()}" + (f" ({', '.join(words)})" if words else "")
