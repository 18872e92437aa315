"""Machines from a short text: every part is read exactly or refused by name."""

import pytest

from schedcore import InvalidInstanceError
from schedcore.workloads import ResourceUnit, parse_machines
from schedcore.workloads.reading.machines_spec import one_machine

VM = (ResourceUnit("vcpus"), ResourceUnit("memory", bytes_per_unit=2**28))
KB = (ResourceUnit("processors", units_per_one=1000), ResourceUnit("memory", bytes_per_unit=2**10))


@pytest.mark.parametrize(
    ("text", "resources", "capacity"),
    [
        ("20x64,448GB", VM, [[64, 1792]] * 20),
        (" 2 x 64 , 448 gb ", VM, [[64, 1792]] * 2),
        ("1x64,1TB", VM, [[64, 4096]]),
        ("1x64,1.75GiB", VM, [[64, 7]]),
        ("2x64,448GB+1x8,512MB", VM, [[64, 1792], [64, 1792], [8, 2]]),
        ("1x240,120GB", KB, [[240_000, 120 * 1_048_576]]),
        ("1x0.5,2048B", KB, [[500, 2]]),
    ],
)
def test_texts_mean_what_they_say(
    text: str, resources: tuple[ResourceUnit, ...], capacity: list[list[int]]
) -> None:
    machines = parse_machines(text, resources)
    assert machines.capacity.tolist() == capacity
    assert machines.resource_names == tuple(resource.name for resource in resources)


@pytest.mark.parametrize(
    ("amounts", "resources", "text"),
    [
        ((240_000, 120 * 1_048_576), KB, "1x240,120GB"),
        ((240_001, 120 * 1_048_576 + 1), KB, "1x241,121GB"),  # rounded up
        ((1.0, 1025), KB, "1x1,2MB"),
        ((0, 7), KB, "1x0,7KB"),
        ((64, 7), VM, "1x64,2GB"),
    ],
)
def test_one_machine_for_given_amounts_is_written_so_that_it_can_be_read(
    amounts: tuple[float, ...], resources: tuple[ResourceUnit, ...], text: str
) -> None:
    assert one_machine(amounts, resources) == text
    assert (parse_machines(text, resources).capacity[0] >= amounts).all()


def test_a_number_alone_means_usual_hosts() -> None:
    assert parse_machines("3", VM, (64, 1792)).capacity.tolist() == [[64, 1792]] * 3
    with pytest.raises(InvalidInstanceError, match="no usual host"):
        parse_machines("3", VM)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not COUNTxAMOUNT"),
        ("64,448GB", "is not COUNTxAMOUNT"),
        ("0x64,448GB", "is not COUNTxAMOUNT"),
        ("-1x64,448GB", "is not COUNTxAMOUNT"),
        ("2x64,448GB+", "is not COUNTxAMOUNT"),
        ("2x64", r"has 1 amounts for 2 resources \(vcpus, memory\)"),
        ("2x64,448GB,1", "has 3 amounts for 2 resources"),
        ("2x64,448", "'448' needs a unit, as in 448GB"),
        ("2x64GB,448GB", "'64GB' has a unit of memory, but vcpus is a plain number"),
        ("2x64,0.1GB", "0.4 units of memory; it must be a whole number"),
        ("2x6.5,1GB", "6.5 units of vcpus"),
        ("2xmany,1GB", "'many' is not an amount of vcpus"),
        ("2x99999999999999999,1GB", r"at most 2\*\*53"),
        ("0", "n_machines = 0"),
    ],
)
def test_other_texts_are_refused_with_the_part_that_is_wrong(text: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        parse_machines(text, VM, (64, 1792))
