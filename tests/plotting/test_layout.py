"""What is written is what `fit` has laid out: in the size that it keeps, once, and nothing of it lasts."""

import io
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from schedcore.plotting import layout


@pytest.fixture
def figure() -> Figure:
    figure = layout.new_figure(4.0, 2.0)
    ax = figure.subplots()
    ax.plot([0, 1000], [0, 1e9])
    ax.set_ylabel("a label")
    return figure


def places(figure: Figure) -> Any:
    return np.array([ax.get_position().bounds for ax in figure.axes])


def test_a_figure_that_never_fits_is_laid_out_in_the_size_that_it_keeps(
    figure: Figure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "_missing_room", lambda _: np.array([1.0, 1.0]))
    layout.fit(figure)
    assert figure.get_size_inches()[0] > 8.0
    found = places(figure)
    figure.draw_without_rendering()
    np.testing.assert_allclose(found, places(figure), atol=1e-3)


def test_a_figure_is_not_laid_out_while_it_is_written(
    figure: Figure, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, written = figure.get_layout_engine(), []
    assert engine is not None
    savefig = Figure.savefig

    def watched(self: Figure, *arguments: Any, **options: Any) -> None:
        before, calls = places(self), len(laid_out)
        savefig(self, *arguments, **options)
        assert (places(self) == before).all()
        written.append(len(laid_out) - calls)

    laid_out: list[Figure] = []
    execute = engine.execute
    monkeypatch.setattr(engine, "execute", lambda figure: (laid_out.append(figure), execute(figure)))
    monkeypatch.setattr(Figure, "savefig", watched)
    layout.save(figure, io.BytesIO())
    assert figure.get_layout_engine() is engine
    first = places(figure)
    layout.save(figure, io.BytesIO())
    assert written == [0, 0]
    assert len(laid_out) >= 2
    # To lay it out once more moves nothing by as much as a pixel.
    np.testing.assert_allclose(first, places(figure), atol=1e-3)


def test_a_figure_without_a_layout_engine_stays_without_one(figure: Figure) -> None:
    figure.set_layout_engine(None)
    assert figure.get_layout_engine() is None
    layout.save(figure, io.BytesIO())
    assert figure.get_layout_engine() is None
