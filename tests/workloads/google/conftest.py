"""What tests of the trace of Google share."""

from typing import Any

import pytest

from schedcore.workloads import read_google_table
from schedcore.workloads.google import jobs, tasks


@pytest.fixture
def parts_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is made of the recorded parts in a test, their files are read once: that is most of the work."""
    known: dict[str, Any] = {}

    def read(*arguments: Any, **options: Any) -> Any:
        key = repr((arguments, options))
        if key not in known:
            known[key] = read_google_table(*arguments, **options)
        return known[key]

    for module in (jobs, tasks):
        monkeypatch.setattr(module, "read_google_table", read)
