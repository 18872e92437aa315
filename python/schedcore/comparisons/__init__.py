"""Policies side by side, and one policy on what could have been."""
