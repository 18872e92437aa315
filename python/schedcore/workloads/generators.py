"""The generators by name, and instances from a text such as ``azure_like:seed=1,n_jobs=16000``."""

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.model import AnyInstance
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.choices import check_choice
from schedcore.model.real_numbers import shown
from schedcore.workloads.models.colocation_grid import colocation_grid
from schedcore.workloads.models.k_resource_workloads import feitelson_k, lublin_k
from schedcore.workloads.models.mris_instances import half_plus, lemma41, lemma64, list_gap, patience, uniform
from schedcore.workloads.reading.annotated_arguments import (
    Argument,
    argument_from_text,
    check_argument_kind,
    passed_argument,
)
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.standins.azure_heavy import azure_heavy
from schedcore.workloads.standins.azure_like import azure_like
from schedcore.workloads.standins.map_reduce import mapreduce_standin
from schedcore.workloads.standins.parallel_tasks import parallel_task_standin
from schedcore.workloads.standins.site_like import atlas_like, curie_like, thunder_like
from schedcore.workloads.standins.slotted_jobs import slotted_standin

__all__ = ["GENERATORS", "MODEL_UNITS", "Generator", "generate", "generate_from_text", "with_seed"]

_MILLIONTHS = "1/1,000,000 machine"
_TICK = "tick"
_SLOT = "slot"
#: What synthetic workloads count in: no measure of a real machine, so any other program may call them as it likes.
MODEL_UNITS = (_TICK, _SLOT, _MILLIONTHS)

# Of jobs, machines or whatever a parameter counts: a typing error should not fill the memory.
_MOST = 100_000_000


@dataclasses.dataclass(frozen=True)
class Generator:
    """A named generator of instances.

    Parameters
    ----------
    name : str
        Name of the function and of the workload.
    function : callable
        Returns an instance, of jobs, of tasks to colocate or of jobs of parallel tasks; takes integers, numbers and
        words, as its annotations say.
    example : dict
        Arguments of a small instance, for docs and tests.
    time_unit : str or None
        What one unit of time is; None where there are no times.
    amount_unit : str, optional
        What one unit of every resource is, where it is something of the world outside.
    """

    name: str
    function: Callable[..., AnyInstance]
    example: dict[str, Argument]
    time_unit: str | None = _TICK
    amount_unit: str | None = None

    def units(self, instance: Any) -> dict[str, str]:
        """Return "time" and each resource of an instance -> unit, as far as there is one."""
        if self.time_unit is None:
            return {}
        names = () if self.amount_unit is None else instance.machines.resource_names
        return {"time": self.time_unit, **{name: str(self.amount_unit) for name in names}}

    @property
    def description(self) -> str:
        """The first line of the function's documentation."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def parameters(self) -> dict[str, Argument | None]:
        """Parameter name -> default; None where one must be given (or is derived from the others)."""
        return {p.name: None if p.default is p.empty else p.default for p in self._signature}

    @property
    def required(self) -> tuple[str, ...]:
        """Parameters without a default."""
        return tuple(p.name for p in self._signature if p.default is p.empty)

    @functools.cached_property  # experiments ask at every combination of their parameters
    def _signature(self) -> tuple[inspect.Parameter, ...]:
        return tuple(inspect.signature(self.function).parameters.values())

    def check_argument(self, name: str, value: object) -> None:
        """Raise an `InvalidInstanceError` if a parameter takes no values of this kind, whatever their range."""
        check_argument_kind(self.function, name, value)


GENERATORS: dict[str, Generator] = {
    generator.name: generator
    for generator in (
        Generator("atlas_like", atlas_like, {"seed": 1, "n_jobs": 1000}, "s", "cores"),
        Generator("azure_heavy", azure_heavy, {"seed": 1, "n_jobs": 1000}, "s", _MILLIONTHS),
        Generator("azure_like", azure_like, {"seed": 1, "n_jobs": 1000}, "s", _MILLIONTHS),
        Generator(
            "colocation_grid",
            colocation_grid,
            {"cls": 1, "n_types": 3, "n_tasks": 100, "n_machines": 10, "seed": 1},
            time_unit=None,
        ),
        Generator("curie_like", curie_like, {"seed": 1, "n_jobs": 1000}, "s", "cores"),
        Generator("feitelson_k", feitelson_k, {"seed": 1, "n_jobs": 100, "n_resources": 4}, "s", _MILLIONTHS),
        Generator("half_plus", half_plus, {"n_jobs": 5, "n_machines": 2}),
        Generator("lemma41", lemma41, {"n_jobs": 4}),
        Generator("lemma64", lemma64, {"n_jobs": 6, "n_resources": 2, "p": 3, "capacity": 10}),
        Generator("list_gap", list_gap, {"n": 16, "L": 90}),
        Generator("lublin_k", lublin_k, {"seed": 1, "n_jobs": 100, "mean_gap": 600}, "s", _MILLIONTHS),
        Generator("mapreduce_standin", mapreduce_standin, {"n_jobs": 20, "seed": 1, "window": 200}, "slot"),
        Generator(
            "parallel_task_standin",
            parallel_task_standin,
            {"n_jobs": 20, "n_machines": 5, "seed": 1, "placement": "local_remote", "remote_penalty": 1.5},
            "s",
            _MILLIONTHS,
        ),
        Generator("patience", patience, {"seed": 1, "n_jobs": 100}),
        Generator(
            "slotted_standin",
            slotted_standin,
            {"n_jobs": 40, "seed": 1, "window": 400, "resources": "cores_memory"},
            _SLOT,
        ),
        Generator("thunder_like", thunder_like, {"seed": 1, "n_jobs": 1000}, "s", "cores"),
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


def generate(name: str, **arguments: Argument) -> AnyInstance:
    """Return the instance that generator `name` makes of `arguments`; the word "none" stands for None.

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
    for argument, value in arguments.items():
        is_count = argument.startswith("n_") or argument in ("n", "K", "L")
        if is_count and isinstance(value, int) and value > _MOST:
            raise InvalidInstanceError(f"{name}: {argument} = {shown(value)} is above {_MOST:,}")
        if argument != "seed" and isinstance(value, int) and abs(value) > EXACT_BOUND:
            raise InvalidInstanceError(f"{name}: {argument} = {shown(value)} is beyond 2**53")
    function = generator.function
    try:
        return function(**{key: passed_argument(function, key, value) for key, value in arguments.items()})
    except MemoryError:
        given = ", ".join(f"{key} = {shown(value)}" for key, value in arguments.items())
        raise InvalidInstanceError(f"{name}: there is not enough memory for {given}") from None


