"""How many random cases a test draws: tests that are repeated for many algorithms or options draw hundreds together."""

from hypothesis import settings


def share_of_examples(share: float) -> settings:
    """A decorator: that part of what the profile asks for, so that the thorough one keeps drawing many more."""
    return settings(max_examples=round(share * settings.default.max_examples))


def n_cases(n: int) -> int:
    """`n` for a test that draws its cases itself, and as many times more as the profile draws more than by default."""
    return n * settings.default.max_examples // settings.get_profile("ci").max_examples
