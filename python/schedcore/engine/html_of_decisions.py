"""What a notebook shows of an embedded scheduler and of what it answers: starts, plans, and how the machines stand."""

from collections.abc import Iterator, Sequence

from schedcore.model.amounts import exact_total
from schedcore.model.arrays import IntArray
from schedcore.model.html_text import MOST_ROWS, Html, clipped, counted, share_bar, table
from schedcore.model.readable import readable_time

__all__ = ["first_ids", "table_of_amounts", "table_of_places"]


def table_of_places(
    title: str, places: Sequence[tuple[int, int, float]], n_tasks: Sequence[int], n: int
) -> Html:
    """Return a row for each of the places (job, machine, start), the first of `n`; nothing if there is none.

    Numbers of tasks are shown where some job has several.
    """
    if not places:
        return Html("")
    rows = [(str(job), str(machine), readable_time(start)) for job, machine, start in places]
    heads = ["job", "machine", "start"]
    shown: list[tuple[object, ...]] = [*rows]
    if max(n_tasks, default=1) > 1:
        heads.append("tasks")
        shown = [(*row, tasks) for row, tasks in zip(rows, n_tasks, strict=True)]
    more = f", the first {len(places)}" if n > len(places) else ""
    return table(heads, shown, f"{title}: {counted(n, 'job')}{more}")


def table_of_amounts(
    resource_names: Sequence[str], free: IntArray, used: IntArray, reserved: IntArray, capacity: IntArray
) -> Html:
    """Return a row a resource, of amounts a machine: what is free, used and reserved together, and a bar."""
    heads = ["resource", "free", "used", "reserved", "capacity", "used, then reserved"]
    return table(heads, _amounts(resource_names, free, used, reserved, capacity))


def _amounts(resource_names: Sequence[str], *columns: IntArray) -> Iterator[tuple[object, ...]]:
    for resource, name in enumerate(resource_names):
        free, used, reserved, capacity = (exact_total(amounts[:, resource]) for amounts in columns)
        shares = [part / capacity if capacity else 0.0 for part in (used, reserved)]
        bar = share_bar(shares, f"{100 * shares[0]:.1f} % used, {100 * shares[1]:.1f} % reserved")
        yield clipped(name), free, used, reserved, capacity, bar


def first_ids(ids: IntArray) -> str:
    """Return how many ids there are, and the first of them; empty for none."""
    if not len(ids):
        return ""
    more = ", ..." if len(ids) > MOST_ROWS else ""
    return f"{len(ids):,}: {', '.join(map(str, ids[:MOST_ROWS].tolist()))}{more}"
