from .engine import Policy

class PriorityQueuePolicy(Policy):
    def __init__(self, rule: str, last_release_time: float | None = None) -> None: ...

class TetrisPolicy(Policy):
    def __init__(self, mode: str, *, on_clusters: bool = False) -> None: ...

class BestFitExecutionPolicy(Policy):
    def __init__(self, *, on_clusters: bool = False) -> None: ...

class MrisPolicy(Policy):
    def __init__(
        self,
        *,
        rule: str,
        knapsack: str,
        epsilon: tuple[int, int],
        memory_limit: int,
        placement: str,
        gamma0: float,
        origin: float | None,
        opportunistic: bool,
        patience: float,
        replan: bool,
        record: bool,
    ) -> None: ...

class MrisDynamicPolicy(Policy):
    def __init__(
        self,
        *,
        rule: str,
        knapsack: str,
        epsilon: tuple[int, int],
        memory_limit: int,
        placement: str,
        gamma0: float,
        origin: float | None,
        opportunistic: bool,
        patience: float,
        replan: bool,
        record: bool,
    ) -> None: ...

class ClusterMrisPolicy(Policy):
    def __init__(
        self,
        *,
        rule: str,
        knapsack: str,
        epsilon: tuple[int, int],
        memory_limit: int,
        placement: str,
        gamma0: float,
        origin: float | None,
        opportunistic: bool,
        patience: float,
        replan: bool,
        record: bool,
    ) -> None: ...

class ClusterMrisDynamicPolicy(Policy):
    def __init__(
        self,
        *,
        rule: str,
        knapsack: str,
        epsilon: tuple[int, int],
        memory_limit: int,
        placement: str,
        gamma0: float,
        origin: float | None,
        opportunistic: bool,
        patience: float,
        replan: bool,
        record: bool,
    ) -> None: ...
