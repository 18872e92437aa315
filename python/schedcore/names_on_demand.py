"""The names of a package, loaded when one of them is first asked for.

A program that imports one module of such a package does not wait for the others.
"""

import sys
from collections.abc import Callable
from importlib import import_module

__all__ = ["names_on_demand"]


def names_on_demand(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose module ``public_names`` lists what it shows.

    No name can be that of a module of the package, which would take its place once it is loaded.
    """

    def get(name: str) -> object:
        shown = import_module(f"{package}.public_names")
        loaded = vars(sys.modules[package])  # its modules are in it, too, once they are loaded
        for each in ("__all__", *shown.__all__):
            loaded.setdefault(each, getattr(shown, each))
        try:
            return loaded[name]
        except KeyError:
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from None

    def listed() -> list[str]:
        return [*import_module(f"{package}.public_names").__all__]

    return get, listed
