"""The tables of docs/backfilling.md on recorded logs: the policies, and what each setting of a site costs.

Run as a script with the folder of the logs, it rewrites what stands between the marks of the page; every schedule is
validated. With ``--quick`` conservative backfilling leaves out RICC, which takes minutes::

    python docs/backfilling_logs.py ../shared/data/pwa-swf
"""

import logging
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import schedcore
from schedcore import metrics
from schedcore.workloads import read_swf

PAGE = Path(__file__).parent / "backfilling.md"
GIGABYTE = 1024 * 1024  # in KB, the unit of the logs
# 70 nodes, each with the memory of the largest job; the log does not say how much they had.
LPC_MEMORY = 70 * 4_132_376
ROUNDS = 3  # of a short run, the fastest of which counts: the first one finds cold memory
SHORT = 1.0  # seconds

Options = dict[str, Any]


class Log(NamedTuple):
    """A log and how it is read."""

    name: str
    prefix: str
    options: Options


ONE_RESOURCE = [
    Log(name, prefix, {"n_resources": 1, **options})
    for name, prefix, options in (
        ("HPC2N", "HPC2N", {}),
        ("KTH-SP2", "KTH", {}),
        ("LPC-EGEE", "LPC", {}),
        ("NASA-iPSC", "NASA", {}),
        ("OSC-Cluster", "OSC", {}),
        ("RICC", "RICC", {}),
        ("SDSC-DS", "SDSC-DS", {}),
        ("SDSC-SP2", "SDSC-SP2", {}),
        ("Sandia-Ross", "Sandia", {"status_rule": "ignore"}),
    )
]
TWO_RESOURCES = [
    Log("HPC2N, requested", "HPC2N", {"memory_capacity": 120 * GIGABYTE, "missing_memory": "used"}),
    Log("RICC, requested", "RICC", {"memory_capacity": 1024 * 12 * GIGABYTE}),
    Log("LPC-EGEE, requested", "LPC", {"missing_memory": "used", "memory_capacity": LPC_MEMORY}),
    Log("LPC-EGEE, used", "LPC", {"mode": "used", "memory_capacity": LPC_MEMORY}),
    Log("Sandia-Ross, requested", "Sandia", {"missing_memory": "used", "status_rule": "ignore"}),
    Log("Sandia-Ross, used", "Sandia", {"mode": "used", "status_rule": "ignore"}),
]
POLICIES = [
    ("FF-EASY", "easy", {}),
    ("BB-EASY", "easy", {"selection": "bb"}),
    ("BB!-EASY", "easy", {"selection": "bb!"}),
    ("SB-EASY", "easy", {"selection": "sb"}),
    ("FF-CONS", "conservative", {}),
]
KNOBS: list[tuple[str, Options]] = [
    ("none", {}),
    *((f"queue_depth {depth:,}", {"queue_depth": depth}) for depth in (10, 100, 1000)),
    *((f"window {days} d", {"window": days * 86_400}) for days in (1, 4)),
    *((f"resolution {seconds} s", {"resolution": seconds}) for seconds in (60, 600, 3600)),
    *((f"interval {seconds} s", {"interval": seconds}) for seconds in (30, 300, 1800)),
    *((f"reservation_depth {depth}", {"reservation_depth": depth}) for depth in (10, 100)),
]


class Outcome(NamedTuple):
    """What one validated run gave."""

    response: float
    weighted: float
    wait: float
    bounded_slowdown: float
    seconds: float
    looks: int | None  # at reservations in compressions, and how many of them moved
    moves: int | None


def read(folder: Path, log: Log) -> schedcore.Instance:
    return read_swf(next(folder.glob(f"{log.prefix}*.swf.gz")), **log.options)[0]


def run(instance: schedcore.Instance, policy: str, options: Options, rounds: int = 1) -> Outcome:
    seconds = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        result = schedcore.solve(policy, instance, **options)
        seconds = min(seconds, time.process_time() - begin)
        if seconds > SHORT:
            break
    schedcore.validate(instance, result.schedule, raise_on_error=True)
    figures: dict[str, Any] = metrics.summary(instance, result.schedule)
    return Outcome(
        figures["avg_response"],
        figures["weighted_avg_response"],
        figures["avg_wait"],
        figures["avg_bounded_slowdown"],
        seconds,
        result.stats.get("compression_looks"),
        result.stats.get("compression_moves"),
    )


def logs_table(folder: Path, logs: list[Log], *, quick: bool) -> Iterator[str]:
    yield (
        "| log | jobs | policy | mean response (h) | weighted (h) | mean wait (h) | bounded slowdown | seconds "
        "| looks | moves |"
    )
    yield "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for log in logs:
        instance = read(folder, log)
        for label, policy, options in POLICIES:
            if quick and policy == "conservative" and instance.n_jobs > 400_000:
                continue
            found = run(instance, policy, options, ROUNDS)
            yield (
                f"| {log.name} | {instance.n_jobs:,} | {label} | {found.response / 3600:,.2f} "
                f"| {found.weighted / 3600:,.2f} | {found.wait / 3600:,.2f} | {found.bounded_slowdown:,.1f} "
                f"| {found.seconds:.3f} | {_count(found.looks)} | {_count(found.moves)} |"
            )


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def knobs_table(folder: Path, log: Log) -> Iterator[str]:
    figures = "mean wait (h) | bounded slowdown | seconds |"
    yield f"| setting | EASY: {figures} conservative: {figures}"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    instance = read(folder, log)
    for label, options in KNOBS:
        cells = []
        for policy in ("easy", "conservative"):
            if policy == "conservative" and "reservation_depth" in options:
                cells.append("| | | ")
                continue
            found = run(instance, policy, options, ROUNDS)
            cells.append(f"| {found.wait / 3600:,.2f} | {found.bounded_slowdown:,.1f} | {found.seconds:.3f} ")
        yield f"| {label} {''.join(cells)}|"


def page_with_tables(page: str, tables: Mapping[str, Callable[[], Iterable[str]]]) -> str:
    """The page with what stands between the marks of these tables replaced; others are not made."""
    for name, table in tables.items():
        marked = re.compile(rf"(<!-- {name}: begin -->\n).*?(<!-- end -->)", re.DOTALL)
        if marked.search(page):
            lines = "\n".join(table())
            page = marked.sub(lambda mark, lines=lines: f"{mark[1]}{lines}\n{mark[2]}", page)
    return page


def main(folder: Path, *, quick: bool) -> None:
    """Rewrite the tables of the page that come from the logs alone."""
    logging.getLogger("schedcore").setLevel(
        logging.ERROR
    )  # a log whose load exceeds 1 says so for each reading
    tables = {
        "logs-1": lambda: logs_table(folder, ONE_RESOURCE, quick=quick),
        "logs-2": lambda: logs_table(folder, TWO_RESOURCES, quick=quick),
        "knobs": lambda: knobs_table(folder, next(log for log in ONE_RESOURCE if log.prefix == "SDSC-SP2")),
    }
    PAGE.write_text(page_with_tables(PAGE.read_text(), tables))


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--quick"]
    main(Path(words[0]), quick="--quick" in sys.argv)
