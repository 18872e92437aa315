"""What does each setting of a site cost in mean wait, and what does it save in time?

Run it on a log of your own machine: ``python examples/site_settings.py LOG [PROCESSORS]`` takes SWF and the output of
``sacct -X -P``. Without a log it makes a workload.
"""

import sys
import time
from typing import Any

import schedcore
from schedcore import metrics, workloads

ROUNDS = 3  # of a run below a second, the fastest of which counts: the first one finds cold memory

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("easy", {}),
    ("easy", {"queue_depth": 10}),
    ("easy", {"queue_depth": 100}),
    ("easy", {"interval": 300}),
    ("easy", {"interval": 1800}),
    ("easy", {"selection": "sb"}),
    ("backfill", {"reservation_depth": 10}),
    ("conservative", {}),
    ("conservative", {"queue_depth": 100}),
    ("conservative", {"window": 86400}),
    ("conservative", {"resolution": 600}),
    ("conservative", {"interval": 300}),
    ("conservative", {"compression": "none"}),
]


def read(words: list[str]) -> schedcore.Instance:
    """The log that is named, or a workload in its place."""
    if not words:
        return workloads.lublin_k(seed=1, n_jobs=3000, n_resources=1, estimate_factor=5, average_queue=64)
    options: dict[str, Any] = {"n_resources": 1} if ".swf" in words[0] else {"memory": False}
    if len(words) > 1:
        options["processors"] = int(words[1])
    inst, report = workloads.load(words[0], **options)
    print(report)
    return inst


def main(words: list[str]) -> None:
    inst = read(words)
    print(f"{'policy':14}{'setting':26}{'mean wait/h':>12}{'longest/h':>11}{'bounded slowdown':>18}{'ms':>9}")
    for policy, options in SETTINGS:
        seconds = float("inf")
        for _ in range(ROUNDS):
            begin = time.process_time()
            result = schedcore.solve(policy, inst, **options)
            seconds = min(seconds, time.process_time() - begin)
            if seconds > 1:
                break
        schedcore.validate(inst, result.schedule, raise_on_error=True)
        wait = metrics.queuing_delay(inst, result.schedule) / 3600
        slowdown = metrics.bounded_slowdown(inst, result.schedule).mean()
        setting = ", ".join(f"{key}={value}" for key, value in options.items()) or "as it is"
        print(
            f"{policy:14}{setting:26}{wait.mean():12.2f}{wait.max():11.1f}{slowdown:18.1f}{1000 * seconds:9.1f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
