"""Predictions of runs in place of estimates: the mean of the last two completed ones of the user (EASY++).

Who has not two, or is nobody, is believed; nothing is predicted above the estimate.
"""

MINUTE, HOUR = 60.0, 3600.0
#: What is added to a prediction that was too short, one after another; then the estimate counts.
INCREMENTS = [
    *(minutes * MINUTE for minutes in (1, 5, 15, 30)),
    *(hours * HOUR for hours in (1, 2, 5, 10, 20, 50, 100)),
]


class Predictions:
    """``predicted`` is what holds now, by job."""

    def __init__(self, users: list[str | None], estimate: list[float]) -> None:
        self.users = users
        self.estimate = estimate
        self.predicted = list(estimate)
        self.completed: dict[str, list[float]] = {}
        self.increments = {job: list(INCREMENTS) for job in range(len(users))}

    def note(self, job: int, length: float) -> None:
        user = self.users[job]
        if user:
            self.completed.setdefault(user, []).append(length)

    def predict(self, job: int) -> None:
        last_two = self.completed.get(self.users[job] or "", [])[-2:]
        if len(last_two) == 2:
            self.predicted[job] = min(sum(last_two) / 2, self.estimate[job])

    def correct(self, job: int, elapsed: float) -> None:
        while True:
            more = self.increments[job]
            longer = self.predicted[job] + more.pop(0) if more else self.estimate[job]
            self.predicted[job] = min(longer, self.estimate[job])
            if self.predicted[job] > elapsed or self.predicted[job] == self.estimate[job]:
                return
