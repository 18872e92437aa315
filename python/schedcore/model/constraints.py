"""On which machines is a constraint true? Boolean expressions over the labels of machines.

::

    expression = term { "|" term }      term = factor { "&" factor }
    factor = "!" factor | "(" expression ")" | label

A label is one or more of the letters a to z and A to Z, digits, and ``_ . : = / + -``. Blanks and tabs between tokens
are skipped. ``!`` binds tightest, then ``&``, then ``|``. Nothing but blanks is true everywhere. A label that no
machine carries is false everywhere. Anything else is malformed. Neither the parser nor the evaluation recurses, so an
expression may be nested as deeply as it likes.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import BoolArray
from .coded_texts import CodedTexts
from .machine_descriptions import LABEL
from .machines import Machines
from .malformed import malformed

__all__ = ["AllowedMachines", "Constraint", "allowed_machines", "machines_that_satisfy", "parsed"]

_TOKEN = re.compile(rf"[ \t]*({LABEL}|[!&|()]|\Z)")
_BINDING = {"|": 1, "&": 2}

# A node of the parsed expression: an operator or a label, how many results have to be kept while it is computed
# with the better order of its parts, and the parts, the one to compute first in front.
_Node = tuple[str, int, "_Node | None", "_Node | None"]


@dataclass(frozen=True, slots=True)
class Constraint:
    """A parsed expression, ready to be evaluated.

    Attributes
    ----------
    postfix : tuple of str
        Labels and operators in the order of evaluation; empty for what is true everywhere. Parts are ordered so that
        at most log2(number of labels) + 1 results are kept at a time, whatever the nesting.
    """

    postfix: tuple[str, ...]

    @property
    def labels(self) -> frozenset[str]:
        """The labels that it names."""
        return frozenset(self.postfix) - {"!", "&", "|"}

    def holds_for(self, carriers: dict[str, BoolArray], n: int) -> BoolArray:
        """(n,) Return where it is true, given where each of its labels is; O(n * len(postfix))."""
        results: list[BoolArray] = []
        for token in self.postfix:
            match token:
                case "!":
                    results.append(~results.pop())
                case "&":
                    results.append(results.pop() & results.pop())
                case "|":
                    results.append(results.pop() | results.pop())
                case label:
                    results.append(carriers[label])
        return results.pop() if results else np.ones(n, dtype=np.bool_)


class AllowedMachines(NamedTuple):
    """Where jobs may run.

    Attributes
    ----------
    masks : (n_constraints, n_machines) bool
        A row for each distinct constraint, read-only.
    codes : (n_jobs,) int32
        The row of each job; -1 for a job without a constraint, which may run everywhere.
    """

    masks: BoolArray
    codes: NDArray[np.int32]


def allowed_machines(constraints: CodedTexts, machines: Machines) -> AllowedMachines:
    """Return on which machines each distinct constraint of ``jobs.coded("constraint")`` is true.

    Notes
    -----
    Each distinct constraint is evaluated once, over the distinct sets of labels: O(length * n_sets) time. The masks
    take n_constraints * n_machines bytes.
    """
    masks = np.empty((len(constraints.names), machines.n_machines), dtype=np.bool_)
    for row, text in enumerate(constraints.names):
        masks[row] = machines_that_satisfy(text, machines)
    masks.setflags(write=False)
    return AllowedMachines(masks, constraints.codes)


def machines_that_satisfy(constraint: str, machines: Machines) -> BoolArray:
    """(n_machines,) Return, read-only, on which machines a constraint is true.

    Raises
    ------
    InvalidInstanceError
        For a malformed constraint; says where.
    """
    expression = parsed(constraint)
    sets = machines.label_sets
    carriers = {
        label: np.fromiter(
            (label in each for each in sets.distinct), dtype=np.bool_, count=len(sets.distinct)
        )
        for label in expression.labels
    }
    of_sets = expression.holds_for(carriers, len(sets.distinct))
    holds = np.repeat(of_sets, machines.n_machines) if sets.codes is None else of_sets[sets.codes]
    holds.setflags(write=False)
    return holds


@lru_cache(maxsize=1024)
def parsed(constraint: str) -> Constraint:
    """Return the parsed expression; O(length), and remembered.

    Raises
    ------
    InvalidInstanceError
        For a malformed expression; the message names the position, counted from 0, and what stands there.
    """
    if not constraint.strip(" \t"):
        return Constraint(())
    operands: list[_Node] = []
    operators: list[tuple[str, int]] = []  # not applied yet, each with its position
    needs_operand = True
    end = 0
    while True:
        found = _TOKEN.match(constraint, end)
        if found is None:
            blanks = len(constraint) - end - len(constraint[end:].lstrip(" \t"))
            raise malformed(constraint, end + blanks, "is no label and no operator")
        token, position, end = found[1], found.start(1), found.end(1)
        if needs_operand:
            if token in ("!", "("):
                operators.append((token, position))
                continue
            if token in ("", ")", "&", "|"):
                raise malformed(constraint, position, "stands where a label, '!' or '(' is needed")
            operands.append((token, 1, None, None))
            _negate(operators, operands)
            needs_operand = False
        elif token in _BINDING:
            _combine(operators, operands, _BINDING[token])
            operators.append((token, position))
            needs_operand = True
        elif token == ")":
            _combine(operators, operands, 0)
            if not operators:
                raise malformed(constraint, position, "closes what was not opened")
            operators.pop()
            _negate(operators, operands)
        elif not token:
            _combine(operators, operands, 0)
            if operators:
                raise malformed(constraint, operators[-1][1], "is not closed")
            return Constraint(_in_postfix(operands.pop()))
        else:
            raise malformed(constraint, position, "stands where '&', '|' or ')' is needed")


def _negate(operators: list[tuple[str, int]], operands: list[_Node]) -> None:
    """Apply the negations before the last operand."""
    while operators and operators[-1][0] == "!":
        operators.pop()
        part = operands.pop()
        operands.append(("!", part[1], part, None))


def _combine(operators: list[tuple[str, int]], operands: list[_Node], binding: int) -> None:
    """Apply the operators before the last operand that bind at least as tightly, back to an open parenthesis."""
    while operators and _BINDING.get(operators[-1][0], -1) >= binding:
        symbol, _ = operators.pop()
        parts = sorted((operands.pop(), operands.pop()), key=lambda part: -part[1])
        kept = max(parts[0][1], parts[1][1] + 1)  # the first result waits while the second is computed
        operands.append((symbol, kept, parts[0], parts[1]))


def _in_postfix(root: _Node) -> tuple[str, ...]:
    backwards: list[str] = []
    pending = [root]
    while pending:
        token, _, first, second = pending.pop()
        backwards.append(token)
        pending += [part for part in (first, second) if part is not None]
    return tuple(reversed(backwards))
