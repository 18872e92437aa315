"""Policies of installed packages: what they list under the entry points ``schedcore.policies`` is registered."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from schedcore import registry
from schedcore.errors import SchedcoreError, UnsupportedError

from .own_policy import Policy, algorithm_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["register_installed"]

GROUP = "schedcore.policies"
_logger = logging.getLogger("schedcore")


def register_installed(wanted: str | None) -> Iterator[registry.Algorithm]:
    """Yield the policies of installed packages, or that of the `wanted` name alone.

    An entry point names a class derived from `schedcore.Policy`, an object of one, or a function without arguments that
    returns one, and the policy goes by the name of the entry point. One that cannot be loaded is an `UnsupportedError`
    if it is wanted, and otherwise left out, which the log says.
    """
    # Only when a name is unknown, or all policies are listed.
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        if wanted is not None and entry.name != wanted:
            continue
        try:
            yield _loaded(entry)
        except SchedcoreError as error:
            if wanted is not None:
                raise
            _logger.warning("%s", error)


def _loaded(entry: "EntryPoint") -> registry.Algorithm:
    package = "an unknown package" if entry.dist is None else f"package {entry.dist.name!r}"
    where = f"policy {entry.name!r} of {package} ({entry.value})"
    try:
        loaded = entry.load()
        policy = loaded if isinstance(loaded, Policy) else loaded()
        if not isinstance(policy, Policy):
            raise TypeError(f"it is no schedcore.Policy, but {type(policy).__name__}")
        return replace(algorithm_of(policy, entry.name), title=policy.label, source=package)
    except Exception as error:  # whatever a package of others does, it is named
        raise UnsupportedError(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error
