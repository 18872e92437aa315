"""Machines from a short text such as ``20x64,448GB``: a number of machines and what each has.

The grammar: groups joined by ``+``; a group is ``COUNTxAMOUNT,AMOUNT,...`` with one amount per resource, or,
alone, a ``COUNT`` of the workload's usual hosts. Amounts of memory carry a unit (KB, MB, GB, TB; powers of
1024, with or without the ``i`` of KiB); other amounts are plain numbers. The workload says what its units
are.
"""

import dataclasses
import math
import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines
from schedcore.model.machines import MOST_MACHINES
from schedcore.model.real_numbers import shown

__all__ = ["MachineChoice", "ResourceUnit", "choose_machines", "one_machine", "parse_machines"]

MachineChoice = Machines | str | int

_LONGEST_TEXT = 200  # characters; no number of so few overflows float64
_BYTES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([KMGT]?)i?B)?", re.IGNORECASE)
_SHAPE = "COUNTxAMOUNT,AMOUNT,... such as 20x64,448GB, joined by + for several kinds of machine"


@dataclasses.dataclass(frozen=True)
class ResourceUnit:
    """How amounts of a resource are written and counted.

    Parameters
    ----------
    name : str
        Resource name.
    units_per_one : int
        Units that a plain number 1 stands for; 1000 if a processor counts 1000 units. Unused for memory.
    bytes_per_unit : int, optional
        For memory: bytes in one unit.
    """

    name: str
    units_per_one: int = 1
    bytes_per_unit: int | None = None


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
        rows.append([_units(text, part, resource) for part, resource in zip(parts, resources, strict=True)])
    capacity = np.repeat(np.array(rows, dtype=np.int64), counts, axis=0)
    return Machines(capacity, [resource.name for resource in resources])


def one_machine(amounts: Sequence[float], resources: Sequence[ResourceUnit]) -> str:
    """Return the text of one machine with at least these amounts, in units, as ``parse_machines`` reads it.

    Amounts are rounded up to whole ones, memory to whole GB, or to whole MB or KB where it is less than one.
    """
    return f"1x{','.join(_written(math.ceil(amount), of) for amount, of in zip(amounts, resources, strict=True))}"


def _written(units: int, resource: ResourceUnit) -> str:
    if resource.bytes_per_unit is None:
        return str(-(-units // resource.units_per_one))
    size = units * resource.bytes_per_unit
    prefix = next((prefix for prefix in "GMK" if size >= _BYTES[prefix]), "K")
    return f"{-(-size // _BYTES[prefix])}{prefix}B"


def choose_machines(
    choice: MachineChoice, resources: Sequence[ResourceUnit], host: Sequence[int] | None = None
) -> Machines:
    """Return the machines that `choice` means: machines as they are, a text, or a number of usual hosts."""
    if isinstance(choice, Machines):
        if choice.n_resources != len(resources):
            raise InvalidInstanceError(
                f"machines have {choice.n_resources} resources, the jobs {len(resources)} "
                f"({', '.join(resource.name for resource in resources)})"
            )
        return choice
    if isinstance(choice, str):
        return parse_machines(choice, resources, host)
    return _usual_hosts(choice, resources, host)


def _usual_hosts(count: int, resources: Sequence[ResourceUnit], host: Sequence[int] | None) -> Machines:
    if host is None:
        raise InvalidInstanceError(
            f"machines = {shown(count)}: this workload has no usual host; write {_SHAPE}"
        )
    return Machines.identical(count, list(host), [resource.name for resource in resources])


def _units(text: str, part: str, resource: ResourceUnit) -> int:
    match = _AMOUNT.fullmatch(part)
    if match is None:
        raise InvalidInstanceError(f"machines {text!r}: {part!r} is not an amount of {resource.name}")
    number, prefix = Fraction(match[1]), match[2]
    if resource.bytes_per_unit is not None:
        if prefix is None:
            raise InvalidInstanceError(
                f"machines {text!r}: {part!r} needs a unit, as in {part}GB, because {resource.name} is memory"
            )
        units = number * _BYTES[prefix.upper()] / resource.bytes_per_unit
    elif prefix is not None:
        raise InvalidInstanceError(
            f"machines {text!r}: {part!r} has a unit of memory, but {resource.name} is a plain number"
        )
    else:
        units = number * resource.units_per_one
    if units.denominator != 1 or units > 2**53:
        raise InvalidInstanceError(
            f"machines {text!r}: {part!r} is {float(units):g} units of {resource.name}; "
            f"it must be a whole number of at most 2**53"
        )
    return int(units)
