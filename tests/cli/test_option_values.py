"""Whatever an option of a reader, or a parameter of a generator, is given: it is taken, or refused in one sentence."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedcore.cli.workload_choice import WorkloadOptions
from schedcore.errors import InvalidInstanceError
from schedcore.workloads import GENERATORS, load, read_sacct, read_swf

LOGS: dict[Callable[..., Any], tuple[str, str]] = {
    read_swf: (
        "log.swf",
        "; MaxProcs: 8\n1 0 0 100 2 10 100 2 200 100 1\n2 0 0 100 2 10 -1 2 200 -1 1\n",
    ),
    read_sacct: (
        "log.sacct",
        "JobIDRaw|Submit|Start|ElapsedRaw|TimelimitRaw|State|ReqCPUS|ReqMem|ReqTRES\n"
        "1|0|0|10|1|COMPLETED|2|1M|gres/gpu=1\n2|0|0|10|1|COMPLETED|2||\n",
    ),
}
READ = {"processors": "8", "memory_capacity": "4096", "missing_memory": "skip"}
#: No option takes one of these, whatever it is about.
NEVER_TAKEN = ("abc", "1e400", "nan", "")
VALUES = (*NEVER_TAKEN, "-1", "0", "1.5", "true", "9" * 400, "-" + "9" * 400, str(2**63))

OPTIONS = [
    (reader, name) for reader in LOGS for name in inspect.signature(reader).parameters if name != "path"
]
PARAMETERS = [(name, parameter) for name, known in GENERATORS.items() for parameter in known.parameters]


@pytest.fixture
def logs(tmp_path: Path) -> dict[Callable[..., Any], Path]:
    for name, text in LOGS.values():
        (tmp_path / name).write_text(text)
    return {reader: tmp_path / name for reader, (name, _) in LOGS.items()}


def taken(value: str, source: str, **options: Any) -> bool:
    """Whether a workload is read; if not, that one sentence says why."""
    try:
        WorkloadOptions(**options, allow_loss=True).read_workload(source)
    except InvalidInstanceError as error:
        sentence = str(error)
        assert sentence
        assert len(sentence) < 500
        assert len(sentence.splitlines()) == 1
        return False
    return True


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("reader", "option"), OPTIONS)
def test_options_of_readers_take_a_value_or_refuse_it_in_a_sentence(
    logs: dict[Callable[..., Any], Path], reader: Callable[..., Any], option: str
) -> None:
    others = {} if option == "machines" else READ
    for value in VALUES:
        read = [f"{name}={given}" for name, given in {**others, option: value}.items()]
        assert not (taken(value, source=str(logs[reader]), read=read) and value in NEVER_TAKEN), value


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("generator", "parameter"), PARAMETERS)
def test_parameters_of_generators_take_a_value_or_refuse_it_in_a_sentence(
    generator: str, parameter: str
) -> None:
    example = GENERATORS[generator].example
    for value in VALUES:
        given = ",".join(f"{name}={one}" for name, one in {**example, parameter: value}.items())
        assert not (taken(value, source=f"{generator}:{given}") and value in NEVER_TAKEN), value


@pytest.mark.parametrize(
    ("log", "words", "message"),
    [
        (read_swf, ("-m", "2x4,1GB"), "--machines excludes --read processors and --memory-capacity"),
        (read_sacct, ("-m", "2x4,1GB"), "excludes --read processors, --memory-capacity and --read gpu_capacity"),
        (read_swf, ("--missing-memory", "-5"), "--missing-memory = -5 KB per processor is outside [0, 2**53)"),
        (read_swf, ("--missing-memory", "true"), "--missing-memory true must be a number or used or skip"),
        (read_sacct, ("--missing-memory", "used"), "unknown --missing-memory 'used' (choices: allocated, skip)"),
        (read_swf, ("--censored", "keep"), "unknown option '--censored' for "),
        (read_swf, ("--censored", "keep"), "log.swf (choices: --read mode, --read n_resources, "),
        (read_swf, ("--read", "n_resources=3"), "--read n_resources=3 must be 1 or 2"),
        (read_swf, ("--read", "n_resources=true"), "--read n_resources=true must be 1 or 2"),
        (read_swf, ("--read", "memory_capacity=1.5"), "--memory-capacity 1.5 must be an integer"),
        (read_sacct, ("--read", "gpu_capacity=-1"), "--read gpu_capacity = -1 must be at least 0 and at most 900"),
        (read_sacct, ("--read", "memory=0"), "--read memory=0: choose --read memory=true or --read memory=false"),
        (read_sacct, ("--read", "gpus=no"), "--read gpus=no: choose --read gpus=true or --read gpus=false"),
        (read_sacct, ("--read", "mode=used"), "unknown --read mode 'used'; did you mean 'requested'?"),
    ],
)  # fmt: skip
def test_a_refusal_names_options_as_they_are_typed(
    cli: Callable[..., Any],
    logs: dict[Callable[..., Any], Path],
    log: Callable[..., Any],
    words: tuple[str, ...],
    message: str,
) -> None:
    outcome = cli("bounds", logs[log], "--read", "processors=8", *words)
    assert outcome.exit_code == 2
    assert message in outcome.stderr


def test_what_a_missing_request_was_taken_for_is_told_as_it_is_typed(
    cli: Callable[..., Any], logs: dict[Callable[..., Any], Path]
) -> None:
    outcome = cli("bounds", logs[read_swf], "-m", "1x8,1GB", "--missing-memory", "100")
    assert (
        "1 jobs without a memory request take 100 KB per processor (--missing-memory 100)" in outcome.stderr
    )


@pytest.mark.parametrize(("workload", "words", "message"), [
    ("azure_like:n_jobs=4", ("--read", "mode=used"), "options of a reader (--read mode) with a generator"),
])  # fmt: skip
def test_options_that_a_workload_does_not_have_are_named_as_they_are_typed(
    cli: Callable[..., Any], workload: str, words: tuple[str, ...], message: str
) -> None:
    outcome = cli("bounds", workload, *words)
    assert (outcome.exit_code, message in outcome.stderr) == (2, True)


def test_in_python_options_are_named_as_python_writes_them(logs: dict[Callable[..., Any], Path]) -> None:
    for options, message in (
        ({"memory": 0}, "memory=0: choose memory=True or memory=False"),
        ({"processors": "abc"}, 'processors="abc" must be an integer'),
        ({"processors": 0}, "processors = 0 must be at least 1 and at most 9007199254740992"),
        ({"mode": "used"}, "unknown mode 'used'"),
    ):
        with pytest.raises(InvalidInstanceError) as caught:
            load(logs[read_sacct], **options)
        assert str(caught.value).startswith(message)
    for reader in (read_swf, read_sacct):
        with pytest.raises(TypeError, match=r"processors must be an integer, not 1\.5"):
            reader(logs[reader], processors=1.5)
    with pytest.raises(InvalidInstanceError, match="gpus=0: choose gpus=True or gpus=False"):
        read_sacct(logs[read_sacct], gpus=0)  # type: ignore[arg-type]
