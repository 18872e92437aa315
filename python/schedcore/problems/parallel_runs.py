"""Policies that run at the same time, in threads: kernels hold no lock of the interpreter."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from schedcore.problems.comparison import Steps, evaluate
from schedcore.problems.evaluation import Evaluation
from schedcore.problems.policy_choice import PolicyChoice
from schedcore.problems.presentation import quantity
from schedcore.problems.problem import Problem

__all__ = ["Run", "evaluate_all", "n_workers"]


@dataclass(frozen=True)
class Run:
    """A policy on a problem."""

    problem: Problem[Any]
    choice: PolicyChoice


def n_workers(asked: int | None = None) -> int:
    """How many policies run at the same time: as many as are asked for, else one a processor."""
    return asked or len(os.sched_getaffinity(0))


def evaluate_all(runs: Sequence[Run], step: Steps, *, tau: float, workers: int) -> list[Evaluation]:
    """Run and measure all, in their order, under one progress; what any of them raises ends the others.

    So does an interrupt. Times that policies take are measured beside the others, so they are longer than alone.
    """
    sizes = [run.problem.size()["n_jobs"] or 0 for run in runs]
    stop = threading.Event()
    with step(quantity(len(runs), "run"), sum(sizes)) as move:
        done = [0.0] * len(runs)

        @contextmanager
        def part(number: int) -> Iterator[Callable[[int, int], None]]:
            def progress(so_far: int, of: int) -> None:
                if stop.is_set():
                    raise KeyboardInterrupt
                done[number] = sizes[number] * so_far / of if of else 0.0
                move(int(sum(done)), sum(sizes))

            yield progress

        def evaluated(number: int) -> Evaluation:
            run = runs[number]
            found = evaluate(run.problem, run.choice, lambda title, total: part(number), tau)
            done[number] = sizes[number]
            return found

        with ThreadPoolExecutor(max_workers=workers) as executor:
            futures: list[Future[Evaluation]] = []
            try:
                futures = [executor.submit(evaluated, number) for number in range(len(runs))]
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
