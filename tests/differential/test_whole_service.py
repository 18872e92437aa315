"""Jobs served whole against the plain reference, which decides every slot anew: pieces, completion times and facts."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from differential.against_slotted_reference import assert_equals_reference
from example_shares import examples
from reference.slotted_run import BASELINES
from slotted_cases import NON_CLAIRVOYANT, long_instances, slotted, slotted_instances, whole_options

Instance = schedcore.Instance
SERVED_WHOLE = [name for name in BASELINES if name not in NON_CLAIRVOYANT]


@pytest.mark.parametrize("name", SERVED_WHOLE)
@examples(80)
@given(
    instance=slotted_instances(max_jobs=8, resources=(1, 1, 2, 3), estimates=True, whole=True),
    options=whole_options(),
)
def test_whole_jobs_are_where_the_reference_has_them(
    name: str, instance: Instance, options: dict[str, Any]
) -> None:
    assert_equals_reference(name, instance, options)


@examples(40)
@given(
    instance=long_instances(max_jobs=5, resources=(1, 2), estimates=True, whole=True),
    options=whole_options(),
    max_slots=st.none() | st.integers(1, 400),
    name=st.sampled_from(SERVED_WHOLE),
)
def test_long_stretches_change_nothing(
    instance: Instance, options: dict[str, Any], max_slots: int | None, name: str
) -> None:
    assert_equals_reference(name, instance, {**options, "max_slots": max_slots})


def busy_cluster(n_jobs: int, n_servers: int) -> Instance:
    """Jobs of 1 to 8 cores that keep some servers of 8 and 16 cores busy, estimated wrongly here and there."""
    draw = np.random.default_rng(11)
    cores, memory = draw.choice([1, 2, 3, 4, 8], n_jobs), draw.integers(0, 9, n_jobs)
    times = np.ceil(draw.lognormal(2.2, 1, n_jobs)).astype(int)
    servers = [(8, 8), (16, 14)] * (n_servers // 2)
    window = int(times @ cores / (12 * n_servers))
    believed = np.column_stack([np.clip(cores + draw.integers(-1, 2, n_jobs), 1, 8), memory])
    rows = zip(
        np.sort(draw.integers(0, window, n_jobs)).tolist(),
        zip(cores.tolist(), memory.tolist(), strict=True),
        times.tolist(),
        strict=True,
    )
    return slotted(list(rows), servers, believed.tolist())


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize(("name", "service"), [("srpt", "whole"), ("srvf", "whole"), ("srvf", "repacked")])
def test_a_busy_cluster_equals_the_reference(name: str, service: str, skip: bool) -> None:
    assert_equals_reference(name, busy_cluster(120, 4), {"service": service, "skip": skip})


def test_more_servers_than_are_searched_one_by_one_equal_the_reference() -> None:
    assert_equals_reference("svf", busy_cluster(150, 70), {"service": "whole", "skip": True})
