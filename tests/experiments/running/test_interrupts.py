"""Ctrl-C is noted at once and obeyed where it does no harm."""

import concurrent.futures
import signal
from collections.abc import Iterator

import pytest

from schedcore.experiments.running import interrupts
from schedcore.experiments.running.interrupts import noted_interrupts


@pytest.fixture(autouse=True)
def _handler_of_a_terminal() -> Iterator[None]:
    """A job in the background inherits that the signal is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_waits_until_it_is_asked_for() -> None:
    reached = []
    with pytest.raises(KeyboardInterrupt), noted_interrupts() as obey:  # noqa: PT012
        obey()
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        reached.append("after")
        obey()
        reached.append("never")
    assert reached == ["after"]


def test_an_interrupt_that_nobody_asked_for_is_raised_at_the_end() -> None:
    reached = []
    with pytest.raises(KeyboardInterrupt), noted_interrupts():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        reached.append("end")
    assert reached == ["end"]


def test_an_error_of_the_body_is_not_replaced() -> None:
    with pytest.raises(OSError, match="full"), noted_interrupts():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        raise OSError("full")


def test_who_insists_is_obeyed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "_PATIENCE_SECONDS", 0.0)
    reached = []
    with pytest.raises(KeyboardInterrupt), noted_interrupts():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        reached.append("noted")
        signal.raise_signal(signal.SIGINT)
        reached.append("never")
    assert reached == ["noted"]


def test_a_program_that_handles_the_signal_keeps_its_handler() -> None:
    seen: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    with noted_interrupts() as obey:
        signal.raise_signal(signal.SIGINT)
        obey()
    assert seen == [signal.SIGINT]
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_other_threads_than_the_main_one_leave_the_signal_alone() -> None:
    def body() -> object:
        with noted_interrupts():
            return signal.getsignal(signal.SIGINT)

    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        assert executor.submit(body).result() is signal.default_int_handler
