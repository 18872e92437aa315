"""Outages, failures and cancellations as arguments of a workload, and the incidents that they make of an instance."""

import dataclasses
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.model import AnyInstance, Incidents, Instance
from schedcore.model.choices import check_choice
from schedcore.model.incidents import KILLED
from schedcore.workloads.outages.disturbances import Disturbances
from schedcore.workloads.transforms.declaration import Arguments

__all__ = [
    "WINDOWS_APART",
    "incidents_of",
    "killed",
    "n_draws_of_failures",
    "text",
    "windows",
    "with_outages",
]

#: Between the outages of one argument.
WINDOWS_APART = ";"
_ANY_NUMBER = 2**31


def text(name: str, value: Any) -> None:
    """Refuse all but texts that are not empty."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidInstanceError(f"{name} = {value!r} must be a text")


def killed(name: str, value: Any) -> None:
    """Refuse what is no rule."""
    text(name, value)
    check_choice(name, value, KILLED)


def windows(name: str, value: Any) -> None:
    """Refuse what can be neither outages in words nor the path of a table."""
    text(name, value)
    for window in value.split(WINDOWS_APART):
        if len(window.split()) < 3 and not window.strip().lower().endswith((".csv", ".csv.gz")):
            raise InvalidInstanceError(
                f"{name} = {value!r} must be HOSTS START LENGTH, as in 'n[1-4] 2d 8h', or the path of a .csv"
            )


def with_outages(inst: Instance, arguments: Arguments) -> AnyInstance:
    """Return the instance with the outages of `outage`, which come one after another between semicolons."""
    asked = [window.strip() for window in arguments["outage"].split(WINDOWS_APART)]
    return Disturbances(outage=asked).of(inst)[0]


def n_draws_of_failures(arguments: Arguments) -> int:
    """Return how many draws of failures there are: one if a file or a seed says which."""
    words = arguments["failures"].replace(",", " ").split()
    is_drawn = any(word.startswith("mtbf=") for word in words)
    has_seed = any(word.startswith("seed=") for word in words)
    return _ANY_NUMBER if is_drawn and not has_seed else 1


def incidents_of(inst: AnyInstance, arguments: Arguments) -> Incidents | None:
    """Return what the arguments of a workload say of incidents; None if they say nothing.

    Failures that are drawn have the seed ``failure_seed``, unless their words say another.
    """
    asked = Disturbances(
        failures=arguments.get("failures"),
        cancellations=arguments.get("cancellations"),
        killed=arguments.get("killed"),
    )
    if asked.failures is not None and n_draws_of_failures(arguments) > 1:
        seeded = f"{asked.failures} seed={arguments.get('failure_seed', 1)}"
        asked = dataclasses.replace(asked, failures=seeded)
    return asked.of(inst)[1]
