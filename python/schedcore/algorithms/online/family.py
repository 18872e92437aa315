"""What the algorithms of this family have in common: the name of the group and the paper."""

__all__ = ["FAMILY", "PAPER"]

FAMILY = "online"
PAPER = "Fan and Liang, ICPP 2024"
