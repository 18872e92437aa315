"""How many random cases a test draws: fewer by default, many more in the thorough profile, always in proportion.

Tests that are repeated for many algorithms or options ask for few each, because they draw hundreds together.
"""

from hypothesis import settings

#: What the numbers in tests are relative to: so many that a profile with this `max_examples` draws just them.
UNIT = 32


def n_cases(n: int, *, at_least: int = 1) -> int:
    """The share of `n` that the profile asks for, for a test that draws its cases itself.

    A test that counts what it finds in them says how many that takes at least.
    """
    return max(at_least, round(n * settings.default.max_examples / UNIT))


def examples(n: int) -> settings:
    """A decorator for a test with hypothesis that asks for another number than most: that share of `n`."""
    return settings(max_examples=n_cases(n))
