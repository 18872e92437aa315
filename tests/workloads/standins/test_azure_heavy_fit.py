"""The numbers of `azure_heavy` are those that its fit finds among round ones, from figure 3 alone."""

import itertools
from pathlib import Path
from types import ModuleType

import pytest

from docs_script import docs_script
from schedcore.workloads.standins.azure_heavy import FITTED, HeavyTail

pytest.importorskip("pydantic")


@pytest.fixture(scope="module")
def fit() -> ModuleType:
    return docs_script("azure_heavy_fit")


def place_of(fit: ModuleType, lifetimes: HeavyTail) -> tuple[int, ...]:
    numbers = (lifetimes.median, lifetimes.sigma, lifetimes.share, lifetimes.least)
    return tuple(axis.index(number) for axis, number in zip(fit.LATTICE, numbers, strict=True))


def test_the_fitted_numbers_are_on_the_lattice(fit: ModuleType) -> None:
    assert fit.tail(place_of(fit, FITTED)) == FITTED


def test_the_fit_sees_mris_and_pq_of_figure_3_alone(fit: ModuleType) -> None:
    sizes = [8000, 16000, 32000, 64000, 128000, 256000]
    assert list(fit.published()) == list(itertools.product(["MRIS", "PQ"], sizes))
    assert fit.published()["PQ", 256000] == 71.5
    assert fit.JOB_SETS == (1, 2, 3)


def test_the_fit_goes_down_to_a_place_without_a_better_neighbour(
    fit: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = (1, 7, 3, 9)

    def error_at(place: tuple[int, ...]) -> float:
        return sum((index - wanted) ** 2 for index, wanted in zip(place, target, strict=True)) / 100

    monkeypatch.setattr(fit, "error_at", error_at)
    assert fit.fitted((7, 0, 10, 0)) == target
    assert len(list(fit.neighbours((3, 3, 3, 3)))) == 8 + 24  # one number moves, or two do
    assert len(list(fit.neighbours((0, 0, 0, 0)))) == 4 + 6


@pytest.mark.slow
def test_the_fitted_numbers_come_as_near_to_the_figure_as_the_page_says(fit: ModuleType) -> None:
    page = (Path(fit.__file__).parent / "mris-evaluation.md").read_text(encoding="utf-8")
    assert fit.percent(fit.error(FITTED)) == "off by 2.97 % (root mean square)"
    assert "2.97 %" in page
