"""From the packing trace's tables to jobs, one request at a time, by the numbered steps.

Tables are lists of rows as SQLite gives them; NULL is None. Returns rows ``(p, w, r, d_0, d_1, ...)``.
"""

from math import floor
from typing import Any

from reference.generators import Row, SplitMix64

CAPACITY = 10**6


def jobs(
    vm: list[tuple[Any, ...]],
    vm_type: list[tuple[Any, ...]],
    *,
    n_jobs: int,
    factor: int,
    offset: int,
    machine_type: str,
    weight: str,
    seed: int,
    n_resources: int,
) -> list[Row]:
    random = SplitMix64(seed)
    usable = [row for row in vm if row[3] >= 0 and row[4] is not None and row[4] > row[3]]
    usable.sort(key=lambda row: (row[3], row[0]))
    types: dict[Any, list[list[int]]] = {}
    for _, type_id, _, core, memory, hdd, ssd, nic in sorted(vm_type):
        fractions = [core or 0.0, memory or 0.0, (hdd or 0.0) + (ssd or 0.0), nic or 0.0]
        types.setdefault(type_id, []).append([_units(x) for x in fractions])
    once = {}
    if machine_type == "per_type":
        for type_id in sorted({row[1] for row in usable}):
            once[type_id] = random.next()
    full: list[list[int]] = []
    for _, type_id, priority, start, end in usable:
        draw = once[type_id] if machine_type == "per_type" else random.next()
        if type_id not in types:
            continue
        demand = types[type_id][draw % len(types[type_id])]
        if not any(demand) or len(full) == n_jobs:
            continue
        w = priority + 1 if weight == "priority_plus_one" else 2 - priority
        full.append([max(1, round(86400 * (end - start))), w, round(86400 * start), *demand])
    taken = [list(row) for row in full[offset::factor]]
    for _ in range(4, n_resources):
        for row in taken:
            row.append(full[random.below(len(full))][3])
    return [tuple(row[: 3 + n_resources]) for row in taken]


def _units(x: float) -> int:
    return min(CAPACITY, max(1 if x > 0 else 0, floor(x * CAPACITY + 1e-6)))
