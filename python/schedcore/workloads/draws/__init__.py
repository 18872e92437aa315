"""Random numbers and functions of them that are the same bits on every platform."""
