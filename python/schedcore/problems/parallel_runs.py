"""Policies that run at the same time, in threads: kernels hold no lock of the interpreter."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from schedcore.problems.comparison import Steps, evaluate
from schedcore.problems.evaluation import Evaluation
from schedcore.problems.policy_choice import PolicyChoice
from schedcore.problems.problem import Problem

__all__ = ["Run", "evaluate_all"]


@dataclass(frozen=True)
class Run:
    """A policy on a problem, and what its progress is called beside the policy."""

    problem: Problem[Any]
    choice: PolicyChoice
    words: str = ""


def evaluate_all(runs: Sequence[Run], step: Steps, *, tau: float, workers: int) -> list[Evaluation]:
    """Run and measure all, in their order; what any of them raises ends the others, as an interrupt does.

    Times that policies take are measured beside the others, so they are longer than alone.
    """
    stop = threading.Event()

    @contextmanager
    def stoppable(title: str, total: int) -> Iterator[Callable[[int, int], None]]:
        with step(title, total) as move:

            def progress(done: int, of: int) -> None:
                if stop.is_set():
                    raise KeyboardInterrupt
                move(done, of)

            yield progress

    def evaluated(run: Run) -> Evaluation:
        suffix = f" ({run.words})" if run.words else ""
        return evaluate(
            run.problem, run.choice, lambda title, total: stoppable(f"{title}{suffix}", total), tau
        )

    with ThreadPoolExecutor(max_workers=workers) as executor:
        futures: list[Future[Evaluation]] = []
        try:
            futures = [executor.submit(evaluated, run) for run in runs]
            wait(futures, return_when=FIRST_EXCEPTION)
            return [future.result() for future in _first_failed(futures)]
        finally:
            stop.set()
            for future in futures:
                future.cancel()


def _first_failed(futures: list[Future[Evaluation]]) -> list[Future[Evaluation]]:
    """All of them, or the one that failed alone: asking for another would wait for it."""
    failed = [future for future in futures if future.done() and future.exception() is not None]
    return failed[:1] or futures