def generate_from_text(text: str) -> AnyInstance:
    """Return the instance of ``name`` or ``name:parameter=value,parameter=value``.

    Raises
    ------
    InvalidInstanceError
        As `generate` does, and for a value that is not of the kind that the parameter takes.
    """
    name, _, rest = text.partition(":")
    name = name.strip()
    check_choice("generator", name, GENERATORS)
    arguments: dict[str, Argument] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, separator, value = (piece.strip() for piece in part.partition("="))
        if not separator:
            raise InvalidInstanceError(f"{shown(text)!r}: {shown(part)!r} is not parameter=value")
        check_choice(f"parameter of {name}", key, GENERATORS[name].parameters)
        try:
            arguments[key] = argument_from_text(GENERATORS[name].function, key, value)
        except InvalidInstanceError as error:
            raise InvalidInstanceError(f"{shown(text)!r}: {error}") from None
    return generate(name, **arguments)


def with_seed(generator: str, seed: int | None) -> str:
    """The text of a generator call with its seed: the one given, else the one it has, else 1.

    Raises
    ------
    InvalidInstanceError
        If a seed is given to a generator that draws nothing, or twice.
    """
    name, _, arguments = generator.partition(":")
    if name.strip() not in GENERATORS:
        return generator
    draws = "seed" in GENERATORS[name.strip()].parameters
    has_seed = any(part.partition("=")[0].strip() == "seed" for part in arguments.split(","))
    if seed is not None and not draws:
        raise InvalidInstanceError(f"{name}: nothing is drawn, so {spelled('seed', seed)} has no meaning")
    if seed is not None and has_seed:
        raise InvalidInstanceError(f"{generator}: the seed is given twice, as {spelled('seed', seed)} too")
    if not draws or has_seed:
        return generator
    return f"{name}:seed={1 if seed is None else seed}{',' if arguments else ''}{arguments}"
