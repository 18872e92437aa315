"""Help about one kind of problem at a time: ``schedcore compare --help`` speaks of jobs, others have to be named."""

import copy
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from schedcore.problems import PROBLEMS, Problem, kind_named

__all__ = ["NAMES", "HelpByProblem", "ProblemOption"]

#: What --problem takes.
NAMES = tuple(kind.name for kind in PROBLEMS)
#: Options that mean nothing to some kind.
_OF_SOME_KINDS = frozenset(option for kind in PROBLEMS for option in kind.accepts)

ProblemOption = Annotated[
    str | None,
    typer.Option(
        "--problem", metavar="|".join(NAMES), show_default="what the workload has",
        help="What the workload is taken for. With --help: help about that.",
    ),
]  # fmt: skip


class HelpByProblem(TyperCommand):
    """A command whose help is about the kind that --problem names, wherever that stands; else about jobs."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta["schedcore.problem"] = _named(args)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        kind = kind_named(ctx.meta.get("schedcore.problem")) or next(iter(PROBLEMS))
        shown = copy.copy(self)
        paragraphs = kind.help_on_comparing.split("\n\n")
        shown.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
        hidden = _OF_SOME_KINDS - kind.accepts
        shown.params = [_about(kind, param) for param in self.params if param.name not in hidden]
        TyperCommand.format_help(shown, ctx, formatter)


def _named(args: Sequence[str]) -> str | None:
    """The value of --problem, before anything else is looked at."""
    for place, word in enumerate(args):
        option, equals, value = word.partition("=")
        if option == "--problem":
            return value if equals else next(iter(args[place + 1 : place + 2]), None)
    return None


def _about(kind: type[Problem[Any]], param: Any) -> Any:
    """A parameter as it is for one kind: its workloads, its policies, its drawings."""
    texts: dict[str, dict[str, object]] = {
        "workload": {"help": kind.help_on_workloads},
        "policy": {"show_default": kind.default_policies_in_words or " ".join(kind.default_policies) or True},
        "plot": {"help": f"Draw into this folder: {', '.join(drawing.name for drawing in kind.drawings)}."},
    }
    changed = copy.copy(param)
    for name, text in texts.get(str(param.name), {}).items():
        setattr(changed, name, text)
    return changed
