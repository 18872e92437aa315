"""Fixtures of the experiment tests."""

from experiments.small_experiments import policies_fixture

__all__ = ["policies_fixture"]
