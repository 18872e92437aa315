"""Backfilling with its queue in the orders of the field: logs with processors alone, and jobs whose demands all differ.

The queue is longer under some orders than under that of arrival. Under those that change with time every event looks at
every waiting job.
"""

from functools import lru_cache
from typing import Any

import pytest

import schedcore
from data_folder import data_folder
from schedcore import workloads
from schedcore.workloads import read_swf

ORDERS = ("arrival", "sjf", "saf", "f1", "f3", "lxf", "wfp3", "unicef")


@lru_cache(maxsize=2)
def recorded(name: str) -> schedcore.Instance:
    instance, _ = read_swf(data_folder("pwa-swf", f"{name}.swf.gz"), n_resources=1, status_rule="swf")
    return instance


@lru_cache(maxsize=1)
def lublin(average_queue: int) -> schedcore.Instance:
    """Nearly every job has a demand vector of its own; in order of arrival so many wait on average."""
    return workloads.lublin_k(seed=1, n_jobs=64_000, n_resources=2, average_queue=average_queue)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("log", ["HPC2N-2002-2.2-cln", "SDSC-SP2-1998-4.2-cln"])
def test_orders_on_a_log(log: str, order: str, benchmark: Any) -> None:
    instance = recorded(log)
    benchmark.group = f"easy by order of the queue, {log}"
    result = benchmark.pedantic(lambda: schedcore.easy(instance, order=order), rounds=3, warmup_rounds=1)
    assert schedcore.validate(instance, result.schedule).ok


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("policy", "average_queue"),
    [("easy", 64), ("easy", 500), ("conservative", 64)],
    ids=["easy-queue64", "easy-queue500", "conservative-queue64"],
)
def test_orders_where_all_demands_differ(policy: str, average_queue: int, order: str, benchmark: Any) -> None:
    instance = lublin(average_queue)
    benchmark.group = f"{policy} by order of the queue, lublin_k N=64000 K=2, {average_queue} wait"
    result = benchmark.pedantic(
        lambda: schedcore.solve(policy, instance, order=order), rounds=3, warmup_rounds=1
    )
    assert schedcore.validate(instance, result.schedule).ok
