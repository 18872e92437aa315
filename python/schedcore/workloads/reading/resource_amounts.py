"""Amounts of a resource as people write them, ``64``, ``0.5`` or ``448GB``, and as whole numbers of units.

Amounts of memory carry a unit (B, KB, MB, GB, TB; powers of 1024, with or without the ``i`` of KiB); other amounts are
plain numbers. What is no whole number of units is refused, not rounded.
"""

import dataclasses
import re
from fractions import Fraction

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.real_numbers import shown

__all__ = ["ResourceUnit", "has_memory_unit", "parse_amount", "write_amount"]

_BYTES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(?:([KMGT]?)i?B)?", re.IGNORECASE)
_LONGEST = 200  # characters; no number of so few overflows float64


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


def parse_amount(text: str, resource: ResourceUnit) -> int:
    """Return a written amount in units of the resource.

    Raises
    ------
    InvalidInstanceError
        For what is no amount, an amount of memory without a unit, any other amount with one, and what is no whole
        number of units of at most 2**53.
    """
    match = _AMOUNT.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise InvalidInstanceError(f"{shown(text)!r} is not an amount of {resource.name}")
    number, prefix = Fraction(match[1]), match[2]
    if resource.bytes_per_unit is not None:
        if prefix is None:
            raise InvalidInstanceError(
                f"{text!r} needs a unit, as in {text}GB, because {resource.name} is memory"
            )
        units = number * _BYTES[prefix.upper()] / resource.bytes_per_unit
    elif prefix is not None:
        raise InvalidInstanceError(f"{text!r} has a unit of memory, but {resource.name} is a plain number")
    else:
        units = number * resource.units_per_one
    if units.denominator != 1 or units > EXACT_BOUND:
        raise InvalidInstanceError(
            f"{text!r} is {float(units):g} units of {resource.name}; it must be a whole number of at most 2**53"
        )
    return int(units)


def has_memory_unit(text: str) -> bool:
    """Whether this is an amount of memory with its unit."""
    match = _AMOUNT.fullmatch(text) if len(text) <= _LONGEST else None
    return match is not None and match[2] is not None


def write_amount(units: int, resource: ResourceUnit) -> str:
    """Return a text that `parse_amount` reads as at least so many units: whole ones, or whole KB, MB or GB."""
    if resource.bytes_per_unit is None:
        return str(-(-units // resource.units_per_one))
    size = units * resource.bytes_per_unit
    prefix = next((prefix for prefix in "GMK" if size >= _BYTES[prefix]), "K")
    return f"{-(-size // _BYTES[prefix])}{prefix}B"
