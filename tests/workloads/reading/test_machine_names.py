"""Names lead to machines, and an unknown name to an error that helps."""

import pytest

from schedcore import InvalidInstanceError, Machines
from schedcore.workloads import machines_by_name, numbered_machines
from schedcore.workloads.reading.machine_names import MachineNames

MACHINES = Machines.identical(4, [1], names=["login", "node2", "node1", "gpu01"])


@pytest.mark.parametrize(
    ("hostlist", "indices"),
    [
        ("node1", [2]),
        ("node[1-2],login", [2, 1, 0]),
        ("node1,gpu[01],node[1-2]", [2, 3, 1]),
        ("login,login", [0]),
    ],
)
def test_machines_come_in_the_order_of_the_hostlist_each_once(hostlist: str, indices: list[int]) -> None:
    assert machines_by_name(MACHINES, hostlist).tolist() == indices


@pytest.mark.parametrize(
    ("hostlist", "message"),
    [
        (
            "node[1-3]",
            "no machine is called 'node3'; did you mean 'node2' or 'node1'? (machines are called 'login' to 'gpu01')",
        ),
        ("gpu1", "no machine is called 'gpu1'; did you mean 'gpu01'?"),
        ("x", "no machine is called 'x' (machines are called"),
        ("0", "no machine is called '0' (machines"),
        ("", "'' names no machine"),
        (" ", "' ' names no machine"),
        ("n[1", "is malformed: at position 3"),
        ("y" * 5000, "no machine is called 'yyyyyyyyyyy... (5002 characters) (machines"),
    ],
)
def test_unknown_machines_are_refused_with_close_matches(hostlist: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError) as error:
        machines_by_name(MACHINES, hostlist)
    assert message in str(error.value)
    assert len(str(error.value)) < 200


def test_machines_without_names_answer_to_the_default_ones_until_they_are_numbered() -> None:
    plain = Machines.identical(3, [1])
    assert machines_by_name(plain, "machine_[0-2]").tolist() == [0, 1, 2]
    numbered = numbered_machines(plain)
    assert numbered.names == ("n1", "n2", "n3")
    assert machines_by_name(numbered, "n3").tolist() == [2]
    with pytest.raises(InvalidInstanceError, match="no machine is called 'machine_0'"):
        machines_by_name(numbered, "machine_0")


def test_machines_with_names_keep_them() -> None:
    assert numbered_machines(MACHINES) is MACHINES


def test_a_single_machine_is_told_by_its_name() -> None:
    with pytest.raises(InvalidInstanceError, match=r"called 'b' \(the machine is called 'machine_0'\)"):
        machines_by_name(Machines([[1]]), "b")


def test_the_word_all_means_every_machine_unless_one_is_called_so() -> None:
    assert MachineNames(MACHINES).indices_or_all("all").tolist() == [0, 1, 2, 3]
    ambiguous = MachineNames(Machines.identical(2, [1], names=["all", "b"]))
    with pytest.raises(InvalidInstanceError, match="'all' means all machines, but one of them is called so"):
        ambiguous.indices_or_all("all")
    assert ambiguous.indices("all").tolist() == [0]


def test_a_number_is_an_index_unless_some_machine_has_a_number_for_a_name() -> None:
    assert MachineNames(MACHINES).indices_or_number("3").tolist() == [3]
    for text in ("4", "9" * 5000):
        with pytest.raises(InvalidInstanceError, match=r"there is no machine .* the 4 machines count from 0"):
            MachineNames(MACHINES).indices_or_number(text)
    numbers = MachineNames(Machines.identical(3, [1], names=["1", "2", "three"]))
    assert numbers.indices_or_number("1").tolist() == [0]
    with pytest.raises(InvalidInstanceError, match="no machine is called '0'"):
        numbers.indices_or_number("0")
