"""Fewer examples for a test that is repeated for many algorithms or options, which together still draw hundreds."""

from hypothesis import settings


def share_of_examples(share: float) -> settings:
    """A decorator: that part of what the profile asks for, so that the thorough one keeps drawing many more."""
    return settings(max_examples=round(share * settings.default.max_examples))
