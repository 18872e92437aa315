from .engine import Policy

class BackfillPolicy(Policy):
    def __init__(
        self,
        overtaking: str,
        *,
        selection: tuple[str, int, int, int] = ("ff", 0, 0, 0),
        queue_depth: int | None = None,
        window: float | None = None,
        resolution: float | None = None,
        interval: float | None = None,
        record: bool = False,
        order: str = "erf",
    ) -> None: ...

class WindowBackfillPolicy(Policy):
    def __init__(
        self,
        *,
        window_size: int = 20,
        max_passes: int = 50,
        primary: int = 0,
        trade_numerator: int = 2,
        trade_denominator: int = 1,
        work_limit: int = 100000,
        record: bool = False,
    ) -> None: ...

class ReservationPolicy(Policy):
    def __init__(
        self,
        *,
        protected_jobs: int | None = None,
        compression: str = "pass",
        selection: tuple[str, int, int, int] = ("ff", 0, 0, 0),
        queue_depth: int | None = None,
        window: float | None = None,
        resolution: float | None = None,
        interval: float | None = None,
        record: bool = False,
    ) -> None: ...

class RebuildPolicy(Policy):
    def __init__(
        self,
        *,
        queue_depth: int | None = None,
        window: float | None = None,
        resolution: float | None = None,
        record: bool = False,
    ) -> None: ...

class PlanAnnealingPolicy(Policy):
    def __init__(
        self,
        *,
        work_limit: int = 100000,
        seed: int = 0,
        cooling: float = 0.9,
        steps: int = 30,
        swaps: int = 6,
        exhaustive: int = 5,
    ) -> None: ...
