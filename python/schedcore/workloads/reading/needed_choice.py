"""An error that a choice would mend: whoever reads for somebody else can show what to choose from."""

from schedcore.errors import InvalidInstanceError

__all__ = ["Choice", "ChoiceNeededError"]

Choice = tuple[str, object]  # an option of the reader and its value


class ChoiceNeededError(InvalidInstanceError):
    """A source that cannot be read until somebody chooses; `choices` are options with which it may be."""

    def __init__(self, message: str, choices: tuple[Choice, ...] = ()) -> None:
        super().__init__(message)
        self.choices = choices
