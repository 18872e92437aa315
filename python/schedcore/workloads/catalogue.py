"""The generators by name, and instances from a text such as ``azure_like:seed=1,n_jobs=16000``."""

import dataclasses
import inspect
from collections.abc import Callable

from schedcore.errors import InvalidInstanceError
from schedcore.model import ColocationInstance, Instance
from schedcore.model.choices import check_choice

from .azure_like import azure_like
from .colocation_grid import colocation_grid
from .generators import half_plus, lemma41, lemma64, list_gap, patience, uniform
from .k_resource_workloads import feitelson_k, lublin_k

__all__ = ["GENERATORS", "MODEL_UNITS", "Generator", "generate", "generate_from_text"]

_MILLIONTHS = "1/1,000,000 machine"
_TICK = "tick"
#: What synthetic workloads count in: no measure of a real machine, so any other program may call them as it likes.
MODEL_UNITS = (_TICK, _MILLIONTHS)


@dataclasses.dataclass(frozen=True)
class Generator:
    """A named generator of instances.

    Parameters
    ----------
    name : str
        Name of the function and of the workload.
    function : callable
        Returns an instance, of jobs or of tasks to colocate; takes integers, and nothing else.
    example : dict
        Arguments of a small instance, for docs and tests.
    time_unit : str
        What one unit of time is.
    amount_unit : str, optional
        What one unit of every resource is, where it is something of the world outside.
    """

    name: str
    function: Callable[..., Instance | ColocationInstance]
    example: dict[str, int]
    time_unit: str = _TICK
    amount_unit: str | None = None

    def units(self, instance: Instance | ColocationInstance) -> dict[str, str]:
        """Return "time" and each resource of an instance -> unit, as far as there is one."""
        if isinstance(instance, ColocationInstance):
            return {}
        names = () if self.amount_unit is None else instance.machines.resource_names
        return {"time": self.time_unit, **{name: str(self.amount_unit) for name in names}}

    @property
    def description(self) -> str:
        """The first line of the function's documentation."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def parameters(self) -> dict[str, int | None]:
        """Parameter name -> default; None where one must be given (or is derived from the others)."""
        parameters = inspect.signature(self.function).parameters.values()
        return {p.name: None if p.default is p.empty else p.default for p in parameters}

    @property
    def required(self) -> tuple[str, ...]:
        """Parameters without a default."""
        parameters = inspect.signature(self.function).parameters.values()
        return tuple(p.name for p in parameters if p.default is p.empty)


GENERATORS: dict[str, Generator] = {
    generator.name: generator
    for generator in (
        Generator("azure_like", azure_like, {"seed": 1, "n_jobs": 1000}, "s", _MILLIONTHS),
        Generator(
            "colocation_grid",
            colocation_grid,
            {"cls": 1, "n_types": 3, "n_tasks": 100, "n_machines": 10, "seed": 1},
        ),
        Generator("feitelson_k", feitelson_k, {"seed": 1, "n_jobs": 100, "n_resources": 4}, "s", _MILLIONTHS),
        Generator("half_plus", half_plus, {"n_jobs": 5, "n_machines": 2}),
        Generator("lemma41", lemma41, {"n_jobs": 4}),
        Generator("lemma64", lemma64, {"n_jobs": 6, "n_resources": 2, "p": 3, "capacity": 10}),
        Generator("list_gap", list_gap, {"n": 16, "L": 90}),
        Generator("lublin_k", lublin_k, {"seed": 1, "n_jobs": 100, "mean_gap": 600}, "s", _MILLIONTHS),
        Generator("patience", patience, {"seed": 1, "n_jobs": 100}),
        Generator(
            "uniform",
            uniform,
            {
                "seed": 1,
                "n_jobs": 50,
                "n_machines": 3,
                "n_resources": 2,
                "capacity": 100,
                "max_processing_time": 20,
                "max_weight": 5,
                "max_release_time": 100,
                "max_demand": 60,
            },
        ),
    )
}


def generate(name: str, **arguments: int) -> Instance | ColocationInstance:
    """Return the instance that generator `name` makes of `arguments`.

    Raises
    ------
    InvalidInstanceError
        For an unknown generator or parameter (with the close matches), a missing one, and values out of
        range.
    """
    check_choice("generator", name, GENERATORS)
    generator = GENERATORS[name]
    for argument in arguments:
        check_choice(f"parameter of {name}", argument, generator.parameters)
    missing = [parameter for parameter in generator.required if parameter not in arguments]
    if missing:
        raise InvalidInstanceError(f"{name} needs {', '.join(missing)}")
    return generator.function(**arguments)


def generate_from_text(text: str) -> Instance | ColocationInstance:
    """Return the instance of ``name`` or ``name:parameter=value,parameter=value``; values are integers.

    Raises
    ------
    InvalidInstanceError
        As `generate` does, and for a value that is no integer.
    """
    name, _, rest = text.partition(":")
    arguments: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, separator, value = part.partition("=")
        try:
            arguments[key.strip()] = int(value)
        except ValueError:
            raise InvalidInstanceError(f"{text!r}: {part!r} is not parameter=integer") from None
        if not separator:
            raise InvalidInstanceError(f"{text!r}: {part!r} is not parameter=integer")
    return generate(name.strip(), **arguments)
