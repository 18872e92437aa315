"""Constraints over machine labels: a recursive-descent parser that follows the grammar rule by rule.

    expr = term { "|" term }; term = factor { "&" factor }; factor = "!" factor | "(" expr ")" | label

Blanks between tokens are skipped; a constraint of nothing but blanks holds everywhere.
"""

from collections.abc import Callable
from functools import cache
from string import ascii_letters, digits

Labels = frozenset[str]
Condition = Callable[[Labels], bool]

OF_LABELS = frozenset(ascii_letters + digits + "_.:=/+-")
BLANKS = frozenset(" \t")


@cache
def condition(constraint: str) -> Condition:
    """What the constraint asks of the labels of a machine; a ValueError names the position of what is malformed."""
    parser = _Parser(constraint)
    if parser.at_end():
        return lambda labels: True
    asked = parser.expression()
    if not parser.at_end():
        raise parser.error('"&", "|" or the end')
    return asked


def is_label(text: str) -> bool:
    """Whether a machine may carry it."""
    return text != "" and all(character in OF_LABELS for character in text)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def expression(self) -> Condition:
        terms = [self.term()]
        while self.takes("|"):
            terms.append(self.term())
        return lambda labels: any(term(labels) for term in terms)

    def term(self) -> Condition:
        factors = [self.factor()]
        while self.takes("&"):
            factors.append(self.factor())
        return lambda labels: all(factor(labels) for factor in factors)

    def factor(self) -> Condition:
        if self.takes("!"):
            negated = self.factor()
            return lambda labels: not negated(labels)
        if self.takes("("):
            inner = self.expression()
            if not self.takes(")"):
                raise self.error('"&", "|" or ")"')
            return inner
        name = self.label()
        return lambda labels: name in labels

    def label(self) -> str:
        self.skip_blanks()
        begin = self.position
        while self.position < len(self.text) and self.text[self.position] in OF_LABELS:
            self.position += 1
        if self.position == begin:
            raise self.error('a label, "!" or "("')
        return self.text[begin : self.position]

    def takes(self, token: str) -> bool:
        self.skip_blanks()
        if not self.text.startswith(token, self.position):
            return False
        self.position += 1
        return True

    def at_end(self) -> bool:
        self.skip_blanks()
        return self.position == len(self.text)

    def skip_blanks(self) -> None:
        while self.position < len(self.text) and self.text[self.position] in BLANKS:
            self.position += 1

    def error(self, expected: str) -> ValueError:
        return ValueError(f"constraint {self.text!r}: expected {expected} at position {self.position}")
