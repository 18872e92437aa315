"""What a report of a fault says of versions."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import schedcore
from schedcore import versions

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]


def name_of(requirement: str) -> str:
    return requirement.partition(">")[0].partition("[")[0].strip()


def test_every_package_that_the_project_names_is_told() -> None:
    extras = {name_of(each) for needed in PROJECT["optional-dependencies"].values() for each in needed}
    found = schedcore.show_versions(as_dict=True)
    assert found is not None
    assert set(found["packages"]) == extras - {"schedcore"} | set(map(name_of, PROJECT["dependencies"]))
    assert found["packages"]["numpy"] == np.__version__
    assert found["build"] == schedcore.build_config()
    assert found["schedcore"] == schedcore.__version__


def test_what_is_missing_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "_OPTIONAL", ("no_such_package",))
    assert schedcore.show_versions() is None
    lines = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())
    assert lines["no_such_package"].strip() == "not installed"
    assert lines["schedcore"].strip() == schedcore.__version__
