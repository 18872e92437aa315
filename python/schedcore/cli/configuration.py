"""Options from a file: ``--config FILE.toml`` reads them, and ``--save-config FILE.toml`` writes those of this call.

A file has a table a command, such as ``[compare]``; its keys are the options without dashes in front, and the
arguments by their names. What is typed stands above what the file says.
"""

import functools
import inspect
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path, PurePath
from typing import Annotated, Any

import typer

from schedcore.cli.files import check_output_file
from schedcore.cli.invocation import given_values, invoked, section_of
from schedcore.errors import InvalidInstanceError
from schedcore.model.choices import check_choice
from schedcore.model.extras import import_extra
from schedcore.model.whole_file import write_whole

__all__ = ["configured"]

#: Options of which one is typed or another.
_ALTERNATIVES = (("output_format", "as_json", "as_csv"),)
_OWN = frozenset({"config", "save_config"})


def configured(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command read options from a file, and write its own ones into one."""

    @functools.wraps(command)
    def run(context: typer.Context, config: Any, save_config: Path | None, **given: Any) -> None:
        _ = config  # read before the others, whose values it may have given
        given |= _overruled(context)
        with invoked(context), _saved(save_config, section_of(context)):
            command(**given)

    own = inspect.signature(command, eval_str=True).parameters.values()
    parameters = [
        inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        *(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own),
        inspect.Parameter("config", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_ConfigOption),
        inspect.Parameter(
            "save_config", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_SaveOption
        ),
    ]
    vars(run)["__signature__"] = inspect.Signature(parameters)
    vars(run)["__annotations__"] = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _read(context: typer.Context, path: Path | None) -> Path | None:
    """Take what a file says for the defaults of this call; a shell that completes a line reads nothing."""
    if path is None or context.resilient_parsing:
        return path
    try:
        document: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInstanceError(f"{path} is no TOML: {error}") from None
    section = section_of(context)
    for name in section:
        document = document.get(name) if isinstance(document, dict) else None
    if not isinstance(document, dict):
        raise InvalidInstanceError(f"{path} has no table [{'.'.join(section)}]")
    parameters = {
        parameter.name: parameter for parameter in context.command.params if parameter.name not in _OWN
    }
    names = {_key(parameter): name for name, parameter in parameters.items()}
    values = {}
    for key, value in document.items():
        check_choice(f"{path}: key", key, list(names))
        values[names[key]] = _checked(f"{path}: {key}", parameters[names[key]], value)
    context.default_map = values
    return path


def _overruled(context: typer.Context) -> dict[str, Any]:
    """The values of options of a file that give way to typed ones which say the same in other words."""
    return {
        name: False if name.startswith("as_") else None
        for group in _ALTERNATIVES
        if any(_source(context, name) == "COMMANDLINE" for name in group)
        for name in group
        if _source(context, name) == "DEFAULT_MAP"
    }


def _source(context: typer.Context, name: str) -> str:
    return getattr(context.get_parameter_source(name), "name", "")


def _checked(where: str, parameter: Any, value: Any) -> Any:
    """A value in the shape in which an option takes it."""
    if getattr(parameter, "is_flag", False) or isinstance(value, bool):
        if not (getattr(parameter, "is_flag", False) and isinstance(value, bool)):
            raise InvalidInstanceError(
                f"{where} = {value!r}: true and false are for switches, and for them alone"
            )
        return value
    if parameter.multiple:
        value = value if isinstance(value, list) else [value]
        if all(isinstance(one, (str, int, float)) for one in value):
            return [str(one) for one in value]
    elif isinstance(value, (str, int, float)):
        return str(value)
    raise InvalidInstanceError(f"{where} = {value!r} is neither a text nor a number")


@contextmanager
def _saved(path: Path | None, section: list[str]) -> Iterator[None]:
    """Write the options of this call once it has run, whatever it found; a file that exists stays as it is."""
    if path is None:
        yield
        return
    check_output_file(path, force=False, suffixes=(".toml",))
    toml = import_extra("tomlkit", "cli")
    try:
        yield
    except typer.Exit:
        _write(path, section, toml)
        raise
    _write(path, section, toml)


def _write(path: Path, section: list[str], toml: Any) -> None:
    document: Any = {_key(parameter): _toml_value(value) for parameter, value in given_values(_OWN).items()}
    for name in reversed(section):
        document = {name: document}
    write_whole(path, toml.dumps(document).encode())


def _toml_value(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_toml_value(one) for one in value]
    if isinstance(value, Enum):
        return str(value.value)
    return str(value) if isinstance(value, PurePath) else value


def _key(parameter: Any) -> str:
    """What a file calls a parameter: the longest name of an option, the name of an argument."""
    if parameter.param_type_name == "argument":
        return str(parameter.name)
    return str(max(parameter.opts, key=len)).lstrip("-")


_ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE.toml", is_eager=True, callback=_read, show_default=False,
        help="Take options from the table of this command in a file; what is typed stands above them.",
    ),
]  # fmt: skip
_SaveOption = Annotated[
    Path | None,
    typer.Option(
        "--save-config", metavar="FILE.toml", show_default=False,
        help="Write the options of this call into a new file, for --config.",
    ),
]  # fmt: skip
