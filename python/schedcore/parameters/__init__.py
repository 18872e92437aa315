"""Options said once: as the fields of a frozen class, checked as it is made.

A subclass of `Parameters` declares the options of an algorithm. The name, type and default of an argument, its
documentation, the entry in the registry, the check with its message, what a result records, the argument of the
compiled kernel and what an embedded policy takes are all read from the field::

    class OneByOneParameters(Parameters):
        pause: float = option("idle time before each job", default=0.0, check=partial(finite_number, above_0=False))

As with `dataclasses`, fields of a base class come before those of its subclasses, with several bases those of the last
one first, and a field that is declared again keeps its place; those that are given by name alone come last. Type
checkers and editors know the constructor.
"""

from .circumstances import Circumstances
from .fields import (
    Check,
    NeededEmbedded,
    Option,
    RefusedEmbedded,
    embedded_option,
    option,
    optional,
    same_option,
)
from .option_set import OptionSet, Parameters, Progress

__all__ = [
    "Check",
    "Circumstances",
    "NeededEmbedded",
    "Option",
    "OptionSet",
    "Parameters",
    "Progress",
    "RefusedEmbedded",
    "embedded_option",
    "option",
    "optional",
    "same_option",
]
