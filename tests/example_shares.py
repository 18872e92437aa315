"""How many random cases a test draws: fewer by default, many more in the thorough profile, always in proportion.

The number in a test is for a profile with a `max_examples` of 32. The default one has 16, and draws half of it; the
thorough one has 400, and draws 12.5 times as many. Tests that are repeated for many algorithms or options ask for few
each, because they draw hundreds together.
"""

from hypothesis import settings

UNIT = 32
FEWEST = 6  # with hypothesis, which begins with the simplest case


def n_cases(n: int, *, at_least: int = 1) -> int:
    """How many cases the profile draws where a test asks for `n`; for a test that draws its cases itself."""
    return max(at_least, round(n * settings.default.max_examples / UNIT))


def n_or_more(n: int) -> int:
    """`n` by default as well, for a test that counts what it finds in its cases; more in the thorough profile."""
    return n_cases(n, at_least=n)


def examples(n: int) -> settings:
    """A decorator for a test with hypothesis that asks for `n`, another number than most."""
    return settings(max_examples=n_cases(n, at_least=FEWEST))
