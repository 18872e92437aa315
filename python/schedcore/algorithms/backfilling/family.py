"""What the algorithms of this family have in common: the name of the group, the papers, what they minimise."""

__all__ = ["FAMILY", "OBJECTIVE", "PAPER"]

FAMILY = "backfilling"
PAPER = "Leinberger, Karypis and Kumar, SC 1999"
OBJECTIVE = "average_response_time"
