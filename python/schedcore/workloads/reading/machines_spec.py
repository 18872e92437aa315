"""Machines from a short text such as ``20x64,448GB``: a number of machines and what each has.

The grammar: groups joined by ``+``; a group is ``COUNTxAMOUNT,AMOUNT,...`` with one amount per resource, or,
alone, a ``COUNT`` of the workload's usual hosts. Amounts are those of `resource_amounts`. The workload says what its
units are. Where machines are chosen, the text may also be the path of a table of machines.
"""

import math
import os
import re
from collections.abc import Sequence

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines
from schedcore.model.machines import MOST_MACHINES
from schedcore.model.real_numbers import shown
from schedcore.workloads.reading.machine_table import read_machines
from schedcore.workloads.reading.resource_amounts import ResourceUnit, parse_amount, write_amount

__all__ = ["MachineChoice", "ResourceUnit", "choose_machines", "one_machine", "parse_machines"]

MachineChoice = Machines | str | int

_LONGEST_TEXT = 200  # characters
_ENDINGS_OF_TABLES = (".csv", ".csv.gz")
_SHAPE = "COUNTxAMOUNT,AMOUNT,... such as 20x64,448GB, joined by + for several kinds of machine"


def parse_machines(
    text: str, resources: Sequence[ResourceUnit], host: Sequence[int] | None = None
) -> Machines:
    """Read a machine specification.

    Parameters
    ----------
    text : str
        As ``"20x64,448GB"`` or ``"10x64,448GB+4x16,64GB"``, or ``"20"`` where there is a usual host.
    resources : sequence of ResourceUnit
        The resources, in the order of the amounts.
    host : sequence of int, optional
        Capacities of the usual host, in units.

    Raises
    ------
    InvalidInstanceError
        If the text does not follow the grammar, an amount is no whole number of units, or there are more than
        10,000,000 machines; says which part.
    """
    if len(text) > _LONGEST_TEXT:
        raise InvalidInstanceError(f"machines {shown(text)!r}: more than {_LONGEST_TEXT:,} characters")
    if re.fullmatch(r"\s*\d+\s*", text):
        return _usual_hosts(int(text), resources, host)
    rows: list[list[int]] = []
    counts: list[int] = []
    for group in text.split("+"):
        count, separator, amounts = group.partition("x")
        if not separator or not count.strip().isdecimal() or int(count) == 0:
            raise InvalidInstanceError(f"machines {text!r}: {group.strip()!r} is not {_SHAPE}")
        counts.append(int(count))
        if sum(counts) > MOST_MACHINES:
            raise InvalidInstanceError(
                f"machines {text!r}: {sum(counts)} machines are more than {MOST_MACHINES:,}, the most there can be"
            )
        parts = [part.strip() for part in amounts.split(",")]
        if len(parts) != len(resources):
            names = ", ".join(resource.name for resource in resources)
            raise InvalidInstanceError(
                f"machines {text!r}: {group.strip()!r} has {len(parts)} amounts "
                f"for {len(resources)} resources ({names})"
            )
        try:
            rows.append(list(map(parse_amount, parts, resources)))
        except InvalidInstanceError as error:
            raise InvalidInstanceError(f"machines {text!r}: {error}") from None
    capacity = np.repeat(np.array(rows, dtype=np.int64), counts, axis=0)
    return Machines(capacity, [resource.name for resource in resources])


def one_machine(amounts: Sequence[float], resources: Sequence[ResourceUnit]) -> str:
    """Return the text of one machine with at least these amounts, in units, as ``parse_machines`` reads it.

    Amounts are rounded up to whole ones, memory to whole GB, or to whole MB or KB where it is less than one.
    """
    return f"1x{','.join(map(write_amount, map(math.ceil, amounts), resources))}"


def choose_machines(
    choice: MachineChoice, resources: Sequence[ResourceUnit], host: Sequence[int] | None = None
) -> Machines:
    """Return the machines that `choice` means: machines as they are, a table, a text, or a number of usual hosts.

    A file goes before a text that reads the same.
    """
    if isinstance(choice, Machines):
        if choice.n_resources != len(resources):
            raise InvalidInstanceError(
                f"machines have {choice.n_resources} resources, the jobs {len(resources)} "
                f"({', '.join(resource.name for resource in resources)})"
            )
        return choice
    if isinstance(choice, str):
        if os.path.isfile(choice):
            return read_machines(choice, resources)
        if choice.lower().endswith(_ENDINGS_OF_TABLES):
            raise InvalidInstanceError(f"machines {shown(choice)!r}: no such file (nor {_SHAPE})")
        return parse_machines(choice, resources, host)
    return _usual_hosts(choice, resources, host)


def _usual_hosts(count: int, resources: Sequence[ResourceUnit], host: Sequence[int] | None) -> Machines:
    if host is None:
        raise InvalidInstanceError(
            f"machines = {shown(count)}: this workload has no usual host; write {_SHAPE}"
        )
    return Machines.identical(count, list(host), [resource.name for resource in resources])
