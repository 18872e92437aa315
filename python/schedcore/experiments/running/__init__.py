"""Cells, the workers that run them, and the run as a whole."""
