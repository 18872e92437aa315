"""What is written as TOML is read back as it was."""

import math

from schedcore.experiments import load, names
from schedcore.experiments.description.document import from_document, to_document
from schedcore.experiments.description.toml_text import parse_toml, to_toml

STRANGE = 'quote " backslash \\ newline \n tab \t bell \a delete \x7f emoji \U0001f600 [x] # = </pre>'


def test_texts_keys_and_numbers_are_read_back_as_they_were() -> None:
    document = {
        "name": STRANGE,
        "numbers": [1, -2, 0.1, 1e-300, 1e300, math.inf, 2**53],
        "flags": [True, False],
        STRANGE: {"plain": 1, STRANGE: STRANGE},
        "tables": {"a b": {"inner": {STRANGE: [1, 2]}}, "c": {"list": [{"x": 1}, {"y": [0.5, math.inf]}]}},
    }
    assert parse_toml(to_toml(document).encode()) == document


def test_experiments_that_come_with_the_library_are_read_back_as_they_were() -> None:
    for name in names():
        document = to_document(load(name))
        read = from_document(parse_toml(to_toml(document).encode()))
        assert to_document(read) == document
