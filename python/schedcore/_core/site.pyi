from collections.abc import Sequence

from . import _Float64Array, _Int64Array

_Named = tuple[_Int64Array, Sequence[str]]

class SiteRules:
    def __init__(
        self,
        *,
        partitions: Sequence[tuple[str, int, float]] = [],
        classes: Sequence[tuple[str, int, float, bool]] = [],
        limits: Sequence[tuple[str, int | str | None, str, int, int]] = [],
        shares: Sequence[tuple[str, float]] = [],
        multifactor: tuple[float, float, float, float, float, float, float, float, float] | None = None,
        preempt: str | None = None,
    ) -> None: ...

class Parties:
    def __init__(
        self,
        n_jobs: int,
        *,
        user: _Named | None = None,
        account: _Named | None = None,
        partition: _Named | None = None,
        service_class: _Named | None = None,
        array: _Int64Array | None = None,
        priority: _Float64Array | None = None,
        awaited: tuple[_Int64Array, _Int64Array, _Int64Array] | None = None,
    ) -> None: ...
