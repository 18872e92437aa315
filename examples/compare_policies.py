"""Which policy suits this workload, and how much better could any other be?"""

from typing import Any

import schedcore
from schedcore import metrics, workloads

CHOICES: dict[str, tuple[str, dict[str, Any]]] = {
    "PQ": ("pq", {}),
    "TETRIS": ("tetris", {}),
    "BF-EXEC": ("bf_exec", {}),
    "MRIS": ("mris", {}),
    "MRIS without a plan": ("mris", {"opportunistic": True, "replan": "always"}),
}
SECONDS_PER_DAY = 86400


def main() -> None:
    inst = workloads.azure_like(seed=1, n_jobs=4000, n_machines=5)
    print(f"{'policy':22}{'AWCT/days':>10}{'mean wait':>11}{'above bound':>13}{'guarantee':>11}")
    for title, (name, options) in CHOICES.items():
        result = schedcore.solve(name, inst, **options)
        schedcore.validate(inst, result.schedule, raise_on_error=True)
        wait = metrics.queuing_delay(inst, result.schedule).mean() / SECONDS_PER_DAY
        gap, guarantee = result.gap(), result.guarantee
        assert gap is not None
        print(
            f"{title:22}{result.value / SECONDS_PER_DAY:10.3f}{wait:11.3f}{gap:12.1%} "
            f"{'none' if guarantee is None else format(guarantee, 'g'):>11}"
        )


if __name__ == "__main__":
    main()
