"""Draws that are the same on every computer and with every release of every library."""


class PortableDraws:
    """A linear congruential generator."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, n: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n
