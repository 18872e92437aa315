"""The table of docs/policies.md, from the registry; run as a script it rewrites the page between its two marks."""

from pathlib import Path

from schedcore import ColocationInstance, registry
from schedcore.problems import PROBLEMS
from schedcore.registry import Algorithm, Option

PAGE = Path(__file__).parent / "policies.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


def policy_table() -> str:
    """One row a policy, then the options of each."""
    header = [
        "name", "title", "solves", "machines may differ", "several tasks", "embedded", "guarantee", "makes small",
        "decides with", "never idles", "source",
    ]  # fmt: skip
    rows = [header, ["---"] * len(header)]
    for algorithm in sorted(registry.algorithms(), key=lambda algorithm: algorithm.name):
        problems = [problem for problem in PROBLEMS if problem.takes(algorithm)]
        schedules_jobs = problems[0].has_estimates
        rows.append(
            [
                f"`{algorithm.name}`",
                algorithm.title,
                ", ".join(problem.title for problem in problems),
                "" if algorithm.instance_kind is ColocationInstance else _yes(algorithm.machines_may_differ),
                _yes(any("n_tasks" in problem.sizes for problem in problems)),
                _embedding(algorithm),
                "proven" if algorithm.guarantee else "none",
                f"`{algorithm.objective}`",
                f"`{algorithm.decides_with}`" if schedules_jobs else "",
                _yes(algorithm.non_idling) if schedules_jobs else "",
                algorithm.source,
            ]
        )
    sections = [_table(rows)]
    for algorithm in sorted(registry.algorithms(), key=lambda algorithm: algorithm.name):
        if algorithm.options:
            options = [_row(option) for option in algorithm.options]
            head = [["option", "default", "choices", "meaning"], ["---"] * 4]
            sections.append(f"## Options of `{algorithm.name}`\n\n{_table(head + options)}")
    return "\n\n".join(sections)


def page_with_table(page: str) -> str:
    """The page with what stands between its marks replaced."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{policy_table()}\n{END}{after}"


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def _embedding(algorithm: Algorithm) -> str:
    if not algorithm.embeddable:
        return "no"
    needed = [option.name for option in algorithm.embedded_options]
    return "yes, with " + ", ".join(f"`{name}`" for name in needed) if needed else "yes"


def _row(option: Option) -> list[str]:
    choices = ", ".join(f"`{word}`" for word in option.choices or option.examples)
    if option.examples:
        choices = f"such as {choices}"
    return [f"`{option.name}`", f"`{option.default}`", choices, option.description]


def _table(rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
