"""What a pass of Slurm's backfilling knows beside the jobs that wait: nodes, running jobs, reservations, settings."""

import math
from collections.abc import Sequence

import numpy as np

from schedcore.engine.cycle_plan import CycleMachines, CycleReservations, CycleRuns, CycleSettings

from .backfill_settings import number_of
from .cycle_requests import NumberedSets
from .divided_shares import Held
from .reservations import SlurmReservation
from .run_ends import ends_of_run
from .site import SlurmSite

__all__ = ["cycle_machines", "cycle_reservations", "cycle_runs", "cycle_settings"]


def cycle_machines(site: SlurmSite) -> CycleMachines:
    """Return the nodes, in the order of the configuration."""
    nodes = site.nodes
    return CycleMachines(
        np.array([node.cpus for node in nodes], dtype=np.int64),
        np.array([node.memory for node in nodes], dtype=np.int64),
        np.array([node.weight for node in nodes], dtype=np.int64),
        np.array([not node.is_closed for node in nodes], dtype=np.bool_),
    )


def cycle_runs(site: SlurmSite, held: Sequence[Held], now: int) -> CycleRuns:
    """Return what the running jobs hold, and until when."""
    processors = {node.name: node.cpus for node in site.nodes}
    index = {node.name: number for number, node in enumerate(site.nodes)}
    whole = {each.name for each in site.partitions if each.oversubscribe.startswith("EXCLUSIVE")}
    ends, offsets, places = [], [0], list[tuple[int, int, int]]()
    for job, shares, _ in held:
        ends.append(ends_of_run(site, job, now))
        is_whole = job.exclusive or site.exclusive or job.partition in whole
        for share in shares:
            of_node = processors[share.node]
            cpus = of_node if is_whole else min(share.cpus, of_node)
            places.append((index[share.node], cpus, share.memory if site.resources.memory else 0))
        offsets.append(len(places))
    table = np.array(places, dtype=np.int64).reshape(-1, 3)
    columns = (np.ascontiguousarray(table[:, column]) for column in range(3))
    both = np.array(ends, dtype=np.int64).reshape(-1, 2).T.copy()
    return CycleRuns(both[0], both[1], np.array(offsets, dtype=np.int64), *columns)


def cycle_reservations(reservations: Sequence[SlurmReservation], sets: NumberedSets) -> CycleReservations:
    """Return the reservations; one without nodes reserves licenses, and has none here."""
    flags = [set(each.flags) for each in reservations]
    return CycleReservations(
        np.array([math.floor(each.start_time) for each in reservations], dtype=np.int64),
        np.array([math.ceil(each.end_time) for each in reservations], dtype=np.int64),
        np.array([sets.of_names(each.nodes) for each in reservations], dtype=np.int64),
        np.array(["ALL_NODES" in each for each in flags], dtype=np.bool_),
        np.array(["MAINT" in each for each in flags], dtype=np.bool_),
        np.array(["FLEX" in each for each in flags], dtype=np.bool_),
    )


def cycle_settings(site: SlurmSite, now: int) -> CycleSettings:
    """Return window, resolution, depth and grouping of SchedulerParameters."""
    configuration = site.parts.configuration
    given = configuration.parameters("SchedulerParameters")
    depth, window, resolution, growth = (
        number_of(configuration, given, names, default, least)
        for names, default, least in (
            (("bf_max_job_test", "max_job_bf"), 500, 1),
            (("bf_window",), 1440, 1),
            (("bf_resolution",), 60, 1),
            (("bf_window_linear",), 0, 0),
        )
    )
    return CycleSettings(
        now,
        window=window * 60,
        resolution=resolution,
        depth=depth,
        most_intervals=number_of(configuration, given, ("bf_node_space_size",), 2 * depth + 1, 1),
        growth=growth,
    )
