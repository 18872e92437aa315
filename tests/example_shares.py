"""How many random cases a test draws: tests that are repeated for many algorithms or options draw hundreds together."""

from hypothesis import settings


def share_of_examples(share: float) -> settings:
    """A decorator: that part of what the profile asks for, so that the thorough one keeps drawing many more."""
    return settings(max_examples=round(share * settings.default.max_examples))


def n_cases(n: int) -> int:
    """As many cases of a test without hypothesis, where the profile asks for 100 examples; at least ten."""
    return max(min(n, 10), round(n * settings.default.max_examples / 100))
